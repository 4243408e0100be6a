"""Tickets of a stretch of days: how many, how fast they came to paper, and which did not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.partitions import id_at
from core.spans import Span

# By print_jobs_printer_idx. Ids tell the time, with a day to spare for the zones of the earth.
DAYS = text("""
SELECT (queued_at AT TIME ZONE time_zone)::date AS day, printer_id,
       count(*) AS tickets,
       count(*) FILTER (WHERE state = 'printed') AS printed,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       count(*) FILTER (WHERE state = 'unconfirmed') AS unconfirmed,
       coalesce(sum(extract(epoch FROM settled_at - queued_at))
                FILTER (WHERE state = 'printed'), 0) AS seconds,
       coalesce(max(extract(epoch FROM settled_at - queued_at))
                FILTER (WHERE state = 'printed'), 0) AS slowest
  FROM print_jobs
 WHERE tenant_id = :tenant_id AND printer_id = ANY(CAST(:printers AS uuid[]))
   AND id >= CAST(:first AS uuid)
   AND (queued_at AT TIME ZONE time_zone)::date BETWEEN :since AND :until
 GROUP BY 1, 2
""")


@dataclass(frozen=True)
class Printed:
    day: date
    printer_id: str
    tickets: int
    printed: int
    failed: int
    unconfirmed: int
    seconds: float
    """Of all that were printed, from the order to the paper."""
    slowest: float


def printed(printer_ids: Sequence[str], span: Span) -> list[Printed]:
    if not printer_ids:
        return []
    rows = db.session.execute(
        DAYS,
        {
            "tenant_id": current_tenant_id(),
            "printers": [str(to_uuid("prn", one)) for one in printer_ids],
            "since": span.since,
            "until": span.until,
            "first": id_at(_midnight(span.since) - timedelta(days=1)),
        },
    )
    return [
        Printed(
            row.day, from_uuid("prn", row.printer_id), row.tickets, row.printed, row.failed,
            row.unconfirmed, float(row.seconds), float(row.slowest),
        )
        for row in rows
    ]  # fmt: skip


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
