"""A full quarter of an hour offers the next ones, and is never exceeded."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from core.clock import frozen
from messaging.lines.drivers.base import InboundMessage
from restaurant.chat import chosen_times
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders import staff_orders
from restaurant.orders.pace import capacity, times
from tests.restaurant.bistro import GUEST, open_bistro

NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
TAKEAWAY = {"table": "", "order_type": "takeaway", "payment_method": "cash"}


@pytest.fixture
def bistro(restaurant):
    with frozen(NOON):
        yield open_bistro(restaurant, slot_orders=2, preparation_minutes=20)


def phone(number: int) -> str:
    return f"9053213{number:05d}"


def wish(bistro, quantity=1):
    return RequestedItem(bistro.items["Menemen"], quantity)


def fill(bistro):
    return [bistro.order(wish(bistro), phone=phone(number), **TAKEAWAY) for number in range(2)]


def used(bistro):
    with bistro.scope():
        loads = capacity.used_between(bistro.site_id, NOON, NOON + timedelta(days=2))
    return {at: load.get("") for at, load in loads.items()}


def test_the_next_free_times_are_offered_instead_of_an_error(bistro):
    fill(bistro)
    with pytest.raises(capacity.SlotFull) as full:
        bistro.cart(wish(bistro), **TAKEAWAY)
    quarters = [NOON + timedelta(minutes=minutes) for minutes in (30, 45, 60)]
    assert full.value.next_times == quarters
    order = bistro.order(wish(bistro), due_at=quarters[0], **TAKEAWAY)
    assert order.state == "scheduled"


def test_a_full_kitchen_answers_in_the_chat_with_buttons_and_a_tap_orders(bistro):
    cart = bistro.cart(wish(bistro), **TAKEAWAY)
    fill(bistro)
    assert bistro.orders_by_chat(cart.text) is None
    offer = bistro.messages_sent_to(GUEST)[-1]
    buttons = offer.content["interactive"]["buttons"]
    assert [one["title"] for one in buttons] == ["12:30", "12:45", "13:00"]
    tap = InboundMessage(
        "wamid.tap", GUEST, GUEST, "Ayşe", 0, "button", "12:45", content=buttons[1]
    )
    assert chosen_times.read_tap(tap) == (cart.code, NOON + timedelta(minutes=45))
    order = taps(bistro, buttons[1])
    assert (order.state, order.due_at) == ("scheduled", NOON + timedelta(minutes=45))


def taps(bistro, button):
    from jobs.inbound import messages as inbound_messages
    from messaging.costs.usage import UsageTally

    message = InboundMessage(
        network_id="wamid.tap",
        sender_phone=GUEST,
        sender_network_id=GUEST,
        sender_name="Ayşe Kaya",
        at=0,
        kind="button",
        text=button["title"],
        content=button,
    )
    with bistro.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(bistro.line, message, tally)
        tally.write()
        return order_queries.listed(order_queries.OrderFilters(phone=GUEST), None, 1)[0]


def test_a_cancelled_order_makes_room(bistro):
    first, _ = fill(bistro)
    with bistro.scope():
        order_lifecycle.cancel(bistro.site(), order_queries.get(first.number), "test")
        assert times.free_now(bistro.site(), "takeaway")
    assert used(bistro) == {NOON + timedelta(minutes=15): 1}


def test_tables_and_the_staff_are_not_refused(bistro):
    fill(bistro)
    bistro.order(table="3")
    with bistro.scope():
        staff_orders.place_staff_order(
            bistro.site(),
            staff_orders.StaffOrder(
                items=[wish(bistro)], order_type="takeaway", payment_method="cash"
            ),
        )
    assert used(bistro) == {NOON + timedelta(minutes=15): 3}


def test_minutes_of_a_station_are_limited(restaurant):
    with frozen(NOON):
        bistro = open_bistro(restaurant, slot_minutes={"kitchen": 20})
        bistro.order(wish(bistro, 9), **TAKEAWAY)  # larger than the limit, but alone
        with pytest.raises(capacity.SlotFull):
            bistro.cart(wish(bistro), **TAKEAWAY)
        drink = RequestedItem(bistro.items["Ayran"], 20)
        assert bistro.order(drink, phone=phone(9), **TAKEAWAY).slot_load == {}


def test_two_hundred_parallel_carts_never_exceed_a_quarter_of_an_hour(restaurant, app):
    with frozen(NOON):
        bistro = open_bistro(
            restaurant, slot_orders=7, table_orders_per_hour=500, address_orders_per_hour=500
        )
        texts = [
            (bistro.cart(wish(bistro), **TAKEAWAY).text, phone(number)) for number in range(200)
        ]

        def send(pair):
            with app.app_context():
                order = bistro.orders_by_chat(*pair)
                return order.slot_at if order else None

        with ThreadPoolExecutor(10) as pool:
            slots = Counter(pool.map(send, texts))
    assert slots == {NOON + timedelta(minutes=15): 7, None: 193}
    assert used(bistro) == {NOON + timedelta(minutes=15): 7}
