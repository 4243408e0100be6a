"""Counters and histograms of all processes, added up in Redis and shown at /metrics.

A process keeps its counts in memory and adds them to Redis every few seconds, so an observation
costs about a microsecond. Counts lost with Redis look like a restart to Prometheus.
"""

import atexit
import os
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from redis import RedisError

from core.logs import logger
from core.redis.client import redis_client

log = logger(__name__)

KEY = "metrics"
FLUSH_SECONDS = 5.0
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
INFINITE = "+Inf"


class _Pending:
    """What this process has counted since it last reached Redis."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, float] = defaultdict(float)
        self._thread_of = 0

    def add(self, *counts: tuple[str, float]) -> None:
        with self._lock:
            for field, amount in counts:
                self._counts[field] += amount
            if self._thread_of != os.getpid():  # a forked process has no threads of its parent
                self._thread_of = os.getpid()
                threading.Thread(target=self._flush_for_ever, name="metrics", daemon=True).start()

    def flush(self) -> None:
        """Never raises: what Redis does not take is added to the next flush."""
        with self._lock:
            counts, self._counts = self._counts, defaultdict(float)
        if not counts:
            return
        try:
            with redis_client().pipeline(transaction=True) as pipeline:
                for field, amount in counts.items():
                    pipeline.hincrbyfloat(KEY, field, amount)
                pipeline.execute()
        except (RedisError, RuntimeError) as error:
            log.debug("metrics flush failed", error=type(error).__name__)
            with self._lock:
                for field, amount in counts.items():
                    self._counts[field] += amount

    def _flush_for_ever(self) -> None:
        stop = threading.Event()
        while not stop.wait(FLUSH_SECONDS):
            self.flush()


_pending = _Pending()
flush = _pending.flush
atexit.register(flush)


class Counter:
    def __init__(self, name: str, text: str, label: str) -> None:
        self.name, self.text, self.label = name, text, label

    def add(self, value: str, count: int = 1) -> None:
        _pending.add((f"{self.name}|{value}", count))

    def family(self, counts: dict[str, float]) -> Metric:
        family = CounterMetricFamily(self.name, self.text, labels=[self.label])
        for field, count in sorted(counts.items()):
            name, _, value = field.partition("|")
            if name == self.name:
                family.add_metric([value], count)
        return family


class Histogram:
    def __init__(self, name: str, text: str, buckets: tuple[float, ...] = SECONDS) -> None:
        self.name, self.text = name, text
        self._bounds = buckets
        self._fields = [f"{name}|{bound}" for bound in (*buckets, INFINITE)]

    def observe(self, seconds: Iterable[float]) -> None:
        counts = [(self._fields[bisect_left(self._bounds, one)], 1.0) for one in seconds]
        if counts:
            _pending.add(*counts, (f"{self.name}|sum", sum(seconds)))

    def family(self, counts: dict[str, float]) -> Metric:
        below, buckets = 0.0, []
        for field in self._fields:
            below += counts.get(field, 0.0)
            buckets.append((field.partition("|")[2], below))
        family = HistogramMetricFamily(self.name, self.text)
        family.add_metric([], buckets, counts.get(f"{self.name}|sum", 0.0))
        return family


SEND_SECONDS = Histogram(
    "comanda_send_seconds",
    "From the time a message was due (accepted, scheduled or to be retried) to the answer of"
    " the network",
)
MESSAGES = Counter("comanda_messages", "Outcomes of attempts to send a message", "outcome")
WEBHOOK_SECONDS = Histogram(
    "comanda_webhook_seconds",
    "From the publishing of an event to its first delivery to an endpoint that took it",
)
WEBHOOK_ATTEMPTS = Counter("comanda_webhook_attempts", "Attempts to deliver an event", "result")
ALL: tuple[Counter | Histogram, ...] = (SEND_SECONDS, MESSAGES, WEBHOOK_SECONDS, WEBHOOK_ATTEMPTS)


def families() -> list[Metric]:
    """Raises RedisError while Redis is away."""
    flush()
    found = redis_client().hgetall(KEY)
    counts = {field.decode(): float(value) for field, value in found.items()}  # type: ignore[union-attr]
    return [one.family(counts) for one in ALL]
