"""What the clock does for loyalty: birthdays, guests who stayed away, messages that are due."""

from datetime import timedelta

from core import lanes
from core.clock import now
from core.db import ring, tenant_scope
from core.rings import hear
from restaurant.loyalty import automatic, waking

LOST_RING = timedelta(minutes=5)


def sweep() -> None:
    """In the sweep's global transaction. Marked again, as the ring itself may be lost."""
    for tenant_id in lanes.take_due(waking.LANE):
        lanes.mark_later(waking.LANE, tenant_id, now() + LOST_RING)
        ring("jobs.loyalty.look", tenant_id)


def look(tenant_id: int) -> int:
    hear("jobs.loyalty.look", tenant_id)
    with tenant_scope(tenant_id):
        return automatic.look(now())
