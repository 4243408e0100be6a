"""The evidence of a print job, and its live updates for open pages."""

from typing import Any

from core import live_updates
from core.clock import now, rfc3339
from printing.models import PrintJob

MAX_ENTRIES = 40


def publish_live_update(job: PrintJob) -> None:
    live_updates.publish_update("prints.changed", id=job.id, order=job.order_id, state=job.state)


def add_evidence(job: PrintJob, what: str, **facts: Any) -> None:
    """Append an entry. Evidence is never changed or removed."""
    entry = {"at": rfc3339(now()), "what": what, **facts}
    if len(job.evidence or []) < MAX_ENTRIES:
        job.evidence = [*(job.evidence or []), entry]
