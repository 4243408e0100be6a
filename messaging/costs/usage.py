"""Daily usage of a tenant by line, country and category.

Many transactions add to the same few rows. Each adds once, as its last statement and in key order,
so that they do not deadlock and lock the rows only briefly.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Select, any_, bindparam, func, or_, select, text
from sqlalchemy.dialects.postgresql import ARRAY, Insert, insert

from core.clock import now
from core.db import THIS_TENANT, Base, current_tenant_id, db, read_rows
from core.sql.partitions import id_at
from messaging.models import FreeMessageDay, Line, UsageDay

Key = tuple[date, int, str, str]
"""Day, line, country and category."""
FreeKey = tuple[date, int, str, str]
"""Day, line, category and reason."""
COUNTERS = ("sent", "delivered", "read", "failed", "received")
DIMENSIONS = {
    "day": UsageDay.day,
    "line": UsageDay.line_id,
    "country": UsageDay.country,
    "category": UsageDay.category,
}
DEFAULT_DAYS, MOST_DAYS = 30, 366
FIRST_DAY = date(1970, 2, 1)


@dataclass
class UsageTally:
    """Collects the counts that one transaction has to add."""

    counts: dict[Key, dict[str, Decimal]] = field(default_factory=dict)
    free: dict[FreeKey, int] = field(default_factory=dict)

    def add(
        self, line_id: int, country: str, category: str, cost: Decimal = Decimal(0), **counts: int
    ) -> None:
        key = (now().date(), line_id, country, category)
        sums = self.counts.setdefault(key, defaultdict(Decimal))
        sums["cost_usd"] += cost
        for name, count in counts.items():
            if name not in COUNTERS:
                raise ValueError(f"{name} is not counted")
            sums[name] += count

    def add_free(self, day: date, line_id: int, category: str, reason: str, messages: int) -> None:
        """Count messages that the network did not bill; negative if it bills them after all."""
        key = (day, line_id, category, reason)
        self.free[key] = self.free.get(key, 0) + messages

    def join(self, other: "UsageTally") -> None:
        for free_key, messages in other.free.items():
            self.add_free(*free_key, messages)
        for key, sums in other.counts.items():
            own_counts = self.counts.setdefault(key, defaultdict(Decimal))
            for name, amount in sums.items():
                own_counts[name] += amount

    def write(self) -> None:
        rows = [_row(key, self.counts[key]) for key in sorted(self.counts)]
        if rows:
            db.session.execute(ADD, rows)
        free = [_free_row(key, self.free[key]) for key in sorted(self.free) if self.free[key]]
        if free:
            db.session.execute(ADD_FREE, free)
        self.counts.clear()
        self.free.clear()


def _row(key: Key, sums: dict[str, Decimal]) -> dict[str, Any]:
    day, line_id, country, category = key
    return {
        "tenant_id": current_tenant_id(),
        "day": day,
        "line_id": line_id,
        "country": country,
        "category": category,
        "cost_usd": sums.get("cost_usd", Decimal(0)),
        **{name: int(sums.get(name, 0)) for name in COUNTERS},
    }


def _adding() -> Insert:
    """Build the statement once: building it for every row took longer than executing it."""
    first = insert(Base.metadata.tables[UsageDay.__tablename__])
    return first.on_conflict_do_update(
        index_elements=[column.name for column in UsageDay.__table__.primary_key],
        set_={
            name: getattr(UsageDay, name) + getattr(first.excluded, name)
            for name in (*COUNTERS, "cost_usd")
        },
    )


def _free_row(key: FreeKey, messages: int) -> dict[str, Any]:
    day, line_id, category, reason = key
    return {
        "tenant_id": current_tenant_id(),
        "day": day,
        "line_id": line_id,
        "category": category,
        "reason": reason,
        "messages": messages,
    }


def _adding_free() -> Insert:
    first = insert(Base.metadata.tables[FreeMessageDay.__tablename__])
    return first.on_conflict_do_update(
        index_elements=[column.name for column in FreeMessageDay.__table__.primary_key],
        set_={"messages": FreeMessageDay.messages + first.excluded.messages},
    )


ADD = _adding()
ADD_FREE = _adding_free()


class InvalidPeriod(ValueError):
    """Raised for days that are not a valid period; the message says why."""


COUNT_UNCONFIRMED = text("""
SELECT count(*) FROM (
    SELECT 1 FROM messages
     WHERE tenant_id = :tenant_id AND state = 'unknown' AND NOT test
       AND id >= :since AND id < :until LIMIT :most) AS found
