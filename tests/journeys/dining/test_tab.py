"""Three phones at one table: one order, three ways to pay, and the table is settled.

Real processes, real browsers, and the card page of the simulated provider.
"""

import pytest
from playwright.sync_api import Page, expect

from messaging.lines.simulated_line import add_simulated_line
from restaurant.sites import sites
from restaurant.tabs import sessions
from tests.factories import make_business
from tests.journeys.card_steps import set_up_cards
from tests.journeys.test_inbox import Place
from tests.restaurant.bistro import open_bistro
from tests.webhooks.receivers import add_endpoint, wait_until

pytestmark = pytest.mark.browser

GUEST = "905321118866"


@pytest.fixture(scope="module")
def bistro(app, settings, service, server):
    with app.app_context():
        business = make_business("Lokanta Masa")
        made = open_bistro(business)
        with business.scope():
            line = add_simulated_line(
                "Orders", service.url, settings.simulator_secret, test=False, default=True
            )
            sites.change(made.site_id, {"line_id": line.id})
        set_up_cards(made, settings)
        add_endpoint(business, server.url, "restaurant.order_created", "restaurant.tab_settled")
        made.place = Place(service, settings, business, business.owner, line)
        made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
        made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return made


@pytest.fixture
def phone(chromium, service, bistro):
    opened = []

    def scan() -> Page:
        context = chromium.new_context(
            base_url=service.url, locale="en-GB", viewport={"width": 390, "height": 844}
        )
        context.set_default_timeout(20_000)
        opened.append(context)
        page = context.new_page()
        page.goto(f"/r/lemar-{bistro.business.tenant_id}/menu?table=12&k={bistro.tokens['12']}")
        expect(page.locator("[data-party]")).to_be_visible()
        return page

    yield scan
    for context in opened:
        context.close()


def pays(page: Page, way: str, button: str) -> None:
    """Choose a way on the bill, pay on the provider's page, and come back to the bill."""
    page.locator("summary", has_text=way).click()
    page.get_by_role("button", name=button).click()
    page.wait_for_url("**/card/*")
    page.locator("button[value=pay]").click()
    expect(page.locator(".result.good")).to_be_visible()
    page.locator("a.back").click()
    page.get_by_role("link", name="Back to our bill").click()
    expect(page.get_by_role("heading", name="Our bill")).to_be_visible()


def test_three_phones_one_order_three_ways_to_pay(app, service, server, bistro, phone):
    # The first guest lets the second in with a tap; the third enters the code.
    first = phone()
    expect(first.locator("[data-party-names]")).to_contain_text("Guest 1")
    second = phone()
    first.get_by_role("button", name="Let in").click()
    expect(second.locator("[data-party-names]")).to_contain_text("Guest 2")
    third = phone()
    code = first.locator("[data-party-code]").inner_text()[-4:]
    third.locator("[data-party-digits]").fill(code)
    third.get_by_role("button", name="Join", exact=True).click()
    expect(third.locator("[data-party-names]")).to_contain_text("Guest 3")

    # One cart: the first guest sees what the others chose, and sends the round.
    first.get_by_role("button", name="Add Menemen").click()
    second.get_by_role("button", name="Add Ayran").click()
    third.get_by_role("button", name="Add Menemen").click()
    expect(first.locator("[data-count]")).to_have_text("3")
    first.get_by_role("button", name="Your order").click()
    others = first.locator("[data-others-lines] li")
    expect(others).to_have_count(2)
    expect(others.first).to_contain_text("Guest 2")
    first.get_by_role("button", name="Send order").click()
    expect(first.get_by_text("Order code").first).to_be_visible()
    text = first.locator("[data-text]").inner_text()
    bistro.place.writes(GUEST, text=text, name="Ayşe Kaya")
    assert wait_until(lambda: server.bodies, 30)
    assert server.bodies[0]["total_amount"] == 545
    for page in (second, third):
        expect(page.locator("[data-party-bill]")).to_contain_text("₺545.00")
        expect(page.locator("[data-bar]")).to_be_hidden()

    # The sheet of the sent order closes, which is a step back in the history.
    expect(first.locator("dialog[open]")).to_have_count(0)
    first.wait_for_function("() => !history.state?.sheet")

    # Each pays in another way, and the others see it.
    for page in (first, second, third):
        token = page.locator("[data-party-bill]").get_attribute("href")
        page.goto(token)
        expect(page.locator("[data-open]")).to_have_text("₺545.00")
    pays(first, "My items", "Pay these items")
    expect(third.locator("[data-open]")).to_have_text("₺295.00")
    second.locator("summary", has_text="Equal shares").click()
    second.get_by_label("Number of people").fill("2")
    second.locator("summary", has_text="Equal shares").click()
    pays(second, "Equal shares", "Pay my share")
    expect(third.locator("[data-open]")).to_have_text("₺147.50")
    pays(third, "Everything that is open", "Pay the rest")
    for page in (first, second, third):
        expect(page.get_by_text("Everything is paid. Thank you!")).to_be_visible()
    assert wait_until(lambda: len(server.bodies) == 2, 30)
    settled = server.bodies[1]
    assert (settled["status"], settled["paid_amount"], settled["open_amount"]) == (
        "settled",
        545,
        0,
    )
    assert [one["kind"] for one in settled["shares"]] == ["items", "equal", "all"]
    with app.app_context(), bistro.scope():
        assert sessions.get(settled["id"]).state == "settled"
