"""The state of the whole service: what /metrics exports and the operator's health page shows.

Queues, lanes, partitions and servers are read directly. Figures that need every tenant's rows are
measured once a minute by a job (`measure_all_tenants`) and read from its table.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from redis import RedisError
from rq import Queue
from rq.job import Job
from rq.worker import Worker
from sqlalchemy import Text, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, global_scope
from core.queue import rounds as tenant_rounds
from core.queue.registry import ALL_QUEUES
from core.queue.wakeups import SERIALIZER, queue_named
from core.redis.client import redis_client
from core.sql import database_clock, partitions

LIVE_CHANNEL = "live:hello"
"""Every live process subscribes to this channel."""
SCHEDULER_LEADER = "scheduler:leader"
SETTLED_AFTER = timedelta(minutes=15)
"""A receipt of the network usually settles an unknown message within this time."""

T = TypeVar("T")

MEASURE = text("""
SELECT name, label, CASE WHEN name LIKE '%_oldest_seconds' THEN max(value) ELSE sum(value) END
  FROM app.measure_tenants(:now, :unknown_since, :unknown_before) AS measured
 GROUP BY name, label
""")
LANES = text("""
SELECT kind, count(*), min(due_at) FROM lanes
 WHERE due_at <= :now AND (leased_until IS NULL OR leased_until < :now) AND kind NOT LIKE '%.later'
 GROUP BY kind ORDER BY kind
""")
SESSIONS = text("""
SELECT count(*) FILTER (WHERE leased_until > :now), count(*),
       count(DISTINCT holder) FILTER (WHERE leased_until > :now)
  FROM leases WHERE kind = 'linked'
""")
CONNECTIONS = text("""
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
       current_setting('max_connections')::integer
""")


class ServiceMeasurement(Base):
    """The newest value of a figure over all tenants."""

    __tablename__ = "service_measurements"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    label: Mapped[str] = mapped_column(Text, primary_key=True, default="")
    value: Mapped[float]
    measured_at: Mapped[datetime] = mapped_column(default=now)


@dataclass(frozen=True)
class QueueState:
    name: str
    waiting: int
    running: int
    failed: int
    oldest_seconds: float
    workers: int


@dataclass(frozen=True)
class LaneState:
    kind: str
    due: int
    oldest_seconds: float


@dataclass(frozen=True)
class DatabaseState:
    answer_seconds: float
    connections: int
    connections_allowed: int
    months_ahead: int
    clock_offset_seconds: float
    """This host's clock minus the database's."""
    lanes: list[LaneState]
    sessions_held: int
    sessions_wanted: int
    linked_hosts: int
    round_ages: dict[str, float]
    """Seconds since work over all tenants was last finished, by job."""
    measurements: dict[tuple[str, str], float]
    measured_at: datetime | None


@dataclass(frozen=True)
class RedisState:
    answer_seconds: float
    memory: int
    memory_allowed: int
    """0: no limit is set."""
    scheduler_leads: bool
    live_processes: int
    queues: list[QueueState] = field(default_factory=list)


@dataclass(frozen=True)
class ServiceState:
    at: datetime
    database: DatabaseState | None
    redis: RedisState | None


def read_state() -> ServiceState:
    """A server that does not answer is None."""
    return ServiceState(now(), _or_none(_database), _or_none(_redis))


def _or_none(read_one: Callable[[], T]) -> T | None:
    try:
        return read_one()
    except (SQLAlchemyError, RedisError):
        return None


def measure_all_tenants() -> None:
    """Measure the figures over all tenants in one query and replace the table's rows. A figure
    without rows is removed from the table.
    """
    moment = now()
    found = _measured(moment)
    with global_scope() as session:
        session.execute(text("DELETE FROM service_measurements"))
        rows = [
            {"name": name, "label": label, "value": value, "measured_at": moment}
            for name, label, value in (*found, ("measured", "", 1.0))
        ]
        session.execute(insert(ServiceMeasurement), rows)


def measure_figure(name_of_figure: str) -> float:
    """The current value of one figure over all tenants."""
    return sum(value for name, _, value in _measured(now()) if name == name_of_figure)


def _measured(moment: datetime) -> list[tuple[str, str, float]]:
    """Name, label and value of every figure."""
    with global_scope() as session:
        found = session.execute(
            MEASURE,
            {
                "now": moment,
                "unknown_since": partitions.id_at(moment - timedelta(days=14)),
                "unknown_before": partitions.id_at(moment - SETTLED_AFTER),
            },
        )
        return [(name, label, float(value)) for name, label, value in found]


def _database() -> DatabaseState:
    with global_scope() as session:
        began = time.perf_counter()
        session.scalar(select(1))
        elapsed = time.perf_counter() - began
        moment = now()
        used, allowed = session.execute(CONNECTIONS).one()
        held_sessions, requested_sessions, hosts = session.execute(SESSIONS, {"now": moment}).one()
        measured = session.scalars(select(ServiceMeasurement)).all()
        return DatabaseState(
            answer_seconds=elapsed,
            connections=used,
            connections_allowed=allowed,
            months_ahead=partitions.months_ahead(session.connection(), moment),
            clock_offset_seconds=-(database_clock.offset_seconds() or 0.0),
            lanes=[
                LaneState(kind, due, max((moment - oldest).total_seconds(), 0.0))
                for kind, due, oldest in session.execute(LANES, {"now": moment})
            ],
            sessions_held=held_sessions,
            sessions_wanted=requested_sessions,
            linked_hosts=hosts,
            round_ages=tenant_rounds.ages(),
            measurements={
                (one.name, one.label): one.value for one in measured if one.name != "measured"
            },
            measured_at=max((one.measured_at for one in measured), default=None),
        )


def _redis() -> RedisState:
    client = redis_client()
    began = time.perf_counter()
    client.ping()
    elapsed = time.perf_counter() - began
    memory: Any = client.info("memory")
    live: Any = client.pubsub_numsub(LIVE_CHANNEL)
    return RedisState(
        answer_seconds=elapsed,
        memory=memory["used_memory"],
        memory_allowed=memory.get("maxmemory", 0),
        scheduler_leads=bool(client.exists(SCHEDULER_LEADER)),
        live_processes=live[0][1] if live else 0,
        queues=queue_states(),
    )


def queue_states() -> list[QueueState]:
    """Raises RedisError while Redis is down."""
    served = [set(worker.queue_names()) for worker in Worker.all(connection=redis_client())]
    return [_queue_state(name, served) for name in ALL_QUEUES]


def _queue_state(name: str, served: list[set[str]]) -> QueueState:
    queue = queue_named(name)
    return QueueState(
        name,
        queue.count,
        queue.started_job_registry.count,
        queue.failed_job_registry.count,
        _oldest_seconds(queue),
        sum(name in queues for queues in served),
    )


def _oldest_seconds(queue: Queue) -> float:
    """How long the next job of the queue has waited."""
    ids = queue.get_job_ids(0, 1)
    found = Job.fetch_many(ids, connection=redis_client(), serializer=SERIALIZER) if ids else []
    job = found[0] if found else None
    if job is None or job.enqueued_at is None:
        return 0.0
    since = job.enqueued_at
    since = since if since.tzinfo else since.replace(tzinfo=UTC)
    return max((datetime.now(UTC) - since).total_seconds(), 0.0)
