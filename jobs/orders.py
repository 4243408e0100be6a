"""What the clock does for orders: the alarm for those nobody accepts."""

from datetime import timedelta

from core import lanes
from core.clock import now
from core.db import ring, tenant_scope
from core.rings import hear
from restaurant import alarms

LOST_RING = timedelta(minutes=1)


def sweep() -> None:
    """In the sweep's global transaction. Marked again, as the ring itself may be lost."""
    for tenant_id in lanes.take_due(alarms.LANE):
        lanes.mark_later(alarms.LANE, tenant_id, now() + LOST_RING)
        ring("jobs.orders.sound_alarms", tenant_id)


def sound_alarms(tenant_id: int) -> int:
    hear("jobs.orders.sound_alarms", tenant_id)
    with tenant_scope(tenant_id):
        return len(alarms.sound(now()))
