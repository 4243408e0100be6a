"""What is known about a print job: evidence, which is only ever added, and news for open pages."""

from typing import Any

from core import news
from core.clock import now, rfc3339
from printing.models import PrintJob

MOST_EVIDENCE = 40


def tell(job: PrintJob) -> None:
    news.tell("prints.changed", id=job.id, order=job.order_id, state=job.state)


def note(job: PrintJob, what: str, **facts: Any) -> None:
    """Evidence is only ever added."""
    entry = {"at": rfc3339(now()), "what": what, **facts}
    if len(job.evidence or []) < MOST_EVIDENCE:
        job.evidence = [*(job.evidence or []), entry]
