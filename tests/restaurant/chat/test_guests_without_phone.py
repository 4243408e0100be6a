"""A guest whose phone number the network hides orders, pays and collects points like others."""

from itertools import count

import pytest

from core.db import db
from jobs.inbound import messages as inbound_messages
from messaging.contacts import identities as contact_identities
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage, LineUpdate
from messaging.messages.receive import receive_line_update
from restaurant import customers
from restaurant.chat import loyalty_keywords
from restaurant.loyalty import ledger
from restaurant.models import Order
from tests.restaurant.bistro import open_bistro
from tests.restaurant.loyalty_club import open_club

USER_ID, NEW_ID = "TR.13491208655302741918", "TR.777"
_ids = count(1)


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def receive(bistro, text="", kind="text", phone="", user_id=USER_ID, username="", **content):
    message = InboundMessage(
        network_id=f"wamid.hidden.{next(_ids)}",
        sender_phone=phone,
        sender_network_id=user_id,
        sender_name="Ayşe Kaya",
        at=0,
        kind=kind,
        text=text,
        content=content,
        sender_username=username,
    )
    with bistro.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(bistro.line, message, tally)
        tally.write()


def orders(bistro):
    with bistro.scope():
        query = db.session.query(Order).filter_by(tenant_id=bistro.business.tenant_id)
        return query.order_by(Order.id).all()


def contact(bistro):
    with bistro.scope():
        return contact_identities.find_contact(network_id=USER_ID)


def test_a_cart_is_an_order_at_once_and_is_answered(bistro):
    receive(bistro, bistro.cart().text)
    [order] = orders(bistro)
    assert (order.state, order.customer_phone, order.contact_id) == (
        "sent_to_kitchen",
        "",
        contact(bistro),
    )
    [text] = bistro.texts_sent_to(USER_ID)
    assert order.number in text
    [body] = bistro.events("order_created")
    assert body["customer"] == {"phone": "", "name": "Ayşe Kaya", "contact_id": order.contact_id}


def test_the_guest_gets_messages_about_the_order(bistro):
    receive(bistro, bistro.cart().text)
    [order] = orders(bistro)
    before = len(bistro.texts_sent_to(USER_ID))
    bistro.changes_state(order, "ready")
    bistro.changes_state(order, "cancelled", reason="closed")
    assert len(bistro.texts_sent_to(USER_ID)) == before + 2


def test_a_wrong_code_is_answered(bistro):
    receive(bistro, "#BCDF-2345")
    assert orders(bistro) == []
    assert len(bistro.texts_sent_to(USER_ID)) == 1


def test_a_second_cart_at_the_table_joins_the_order(bistro):
    receive(bistro, bistro.cart().text)
    receive(bistro, bistro.cart().text)
    [order] = orders(bistro)
    assert order.batch == 2


def test_a_location_that_was_shared_before_belongs_to_the_order(bistro):
    bistro.delivers()
    receive(bistro, kind="location", latitude=41.0290, longitude=28.9740)
    cart = bistro.cart(
        table="", order_type="delivery", payment_method="cash", address="Galip Dede Cd. 15"
    )
    receive(bistro, cart.text)
    [order] = orders(bistro)
    assert order.address["zone_name"] == "Yakın"


def test_points_are_collected_and_told(restaurant):
    club = open_club(restaurant)
    club.counts(keywords=("puan", "points"))
    bistro = club.bistro
    loyalty_keywords.keyword_cache.forget()
    receive(bistro, bistro.cart().text)
    [order] = orders(bistro)
    for state in ("ready", "served"):
        bistro.changes_state(order, state)
    with bistro.scope():
        [balance] = ledger.balances(order.contact_id)
        assert balance.balance > 0
    before = len(bistro.texts_sent_to(USER_ID))
    receive(bistro, "puan")
    assert str(balance.balance) in bistro.texts_sent_to(USER_ID)[before]


def test_messages_follow_a_new_id_and_a_new_number(bistro):
    receive(bistro, bistro.cart().text)
    [order] = orders(bistro)
    change = {"phone": "", "new_phone": "", "old_ids": [USER_ID], "network_id": NEW_ID, "at": 0}
    with bistro.scope():
        receive_line_update(bistro.line, LineUpdate("number_changed", change))
    assert len(bistro.texts_sent_to(NEW_ID)) == 1  # the answer to the order was still waiting
    bistro.changes_state(order, "ready")
    assert len(bistro.texts_sent_to(NEW_ID)) == 2
    moved = {**change, "new_phone": "905321118899", "old_ids": [NEW_ID], "network_id": "TR.778"}
    with bistro.scope():
        receive_line_update(bistro.line, LineUpdate("number_changed", moved))
        assert customers.address_of(order, bistro.line) == "905321118899"
        assert contact_identities.find_contact("905321118899") == order.contact_id


def test_the_answer_to_a_request_gives_the_order_a_number_to_call(bistro):
    receive(bistro, bistro.cart().text)
    [order] = orders(bistro)
    with bistro.scope():
        assert customers.phone_of(order) == ""
    shared = [{"name": "Ayşe Kaya", "phones": ["905321112233"]}]
    receive(bistro, "Ayşe Kaya", "contacts", contacts=shared, origin="contact_request")
    with bistro.scope():
        assert customers.phone_of(order) == "905321112233"
        assert contact_identities.find_contact("905321112233") == order.contact_id


def test_a_card_of_another_person_changes_nothing(bistro):
    receive(bistro, "hi")
    shared = [{"name": "Kemal", "phones": ["905321112299"]}]
    receive(bistro, "Kemal", "contacts", contacts=shared)
    with bistro.scope():
        assert contact_identities.find_contact("905321112299") is None


def test_a_guest_without_a_name_is_shown_by_the_user_name(bistro):
    message = InboundMessage(
        "wamid.nameless", "", USER_ID, "", 0, "text", bistro.cart().text, sender_username="ayse.k"
    )
    with bistro.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(bistro.line, message, tally)
        tally.write()
    assert orders(bistro)[0].customer_name == "@ayse.k"
