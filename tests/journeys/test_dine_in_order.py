"""Dinner: from the code on the table to the served plate. Real processes, real browsers."""

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from restaurant.sites import sites
from tests.browser.driver import new_page
from tests.factories import make_business
from tests.journeys.test_inbox import Place, within
from tests.restaurant.bistro import open_bistro
from tests.webhooks.receivers import add_endpoint, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timing]

GUEST = "905321118811"
# As in section 2.4 of the specification.
FIELDS = {
    "event": str,
    "order_id": str,
    "order_type": str,
    "table_number": str,
    "waiter_assigned": str,
    "customer": dict,
    "items": list,
    "notes": str,
    "total_amount": (int, float),
    "payment_method": str,
    "status": str,
}
ITEM_FIELDS = {
    "name": str,
    "quantity": int,
    "unit_price": (int, float),
    "options": list,
    "station": str,
}


@pytest.fixture(scope="module")
def bistro(app, settings, service, server):
    """A bistro on a simulated line, with a waiter, and a server that receives its order events."""
    with app.app_context():
        business = make_business("Lokanta Mavi")
        made = open_bistro(business, told_states=["sent_to_kitchen", "ready", "served"])
        with business.scope():
            line = add_simulated_line(
                "Orders", service.url, settings.simulator_secret, test=False, default=True
            )
            sites.change(made.site_id, {"line_id": line.id})
        waiter = business.hires("waiter", "Mehmet Demir")
        add_endpoint(business, server.url, "restaurant.order_created")
        made.place = Place(service, settings, business, waiter, line)
        made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
        made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return made


def order_at_the_table(chromium, service, bistro):
    """The text that the diner's page offers to send."""
    context = chromium.new_context(
        base_url=service.url, locale="en-GB", viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    slug, token = f"lemar-{bistro.business.tenant_id}", bistro.tokens["12"]
    page.goto(f"/r/{slug}/menu?table=12&k={token}")
    page.get_by_role("button", name="Add Pizza").click()
    dish = page.get_by_role("dialog")
    dish.get_by_label("Large").check()
    dish.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Add Ayran").click()
    page.get_by_role("button", name="Your order").click()
    page.get_by_role("dialog").get_by_label("Anything else").fill("Window, please")
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    text = page.locator("[data-text]").inner_text()
    context.close()
    return text


def messages_with(bistro, words):
    return [one for one in bistro.place.shown(GUEST) if words in (one.get("text") or "")]


def test_a_dinner_from_the_table_to_the_plate(app, chromium, service, server, bistro):
    place = bistro.place
    context, board, watch = place.open_portal(
        chromium, place.selin, f"/orders/board/{bistro.site_id}"
    )
    expect(board.locator("html[data-board=ready]")).to_be_attached()
    board.get_by_role("button", name="Sound off").click()
    expect(board.get_by_role("button", name="Sound on")).to_be_visible()

    text = order_at_the_table(chromium, service, bistro)
    place.writes(GUEST, text=text, name="Ayşe Kaya")

    # It appears on the board without a reload, with a sound.
    with within():
        ticket = board.locator(".lane-new .ticket")
        expect(ticket).to_contain_text("Table 12")
    expect(ticket).to_contain_text("Pizza")
    expect(ticket).to_contain_text("Büyük")
    assert int(board.evaluate("document.documentElement.dataset.beeped")) >= 2

    # The guest gets the confirmation, and the tenant's server the complete order.
    number = ticket.get_attribute("aria-label")
    assert wait_until(lambda: messages_with(bistro, number), 20), place.shown(GUEST)
    assert wait_until(lambda: server.bodies, 20)
    check_event(server.bodies[0], number)

    # Taps change its state without a reload.
    for lane, tap in (("preparing", "Start"), ("ready", "Ready"), ("out", "Served")):
        board.locator(".ticket").get_by_role("button", name=tap).click()
        with within():
            expect(board.locator(f".lane-{lane} .ticket")).to_contain_text("Table 12")
    assert wait_until(lambda: len(messages_with(bistro, number)) >= 2, 20)

    # The kitchen display shows only items to prepare.
    board.goto(f"/orders/board/{bistro.site_id}?view=kitchen")
    expect(board.get_by_text("No orders to prepare")).to_be_visible()

    board.goto(f"/orders/{number}")
    expect(board.get_by_text("Window, please")).to_be_visible()
    board.get_by_role("button", name="Close").click()
    expect(board.locator(".page-head .pill")).to_have_text("Closed")
    watch.expect_none()
    context.close()


def check_event(body, number):
    for field, kind in FIELDS.items():
        assert isinstance(body[field], kind), (field, body.get(field))
    assert (body["event"], body["order_id"]) == ("restaurant.order_created", number)
    assert (body["order_type"], body["table_number"]) == ("dine_in", "12")
    customer = body["customer"]
    assert (customer["phone"], customer["name"]) == (f"+{GUEST}", "Ayşe Kaya")
    assert customer["contact_id"].startswith("con_")
    assert (body["status"], body["payment_method"]) == ("sent_to_kitchen", "pos_at_table")
    assert (body["total_amount"], body["notes"]) == (385.5, "Window, please")
    for item in body["items"]:
        for field, kind in ITEM_FIELDS.items():
            assert isinstance(item[field], kind), (field, item)
        assert all(isinstance(option, str) for option in item["options"])
    assert [(item["name"], item["station"]) for item in body["items"]] == [
        ("Pizza", "kitchen"),
        ("Ayran", "bar"),
    ]


def test_a_call_of_the_table_is_seen_and_answered_by_one(app, chromium, service, bistro):
    """Two people at the board see each other's changes."""
    place, address = bistro.place, f"/orders/board/{bistro.site_id}"
    first, one, _ = place.open_portal(chromium, place.selin, address)
    second, other, _ = place.open_portal(chromium, place.business.owner, address)
    guest, page, _ = new_page(chromium, service.url)
    slug, token = f"lemar-{bistro.business.tenant_id}", bistro.tokens["7"]
    page.goto(f"/r/{slug}/menu?table=7&k={token}&lang=en")
    page.get_by_role("button", name="Call the waiter").click()
    with within():
        expect(one.get_by_text("called the waiter")).to_be_visible()
    expect(other.get_by_text("called the waiter")).to_be_visible()
    one.get_by_role("button", name="On my way").click()
    with within():
        expect(other.get_by_text("called the waiter")).to_have_count(0)
    for context in (first, second, guest):
        context.close()
