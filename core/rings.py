"""The doorbell: an RQ job that says "there is work". Rows hold the work itself.

Rings for the same work coalesce until a worker hears them. A ring lost with Redis
costs the seconds until the next sweep, never the work.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2s

from redis import Redis, RedisError
from rq import Queue

from core.logs import current_request_id, logger

log = logger(__name__)

# The queue is the second word of a job's dotted name: jobs.<module>.<function>.
QUEUES = {
    "jobs.mail": "default",
    "jobs.housekeeping": "default",
}
ALL_QUEUES = ("sends", "deliveries", "hooks", "prints", "campaigns", "costs", "default")
UNHEARD_SECONDS = 5  # a ring nobody hears is rung again by the sweep
JOB_SECONDS = 120
REST_SECONDS = 1.0

_redis: Redis | None = None
_rests_until = 0.0


@dataclass(frozen=True)
class Ring:
    job: str
    args: tuple[object, ...] = ()

    @property
    def queue(self) -> str:
        return QUEUES[self.job.rpartition(".")[0]]

    def check(self) -> None:
        """A name nobody works on must fail while its transaction can still be rolled back."""
        if self.job.rpartition(".")[0] not in QUEUES:
            raise RuntimeError(f"{self.job} has no queue; core/rings.py names one for each module")

    @property
    def mark(self) -> str:
        digest = blake2s(repr(self.args).encode(), digest_size=12).hexdigest()
        return f"ring:{self.job}:{digest}"


def use_redis(url: str) -> Redis:
    """Short timeouts: a Redis that hangs must not hold a request."""
    global _redis, _rests_until
    _rests_until = 0.0
    _redis = Redis.from_url(
        url, socket_timeout=2, socket_connect_timeout=1, health_check_interval=30
    )
    return _redis


def redis_client() -> Redis:
    if _redis is None:
        raise RuntimeError("use_redis(url) has not been called")
    return _redis


def redis_rests() -> bool:
    """Redis failed a moment ago: one request in a second waits for it, the others do without."""
    return time.monotonic() < _rests_until


def let_redis_rest() -> None:
    global _rests_until
    _rests_until = time.monotonic() + REST_SECONDS


def send_rings(rings: Iterable[Ring]) -> None:
    """Never raises: what no bell announces, the sweep finds."""
    for one in dict.fromkeys(rings):
        if redis_rests():
            log.warning("ring lost", job=one.job, error="redis rests")
            continue
        try:
            if redis_client().set(one.mark, 1, nx=True, ex=UNHEARD_SECONDS):
                Queue(one.queue, connection=redis_client()).enqueue(
                    one.job,
                    args=one.args,
                    result_ttl=0,
                    failure_ttl=7 * 86400,
                    job_timeout=JOB_SECONDS,
                    description=one.job,
                    meta={"request_id": current_request_id()},
                )
        except RedisError as error:
            let_redis_rest()
            log.warning("ring lost", job=one.job, error=type(error).__name__)


def hear(job: str, *args: object) -> None:
    """A worker starts on this work: rings from now on are for what comes after."""
    redis_client().delete(Ring(job, args).mark)