""")
MOST_UNCONFIRMED = 10_000


@dataclass(frozen=True)
class Period:
    """Both days included, in UTC."""

    since: date
    until: date

    def days(self) -> list[date]:
        return [
            self.since + timedelta(days=number)
            for number in range((self.until - self.since).days + 1)
        ]


def count_unconfirmed(period: Period) -> int:
    """Count messages of these days whose send response was lost, up to MOST_UNCONFIRMED."""
    first = datetime.combine(period.since, time(), UTC)
    last = datetime.combine(period.until, time(), UTC) + timedelta(days=1)
    found: int = db.session.execute(
        COUNT_UNCONFIRMED,
        {
            "tenant_id": current_tenant_id(),
            "since": id_at(first),
            "until": id_at(last),
            "most": MOST_UNCONFIRMED,
        },
    ).scalar_one()
    return found


def usage_period(since: date | None = None, until: date | None = None) -> Period:
    """Return the period; by default the 30 days until today."""
    until = until or now().date()
    if since is None:
        since = max(until, FIRST_DAY) - timedelta(days=DEFAULT_DAYS - 1)
    if since > until:
        raise InvalidPeriod("since must not be after until")
    if (until - since).days >= MOST_DAYS:
        raise InvalidPeriod(f"a period has at most {MOST_DAYS} days")
    return Period(since, until)


@dataclass
class UsageTotal:
    """The sums of one day, line, country or category."""

    key: Any
    sent: int = 0
    delivered: int = 0
    read: int = 0
    failed: int = 0
    received: int = 0
    cost_usd: Decimal = Decimal(0)

    def add(self, part: "DayTotal") -> None:
        for name in (*COUNTERS, "cost_usd"):
            setattr(self, name, getattr(self, name) + getattr(part, name))


@dataclass(frozen=True)
class DayTotal:
    day: date
    line_id: int
    sent: int
    delivered: int
    read: int
    failed: int
    received: int
    cost_usd: Decimal


@dataclass(frozen=True)
class CostTotal:
    day: date
    line_id: int
    country: str
    category: str
    messages: int
    cost_usd: Decimal


def _totals_by(column: Any) -> Select[Any]:
    """Sums over the days of a period, of some lines or of all."""
    lines = bindparam("line_ids", type_=ARRAY(BigInteger))
    cost, sent = func.sum(UsageDay.cost_usd), func.sum(UsageDay.sent)
    query = (
        select(column, cost, *(func.sum(getattr(UsageDay, name)) for name in COUNTERS))
        .where(
            UsageDay.tenant_id == THIS_TENANT,
            UsageDay.day.between(bindparam("since"), bindparam("until")),
            or_(lines.is_(None), UsageDay.line_id == any_(lines)),
        )
        .group_by(column)
    )
    if column is UsageDay.day:
        return query.order_by(column.desc())
    return query.order_by(cost.desc(), sent.desc(), column)


TOTALS = {by: _totals_by(column) for by, column in DIMENSIONS.items()}


def usage_totals(span: Period, by: str, line_ids: frozenset[int] | None = None) -> list[UsageTotal]:
    """Return sums by day (newest first), or by line, country or category (highest cost first)."""
    lines = None if line_ids is None else sorted(line_ids)
    params = {"since": span.since, "until": span.until, "line_ids": lines}
    return [
        UsageTotal(
            key=row[0],
            cost_usd=row[1],
            **{name: int(count) for name, count in zip(COUNTERS, row[2:], strict=True)},
        )
        for row in read_rows(TOTALS[by], params)
    ]


def usage_details(span: Period, line_ids: frozenset[int] | None = None) -> list[UsageDay]:
    """Return the rows as stored: by day, line, country and category, newest first."""
    query = (
        select(UsageDay)
        .where(
            UsageDay.tenant_id == current_tenant_id(),
            UsageDay.day.between(span.since, span.until),
        )
        .order_by(UsageDay.day.desc(), UsageDay.line_id, UsageDay.country, UsageDay.category)
    )
    if line_ids is not None:
        query = query.where(UsageDay.line_id.in_(line_ids))
    return list(db.session.scalars(query))


LIVE_AND_TEST_DAYS = (
    select(
        UsageDay.day,
        func.coalesce(Line.test, False).label("test"),
        *(func.sum(getattr(UsageDay, name)).label(name) for name in (*COUNTERS, "cost_usd")),
    )
    .outerjoin(Line, (Line.tenant_id == THIS_TENANT) & (Line.id == UsageDay.line_id))
    .where(
        UsageDay.tenant_id == THIS_TENANT,
        UsageDay.day.between(bindparam("since"), bindparam("until")),
    )
    .group_by(UsageDay.day, "test")
)


def live_and_test_usage(span: Period) -> tuple[dict[date, UsageTotal], dict[date, UsageTotal]]:
    """The totals of each day with messages: of live lines, and of test lines."""
    live: dict[date, UsageTotal] = {}
    tests: dict[date, UsageTotal] = {}
    for row in read_rows(LIVE_AND_TEST_DAYS, {"since": span.since, "until": span.until}):
        counts = {name: int(getattr(row, name)) for name in COUNTERS}
        total = UsageTotal(row.day, **counts, cost_usd=row.cost_usd)
        (tests if row.test else live)[row.day] = total
    return live, tests


DAYS_AND_LINES = (
    select(
        UsageDay.day,
        UsageDay.line_id,
        func.sum(UsageDay.cost_usd),
        *(func.sum(getattr(UsageDay, name)) for name in COUNTERS),
    )
    .where(UsageDay.tenant_id == THIS_TENANT)
    .group_by(UsageDay.day, UsageDay.line_id)
    .order_by(UsageDay.day.desc(), UsageDay.line_id)
)


def usage_by_day(
    since: date, until: date, line_ids: frozenset[int] | None = None
) -> list[DayTotal]:
    """Return totals by day and line, both days included, newest first."""
    query = DAYS_AND_LINES.where(UsageDay.day.between(since, until))
    if line_ids is not None:
        query = query.where(UsageDay.line_id.in_(line_ids))
    return [
        DayTotal(
            day=row[0],
            line_id=row[1],
            cost_usd=row[2],
            **{name: int(count) for name, count in zip(COUNTERS, row[3:], strict=True)},
        )
        for row in db.session.execute(query)
    ]


def costs_by_day(
    since: date, until: date, line_ids: frozenset[int] | None = None
) -> list[CostTotal]:
    """Return costs by day, line, country and category, newest first."""
    query = (
        select(
            UsageDay.day,
            UsageDay.line_id,
            UsageDay.country,
            UsageDay.category,
            UsageDay.sent,
            UsageDay.cost_usd,
        )
        .where(
            UsageDay.tenant_id == current_tenant_id(),
            UsageDay.day.between(since, until),
            (UsageDay.sent > 0) | (UsageDay.cost_usd != 0),
        )
        .order_by(UsageDay.day.desc(), UsageDay.line_id, UsageDay.country, UsageDay.category)
    )
    if line_ids is not None:
        query = query.where(UsageDay.line_id.in_(line_ids))
    return [CostTotal(*row) for row in db.session.execute(query)]


def set_costs(day: date, sums: dict[tuple[int, str, str], Decimal]) -> None:
    """Close a day: replace its costs by the sums of the ledger."""
    tenant_id = current_tenant_id()
    for line_id, country, category in sorted(sums):
        closed = insert(UsageDay).values(
            tenant_id=tenant_id,
            day=day,
            line_id=line_id,
            country=country,
            category=category,
            cost_usd=sums[line_id, country, category],
            **dict.fromkeys(COUNTERS, 0),
        )
        db.session.execute(
            closed.on_conflict_do_update(
                index_elements=[column.name for column in UsageDay.__table__.primary_key],
                set_={"cost_usd": closed.excluded.cost_usd},
            )
        )
    for row in db.session.scalars(
        select(UsageDay).where(UsageDay.tenant_id == tenant_id, UsageDay.day == day)
    ):
        if (row.line_id, row.country, row.category) not in sums:
            row.cost_usd = Decimal(0)
