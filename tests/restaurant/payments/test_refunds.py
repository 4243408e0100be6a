"""Refunds, full or partial, once and with a reason; and the refund review."""

from decimal import Decimal

import pytest
from sqlalchemy import select

from core.db import db
from core.errors import Conflict, Invalid
from restaurant.models import Refund
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.payments import payments, refunds
from restaurant.payments.gateways.base import GatewayUnreachable
from tests.restaurant.bistro import answers
from tests.restaurant.fake_provider import open_till


@pytest.fixture
def till(restaurant, monkeypatch):
    return open_till(restaurant, monkeypatch)


@pytest.fixture
def client(app):
    return app.test_client()


def paid_order(till, client):
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref)
    till.posts(client, till.event(ref))
    till.works()
    return cart, till.order_of(cart.code)


def test_a_part_goes_back_then_the_rest_and_no_more(till, client):
    paid_order(till, client)
    (payment,) = till.payments()
    with till.scope():
        refunds.request_refund(payments.get(payment.id), "100", "one dish was cold")
    with till.scope(), pytest.raises(Invalid):
        refunds.request_refund(payments.get(payment.id), "700", "too much")
    till.works()
    (payment,) = till.payments()
    assert (payment.refunded, payment.state) == (Decimal(100), "accepted")
    with till.scope():
        refunds.request_refund(payments.get(payment.id), None, "the rest too")
    till.works()
    (payment,) = till.payments()
    assert (payment.refunded, payment.state) == (payment.amount, "refunded")
    assert sum(till.paper.refunded.values()) == payment.amount
    with till.scope(), pytest.raises(Conflict):
        refunds.request_refund(payments.get(payment.id), None, "again")
    assert len(till.bistro.events("payment_refunded")) == 2
    assert till.order_of(till.link_of(payment.reference).reference).state == "sent_to_kitchen"


def test_a_cancelled_order_whose_money_went_back_is_refunded(till, client):
    _, order = paid_order(till, client)
    with till.scope():
        order_lifecycle.cancel(till.bistro.site(), order_queries.get(order.number), "no more fish")
    (payment,) = till.payments()
    assert (payment.state, payment.why) == ("review", "order_cancelled")
    with till.scope():
        refunds.request_refund(payments.get(payment.id), None, "no more fish")
    till.works()
    with till.scope():
        assert order_queries.get(order.number).state == "refunded"
    assert "iade ediliyor" in answers(till.bistro)[-1]


def test_a_refund_of_unknown_end_is_not_asked_for_twice(till, client):
    _, _ = paid_order(till, client)
    till.paper.once = False
    till.paper.trouble = [GatewayUnreachable("it broke off")]
    (payment,) = till.payments()
    with till.scope():
        refunds.request_refund(payments.get(payment.id), None, "cold")
    till.works()
    till.works()
    with till.scope():
        (row,) = refunds.of_payments([payment.id])[payment.id]
        assert (row.state, till.paper.refunded) == ("unknown", {})
        assert refunds.refundable_amount(payments.get(payment.id)) == 0
    # The provider's status settles it.
    ref = till.session_of(payment.reference)
    till.paper.pays(ref, refunded=payment.amount)
    till.posts(client, till.event(ref, "payment.refunded"))
    till.works()
    with till.scope():
        (row,) = refunds.of_payments([payment.id])[payment.id]
        assert row.state == "done"
    assert till.payments()[0].state == "refunded"


def test_a_refund_made_at_the_provider_is_learned_once(till, client):
    _, _ = paid_order(till, client)
    (payment,) = till.payments()
    ref = till.session_of(payment.reference)
    till.paper.pays(ref, refunded=Decimal(65))
    for _ in range(2):
        till.posts(client, till.event(ref, "payment.refunded"))
        till.works()
    assert till.payments()[0].refunded == Decimal(65)
    with till.scope():
        rows = db.session.scalars(
            select(Refund).where(Refund.tenant_id == till.bistro.business.tenant_id)
        ).all()
        assert [(row.amount, row.state) for row in rows] == [(Decimal(65), "done")]


def test_money_is_kept_only_with_a_reason(till, client):
    _, order = paid_order(till, client)
    with till.scope():
        order_lifecycle.cancel(till.bistro.site(), order_queries.get(order.number), "no")
    (payment,) = till.payments()
    with till.scope(), pytest.raises(Invalid):
        payments.keep_without_refund(payments.get(payment.id), " ")
    with till.scope():
        payments.keep_without_refund(payments.get(payment.id), "they come on Friday")
    with till.scope(), pytest.raises(Conflict):
        payments.keep_without_refund(payments.get(payment.id), "again")
    with till.scope():
        assert payments.in_review() == 0
