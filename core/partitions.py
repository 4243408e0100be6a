"""Partitions of tables that grow: by month with every message, by day where little is kept.

They are cut by id: a UUIDv7 begins with its time, so the partition of a row follows from
its id alone, and finding one row by id looks into one partition.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, text

TABLES = (
    "messages",
    "message_changes",
    "events",
    "received_hooks",
    "deliveries",
    "delivery_attempts",
)
AHEAD = 3
DAILY = ("api_calls",)
DAYS_AHEAD = 14


def months(first: datetime, count: int) -> list[datetime]:
    start = first.year * 12 + first.month - 1
    return [
        datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC)
        for month in range(start, start + count)
    ]


def id_at(moment: datetime) -> str:
    """The smallest id of that moment."""
    millis = f"{int(moment.timestamp() * 1000):012x}"
    return f"{millis[:8]}-{millis[8:]}-0000-0000-000000000000"


def create_statements(table: str, month: datetime) -> str:
    following = months(month, 2)[1]
    return (
        f"CREATE TABLE IF NOT EXISTS {table}_{month:%Y_%m} PARTITION OF {table}"
        f" FOR VALUES FROM ('{id_at(month)}') TO ('{id_at(following)}')"
    )


def ensure(connection: Connection, moment: datetime, ahead: int = AHEAD) -> None:
    """As the role that owns the tables: this month and the next ones."""
    for month in months(moment, ahead + 1):
        for table in TABLES:
            connection.execute(text(create_statements(table, month)))


def drop_before(connection: Connection, tables: tuple[str, ...], moment: datetime) -> list[str]:
    """As the owner: months that ended before that moment, with all that is in them."""
    gone = []
    for table in tables:
        for name in _partitions(connection, (table,)):
            year, month = int(name[-7:-3]), int(name[-2:])
            end = months(datetime(year, month, 1, tzinfo=UTC), 2)[1]
            if end <= moment:
                connection.execute(text(f"DROP TABLE {name}"))
                gone.append(name)
    return gone


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


def ensure_days(connection: Connection, moment: datetime, ahead: int = DAYS_AHEAD) -> None:
    """As the role that owns the tables: today and the next ones."""
    for table in DAILY:
        for number in range(ahead + 1):
            connection.execute(text(create_day(table, moment + timedelta(days=number))))


def drop_days_before(connection: Connection, table: str, moment: datetime) -> list[str]:
    """Whole days, however many rows they hold. Returns what went."""
    oldest = day_name(table, moment)
    there = _partitions(connection, (table,))
    gone = [name for name in there if len(name) == len(oldest) and name < oldest]
    for name in gone:
        connection.execute(text(f'DROP TABLE "{name}"'))
    return gone


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
