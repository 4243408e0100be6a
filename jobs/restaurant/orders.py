"""Scheduled work on orders: the alarm for orders that nobody accepts, orders for later, the message
about a late order, and the question after the meal."""

from datetime import timedelta

from sqlalchemy.exc import DBAPIError

from core.clock import now
from core.db import notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from restaurant.feedback import questions as feedback_questions
from restaurant.orders import alarms as order_alarms
from restaurant.orders.kitchen import late_notices, late_schedule
from restaurant.orders.pace import firing as order_firing

LOST_WAKEUP_AFTER = timedelta(minutes=1)

log = logger(__name__)


def sweep() -> None:
    """In the sweep's global transaction. Marks the lanes again, because the wake-up may be lost."""
    for tenant_id in _due(order_alarms.LANE):
        notify_workers("jobs.restaurant.orders.sound_alarms", tenant_id)
    for tenant_id in _due(order_firing.LANE, order_firing.AGAIN_AFTER):
        notify_workers("jobs.restaurant.orders.fire_scheduled", tenant_id)
    for tenant_id in _due(late_schedule.LANE):
        notify_workers("jobs.restaurant.orders.tell_late_guests", tenant_id)
    for tenant_id in _due(feedback_questions.LANE):
        notify_workers("jobs.restaurant.orders.ask_guests", tenant_id)


def _due(lane: str, again_after: timedelta = LOST_WAKEUP_AFTER) -> list[int]:
    found = lanes.pop_later_due(lane)
    for tenant_id in found:
        lanes.mark_later(lane, tenant_id, now() + again_after)
    return found


def sound_alarms(tenant_id: int) -> int:
    acknowledge_wakeup("jobs.restaurant.orders.sound_alarms", tenant_id)
    with tenant_scope(tenant_id):
        return len(order_alarms.send_due_alarms(now()))


def fire_scheduled(tenant_id: int) -> int:
    """Send the orders whose time has come to the kitchen. One that fails does not stop the rest."""
    acknowledge_wakeup("jobs.restaurant.orders.fire_scheduled", tenant_id)
    with tenant_scope(tenant_id):
        due = order_firing.due_orders(now())
    fired = 0
    for order_id in due:
        try:
            with tenant_scope(tenant_id):
                fired += order_firing.fire(order_id, now())
        except DBAPIError:
            raise  # a lock conflict or an outage: the sweep repeats everything
        except Exception:
            log.exception("scheduled order not sent", order=order_id)
    with tenant_scope(tenant_id):
        order_firing.schedule_next()
    return fired


def tell_late_guests(tenant_id: int) -> int:
    acknowledge_wakeup("jobs.restaurant.orders.tell_late_guests", tenant_id)
    with tenant_scope(tenant_id):
        return len(late_notices.send_due_notices(now()))


def ask_guests(tenant_id: int) -> int:
    acknowledge_wakeup("jobs.restaurant.orders.ask_guests", tenant_id)
    with tenant_scope(tenant_id):
        return feedback_questions.ask_due(now())
