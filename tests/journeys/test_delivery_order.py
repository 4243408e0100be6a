"""A delivery order from the menu to the customer: shared location, card payment, courier."""

import re

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tests.factories import make_business
from tests.journeys.card_steps import card_page_url, pays_by_card, reaches, set_up_cards
from tests.journeys.test_inbox import Place
from tests.restaurant.bistro import open_bistro
from tests.webhooks.receivers import add_endpoint, wait_until

pytestmark = pytest.mark.browser

GUEST, HAKAN = "905321118821", "905321117001"
HOME = {"latitude": 41.030012, "longitude": 28.97}
ROUTE = "https://www.google.com/maps/dir/?api=1&destination=41.030012,28.97"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def bistro(app, settings, service, server):
    """A bistro that delivers, on a simulated line, with couriers and a waiter at the board."""
    with app.app_context():
        business = make_business("Lokanta Mavi")
        made = open_bistro(
            business, told_states=["sent_to_kitchen", "out_for_delivery", "delivered"]
        )
        made.ids = made.delivers()
        with business.scope():
            line = add_simulated_line(
                "Orders", service.url, settings.simulator_secret, test=False, default=True
            )
            sites.change(made.site_id, {"line_id": line.id})
        set_up_cards(made, settings)
        waiter = business.hires("waiter", "Mehmet Demir")
        add_endpoint(business, server.url, "restaurant.order_created")
        made.place = Place(service, settings, business, waiter, line)
        made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
        made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return made


def order_on_the_menu(chromium, service, bistro):
    """An address without coordinates: the text that the page offers to send."""
    context = chromium.new_context(base_url=service.url, locale="en-GB", viewport=PHONE)
    page = context.new_page()
    page.goto(f"/r/lemar-{bistro.business.tenant_id}/menu")
    page.get_by_role("button", name="Add Hamburger").click()
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Your order").click()
    cart = page.get_by_role("dialog")
    cart.get_by_label("Delivery", exact=True).check()
    cart.get_by_label("Delivery address").fill("Galip Dede Cd. 15, kat 3")
    cart.get_by_label("Card, online").check()
    page.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    text = page.locator("[data-text]").inner_text()
    context.close()
    return text


def messages_with(bistro, phone, words):
    return [one for one in bistro.place.shown(phone) if words in (one.get("text") or "")]


def number_of(bistro):
    """The order's number in the answer to its message."""
    assert wait_until(lambda: messages_with(bistro, GUEST, "LEM-"), 40), bistro.place.shown(GUEST)
    return re.search(r"LEM-\d+-\d+", messages_with(bistro, GUEST, "LEM-")[0]["text"])[0]


def state(app, bistro, number):
    with app.app_context(), bistro.scope():
        return order_queries.get(number).state


def test_a_dinner_comes_to_the_door(app, chromium, service, server, bistro):
    place = bistro.place
    place.writes(HAKAN, text="Vardiyadayım", name="Hakan")  # a cloud line may answer him now
    text = order_on_the_menu(chromium, service, bistro)
    assert "add the delivery fee when you share your location" in text
    place.writes(GUEST, text=text, name="Ayşe Kaya")

    # The total is not known yet: the guest is asked for the location, and the kitchen gets nothing.
    number = number_of(bistro)
    assert messages_with(bistro, GUEST, "share your location")
    assert (state(app, bistro, number), server.bodies) == ("awaiting_confirmation", [])

    # The location is matched to the order; the guest gets the fee and a link for the whole amount.
    place.writes(GUEST, kind="location", name="Ayşe Kaya", **HOME)
    assert wait_until(lambda: messages_with(bistro, GUEST, "₺30.00"), 40), place.shown(GUEST)
    assert wait_until(lambda: card_page_url(place.shown(GUEST), service.network), 40), place.shown(
        GUEST
    )
    assert (state(app, bistro, number), server.bodies) == ("awaiting_payment", [])

    # Paid on the provider's page: only now the kitchen gets the order.
    pays_by_card(chromium, card_page_url(place.shown(GUEST), service.network))
    with app.app_context():
        assert reaches(bistro, carts.find_code(text), "sent_to_kitchen", 40)
    assert wait_until(lambda: messages_with(bistro, GUEST, "received your payment"), 40)
    assert wait_until(lambda: server.bodies, 40)
    assert server.bodies[0]["order_id"] == number
    assert (server.bodies[0]["total_amount"], server.bodies[0]["delivery"]["route_url"]) == (
        390,
        ROUTE,
    )

    # Prepared, then assigned to a courier on the board.
    context, board, watch = place.open_portal(
        chromium, place.selin, f"/orders/board/{bistro.site_id}?view=delivery"
    )
    expect(board.locator("html[data-board=ready]")).to_be_attached()
    ticket = board.locator(f'[aria-label="{number}"]')
    for tap in ("Start", "Ready"):
        ticket.get_by_role("button", name=tap).click()
        expect(ticket.get_by_role("button", name=tap)).to_have_count(0)
    ticket.get_by_label("Courier").select_option("Hakan Usta")
    ticket.get_by_role("button", name="Assign courier").click()
    expect(board.locator(".pin-given")).to_have_count(1)

    # The courier gets all details in the chat, and the list opens without signing in.
    assert wait_until(lambda: messages_with(bistro, HAKAN, number), 40), place.shown(HAKAN)
    (letter,) = messages_with(bistro, HAKAN, number)
    assert ROUTE in letter["text"]
    assert "Tahsilat yok" in letter["text"]
    link = re.search(r"https?://\S+/courier/\S+", letter["text"])[0]
    street = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    listed = street.new_page()
    listed.goto(link)
    expect(listed.locator("article")).to_contain_text("Galip Dede Cd. 15, kat 3")
    assert listed.get_by_role("link", name="Yol tarifi").get_attribute("href") == ROUTE
    listed.get_by_role("button", name="Aldım").click()
    expect(listed.locator("article")).to_contain_text("Sizde")
    assert wait_until(lambda: messages_with(bistro, GUEST, "on its way"), 40)
    expect(board.locator(".pin-riding")).to_have_count(1)

    # At the customer's address.
    listed.get_by_role("button", name="Teslim ettim").click()
    expect(listed.get_by_text("Teslim edilen: 1")).to_be_visible()
    assert wait_until(lambda: messages_with(bistro, GUEST, "has been delivered"), 40)
    expect(ticket).to_have_count(0)
    assert state(app, bistro, number) == "delivered"
    watch.expect_none()
    street.close()
    context.close()
