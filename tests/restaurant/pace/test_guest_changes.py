"""Guests change an order until the kitchen begins; then the staff decide."""

from datetime import UTC, datetime, timedelta

import pytest

from core.clock import frozen
from restaurant.menus import stock
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import queries as order_queries
from restaurant.orders.pace import guest_changes
from tests.restaurant.bistro import GUEST, answers, lira, open_bistro

NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
EVENING = datetime(2026, 11, 16, 16, 30, tzinfo=UTC)
TAKEAWAY = {"table": "", "order_type": "takeaway", "payment_method": "cash"}


@pytest.fixture
def bistro(restaurant):
    with frozen(NOON):
        yield open_bistro(restaurant, later_days=1, slot_orders=3)


def wish(bistro, name, quantity=1):
    return RequestedItem(bistro.items[name], quantity)


def sends_again(bistro, order, *wishes, phone=GUEST, **more):
    with bistro.scope():
        replaced = order_queries.get(order.number)
    cart = bistro.cart(*wishes, replaces=replaced, **{**TAKEAWAY, **more})
    return bistro.orders_by_chat(cart.text, phone)


def lines(bistro, order):
    with bistro.scope():
        rows = order_queries.items_of(order.id)
    return {(row.name, row.batch): row.quantity - row.voided for row in rows}


def test_the_button_opens_the_menu_with_the_order(bistro):
    order = bistro.order(wish(bistro, "Menemen"), **TAKEAWAY)
    buttons = bistro.messages_sent_to()[-1].content["interactive"]["buttons"]
    assert [one["id"].split(":")[1] for one in buttons] == ["change", "cancel"]
    bistro.taps("change", order)
    card = bistro.messages_sent_to()[-1]
    assert card.kind == "link_button"
    assert "?change=" in card.content["interactive"]["url"]


def test_another_cart_replaces_the_items_and_the_kitchen_gets_the_difference(bistro):
    order = bistro.order(wish(bistro, "Menemen", 2), wish(bistro, "Ayran"), **TAKEAWAY)
    wishes = [wish(bistro, name) for name in ("Menemen", "Hamburger", "Ayran")]
    changed = sends_again(bistro, order, *wishes)
    assert (changed.id, changed.number) == (order.id, order.number)
    assert changed.total == lira("655")
    assert lines(bistro, order) == {("Menemen", 1): 1, ("Ayran", 1): 1, ("Hamburger", 2): 1}
    voided, added = bistro.events("order_updated")
    assert (voided["change"], voided["quantity"]) == ("voided", 1)
    assert [one["name"] for one in added["added_items"]] == ["Hamburger"]
    assert "₺655,00" in answers(bistro)[-1]


def test_an_order_for_later_can_have_another_time(bistro):
    order = bistro.order(wish(bistro, "Menemen"), due_at=EVENING, **TAKEAWAY)
    changed = sends_again(
        bistro, order, wish(bistro, "Menemen"), due_at=EVENING + timedelta(hours=1)
    )
    assert changed.state == "scheduled"
    assert changed.fires_at == EVENING + timedelta(minutes=40)
    assert changed.slot_at == EVENING + timedelta(hours=1)


def test_stock_follows_the_change(bistro):
    with bistro.scope():
        stock.set_left(bistro.site(), bistro.items["Menemen"], 5)
    order = bistro.order(wish(bistro, "Menemen", 4), **TAKEAWAY)
    sends_again(bistro, order, wish(bistro, "Menemen", 1))
    with bistro.scope():
        assert stock.left_counts(bistro.site_id) == {bistro.items["Menemen"]: 4}


def test_after_the_kitchen_began_the_staff_decide(bistro):
    order = bistro.order(wish(bistro, "Menemen"), **TAKEAWAY)
    bistro.changes_state(order, "preparing")
    same = sends_again(bistro, order, wish(bistro, "Ayran", 3))
    assert (same.guest_request, same.total) == ("change", lira("250"))
    assert lines(bistro, order) == {("Menemen", 1): 1}
    bistro.taps("cancel", order)
    with bistro.scope():
        asked = order_queries.get(order.number)
        assert (asked.state, asked.guest_request) == ("preparing", "cancel")
        guest_changes.decline_request(bistro.site(), asked)
        assert order_queries.get(order.number).guest_request == ""
    assert order.number in answers(bistro)[-1]


def test_a_stranger_with_the_code_changes_nothing(bistro):
    order = bistro.order(wish(bistro, "Menemen"), **TAKEAWAY)
    same = sends_again(bistro, order, wish(bistro, "Ayran"), phone="905321118888")
    assert lines(bistro, same) == {("Menemen", 1): 1}
