"""Online payment with stock and orders for later: pay, then wait, then the kitchen."""

from datetime import UTC, datetime, timedelta

import pytest

from core.clock import advance, frozen, now
from core.errors import DomainError
from jobs.restaurant import orders as orders_job
from restaurant.menus import stock
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import queries as order_queries
from restaurant.payments import links as payment_links
from tests.restaurant.fake_provider import open_till

NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
EVENING = datetime(2026, 11, 16, 16, 30, tzinfo=UTC)


@pytest.fixture
def till(restaurant, monkeypatch):
    with frozen(NOON):
        yield open_till(restaurant, monkeypatch)


def left(till):
    with till.scope():
        return stock.left_counts(till.bistro.site_id)[till.bistro.items["Menemen"]]


def unpaid(till, **more):
    with till.scope():
        site = till.bistro.site()
        site.later_days = 1
        stock.set_left(site, till.bistro.items["Menemen"], 5)
    wish = RequestedItem(till.bistro.items["Menemen"], 3)
    cart = till.bistro.cart(wish, payment_method="card_link", **more)
    order = till.bistro.orders_by_chat(cart.text)
    till.works()
    return cart, order


def test_a_paid_order_for_later_waits_for_its_time(till, app):
    cart, order = unpaid(till, due_at=EVENING, table="", order_type="takeaway")
    assert order.state == "awaiting_payment"
    with frozen(EVENING):
        assert orders_job.fire_scheduled(till.bistro.business.tenant_id) == 0
    reference = till.session_of(cart.code)
    till.paper.pays(reference)
    till.posts(app.test_client(), till.event(reference))
    till.works()
    assert till.order_of(cart.code).state == "scheduled"
    assert till.bistro.events("order_created") == []
    with frozen(EVENING):
        assert orders_job.fire_scheduled(till.bistro.business.tenant_id) == 1
    assert len(till.bistro.events("order_created")) == 1


def test_an_unpaid_order_returns_its_stock_when_its_link_expires(till):
    cart, _ = unpaid(till)
    assert left(till) == 2
    with frozen(now()):
        advance(timedelta(hours=30))
        till.works()
        assert till.link_of(cart.code).state == "expired"
        assert left(till) == 5
        link = till.link_of(cart.code)
        with till.scope():  # staff send a new link: the pieces are taken again
            payment_links.renew(link)
        assert left(till) == 2


def test_a_link_is_not_renewed_when_the_item_is_sold_out_meanwhile(till):
    cart, order = unpaid(till)
    with frozen(now()):
        advance(timedelta(hours=30))
        till.works()
        with till.scope():
            stock.set_left(till.bistro.site(), till.bistro.items["Menemen"], 1)
        link = till.link_of(cart.code)
        with pytest.raises(DomainError), till.scope():
            payment_links.renew(link)
        assert left(till) == 1
        with till.scope():
            assert order_queries.get(order.number).holds_released
