"""The diner's page in a real browser at phone width: scan, choose, send."""

import pytest
from playwright.sync_api import expect

from portal.diner.menu_cache import menu_cache
from restaurant.loyalty import coupon_codes
from restaurant.menus import menus, publishing
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tests.browser.driver import (
    READABLE,
    SETTLE,
    SPILLS,
    THEMES,
    WIDTHS,
    new_page,
    new_tab,
    save_screenshot,
    unreadable_texts,
)
from tests.browser.test_interactions import PASSWORD, sign_in
from tests.restaurant.bistro import open_bistro
from tests.restaurant.loyalty_club import Club
from tests.timeouts import allow_for_load

pytestmark = pytest.mark.browser


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant, tip_percents=[5, 10], order_types=["dine_in", "takeaway"])


@pytest.fixture
def visit(chromium, service, bistro):
    opened = []

    def start(language="en-GB", **more):
        context = chromium.new_context(
            base_url=service.url, locale=language, reduced_motion="reduce",
            viewport={"width": 390, "height": 844}, **more,
        )  # fmt: skip
        context.set_default_timeout(10_000)
        opened.append(context)
        return new_tab(context, service.url)

    yield start
    for context in opened:
        context.close()


def address(bistro, table="12", **more):
    token = bistro.tokens.get(table, "")
    extra = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/r/lemar-{bistro.business.tenant_id}/menu?table={table}&k={token}{extra}"


def test_from_the_tables_code_to_an_order(visit, bistro):
    page, watch = visit()
    page.goto(address(bistro))
    expect(page.get_by_text("Table 12")).to_be_visible()
    page.get_by_role("button", name="Add Pizza").click()
    dish = page.get_by_role("dialog")
    dish.locator("[data-dish-add]").click()
    expect(dish.get_by_role("alert")).to_contain_text("Please choose")
    dish.get_by_label("Large").check()
    dish.get_by_label("Cheese").check()
    dish.get_by_label("Sauce").check()
    dish.get_by_role("button", name="One more").click()
    save_screenshot(page, "diner-dish")
    expect(dish.get_by_role("button", name="Add")).to_contain_text("701.00")
    dish.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    cart = page.get_by_role("dialog")
    cart.get_by_label("10%").check()
    cart.get_by_label("Anything else").fill("Window, please")
    save_screenshot(page, "diner-cart")
    expect(cart.get_by_role("button", name="Send order")).to_contain_text("820.60")
    cart.get_by_role("button", name="Send order").click()
    text = page.get_by_text("Order code").first
    expect(text).to_be_visible()
    save_screenshot(page, "diner-ready")
    said = page.locator("[data-text]").inner_text()
    watch.expect_none()
    order = bistro.orders_by_chat(said)
    assert (order.state, order.table_number, order.notes) == (
        "sent_to_kitchen",
        "12",
        "Window, please",
    )
    assert str(order.total) == "820.600"


def test_the_cart_outlives_a_reload_and_what_is_gone_is_taken_out(visit, bistro):
    page, _ = visit()
    page.goto(address(bistro))
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Add Menemen").click()
    page.reload()
    expect(page.get_by_role("button", name="Your order")).to_contain_text("2")
    with bistro.scope():
        menus.remove_item(bistro.items["Menemen"])
        publishing.publish(bistro.menu_id)
    page.get_by_role("button", name="Your order").click()
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_role("alert")).to_contain_text("Menemen is no longer on the menu")
    expect(page.locator("[data-lines] li")).to_have_count(1)
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_role("heading", name="Send your order")).to_be_visible()


def test_the_cart_stays_until_the_message_has_arrived(visit, bistro):
    """Closing the sheet or the tab loses nothing; the page shows the state."""
    page, watch = visit()
    page.goto(address(bistro))
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    text = page.locator("[data-text]").inner_text()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    order = page.locator("[data-order]")
    expect(order).to_contain_text("Not sent yet")
    expect(order.get_by_role("link", name="Open WhatsApp and send")).to_be_visible()
    page.wait_for_function("!history.state?.sheet")  # closing the sheet is a step back in history
    page.reload()
    expect(page.get_by_role("button", name="Your order")).to_contain_text("1")
    expect(page.locator("[data-order]")).to_contain_text("Not sent yet")
    made = bistro.orders_by_chat(text)
    expect(page.locator("[data-order]")).to_contain_text(made.number)
    expect(page.locator("[data-order]")).to_contain_text("Your order is in the kitchen")
    expect(page.locator("[data-bar]")).to_be_hidden()
    with bistro.scope():
        order_lifecycle.change_state(bistro.site(), order_queries.get(made.number), "preparing")
    expect(page.locator("[data-order]")).to_contain_text("being prepared")
    watch.expect_none()


