"""Payments recorded by staff, the bill of a table, and the day's figures."""

from decimal import Decimal

import pytest

from core.errors import Conflict, Invalid
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders import staff_orders
from restaurant.orders.printing import print_jobs
from restaurant.orders.reports import day_summary
from restaurant.payments import cashier, till
from restaurant.sites import tables
from tests.restaurant.bistro import lira, open_bistro
from tests.restaurant.fake_provider import open_till


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def record(bistro, order, method="cash", amount="", **more):
    with bistro.scope():
        return cashier.record_payment(
            bistro.site(), order_queries.get(order.number), method, amount, **more
        )


def fresh(bistro, order):
    with bistro.scope():
        return order_queries.get(order.number)


def test_an_order_is_paid_when_all_of_it_was_recorded(bistro):
    order = bistro.order()
    record(bistro, order, "cash", "500", tip="20")
    half = fresh(bistro, order)
    assert (half.paid_at, half.open_amount) == (None, lira("265"))
    with pytest.raises(Invalid):
        record(bistro, order, "card", "265.01")
    record(bistro, order, "card")
    paid = fresh(bistro, order)
    assert (paid.paid_at is not None, paid.open_amount) == (True, 0)
    event = bistro.events("order_updated")[-1]
    assert (event["change"], event["paid"]) == ("payment", True)
    assert (event["paid_amount"], event["open_amount"]) == (765, 0)
    with pytest.raises(Conflict):
        record(bistro, order)


def test_a_payment_is_undone_with_a_reason_and_stays_in_sight(bistro):
    order = bistro.order()
    payment = record(bistro, order)
    with bistro.scope():
        with pytest.raises(Invalid):
            cashier.undo_payment(bistro.site(), till.get(payment.id), " ")
        cashier.undo_payment(bistro.site(), till.get(payment.id), "Yanlış masa")
    with bistro.scope(), pytest.raises(Conflict):
        cashier.undo_payment(bistro.site(), till.get(payment.id), "Yine")
    assert fresh(bistro, order).paid_at is None
    with bistro.scope():
        (kept,) = till.of_order(order.id)
        assert (kept.undone_because, kept.amount) == ("Yanlış masa", lira("765"))


def test_a_paid_order_is_open_again_when_more_is_ordered(bistro):
    order = bistro.order()
    record(bistro, order)
    with bistro.scope():
        staff_orders.add_items(
            bistro.site(),
            order_queries.get(order.number),
            [RequestedItem(bistro.items["Ayran"], 1)],
        )
    after = fresh(bistro, order)
    assert (after.paid_at, after.open_amount) == (None, lira("45"))


def test_a_void_after_the_payment_shows_what_to_give_back(bistro):
    order = bistro.order()
    record(bistro, order)
    with bistro.scope():
        order_changes.void_item(bistro.site(), order_queries.get(order.number), 2, 1, "Soğuk")
    after = fresh(bistro, order)
    assert (after.paid_at is not None, after.open_amount) == (True, lira("-45"))


def test_an_order_that_waits_for_its_online_payment_can_be_paid_in_cash(restaurant, monkeypatch):
    """Regression: the payment method could not be changed."""
    shop = open_till(restaurant, monkeypatch)
    cart = shop.cart(order_type="dine_in", table="12")
    order = shop.bistro.orders_by_chat(cart.text)
    shop.works()
    with pytest.raises(Conflict):
        record(shop.bistro, order)
    with shop.scope():
        cashier.change_payment_method(shop.bistro.site(), order_queries.get(order.number), "cash")
    assert fresh(shop.bistro, order).state == "sent_to_kitchen"
    assert shop.link_of(cart.code).state == "cancelled"
    record(shop.bistro, order)
    assert fresh(shop.bistro, order).paid_at is not None


def test_the_money_a_courier_collects_is_recorded(bistro):
    names = bistro.delivers()
    order = bistro.delivery(latitude="41.0284", longitude="28.9737")
    with bistro.scope():
        courier = couriers.get(names["Hakan Usta"])
        courier_dispatch.assign(bistro.site(), order_queries.get(order.number), courier)
    for to in ("ready", "out_for_delivery", "delivered"):
        bistro.changes_state(order, to)
    with bistro.scope():
        (payment,) = till.of_order(order.id)
        assert (payment.method, payment.amount) == ("cash", order.total)


def test_the_bill_of_a_table_holds_all_its_open_orders(bistro):
    """Regression: orders from three phones and a waiter were four bills."""
    first, second = bistro.order(), bistro.order(phone="905321119999")
    record(bistro, first, "card", "100")
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "12")
        shown = print_jobs.orders_on_bill(bistro.site_id, table.id)
        assert [order.number for order in shown] == [first.number, second.number]
        with pytest.raises(Conflict):
            cashier.settle_table(bistro.site(), table.id, "cash", lira("1530"))
    with bistro.scope():
        cashier.settle_table(bistro.site(), table.id, "cash", lira("1430"))
    assert fresh(bistro, first).paid_at is not None
    assert fresh(bistro, second).paid_at is not None


def test_the_day_shows_paid_and_open_apart(bistro):
    paid, part, gone = (bistro.order(phone=f"90532111222{n}", table=f"{n}") for n in (1, 2, 3))
    record(bistro, paid, "cash", tip="35")
    record(bistro, part, "card", "100")
    with bistro.scope():
        order_changes.void_item(bistro.site(), order_queries.get(part.number), 2, 1, "Döküldü")
        order_lifecycle.cancel(bistro.site(), order_queries.get(gone.number), "Vazgeçti")
    with bistro.scope():
        day = day_summary.summarize_day(
            bistro.site(), day_summary.business_day_today(bistro.site())
        )
    assert (day.orders, day.sold, day.revenue) == (3, 2, lira("1485"))
    assert (day.paid, day.open, day.cancelled) == (lira("865"), lira("620"), lira("765"))
    assert day.taken == {"cash": (1, lira("765")), "card": (1, lira("100"))}
    assert (day.tips, day.voided_pieces, day.voided) == (lira("35"), 1, lira("45"))
    assert sum(day.taxes.values()) > 0


def test_the_day_shows_how_many_test_orders_it_leaves_out(restaurant):
    bistro = open_bistro(restaurant, test=True)
    bistro.order()
    with bistro.scope():
        day = day_summary.summarize_day(
            bistro.site(), day_summary.business_day_today(bistro.site())
        )
    assert (day.orders, day.test_orders, day.revenue) == (0, 1, Decimal(0))
