"""State changes of an order: allowed transitions, idempotency, and their record."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from core.clock import now
from core.errors import Conflict, Invalid
from jobs.restaurant import payments as payments_job
from restaurant.models import order_states
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.sites import tables
from tests.restaurant.bistro import lira, open_bistro
from tests.restaurant.fake_provider import add_account


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def test_every_state_is_reachable_and_every_move_leads_somewhere():
    reached = {"awaiting_confirmation"}
    for _ in order_states.STATES:
        reached |= {to for state in reached for to in order_states.TRANSITIONS[state]}
    assert reached == set(order_states.STATES)


def test_an_order_goes_from_the_kitchen_to_the_table(bistro):
    order = bistro.order()
    for to in ("preparing", "ready", "served", "closed"):
        order = bistro.changes_state(order, to)
    assert order.ended_at is not None
    with bistro.scope():
        assert [change.state for change in order_queries.changes_of(order.id)] == [
            "sent_to_kitchen", "preparing", "ready", "served", "closed",
        ]  # fmt: skip


def test_moves_that_are_not_in_the_table_are_refused(bistro):
    order = bistro.order()
    for to in (
        set(order_states.STATES) - order_states.TRANSITIONS["sent_to_kitchen"] - {"sent_to_kitchen"}
    ):
        with pytest.raises(Conflict):
            bistro.changes_state(order, to)


def test_the_same_tap_twice_moves_once(bistro):
    order = bistro.changes_state(bistro.order(), "preparing")
    again = bistro.changes_state(order, "preparing")
    assert again.version == order.version


def test_two_people_cannot_both_act_on_what_one_of_them_saw(bistro):
    order = bistro.order()
    seen = order.version
    bistro.changes_state(order, "preparing", shown_version=seen)
    with pytest.raises(Conflict) as refused:
        bistro.changes_state(order, "ready", shown_version=seen)
    assert refused.value.code == "order_changed"


def test_a_void_takes_the_price_off_and_needs_a_reason(bistro):
    order = bistro.order()
    with bistro.scope():
        with pytest.raises(Invalid):
            order_changes.void_item(bistro.site(), order_queries.get(order.number), 1, 1, " ")
        voided = order_changes.void_item(
            bistro.site(), order_queries.get(order.number), 1, 1, "Yanık"
        )
        assert voided.total == lira("405")
    with bistro.scope(), pytest.raises(Invalid):
        order_changes.void_item(bistro.site(), order_queries.get(order.number), 1, 2, "Yine")
    change = bistro.events("order_updated")[-1]
    assert (change["change"], change["quantity"]) == ("voided", 1)
    whole = sum(item["quantity"] for item in change["items"])
    assert (whole, [one["quantity"] for one in change["voided_items"]]) == (2, [1])


def test_a_cancelled_order_gives_the_reason(bistro):
    order = bistro.order()
    with bistro.scope():
        order_lifecycle.cancel(bistro.site(), order_queries.get(order.number), "Malzeme bitti")
    (event,) = bistro.events("order_cancelled")
    assert (event["reason"], event["status"]) == ("Malzeme bitti", "cancelled")


def test_a_card_order_waits_for_its_payment_no_matter_who_taps(restaurant):
    bistro = open_bistro(restaurant, payment_methods=["pos_at_table", "card_link"])
    add_account(restaurant)
    order = bistro.order(payment_method="card_link")
    assert order.state == "awaiting_payment"
    for to in ("sent_to_kitchen", "preparing"):
        with pytest.raises((Invalid, Conflict)):
            bistro.changes_state(order, to)
    assert not bistro.events("order_created")
    with bistro.scope():
        order_lifecycle.mark_paid(bistro.site(), order_queries.get(order.number))
        order_lifecycle.mark_paid(bistro.site(), order_queries.get(order.number))
    assert len(bistro.events("order_created")) == 1


def test_a_tap_on_a_card_order_asks_for_the_payment(restaurant):
    bistro = open_bistro(restaurant, payment_methods=["pos_at_table", "card_link"])
    add_account(restaurant)
    order = bistro.order(payment_method="card_link", token="")
    assert bistro.changes_state(order, "sent_to_kitchen").state == "awaiting_payment"


def test_next_steps_follow_the_table():
    for state, kind in itertools.product(order_states.STATES, order_states.ORDER_TYPES):
        step = order_states.next_step(state, kind)
        assert step is None or order_states.can_become(state, step, kind)


def test_a_tap_that_saw_the_order_unpaid_cannot_undo_its_payment(app, restaurant):
    """Two concurrent transactions: the payment comes first."""
    bistro = open_bistro(restaurant, payment_methods=["pos_at_table", "card_link"])
    add_account(restaurant)
    order = bistro.order(payment_method="card_link", token="")
    assert order.state == "awaiting_confirmation"
    seen, paid = Event(), Event()

    def taps() -> str:
        with app.app_context(), bistro.scope():
            held = order_queries.get(order.number)
            seen.set()
            assert paid.wait(10)
            try:
                return order_lifecycle.change_state(bistro.site(), held, "sent_to_kitchen").state
            except Conflict as refused:
                return refused.code

    with ThreadPoolExecutor(1) as pool:
        tapped = pool.submit(taps)
        with bistro.scope():
            assert seen.wait(10)
            order_lifecycle.mark_paid(bistro.site(), order_queries.get(order.number))
            paid.set()
        assert tapped.result() == "order_changed"
    assert bistro.changes_state(order, "sent_to_kitchen").state == "sent_to_kitchen"
    assert len(bistro.events("order_created")) == 1


def test_a_payment_that_waits_for_a_tap_sends_the_order_to_the_kitchen(app, restaurant):
    """Two concurrent transactions: the tap comes first."""
    bistro = open_bistro(restaurant, payment_methods=["pos_at_table", "card_link"])
    add_account(restaurant)
    order = bistro.order(payment_method="card_link", token="")
    tapped, begun = Event(), Event()

    def pays() -> str:
        with app.app_context(), bistro.scope():
            held = order_queries.get(order.number)
            begun.set()
            assert tapped.wait(10)
            return order_lifecycle.mark_paid(bistro.site(), held).state

    with ThreadPoolExecutor(1) as pool:
        paying = pool.submit(pays)
        with bistro.scope():
            assert begun.wait(10)
            order_lifecycle.change_state(
                bistro.site(), order_queries.get(order.number), "sent_to_kitchen"
            )
            tapped.set()
        assert paying.result() == "sent_to_kitchen"
    assert len(bistro.events("order_created")) == 1


def test_a_paid_order_that_waits_for_its_payment_is_found_by_the_sweep(restaurant):
    """Repairs orders that were left in this state earlier."""
    bistro = open_bistro(restaurant, payment_methods=["pos_at_table", "card_link"])
    add_account(restaurant)
    order = bistro.order(payment_method="card_link")
    other = bistro.order(payment_method="card_link", phone="905321119999")
    with bistro.scope():
        for one in (order, other):
            order_queries.get(one.number).paid_at = now()
    assert bistro.changes_state(other, "sent_to_kitchen").state == "sent_to_kitchen"
    payments_job.find_lost_work()
    with bistro.scope():
        assert order_queries.get(order.number).state == "sent_to_kitchen"
    assert len(bistro.events("order_created")) == 2


def test_two_changes_at_once_never_share_a_version(app, restaurant):
    bistro = open_bistro(restaurant)
    order = bistro.order()
    seen, changed = Event(), Event()

    def assigns() -> str:
        with app.app_context(), bistro.scope():
            held = order_queries.get(order.number)
            seen.set()
            assert changed.wait(10)
            try:
                order_changes.assign_waiter(bistro.site(), held, None, "Ayşe")
            except Conflict as refused:
                return refused.code
        return "changed"

    with ThreadPoolExecutor(1) as pool:
        assigned = pool.submit(assigns)
        with bistro.scope():
            assert seen.wait(10)
            table = tables.by_number(bistro.site_id, "3")
            order_changes.change_table(
                bistro.site(), order_queries.get(order.number), table.id, table.number
            )
            changed.set()
        assert assigned.result() == "order_changed"
    with bistro.scope():
        held = order_queries.get(order.number)
        assert (held.table_number, held.waiter, held.version) == ("3", "", order.version + 1)