def test_a_dish_opens_by_its_card_and_shows_what_is_missing(visit, bistro):
    page, watch = visit()
    page.goto(address(bistro))
    page.locator(".item", has_text="Ayran").locator(".price").click(force=True)
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", name="Ayran")).to_be_visible()
    sheet.get_by_label("Note for the kitchen").fill("cold")
    sheet.locator("[data-dish-add]").click()
    expect(page.get_by_role("button", name="Your order")).to_contain_text("1")
    page.get_by_role("button", name="Add Pizza").click()
    sheet.locator("[data-dish-add]").click()
    expect(sheet.get_by_role("alert")).to_contain_text("Please choose")
    watch.expect_none()


def test_back_closes_a_sheet_and_stays_on_the_menu(visit, bistro):
    page, watch = visit()
    page.goto(address(bistro))
    here = page.url
    page.get_by_role("button", name="Add Hamburger").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert page.url == here
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_role("heading", name="Send your order")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert page.url == here
    watch.expect_none()


def test_a_guest_at_the_table_is_not_asked_where_to_eat(visit, bistro):
    page, _ = visit()
    page.goto(address(bistro))
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    expect(page.locator("[data-types]")).to_be_hidden()
    expect(page.get_by_role("dialog").get_by_text("Pay at the table")).to_be_visible()


def test_search_finds_a_dish(visit, bistro):
    page, watch = visit()
    page.goto(address(bistro))
    page.get_by_role("searchbox").fill("AYR")
    expect(page.get_by_role("heading", name="Ayran")).to_be_visible()
    expect(page.get_by_role("heading", name="Pizza")).to_be_hidden()
    page.get_by_role("searchbox").fill("sushi")
    expect(page.get_by_text("No matching items")).to_be_visible()
    watch.expect_none()


def test_a_dish_that_left_the_menu_is_named_when_the_page_is_opened_again(visit, bistro):
    page, watch = visit()
    page.goto(address(bistro))
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Add Menemen").click()
    with bistro.scope():
        menus.remove_item(bistro.items["Ayran"])
        publishing.publish(bistro.menu_id)
    menu_cache.forget()
    expect(page.get_by_role("button", name="Your order")).to_contain_text("2")
    page.wait_for_timeout(2200)  # the service caches a restaurant for two seconds
    page.reload()
    expect(page.get_by_text("Ayran is no longer on the menu")).to_be_visible()
    expect(page.get_by_role("button", name="Your order")).to_contain_text("1")
    watch.expect_none()


def test_an_option_that_left_the_menu_is_named_with_its_dish(visit, bistro):
    page, _ = visit()
    page.goto(address(bistro))
    page.get_by_role("button", name="Add Hamburger").click()
    dish = page.get_by_role("dialog")
    dish.get_by_label("Cheese").check()
    dish.locator("[data-dish-add]").click()
    page.get_by_role("button", name="Add Ayran").click()
    with bistro.scope():
        menus.change_item(bistro.items["Hamburger"], {"groups": []})
        publishing.publish(bistro.menu_id)
    page.get_by_role("button", name="Your order").click()
    page.get_by_role("button", name="Send order").click()
    fault = page.get_by_role("alert")
    expect(fault).to_contain_text("Hamburger (Cheese) is no longer on the menu")
    expect(page.locator("[data-lines] li")).to_have_count(1)


def test_a_guest_who_calls_sees_when_somebody_is_coming(visit, chromium, service, bistro):
    """First that the call was received, then that staff are on the way."""
    page, watch = visit()
    page.goto(address(bistro))
    page.get_by_role("button", name="Call the waiter").click()
    said = page.locator("[data-call-status]")
    expect(said).to_have_text("We have received your call.")
    save_screenshot(page, "diner-called")
    page.reload()
    expect(said).to_have_text("We have received your call.")
    waiter = bistro.business.hires("waiter", "Mehmet Demir")
    context, board, _ = new_page(chromium, service.url)
    sign_in(board, waiter.email, PASSWORD)
    board.goto(f"/orders/board/{bistro.site_id}")
    board.get_by_role("button", name="On my way").click()
    expect(said).to_have_text("We are on our way to your table.")
    expect(board.get_by_role("button", name="On my way")).to_have_count(0)
    context.close()
    page.get_by_role("button", name="Ask for the bill").click()
    expect(said).to_contain_text("We have received your request for the bill.")
    save_screenshot(page, "diner-coming")
    watch.expect_none()


