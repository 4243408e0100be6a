"""Guests tap the buttons of an order's messages on a simulated phone, also with a hidden number."""

import pytest
from playwright.sync_api import expect

from core.db import db
from messaging.lines.simulated_line import add_simulated_line
from messaging.simulator.phones.access_links import phones_link
from restaurant.models import Order
from restaurant.orders import carts
from restaurant.sites import sites
from tests.browser.driver import new_page, save_screenshot
from tests.factories import make_business
from tests.journeys.card_steps import (
    card_page_url,
    order_for_delivery,
    pays_by_card,
    reaches,
    set_up_cards,
)
from tests.journeys.test_inbox import Place, within
from tests.journeys.test_printing import Wire, printer_of
from tests.restaurant.bistro import open_bistro
from tests.webhooks.receivers import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

GUEST, HIDDEN = "905321118822", "905321118833"
SLOW = 30_000


@pytest.fixture
def bistro(app, settings, service):
    business = make_business("Lokanta Mavi")
    made = open_bistro(business)
    with business.scope():
        line = add_simulated_line(
            "Orders", service.url, settings.simulator_secret, test=False, default=True
        )
        sites.change(made.site_id, {"line_id": line.id})
    waiter = business.hires("waiter", "Mehmet Demir")
    made.place = Place(service, settings, business, waiter, line)
    made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
    made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
    return made


def test_a_guest_asks_for_the_bill_and_cancels_with_taps(app, chromium, settings, bistro):
    place = bistro.place
    place.writes(GUEST, text=bistro.cart(language="en").text, name="Ayşe Kaya")

    link = phones_link(settings.simulator_url, settings.simulator_secret, bistro.business.tenant_id)
    context, phone, _ = new_page(chromium, settings.simulator_url)
    phone.goto(link)
    phone.goto(f"/phones/{GUEST}")
    phone.locator(".chats a.person").first.click()
    log = phone.get_by_role("log")
    expect(log).to_contain_text("is in the kitchen", timeout=SLOW)
    expect(phone.get_by_role("button", name="Add items")).to_be_visible()
    save_screenshot(phone, "phone-order-card")

    phone.get_by_role("button", name="Bill", exact=True).click()
    expect(log).to_contain_text("We are bringing the bill to table 12.", timeout=SLOW)
    board, page, watch = place.open_portal(chromium, place.selin, f"/orders/board/{bistro.site_id}")
    expect(page.get_by_text("Table 12").first).to_be_visible(timeout=SLOW)
    expect(page.locator(".ticket")).to_have_count(1)

    phone.get_by_role("button", name="Cancel order").click()
    expect(log).to_contain_text("We have cancelled your order", timeout=SLOW)
    expect(phone.get_by_role("link", name="Open the menu")).to_be_visible()
    expect(page.locator(".ticket")).to_have_count(0, timeout=SLOW)
    with bistro.scope():
        query = db.select(Order.state).where(Order.tenant_id == bistro.business.tenant_id)
        assert db.session.scalars(query).all() == ["cancelled"]

    # The old message still has the button; nothing happens twice.
    phone.get_by_role("button", name="Cancel order").click()
    expect(log).to_contain_text("is already cancelled", timeout=SLOW)
    watch.expect_none()
    board.close()
    context.close()


def test_a_guest_with_a_hidden_number_is_served_like_others(
    app, chromium, settings, service, bistro
):
    place, person = bistro.place, f"/_sim/phones/{HIDDEN}/person"
    number = {"phone_number_id": place.line.phone_number_id}
    set_up_cards(bistro, settings)
    wire = Wire(service, bistro)
    kitchen = printer_of(bistro, "Kitchen", agent_id=wire.id, output={"kind": "demo"},
                         stations=["kitchen"])  # fmt: skip
    place.ask(person, **number, hides_phone=True, username="ayse.kaya")

    def orders():
        with bistro.scope():
            query = db.select(Order).where(Order.tenant_id == bistro.business.tenant_id)
            return db.session.scalars(query.order_by(Order.id)).all()

    def told(text):
        return [one for one in place.shown(HIDDEN) if text in (one.get("text") or "")]

    with within(1):
        place.writes(HIDDEN, text=bistro.cart(language="en").text, name="Ayşe Kaya")
        assert wait_until(orders, 30)
    assert wait_until(lambda: told("is in the kitchen"), 30), place.shown(HIDDEN)
    assert wait_until(lambda: wire.polls(kitchen.id).json()["jobs"], 30)

    # The network gives the guest another id; the order is still theirs.
    place.ask(person, **number, rotate_id=True)
    place.writes(HIDDEN, text="Cancel order", name="Ayşe Kaya")
    assert wait_until(lambda: told("We have cancelled your order"), 30), place.shown(HIDDEN)

    text = order_for_delivery(chromium, service, bistro, "Galip Dede Cd. 12, Beyoğlu")
    place.writes(HIDDEN, text=text, name="Ayşe Kaya")
    assert wait_until(lambda: card_page_url(place.shown(HIDDEN), service.network), 30)
    pays_by_card(chromium, card_page_url(place.shown(HIDDEN), service.network))
    assert reaches(bistro, carts.find_code(text), "sent_to_kitchen")
    assert wait_until(lambda: told("received your payment"), 30)

    cancelled, paid = orders()
    assert (cancelled.state, paid.state) == ("cancelled", "sent_to_kitchen")
    assert (cancelled.customer_phone, paid.customer_phone) == ("", "")
    assert cancelled.contact_id == paid.contact_id is not None
