"""When the loyalty job runs next for a tenant: hourly, and earlier if a message is due."""

from datetime import datetime

from core.clock import now
from core.db import current_tenant_id
from core.queue import lanes

LANE = "loyalty"


def start_run() -> None:
    """Called in the run's own transaction, which then schedules the next run."""
    lanes.clear_later(LANE, current_tenant_id())


def schedule_run(at: datetime | None = None) -> None:
    lanes.mark_later(LANE, current_tenant_id(), at or now())
