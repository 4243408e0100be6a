"""Countdown stock: an item sells out by itself, and never more than there is."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from restaurant.menus import availability, stock
from restaurant.menus.pricing import NotEnoughLeft, NotOnMenu, RequestedItem
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders import staff_orders
from tests.restaurant.bistro import answers, open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def counts(bistro, item: str, left: int | None) -> None:
    with bistro.scope():
        stock.set_left(bistro.site(), bistro.items[item], left)


def left(bistro, item: str) -> int | None:
    with bistro.scope():
        return stock.left_counts(bistro.site_id).get(bistro.items[item])


def cancel(bistro, order, **more):
    with bistro.scope():
        order_lifecycle.cancel(bistro.site(), order_queries.get(order.number), "test", **more)


def test_an_item_without_a_number_is_never_used_up(bistro):
    bistro.order(RequestedItem(bistro.items["Menemen"], 90))
    assert left(bistro, "Menemen") is None


def test_an_order_counts_down_and_the_last_piece_sells_the_item_out(bistro):
    counts(bistro, "Menemen", 3)
    bistro.order(RequestedItem(bistro.items["Menemen"], 2))
    assert left(bistro, "Menemen") == 1
    bistro.order(RequestedItem(bistro.items["Menemen"], 1))
    with pytest.raises(NotOnMenu):
        bistro.cart(RequestedItem(bistro.items["Menemen"], 1))


def test_a_cart_with_more_than_there_is_names_the_number(bistro):
    counts(bistro, "Menemen", 3)
    wish = RequestedItem(bistro.items["Menemen"], 2)
    with pytest.raises(NotEnoughLeft) as refused:
        bistro.cart(wish, RequestedItem(bistro.items["Menemen"], 2, note="az tuz"))
    assert refused.value.more == {"item": bistro.items["Menemen"], "left": 3}


def test_the_guest_who_sends_too_late_is_told_and_nothing_is_written(bistro):
    counts(bistro, "Menemen", 2)
    first = bistro.cart(RequestedItem(bistro.items["Menemen"], 2), table="1")
    second = bistro.cart(RequestedItem(bistro.items["Menemen"], 1), table="2")
    third = bistro.cart(RequestedItem(bistro.items["Menemen"], 2), table="3")
    assert bistro.orders_by_chat(first.text) is not None
    assert bistro.orders_by_chat(second.text, "905321119999") is None
    assert "Menemen" in answers(bistro, "905321119999")[-1]
    counts(bistro, "Menemen", 1)
    assert bistro.orders_by_chat(third.text, "905321119998") is None
    assert "1" in answers(bistro, "905321119998")[-1]
    assert left(bistro, "Menemen") == 1


def test_a_cancelled_order_is_returned_unless_the_kitchen_started(bistro):
    counts(bistro, "Menemen", 5)
    wish = RequestedItem(bistro.items["Menemen"], 2)
    cancel(bistro, bistro.order(wish, table="1"))
    assert left(bistro, "Menemen") == 5
    started = bistro.order(wish, table="2", phone="905321119997")
    bistro.changes_state(started, "preparing")
    cancel(bistro, started)
    assert left(bistro, "Menemen") == 3


def test_a_new_count_is_not_changed_by_older_orders(bistro):
    counts(bistro, "Menemen", 5)
    order = bistro.order(RequestedItem(bistro.items["Menemen"], 2))
    counts(bistro, "Menemen", 10)
    cancel(bistro, order)
    assert left(bistro, "Menemen") == 10


def test_added_items_and_staff_orders_count_too(bistro):
    counts(bistro, "Menemen", 3)
    order = bistro.order(RequestedItem(bistro.items["Menemen"], 1))
    with bistro.scope():
        wish = [RequestedItem(bistro.items["Menemen"], 1)]
        staff_orders.add_items(bistro.site(), order_queries.get(order.number), wish)
        staff_orders.place_staff_order(
            bistro.site(),
            staff_orders.StaffOrder(items=wish, order_type="takeaway", payment_method="cash"),
        )
    assert left(bistro, "Menemen") == 0
    with bistro.scope():
        content = {"categories": []}
        missing = availability.unavailable(bistro.site(), content, order.placed_at)
    assert bistro.items["Menemen"] in missing


def test_a_test_order_takes_nothing(restaurant):
    bistro = open_bistro(restaurant, test=True)
    counts(bistro, "Menemen", 3)
    bistro.order(RequestedItem(bistro.items["Menemen"], 2))
    assert left(bistro, "Menemen") == 3


def test_two_hundred_parallel_carts_never_sell_more_than_there_is(restaurant, app):
    bistro = open_bistro(restaurant, table_orders_per_hour=500, address_orders_per_hour=500)
    counts(bistro, "Menemen", 57)
    counts(bistro, "Ayran", 500)
    wishes = (RequestedItem(bistro.items["Ayran"], 1), RequestedItem(bistro.items["Menemen"], 1))
    texts = [
        (bistro.cart(*wishes[:: 1 - 2 * (number % 2)], table=str(1 + number % 14)).text,
         f"9053212{number:05d}")
        for number in range(200)
    ]  # fmt: skip

    def send(pair):
        with app.app_context():
            return bistro.orders_by_chat(*pair) is not None

    with ThreadPoolExecutor(10) as pool:
        sold = sum(pool.map(send, texts))
    assert (sold, left(bistro, "Menemen"), left(bistro, "Ayran")) == (57, 0, 443)
