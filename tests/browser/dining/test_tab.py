"""The bill of a table in a real browser: readable in every width and both themes."""

import pytest
from playwright.sync_api import expect

from restaurant.sites import tables
from restaurant.tabs import addresses, sessions
from restaurant.tabs import guests as tab_guests
from tests.browser.driver import (
    READABLE,
    SETTLE,
    SPILLS,
    THEMES,
    WIDTHS,
    new_page,
    new_tab,
    save_screenshot,
    sign_in,
    unreadable_texts,
)
from tests.factories import PASSWORD
from tests.restaurant.bistro import open_bistro
from tests.restaurant.tabs.seating import open_seating

pytestmark = pytest.mark.browser


@pytest.fixture
def seating(restaurant):
    """Three guests, one order; one has paid, one is paying, and one asks to join."""
    made = open_seating(restaurant)
    order_id = made.orders(("Hamburger", 2), ("Menemen", 1), ("Ayran", 3))
    with made.scope():
        site, table = made.bistro.site(), tables.get(made.table_id)
        made.guests = [
            tab_guests.seat(site, table, test=False, name=name, unnamed="Guest {number}")
            for name in ("Ayşe", "Mehmet", "Zeynep")
        ]
        made.guests[1].state = tab_guests.JOINED
        made.address = addresses.bill_url(sessions.get(made.tab_id), made.guests[0].id)
    paid = made.claims("items", items={(order_id, 3): 1})
    made.pays(paid.link.id, "pm_1")
    made.claims("amount", amount="100")
    return made


def test_the_page_to_join_fits_every_phone_and_theme(chromium, service, seating):
    """Without JavaScript the menu leads there."""
    with seating.scope():
        site, table = seating.bistro.site(), tables.get(seating.table_id)
    path = f"/r/{site.slug}/tab?table={table.number}&k={table.token}&lang=en"
    for theme in THEMES:
        for width in WIDTHS:
            context = chromium.new_context(
                base_url=service.url, locale="en-GB", color_scheme=theme, reduced_motion="reduce",
                viewport={"width": width, "height": 900},
            )  # fmt: skip
            page, watch = new_tab(context, service.url)
            page.goto(path)
            expect(page.get_by_role("button", name="Join")).to_be_visible()
            assert page.evaluate(SPILLS) == []
            assert not unreadable_texts(page, theme, READABLE[theme])
            watch.expect_none()
            save_screenshot(page, f"tab-join-{width}-{theme}")
            context.close()


def test_the_bill_fits_every_phone_and_theme(chromium, service, seating):
    path = f"/tab/{seating.address.rpartition('/')[2]}?lang=en"
    for theme in THEMES:
        for width in WIDTHS:
            context = chromium.new_context(
                base_url=service.url, locale="en-GB", color_scheme=theme, reduced_motion="reduce",
                viewport={"width": width, "height": 900},
            )  # fmt: skip
            page, watch = new_tab(context, service.url)
            page.goto(path)
            expect(page.get_by_role("heading", name="Our bill")).to_be_visible()
            page.locator("summary", has_text="My items").click()
            page.evaluate(SETTLE)
            assert page.evaluate(SPILLS) == []
            assert not unreadable_texts(page, theme, READABLE[theme])
            watch.expect_none()
            save_screenshot(page, f"tab-{width}-{theme}")
            context.close()


def test_the_staff_see_who_paid(chromium, service, seating):
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, seating.bistro.business.owner.email, PASSWORD)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/orders/board/{seating.bistro.site_id}/tables/{seating.table_id}/bill")
        expect(page.get_by_text("1 of 2 paid").first).to_be_visible()
        assert page.evaluate(SPILLS) == []
        save_screenshot(page, f"tab-staff-{width}")
    page.get_by_role("button", name="Release").first.click()
    expect(page.get_by_text("The amount is open again.")).to_be_visible()
    watch.expect_none()
    context.close()


def test_what_a_guest_chose_while_waiting_is_in_the_shared_cart(chromium, service, restaurant):
    bistro = open_bistro(restaurant)
    menu = f"/r/lemar-{restaurant.tenant_id}/menu?table=12&k={bistro.tokens['12']}&lang=en"
    phones = [new_page(chromium, service.url) for _ in range(2)]
    (_, first, _), (_, second, _) = phones
    first.goto(menu)
    expect(first.locator("[data-party-names]")).to_contain_text("Guest 1")
    second.goto(menu)
    expect(second.locator("[data-party-join]")).to_be_visible()
    second.get_by_role("button", name="Add Ayran").click()
    second.reload()
    expect(second.locator("[data-count]")).to_have_text("1")
    first.get_by_role("button", name="Let in").click()
    expect(first.locator("[data-count]")).to_have_text("1")
    expect(second.locator("[data-party-names]")).to_contain_text("Guest 2")
    expect(second.locator("[data-count]")).to_have_text("1")
    for context, _, watch in phones:
        watch.expect_none()
        context.close()


def test_the_bill_is_paid_with_the_keyboard_alone(chromium, service, seating):
    context, page, _ = new_page(chromium, service.url)
    page.goto(f"/tab/{seating.address.rpartition('/')[2]}?lang=en")
    tab_to(page, "Let in")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Zeynep").first).to_be_visible()
    expect(page.get_by_role("button", name="Let in")).to_have_count(0)
    tab_to(page, "An amount")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("50")
    page.keyboard.press("Enter")
    page.wait_for_url("**/card/*")
    context.close()


def tab_to(page, name):
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"the keyboard does not reach {name}")


def test_a_guest_who_is_let_in_can_pay_without_loading_the_page_again(chromium, service, seating):
    with seating.scope():
        tab = sessions.get(seating.tab_id)
        address = addresses.bill_url(tab, seating.guests[2].id)
    context, page, watch = new_page(chromium, service.url)
    page.goto(f"/tab/{address.rpartition('/')[2]}?lang=en")
    expect(page.get_by_role("heading", name="Join this table")).to_be_visible()
    with seating.scope():
        tab_guests.answer_request(seating.guests[0], seating.guests[2].id, let_in=True)
    page.locator("summary", has_text="Equal shares").click()
    amount = page.locator("[data-equal]")
    expect(amount).to_be_visible()
    page.get_by_label("Number of people").fill("5")
    expect(amount).to_be_hidden()  # it was for another number of people
    watch.expect_none()
    page.get_by_role("button", name="Pay my share").click()
    page.wait_for_url("**/card/*")
    context.close()
