"""Scheduled work on orders: the alarm for orders that nobody accepts."""

from datetime import timedelta

from core.clock import now
from core.db import notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from restaurant.orders import alarms as order_alarms

LOST_WAKEUP_AFTER = timedelta(minutes=1)


def sweep() -> None:
    """In the sweep's global transaction. Marks the lanes again, because the wake-up may be lost."""
    for tenant_id in lanes.pop_later_due(order_alarms.LANE):
        lanes.mark_later(order_alarms.LANE, tenant_id, now() + LOST_WAKEUP_AFTER)
        notify_workers("jobs.restaurant.orders.sound_alarms", tenant_id)


def sound_alarms(tenant_id: int) -> int:
    acknowledge_wakeup("jobs.restaurant.orders.sound_alarms", tenant_id)
    with tenant_scope(tenant_id):
        return len(order_alarms.send_due_alarms(now()))
