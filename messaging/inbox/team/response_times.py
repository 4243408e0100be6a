"""How fast the team answers and closes conversations, by day, member and label.

Read from cases, of which there is one for each time that a customer came with something, never from
messages. A case belongs to the day on which the customer wrote.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import TextClause, text

from core.db import current_tenant_id, read_rows
from core.ids import from_uuid
from core.values.date_ranges import DateRange
from messaging.inbox.team import labels as conversation_labels
from tenants import accounts, team

GROUPS = ("day", "member", "label")
FIELDS = (
    "cases",
    "answered",
    "closed",
    "reply_median",
    "reply_p90",
    "close_median",
    "close_p90",
    "ratings",
    "satisfaction",
)

# One row for each group. Seconds are whole, so that page, file and API show the same figures.
FIGURES = """
       count(k.id) AS cases,
       count(k.replied_at) AS answered,
       count(k.closed_at) AS closed,
       round(percentile_cont(0.5) WITHIN GROUP (
           ORDER BY extract(epoch FROM k.replied_at - k.opened_at)))::int AS reply_median,
       round(percentile_cont(0.9) WITHIN GROUP (
           ORDER BY extract(epoch FROM k.replied_at - k.opened_at)))::int AS reply_p90,
       round(percentile_cont(0.5) WITHIN GROUP (
           ORDER BY extract(epoch FROM k.closed_at - k.opened_at)))::int AS close_median,
       round(percentile_cont(0.9) WITHIN GROUP (
           ORDER BY extract(epoch FROM k.closed_at - k.opened_at)))::int AS close_p90,
       count(k.rating) AS ratings,
       round(avg((k.rating - 1) * 100.0 / CASE k.scale WHEN 'faces' THEN 2 ELSE 4 END))::int
           AS satisfaction
"""
PERIOD = """
 WHERE k.tenant_id = :tenant_id AND k.opened_at >= :since AND k.opened_at < :until
   AND (CAST(:line_ids AS integer[]) IS NULL OR k.line_id = ANY(CAST(:line_ids AS integer[])))
"""
TOTAL = text(f"SELECT {FIGURES} FROM conversation_cases AS k {PERIOD}")  # noqa: S608 - constants
BY_DAY = text(
    f"SELECT (k.opened_at AT TIME ZONE :zone)::date AS key, {FIGURES}"  # noqa: S608 - constants
    f" FROM conversation_cases AS k {PERIOD} GROUP BY 1 ORDER BY 1"
)
# A member has the first replies that they gave, and the conversations that they closed.
BY_MEMBER = text(f"""
SELECT who.person_id AS key, {FIGURES}
  FROM (SELECT k.tenant_id, k.id, k.opened_at, k.replied_by AS person_id, k.replied_at,
               CASE WHEN k.closed_by = k.replied_by THEN k.closed_at END AS closed_at,
               k.rating, k.scale
          FROM conversation_cases AS k {PERIOD} AND k.replied_by IS NOT NULL
         UNION ALL
        SELECT k.tenant_id, k.id, k.opened_at, k.closed_by, NULL, k.closed_at, NULL, k.scale
          FROM conversation_cases AS k {PERIOD} AND k.closed_by IS NOT NULL
           AND k.closed_by IS DISTINCT FROM k.replied_by) AS who
  JOIN LATERAL (SELECT who.id, who.opened_at, who.replied_at, who.closed_at, who.rating,
                       who.scale) AS k ON true
 GROUP BY 1
""")  # noqa: S608 - constants
BY_LABEL = text(f"""
SELECT given.label_id AS key, {FIGURES}
  FROM conversation_cases AS k CROSS JOIN LATERAL unnest(k.label_ids) AS given (label_id)
 {PERIOD} GROUP BY 1
""")  # noqa: S608 - constants  # noqa: S608 - constants


@dataclass(frozen=True)
class Figures:
    """Times in seconds; None: nothing to measure. `satisfaction` is 0 to 100."""

    cases: int
    answered: int
    closed: int
    reply_median: int | None
    reply_p90: int | None
    close_median: int | None
    close_p90: int | None
    ratings: int
    satisfaction: int | None


@dataclass(frozen=True)
class Row:
    key: str
    """The day, the person id or the label id."""
    name: str
    figures: Figures


@dataclass(frozen=True)
class Report:
    total: Figures
    days: list[Row]
    members: list[Row]
    labels: list[Row]

    def rows(self, group: str) -> list[Row]:
        return {"day": self.days, "member": self.members, "label": self.labels}[group]


def report(span: DateRange, line_ids: Collection[int] | None = None) -> Report:
    """Every day of the period has a row; members and labels only if they have cases."""
    zone = tenant_zone()
    params = {
        "tenant_id": current_tenant_id(),
        "since": _midnight(span.since, zone),
        "until": _midnight(span.until + timedelta(days=1), zone),
        "zone": zone.key,
        "line_ids": None if line_ids is None else sorted(line_ids),
    }
    by_day = {row.key: _figures(row) for row in read_rows(BY_DAY, params)}
    names = {one.person_id: one.name for one in team.members()}
    labels = {one.id: one.name for one in conversation_labels.list_labels()}
    return Report(
        total=_figures(read_rows(TOTAL, params)[0]),
        days=[
            Row(day.isoformat(), day.isoformat(), by_day.get(day, NOTHING)) for day in span.days()
        ],
        members=_named(BY_MEMBER, params, "per", names),
        labels=_named(BY_LABEL, params, "lbl", labels),
    )


def tenant_zone() -> ZoneInfo:
    return ZoneInfo(accounts.account().time_zone)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone)


def _named(
    statement: TextClause, params: dict[str, Any], prefix: str, names: dict[str, str]
) -> list[Row]:
    """The most cases first; without members who left and labels that were deleted."""
    rows = [
        Row(key, names[key], _figures(row))
        for row in read_rows(statement, params)
        if (key := from_uuid(prefix, row.key)) in names
    ]
    return sorted(rows, key=lambda one: (-one.figures.cases, one.name))


def _figures(row: Any) -> Figures:
    return Figures(
        cases=row.cases,
        answered=row.answered,
        closed=row.closed,
        reply_median=row.reply_median,
        reply_p90=row.reply_p90,
        close_median=row.close_median,
        close_p90=row.close_p90,
        ratings=row.ratings,
        satisfaction=row.satisfaction,
    )


NOTHING = Figures(0, 0, 0, None, None, None, None, 0, None)
