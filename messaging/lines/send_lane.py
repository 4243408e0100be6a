"""The lane of the messages that wait to be sent."""

from core.clock import now
from core.db import current_tenant_id, notify_workers
from core.queue import lanes

LANE = "sends"


def wake_waiting_messages() -> None:
    """Make the tenant's send lane due now, because a line can send again."""
    lanes.mark_due(LANE, current_tenant_id(), now())
    notify_workers("jobs.sending.worker.drain")
