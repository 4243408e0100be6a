"""The way back: a guest of a dinner comes again, because a campaign brought a coupon."""

import re

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from restaurant.sites import sites
from tests.browser.driver import save_screenshot
from tests.factories import make_business
from tests.journeys.test_inbox import Place
from tests.restaurant.bistro import open_bistro
from tests.restaurant.loyalty_club import Club
from tests.webhooks.receivers import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

GUEST = "905321118831"
CODE = re.compile(r"\b[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}\b")
PATIENCE = 30_000


@pytest.fixture(scope="module")
def club(app, settings, service):
    """A bistro on a simulated line with a loyalty programme and a 10 % reward."""
    with app.app_context():
        business = make_business("Lokanta Mavi")
        bistro = open_bistro(business)
        with business.scope():
            line = add_simulated_line(
                "Orders", service.url, settings.simulator_secret, test=False, default=True
            )
            sites.change(bistro.site_id, {"line_id": line.id})
        made = Club(bistro)
        made.counts(amount="10", keywords=("points",))
        made.reward("A tenth off")
        made.place = Place(service, settings, business, business.owner, line)
        made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
        made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return made


@pytest.fixture
def menu(chromium, service, club):
    """The diner's phone at a table."""
    context = chromium.new_context(
        base_url=service.url, locale="en-GB", viewport={"width": 390, "height": 844}
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()

    def opens(table, coupon=""):
        slug, token = f"lemar-{club.bistro.business.tenant_id}", club.bistro.tokens[table]
        more = f"&coupon={coupon}" if coupon else ""
        page.goto(f"/r/{slug}/menu?table={table}&k={token}{more}")
        page.get_by_role("button", name="Add Menemen").click()
        page.get_by_role("button", name="Your order").click()
        return page

    yield opens
    context.close()


def send(page):
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    return page.locator("[data-text]").inner_text()


def messages_with(club, words):
    return [one["text"] for one in club.place.shown(GUEST) if words in (one.get("text") or "")]


def test_a_guest_of_the_dinner_comes_back(chromium, service, club, menu):
    place, site_id = club.place, club.bistro.site_id
    board_url = f"/orders/board/{site_id}"
    context, board, watch = place.open_portal(chromium, place.business.owner, board_url)
    board.set_default_timeout(PATIENCE)

    # A served order earns points; the guest gets the balance for a keyword.
    place.writes(GUEST, text=send(menu("12")), name="Ayşe Kaya")
    expect(board.locator(".lane-new .ticket")).to_contain_text("Table 12", timeout=PATIENCE)
    for lane, tap in (("preparing", "Start"), ("ready", "Ready"), ("out", "Served")):
        board.locator(".ticket").get_by_role("button", name=tap).click()
        expect(board.locator(f".lane-{lane} .ticket")).to_contain_text("Table 12", timeout=PATIENCE)
    place.writes(GUEST, text="points")
    assert wait_until(lambda: messages_with(club, "25 points"), 30), place.shown(GUEST)
    board.goto(f"/loyalty/members?site={site_id}")
    expect(board.get_by_role("link", name="Ayşe Kaya")).to_be_visible()

    # A campaign with a reward, sent to guests who ordered lately.
    board.goto("/campaigns/new")
    board.get_by_label("Name").fill("Come back")
    board.locator("main form [type=submit]").click()
    board.get_by_label("Ordered in the last … days").fill("30")
    board.get_by_label("Only contacts with marketing consent").uncheck()
    board.get_by_role("button", name="Save and continue").click()
    board.get_by_label("Text", exact=True).last.fill(
        "{{customer.first_name|Hello}}, come back! Your code: {{coupon}}"
    )
    board.get_by_label("Reward").select_option(label="A tenth off")
    board.get_by_role("button", name="Save and continue").click()
    expect(board.get_by_label("Count clicks with short links")).to_be_visible()
    board.get_by_role("button", name="Save and continue").click()
    board.get_by_label("Do not send during quiet hours").uncheck()
    board.get_by_role("button", name="Save and continue").click()
    save_screenshot(board, "return-check")
    board.get_by_role("link", name="Send this message").click()
    board.get_by_role("dialog").get_by_role("button", name="Send this message").click()

    # On the simulated phone, with a personal code.
    assert wait_until(lambda: messages_with(club, "come back! Your code:"), 60), place.shown(GUEST)
    (text,) = messages_with(club, "come back! Your code:")
    code = CODE.search(text)[0]
    phone_context, phone, _ = place.phone(chromium, GUEST)
    expect(phone.get_by_role("log").get_by_text(code)).to_be_visible()
    phone_context.close()

    # The menu subtracts the coupon, the order contains it, and the board shows it.
    page = menu("7", code)
    expect(page.get_by_text("A tenth off: you save ₺25.00.")).to_be_visible()
    save_screenshot(page, "return-cart")
    place.writes(GUEST, text=send(page))
    board.goto(board_url)
    ticket = board.locator(".lane-new .ticket")
    expect(ticket).to_contain_text("Table 7", timeout=PATIENCE)
    number = ticket.get_attribute("aria-label")
    board.goto(f"/orders/{number}")
    expect(board.locator(".sums")).to_contain_text(code)
    expect(board.locator(".sums-total").last).to_contain_text("225")
    save_screenshot(board, "return-order")
    board.get_by_role("link", name=code).click()
    expect(board.locator(".page-head .pill")).to_have_text("Used")

    # It cannot be used again.
    page = menu("8", code)
    expect(page.get_by_text("already been used")).to_be_visible()
    expect(page.get_by_role("button", name="Send order")).to_contain_text("250.00")
    watch.expect_none()
    context.close()
