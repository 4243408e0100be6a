"""Scheduled loyalty work: birthdays, guests who have not come back, messages that are due."""

from datetime import timedelta

from core.clock import now
from core.db import notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from restaurant.loyalty import automatic_messages
from restaurant.loyalty import schedule as loyalty_schedule

LOST_WAKEUP_AFTER = timedelta(minutes=5)


def sweep() -> None:
    """In the sweep's global transaction. Marks the lanes again, because the wake-up may be lost."""
    for tenant_id in lanes.pop_later_due(loyalty_schedule.LANE):
        lanes.mark_later(loyalty_schedule.LANE, tenant_id, now() + LOST_WAKEUP_AFTER)
        notify_workers("jobs.restaurant.loyalty.run_due", tenant_id)


def run_due(tenant_id: int) -> int:
    acknowledge_wakeup("jobs.restaurant.loyalty.run_due", tenant_id)
    with tenant_scope(tenant_id):
        return automatic_messages.send_due_messages(now())
