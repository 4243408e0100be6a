"""An order that nobody confirms raises one alarm."""

from datetime import timedelta

from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db, global_scope
from jobs.restaurant import orders as orders_job
from messaging.models import Message
from restaurant.orders import alarms as order_alarms
from restaurant.orders import queries as order_queries
from tests.restaurant.bistro import open_bistro

MANAGER = "905329998877"


def alarm_texts(bistro) -> list[str]:
    with bistro.scope():
        query = select(Message.text).where(
            Message.tenant_id == bistro.business.tenant_id, Message.phone == MANAGER
        )
        return list(db.session.scalars(query))


def test_the_alarm_is_sent_once_to_the_manager(restaurant, run_jobs):
    bistro = open_bistro(restaurant, manager_phone=MANAGER, accept_minutes=5)
    with frozen():
        order = bistro.order(token="")
        advance(timedelta(minutes=4))
        with bistro.scope():
            assert order_alarms.send_due_alarms(now()) == []
        advance(timedelta(minutes=1))
        with global_scope():
            orders_job.sweep()
        assert orders_job.sound_alarms(restaurant.tenant_id) == 1
        assert orders_job.sound_alarms(restaurant.tenant_id) == 0
    (text,) = alarm_texts(bistro)
    assert order.number in text
    with bistro.scope():
        assert [change.what for change in order_queries.changes_of(order.id)] == ["moved", "alarm"]


def test_an_accepted_order_stays_quiet(restaurant):
    bistro = open_bistro(restaurant, manager_phone=MANAGER)
    with frozen():
        order = bistro.order(token="")
        bistro.changes_state(order, "sent_to_kitchen")
        advance(timedelta(hours=1))
        assert orders_job.sound_alarms(restaurant.tenant_id) == 0
    assert alarm_texts(bistro) == []
