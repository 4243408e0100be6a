"""The ready-made journey answers with the real state of the person's last order."""

from datetime import timedelta

import pytest

from core import clock
from jobs.inbound import hooks as hooks_job
from messaging.inbox import conversation_actions
from messaging.journeys.ready_made import READY_MADE
from restaurant.orders import queries as order_queries
from tenants import accounts
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import publish, runs, sent, taps, writes
from tests.restaurant.bistro import GUEST, open_bistro
from tests.webhooks.stores.shops import connect_store, shopify_order

HELP = " Can we help you with anything else?"
NONE = (
    "We found no order of the last 30 days from this number. If you ordered with another number, "
    "what is your order number?"
)


def publish_it(business, locale="en"):
    publish(business, READY_MADE["where_is_my_order"].in_language(locale))


def asks(business, line, phone=GUEST):
    writes(business, line, "Where is my order?", phone=phone)
    return sent(business)[-1]


@pytest.fixture
def bistro(app, restaurant, redis):
    bistro = open_bistro(restaurant)
    publish_it(restaurant)
    return bistro


def test_the_answer_is_the_state_of_the_last_order(bistro, restaurant):
    bistro.order(table="3")
    order = bistro.order()
    line = bistro.line
    assert asks(restaurant, line) == f"Your order {order.number} is in the kitchen.{HELP}"
    bistro.changes_state(order, "preparing")
    assert asks(restaurant, line) == f"Your order {order.number} is being prepared.{HELP}"
    bistro.changes_state(order, "cancelled", because="Sold out")
    assert asks(restaurant, line) == f"Your order {order.number} was cancelled.{HELP}"


def test_whoever_has_more_questions_gets_a_person(bistro, restaurant, monkeypatch):
    notes, real = [], conversation_actions.add_system_note
    monkeypatch.setattr(
        conversation_actions,
        "add_system_note",
        lambda line, contact, text: (notes.append(text), real(line, contact, text)),
    )
    order = bistro.order()
    asks(restaurant, bistro.line)
    taps(restaurant, bistro.line, "Talk to a person", phone=GUEST)
    assert runs(restaurant)[-1].because == "handed_over"
    assert notes == [f"Has a question about order {order.number}"]


def test_the_orders_of_others_and_old_ones_are_not_told(bistro, restaurant):
    bistro.order(phone="905339998877")
    assert asks(restaurant, bistro.line) == NONE
    writes(restaurant, bistro.line, "LEM-7", phone=GUEST)
    assert sent(restaurant)[-1].startswith("Thank you. We are looking for order LEM-7")
    assert runs(restaurant)[-1].because == "handed_over"
    bistro.order()
    with clock.frozen(clock.now() + timedelta(days=31)):
        assert asks(restaurant, bistro.line) == NONE


def test_a_test_order_is_not_told_on_a_live_line(bistro, restaurant):
    order = bistro.order()
    with restaurant.scope():
        order_queries.get(order.number).test = True
    assert asks(restaurant, bistro.line) == NONE


def test_the_answer_is_in_the_language_of_the_account(app, restaurant, redis):
    bistro = open_bistro(restaurant)
    with restaurant.scope():
        accounts.account().locale = "tr"
    publish_it(restaurant, "tr")
    order = bistro.order()
    writes(restaurant, bistro.line, "Siparişim nerede?", phone=GUEST)
    assert sent(restaurant)[-1] == (
        f"{order.number} numaralı siparişiniz mutfakta. Başka bir konuda yardımcı olabilir miyiz?"
    )


@pytest.fixture
def shop_line(app, shop, redis):
    publish_it(shop)
    return make_line(shop)


def arrives(app, door, topic, order):
    door.shopify(topic, order)
    with app.app_context():
        hooks_job.drain()


def test_an_order_of_a_store_is_told_from_the_store_s_events(app, shop, shop_line, client):
    door = connect_store(shop, client, "shopify")
    assert asks(shop, shop_line) == NONE
    writes(shop, shop_line, "1001")
    arrives(app, door, "orders/create", shopify_order(id=7, name="#7"))
    told = f"Your order #7 has been received and is being prepared.{HELP}"
    assert asks(shop, shop_line) == told
    arrives(app, door, "orders/create", shopify_order(id=8, name="#8"))
    fulfilled = {"fulfillment_status": "fulfilled", "fulfillments": [{"tracking_number": "T1"}]}
    arrives(app, door, "orders/fulfilled", shopify_order(id=8, name="#8", **fulfilled))
    assert asks(shop, shop_line) == f"Your order #8 has been shipped.{HELP}"
    arrives(app, door, "orders/cancelled", shopify_order(id=8, name="#8"))
    assert asks(shop, shop_line) == f"Your order #8 was cancelled.{HELP}"
