"""Orders for later wait in `scheduled` and go to the kitchen in time for their due time."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from core.clock import frozen
from core.db import db, global_scope
from core.errors import Conflict, DomainError, Invalid
from core.queue.lanes import Lane
from jobs.restaurant import orders as orders_job
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import queries as order_queries
from restaurant.orders.pace import firing, times
from tests.restaurant.bistro import GUEST, answers, open_bistro

NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)  # Monday, 12:00 in Istanbul
EVENING = datetime(2026, 11, 16, 16, 30, tzinfo=UTC)  # 19:30
OPEN = {str(day): [["11:00", "23:00"]] for day in range(7)}


@pytest.fixture
def bistro(restaurant):
    with frozen(NOON):
        yield open_bistro(restaurant, later_days=2, hours=OPEN, preparation_minutes=25)


def later(bistro, at=EVENING, **more):
    more = {"table": "", "order_type": "takeaway", "payment_method": "cash", **more}
    return bistro.order(RequestedItem(bistro.items["Menemen"], 1), due_at=at, **more)


def fire(bistro, at):
    with frozen(at):
        return orders_job.fire_scheduled(bistro.business.tenant_id)


def state(bistro, order):
    with bistro.scope():
        return order_queries.get(order.number).state


def test_it_is_told_and_waits(bistro):
    order = later(bistro)
    assert (order.state, order.fires_at) == ("scheduled", EVENING - timedelta(minutes=25))
    assert "19:30" in answers(bistro)[-1]
    assert bistro.events("order_created") == []
    (update,) = bistro.events("order_updated")
    assert (update["status"], update["due_at"]) == ("scheduled", "2026-11-16T16:30:00Z")


def test_it_fires_at_its_due_time_minus_the_minutes_it_takes(bistro):
    order = later(bistro)
    at = EVENING - timedelta(minutes=25)
    assert fire(bistro, at - timedelta(seconds=1)) == 0
    assert fire(bistro, at) == 1
    assert fire(bistro, at + timedelta(seconds=5)) == 0
    assert state(bistro, order) == "sent_to_kitchen"
    (created,) = bistro.events("order_created")
    assert (created["order_id"], created["status"]) == (order.number, "sent_to_kitchen")


def test_the_sweep_repeats_a_wake_up_that_a_killed_worker_lost(bistro):
    order = later(bistro)
    due = EVENING - timedelta(minutes=25)
    for after in (0, 11, 22):  # each sweep wakes a worker; the first two are killed
        with frozen(due + timedelta(seconds=after)), global_scope():
            orders_job.sweep()
            marks = select(Lane.due_at).where(Lane.kind == f"{firing.LANE}.later")
            marks = marks.where(Lane.tenant_id == bistro.business.tenant_id)
            (again,) = db.session.scalars(marks).all()
            assert again == due + timedelta(seconds=after + 10)
    assert fire(bistro, due + timedelta(seconds=22)) == 1
    assert state(bistro, order) == "sent_to_kitchen"


def test_the_staff_can_send_it_earlier_and_it_is_not_sent_twice(bistro):
    order = later(bistro)
    sent = bistro.changes_state(order, "sent_to_kitchen")
    assert sent.fires_at == NOON
    assert fire(bistro, EVENING) == 0
    assert len(bistro.events("order_created")) == 1


def test_a_cancelled_order_for_later_never_fires(bistro):
    order = later(bistro)
    bistro.taps("cancel", order)
    assert state(bistro, order) == "cancelled"
    assert fire(bistro, EVENING) == 0


def test_an_unconfirmed_order_waits_for_the_staff_then_for_its_time(bistro):
    order = later(bistro, order_type="dine_in", payment_method="pos_at_table", table="3", token="x")
    assert order.state == "awaiting_confirmation"
    assert bistro.changes_state(order, "sent_to_kitchen").state == "scheduled"
    assert fire(bistro, EVENING) == 1


@pytest.mark.parametrize(
    ("at", "code"),
    [
        (NOON + timedelta(minutes=5), "too_soon"),
        (NOON + timedelta(days=3), "too_far_ahead"),
        (NOON.replace(hour=21), "closed"),
        (NOON.replace(hour=8) + timedelta(days=1, minutes=10), "closed"),  # fires before opening
    ],
)
def test_a_time_that_is_not_possible_is_refused(bistro, at, code):
    with pytest.raises(DomainError) as refused:
        later(bistro, at)
    assert refused.value.code == code


def test_without_the_setting_there_are_no_orders_for_later(restaurant):
    with frozen(NOON):
        bistro = open_bistro(restaurant)
        with pytest.raises(Invalid):
            later(bistro)


def test_a_closed_restaurant_takes_orders_for_its_opening_hours(bistro):
    with frozen(NOON.replace(hour=5)):  # 08:00
        order = later(bistro)
        assert order.state == "scheduled"
        with pytest.raises(Conflict):
            bistro.cart()


def test_the_offered_times_are_quarters_in_opening_hours(bistro):
    with bistro.scope():
        found = times.free_times(bistro.site(), "takeaway")
    assert found[0] == NOON + timedelta(minutes=30)
    assert found[-1] == NOON.replace(hour=19, minute=45) + timedelta(days=1)
    first_tomorrow = next(at for at in found if at.day == 17)
    assert first_tomorrow == datetime(2026, 11, 17, 8, 30, tzinfo=UTC)  # opening + 25 minutes


def test_a_time_that_passed_in_the_chat_is_answered_with_others(bistro):
    cart = bistro.cart(
        RequestedItem(bistro.items["Menemen"], 1),
        table="",
        order_type="takeaway",
        payment_method="cash",
        due_at=NOON + timedelta(minutes=30),
    )
    with frozen(NOON + timedelta(minutes=55)):
        assert bistro.orders_by_chat(cart.text) is None
        offer = bistro.messages_sent_to(GUEST)[-1]
        (button, *_) = offer.content["interactive"]["buttons"]
        assert button["title"] == "13:30"
        order = bistro.orders_by_chat(f"#{cart.code[:4]}-{cart.code[4:]} 14:15")
    assert order.due_at == NOON.replace(hour=11, minute=15)
    assert order.state == "scheduled"
