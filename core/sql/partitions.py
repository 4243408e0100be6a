"""Partitions of growing tables: monthly for most, daily where rows are kept only for days.

The partition key is the id: a UUIDv7 begins with its time, so the partition of a row follows from
its id, and finding a row by id reads one partition.
docs/decisions/0030-partitions-without-a-default.md explains why there is no DEFAULT partition.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from core.db import global_scope
from core.logs import logger
from core.sql.db_errors import sqlstate

log = logger(__name__)

TABLES = (
    "messages",
    "message_changes",
    "events",
    "received_hooks",
    "deliveries",
    "delivery_attempts",
)
MONTHS_AHEAD = 3
DAILY_TABLES = ("api_calls",)
DAYS_AHEAD = 14


def months(first: datetime, count: int) -> list[datetime]:
    start = first.year * 12 + first.month - 1
    return [
        datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        for month in range(start, start + count)
    ]


def id_at(moment: datetime) -> str:
    """The smallest id at that moment."""
    millis = f"{int(moment.timestamp() * 1000):012x}"
    return f"{millis[:8]}-{millis[8:]}-0000-0000-000000000000"


def create_statements(table: str, month: datetime) -> str:
    following = months(month, 2)[1]
    return (
        f"CREATE TABLE IF NOT EXISTS {table}_{month:%Y_%m} PARTITION OF {table}"
        f" FOR VALUES FROM ('{id_at(month)}') TO ('{id_at(following)}')"
    )


def make(connection: Connection, table: str, moment: datetime) -> list[str]:
    """Create the current partition of a table and those ahead; returns the names of the new ones.

    Any role of the service may call this: the SQL function belongs to the owner of the tables.
    """
    ahead = DAYS_AHEAD if table in DAILY_TABLES else MONTHS_AHEAD
    made = connection.execute(
        text("SELECT app.make_partitions(:table, :moment, :ahead)"),
        {"table": table, "moment": moment, "ahead": ahead},
    )
    return list(made.scalars())


def drop(connection: Connection, table: str, before: datetime) -> list[str]:
    """Drop the partitions that ended before that moment, with their rows; returns their names."""
    deleted = connection.execute(
        text("SELECT app.drop_partitions(:table, :before)"), {"table": table, "before": before}
    )
    return list(deleted.scalars())


def make_all(tables: tuple[str, ...], moment: datetime) -> list[str]:
    return _on_each(tables, lambda connection, table: make(connection, table, moment))


def drop_all(tables: tuple[str, ...], before: datetime) -> list[str]:
    return _on_each(tables, lambda connection, table: drop(connection, table, before))


def _on_each(tables: tuple[str, ...], work: Callable[[Connection, str], list[str]]) -> list[str]:
    """Run in one transaction for each table, so that at most one table is locked and a busy one
    does not delay the others. Raises RuntimeError at the end if any failed; the next run tries
    again.
    """
    names: list[str] = []
    failed: list[str] = []
    for table in tables:
        try:
            with global_scope() as session:
                names += work(session.connection(), table)
        except DBAPIError as error:
            failed.append(table)
            log.error("partition maintenance failed", table=table, sqlstate=sqlstate(error))
    if failed:
        raise RuntimeError(f"partitions of {', '.join(failed)} could not be made or dropped")
    return names


def months_ahead(connection: Connection, moment: datetime) -> int:
    """How many whole months after this one are ready in every table."""
    there = set(_partitions(connection, TABLES))
    ready = 0
    for month in months(moment, 25)[1:]:
        if not all(f"{table}_{month:%Y_%m}" in there for table in TABLES):
            break
        ready += 1
    return ready


def day_name(table: str, moment: datetime) -> str:
    return f"{table}_{moment:%Y_%m_%d}"


def create_day(table: str, moment: datetime) -> str:
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return (
        f"CREATE TABLE IF NOT EXISTS {day_name(table, day)} PARTITION OF {table}"
        f" FOR VALUES FROM ('{id_at(day)}') TO ('{id_at(day + timedelta(days=1))}')"
    )


def days_ahead(connection: Connection, moment: datetime) -> int:
    """How many days after today are ready in every table that is partitioned by day."""
    there = set(_partitions(connection, DAILY_TABLES))
    ready = 0
    for number in range(1, DAYS_AHEAD + 1):
        if not all(
            day_name(table, moment + timedelta(days=number)) in there for table in DAILY_TABLES
        ):
            break
        ready += 1
    return ready


def _partitions(connection: Connection, tables: tuple[str, ...]) -> list[str]:
    rows = connection.execute(
        text(
            "SELECT child.relname FROM pg_inherits"
            " JOIN pg_class child ON child.oid = inhrelid"
            " JOIN pg_class parent ON parent.oid = inhparent"
            " WHERE parent.relname = ANY(:tables) ORDER BY child.relname"
        ),
        {"tables": list(tables)},
    )
    return list(rows.scalars())
