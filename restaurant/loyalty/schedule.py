"""When a tenant's loyalty is looked at next: by the hour, and sooner when somebody is due."""

from datetime import datetime

from core.clock import now
from core.db import current_tenant_id
from core.queue import lanes

LANE = "loyalty"


def start_run() -> None:
    """In the transaction that looks; it wakes itself again for what is still to come."""
    lanes.clear_later(LANE, current_tenant_id())


def schedule_run(at: datetime | None = None) -> None:
    lanes.mark_later(LANE, current_tenant_id(), at or now())
