"""The state of the whole service as Prometheus metrics; the same in every web process."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from redis import RedisError

from core.db import db
from core.monitoring import metrics, service_state
from core.monitoring.service_state import DatabaseState, RedisState, ServiceState

GAUGES = {
    "tickets_waiting": "Kitchen and bar tickets that no printer has confirmed yet",
    "tickets_oldest_seconds": "Age of the oldest unprinted ticket",
    "messages_unknown": "Messages handed to the network that never answered, older than 15 minutes",
    "messages_unknown_oldest_seconds": "Age of the oldest of them",
    "lines_simulated": "Live lines on the simulated network, which production refuses to send by",
    "endpoints_failing": "Webhook endpoints whose last attempt failed",
}


class ServiceCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        state = service_state.read_state()
        yield _gauge("database_up", "1 while the database answers", state.database is not None)
        yield _gauge("redis_up", "1 while Redis answers", state.redis is not None)
        yield from _pool()
        if state.database is not None:
            yield from _database(state, state.database)
        if state.redis is not None:
            yield from _redis(state.redis)
            try:
                yield from metrics.families()
            except RedisError:
                return


def exposition() -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ServiceCollector())
    return generate_latest(registry)


def _database(state: ServiceState, database: DatabaseState) -> Iterator[Metric]:
    yield _gauge(
        "partition_months_ahead",
        "Whole months after this one that every partitioned table has a partition for",
        database.months_ahead,
    )
    yield _gauge("database_connections", "Open client connections", database.connections)
    yield _gauge("database_connections_max", "Allowed by the server", database.connections_allowed)
    yield _gauge(
        "clock_offset_seconds",
        "Clock of this host minus the clock of the database",
        database.clock_offset_seconds,
    )
    lanes = database.lanes
    yield _by_label(
        "lanes_due",
        "Tenants with due work that no worker has taken",
        "kind",
        [(one.kind, one.due) for one in lanes],
    )
    yield _by_label(
        "lane_oldest_seconds",
        "Age of the oldest of them",
        "kind",
        [(one.kind, one.oldest_seconds) for one in lanes],
    )
    yield _gauge("linked_sessions", "Linked phones held by a host", database.sessions_held)
    yield _gauge(
        "linked_sessions_wanted", "Linked phones that a host should hold", database.sessions_wanted
    )
    yield _gauge("linked_hosts", "Hosts of linked phones", database.linked_hosts)
    yield _lines(database)
    yield _by_label(
        "round_age_seconds",
        "Since work over all tenants was last finished",
        "job",
        database.round_ages.items(),
    )
    for name, meaning in GAUGES.items():
        yield _gauge(name, meaning, database.measurements.get((name, ""), 0.0))
    if database.measured_at is not None:
        age = (state.at - database.measured_at).total_seconds()
        yield _gauge("measurement_age_seconds", "Since the figures above were measured", age)


def _redis(redis: RedisState) -> Iterator[Metric]:
    yield _gauge("redis_memory_bytes", "Memory used by Redis", redis.memory)
    yield _gauge("redis_memory_max_bytes", "Its limit; 0 without one", redis.memory_allowed)
    yield _gauge("scheduler_up", "1 while a scheduler leads", redis.scheduler_leads)
    yield _gauge("live_processes", "Live-update processes", redis.live_processes)
    queues = redis.queues
    for name, meaning, values in (
        ("queue_jobs", "Jobs that wait in a queue", [one.waiting for one in queues]),
        ("queue_oldest_seconds", "Age of its next job", [one.oldest_seconds for one in queues]),
        ("queue_failed_jobs", "Failed jobs that are kept", [one.failed for one in queues]),
        ("queue_workers", "Workers that serve a queue", [one.workers for one in queues]),
    ):
        pairs = zip((one.name for one in queues), values, strict=True)
        yield _by_label(name, meaning, "queue", pairs)


def _lines(database: DatabaseState) -> Metric:
    family = GaugeMetricFamily("comanda_lines", "Lines by state", labels=["kind", "state"])
    for (name, label), value in sorted(database.measurements.items()):
        if name == "lines":
            kind, _, state = label.partition(":")
            family.add_metric([kind, state], value)
    return family


def _pool() -> Iterator[Metric]:
    pool = db.engine.pool
    yield _gauge("pool_connections", "Database pool of the process that was asked", pool.size())  # type: ignore[attr-defined]
    yield _gauge("pool_in_use", "Connections of it in use", pool.checkedout())  # type: ignore[attr-defined]


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"comanda_{name}", meaning, value=float(value))


def _by_label(name: str, meaning: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(f"comanda_{name}", meaning, labels=[label])
    for key, value in values:
        family.add_metric([key], value)
    return family