def test_it_can_be_read_without_scripts(visit, bistro):
    page, _ = visit(java_script_enabled=False)
    page.goto(address(bistro))
    expect(page.get_by_role("heading", name="Hamburger")).to_be_visible()


def test_with_the_keyboard_alone(visit, bistro):
    page, _ = visit()
    page.goto(address(bistro))
    button = page.get_by_role("button", name="Add Hamburger")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.parametrize("language", ["en", "tr", "ar"])
def test_it_looks_right_at_every_width(visit, bistro, language):
    with bistro.scope():
        sites.change(bistro.site_id, {"languages": ["tr", "en", "ar"], "tone": "b4421b"})
    page, watch = visit()
    page.goto(address(bistro, lang=language))
    page.wait_for_timeout(2200)
    page.reload()
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
    faults = []
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            page.evaluate(SETTLE)
            faults += [f"{width} {theme} spills {html}" for html in page.evaluate(SPILLS)]
            faults += [
                f"{width} {theme} {fault}"
                for fault in unreadable_texts(page, theme, READABLE[theme])
            ]
            save_screenshot(page, f"diner-{language}-{width}-{theme}")
    assert not faults, "\n".join(faults)
    watch.expect_none()


@pytest.mark.timing
def test_first_content_on_a_slow_phone(visit, bistro):
    page, _ = visit()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": 150,
            "downloadThroughput": 200_000,
            "uploadThroughput": 94_000,
        },
    )  # about 1.6 Mbit/s with 150 ms, the usual "slow 4G"
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(address(bistro), wait_until="load")
    paint = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 99999"
    )
    assert paint < allow_for_load(1500), paint


def test_a_coupon_brought_by_a_link_is_taken_off_and_a_used_one_is_refused(visit, bistro):
    club = Club(bistro)
    coupon = club.coupon(club.reward(minimum="100"))
    menu_cache.forget()
    page, watch = visit()
    page.goto(address(bistro, coupon=coupon_codes.format_code(coupon.code)))
    expect(page.get_by_text("has been added")).to_be_visible()
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    cart = page.get_by_role("dialog")
    expect(cart.get_by_text("at least ₺100.00")).to_be_visible()
    save_screenshot(page, "diner-coupon-refused")
    for _ in range(2):
        cart.get_by_role("button", name="One more: Ayran").click()
    expect(cart.get_by_text("Ten percent: you save ₺13.50.")).to_be_visible()
    expect(cart.get_by_role("button", name="Send order")).to_contain_text("121.50")
    save_screenshot(page, "diner-coupon")
    cart.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    order = bistro.orders_by_chat(page.locator("[data-text]").inner_text())
    assert str(order.total) == "121.500"
    page.goto(address(bistro))
    page.get_by_role("button", name="Add Hamburger").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Your order").click()
    cart.get_by_label("Coupon code").fill(coupon.code.lower())
    cart.get_by_role("button", name="Apply").click()
    expect(cart.get_by_text("has already been used")).to_be_visible()
    expect(cart.get_by_role("button", name="Send order")).to_contain_text("360.00")
    # a rejected cart is an expected response
    watch.faults = [one for one in watch.faults if "422" not in one]
    watch.expect_none()


@pytest.mark.parametrize(
    ("code", "search", "add"),
    [
        ("es", "Buscar en el menú", "Añadir Pizza"),
        ("fr", "Rechercher dans la carte", "Ajouter Pizza"),
        ("pt", "Pesquisar no menu", "Adicionar Pizza"),
    ],
)
def test_all_languages_fit_beside_the_name(visit, bistro, code, search, add):
    with bistro.business.scope():
        seven = ["tr", "en", "de", "ar", "es", "fr", "pt"]
        sites.change(bistro.site_id, {"languages": seven})
    page, watch = visit()
    page.goto(address(bistro))
    page.locator(f'.languages [data-lang="{code}"]').click()
    expect(page.get_by_placeholder(search)).to_be_visible()
    assert page.evaluate(SPILLS) == []
    assert page.get_by_role("heading", level=1).bounding_box()["height"] < 40  # one line
    save_screenshot(page, f"diner-{code}")
    page.get_by_role("button", name=add).click()
    assert page.evaluate(SPILLS) == []
    save_screenshot(page, f"diner-{code}-dish")
    watch.expect_none()
