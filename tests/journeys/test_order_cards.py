"""Guests tap the buttons of an order's messages on a simulated phone, also with a hidden number."""

import re
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from core.db import db
from messaging.lines.simulated_line import add_simulated_line
from messaging.models import Identity, Message
from messaging.simulator.network.devices import device_number
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
from tests.journeys.test_linked import ask
from tests.journeys.test_printing import Wire, printer_of
from tests.messaging.lines.linked_processes import Stage, link
from tests.messaging.lines.linked_processes import add_line as add_linked_line
from tests.restaurant.bistro import open_bistro
from tests.service_processes import LINKED_HOST_COMMAND
from tests.webhooks.receivers import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

GUEST, HIDDEN, NEW_NUMBER = "905321118822", "905321118833", "905321118844"
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


class HiddenGuest:
    """A guest who hides the phone number, at a bistro with a printer and card payments."""

    def __init__(self, bistro, settings, service, chromium):
        self.bistro, self.place, self.phone = bistro, bistro.place, HIDDEN
        self.service, self.chromium = service, chromium
        set_up_cards(bistro, settings)
        self.wire = Wire(service, bistro)
        self.kitchen = printer_of(bistro, "Kitchen", agent_id=self.wire.id,
                                  output={"kind": "demo"}, stations=["kitchen"])  # fmt: skip
        self.changes(hides_phone=True, username="ayse.kaya")

    def changes(self, **what):
        number = {"phone_number_id": self.place.line.phone_number_id}
        return self.place.ask(f"/_sim/phones/{self.phone}/person", **number, **what)

    def gets_another_id(self):
        """Wait until the service knows it: a message under an unknown id is a stranger's."""
        user_id = self.changes(rotate_id=True)["user_id"]
        query = db.select(Identity).filter_by(
            tenant_id=self.bistro.business.tenant_id, spelling=user_id
        )

        def known():
            with self.bistro.scope():
                return db.session.scalars(query).first()

        assert wait_until(known, 30)

    def writes(self, text):
        self.place.writes(self.phone, text=text, name="Ayşe Kaya")

    def shown(self):
        """The messages of this bistro on the guest's phone."""
        number = self.place.line.phone_number_id
        return [one for one in self.place.shown(self.phone) if one["phone_number_id"] == number]

    def reads(self, text):
        """Wait for a message with this text, and return it."""

        def found():
            return [one for one in self.shown() if text in (one["text"] or "")]

        assert wait_until(found, 30), self.shown()
        return found()[-1]

    def orders(self):
        with self.bistro.scope():
            query = db.select(Order).where(Order.tenant_id == self.bistro.business.tenant_id)
            return db.session.scalars(query.order_by(Order.id)).all()

    def order_is_printed_within_a_second(self):
        with within(1):
            self.writes(self.bistro.cart(language="en").text)
            assert wait_until(self.orders, 30)
        self.reads("is in the kitchen")
        assert wait_until(lambda: self.wire.polls(self.kitchen.id).json()["jobs"], 30)

    def orders_for_delivery_and_pays(self):
        address = "Galip Dede Cd. 12, Beyoğlu"
        text = order_for_delivery(self.chromium, self.service, self.bistro, address)
        self.writes(text)

        def page():
            return card_page_url(self.shown(), self.service.network)

        assert wait_until(page, 30), self.shown()
        pays_by_card(self.chromium, page())
        assert reaches(self.bistro, carts.find_code(text), "sent_to_kitchen")
        self.reads("received your payment")

    def expect_one_cancelled_and_one_paid(self):
        cancelled, paid = self.orders()
        assert (cancelled.state, paid.state) == ("cancelled", "sent_to_kitchen")
        assert (cancelled.customer_phone, paid.customer_phone) == ("", "")
        assert cancelled.contact_id == paid.contact_id is not None


def test_a_guest_with_a_hidden_number_is_served_like_others(
    app, chromium, settings, service, bistro
):
    guest = HiddenGuest(bistro, settings, service, chromium)
    guest.order_is_printed_within_a_second()
    # The network gives the guest another id; the order is still theirs.
    guest.gets_another_id()
    guest.writes("Cancel order")
    guest.reads("We have cancelled your order")
    guest.orders_for_delivery_and_pays()
    guest.expect_one_cancelled_and_one_paid()


@pytest.fixture
def linked_bistro(app, settings, service):
    """Its line is a phone that was linked by a code; a real host process holds the session."""
    business = make_business("Lokanta Mavi")
    made = open_bistro(business)
    service.start("host", LINKED_HOST_COMMAND)
    line_id = add_linked_line(business)
    stage = Stage(settings)
    link(stage, business, line_id)
    with business.scope():
        sites.change(made.site_id, {"line_id": line_id})
    number = SimpleNamespace(id=line_id, phone_number_id=device_number(business.tenant_id, line_id))
    made.place = Place(service, settings, business, business.owner, number)
    made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
    return made


def test_a_guest_with_a_hidden_number_is_served_by_a_linked_phone(
    app, chromium, settings, service, linked_bistro
):
    guest = HiddenGuest(linked_bistro, settings, service, chromium)
    guest.order_is_printed_within_a_second()
    # A linked phone shows choices with numbers. The guest's id stays when the number changes.
    numbered = guest.reads("is in the kitchen")["text"]
    choice = re.search(r"^(\d)\. Cancel order$", numbered, re.MULTILINE)
    assert choice, numbered
    hidden_id = guest.changes(phone=NEW_NUMBER)["linked_id"]
    guest.phone = NEW_NUMBER
    guest.writes(choice[1])
    guest.reads("We have cancelled your order")
    guest.orders_for_delivery_and_pays()
    guest.expect_one_cancelled_and_one_paid()

    # The team and a program answer, without knowing the number.
    place = linked_bistro.place
    context, page, watch = place.open_portal(chromium, linked_bistro.business.owner)
    page.locator(".talk-row").filter(has_text="Ayşe Kaya").click()
    expect(page.get_by_role("button", name="Ask for phone number")).to_have_count(0)
    page.get_by_label("Your message").fill("The courier is on the way.")
    page.get_by_role("button", name="Send", exact=True).click()
    guest.reads("The courier is on the way.")
    contact = f"/contacts/{guest.orders()[0].contact_id}/messages"
    body = {"type": "text", "text": "How was it?", "instance_id": place.line.id}
    status, _ = ask(service, linked_bistro.business, "POST", contact, body)
    assert status in (200, 202)
    guest.reads("How was it?")
    watch.expect_none()
    context.close()

    with linked_bistro.scope():
        query = db.select(Message.phone, Message.direction).where(
            Message.tenant_id == linked_bistro.business.tenant_id
        )
        addresses = {tuple(row) for row in db.session.execute(query)}
    assert addresses == {(hidden_id, "in"), (hidden_id, "out")}
