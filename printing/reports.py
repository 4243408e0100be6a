"""Print statistics over a range of days: counts, times to print, and failures."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.sql.partitions import id_at
from core.values.date_ranges import DateRange

# Uses print_jobs_printer_idx. Ids contain the time; one day is added for time zones.
TICKETS_BY_DAY = text("""
SELECT (queued_at AT TIME ZONE time_zone)::date AS day, printer_id,
       count(*) AS tickets,
       count(*) FILTER (WHERE state = 'printed') AS printed,
       count(*) FILTER (WHERE state = 'failed') AS failed,
       count(*) FILTER (WHERE state = 'unconfirmed') AS unconfirmed,
       coalesce(sum(extract(epoch FROM settled_at - queued_at))
                FILTER (WHERE state = 'printed'), 0) AS seconds
  FROM print_jobs
 WHERE tenant_id = :tenant_id AND printer_id = ANY(CAST(:printers AS uuid[]))
   AND id >= CAST(:first AS uuid)
   AND (queued_at AT TIME ZONE time_zone)::date BETWEEN :since AND :until
 GROUP BY 1, 2
""")

# Median and 95th percentile, because a ticket that waited for the printer to be switched on is not
# typical. Reprints are excluded, because they do not start with an order.
PRINT_TIMES = text("""
SELECT printer_id, percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (
           ORDER BY extract(epoch FROM settled_at - queued_at)) AS seconds
  FROM print_jobs
 WHERE tenant_id = :tenant_id AND printer_id = ANY(CAST(:printers AS uuid[]))
   AND id >= CAST(:first AS uuid) AND state = 'printed' AND reprint_of IS NULL
   AND (queued_at AT TIME ZONE time_zone)::date BETWEEN :since AND :until
 GROUP BY GROUPING SETS ((printer_id), ())
""")


@dataclass(frozen=True)
class PrintTimes:
    """Seconds from the order to the printed ticket."""

    usual: float = 0
    slow: float = 0
    """95 % were faster."""


@dataclass(frozen=True)
class DailyTickets:
    day: date
    printer_id: str
    tickets: int
    printed: int
    failed: int
    unconfirmed: int
    seconds: float
    """The sum over all printed tickets, from the order to the printed ticket."""


def tickets_by_day(printer_ids: Sequence[str], span: DateRange) -> list[DailyTickets]:
    if not printer_ids:
        return []
    return [
        DailyTickets(
            row.day, from_uuid("prn", row.printer_id), row.tickets, row.printed, row.failed,
            row.unconfirmed, float(row.seconds),
        )
        for row in db.session.execute(TICKETS_BY_DAY, _parameters(printer_ids, span))
    ]  # fmt: skip


def print_times(printer_ids: Sequence[str], span: DateRange) -> dict[str, PrintTimes]:
    """Return times by printer; "" is all of them together."""
    if not printer_ids:
        return {}
    return {
        from_uuid("prn", row.printer_id) if row.printer_id else "": PrintTimes(
            *map(float, row.seconds)
        )
        for row in db.session.execute(PRINT_TIMES, _parameters(printer_ids, span))
        if row.seconds
    }


def _parameters(printer_ids: Sequence[str], span: DateRange) -> dict[str, object]:
    return {
        "tenant_id": current_tenant_id(),
        "printers": [str(to_uuid("prn", one)) for one in printer_ids],
        "since": span.since,
        "until": span.until,
        "first": id_at(_midnight(span.since) - timedelta(days=1)),
    }


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
