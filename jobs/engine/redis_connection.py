"""The Redis connection of workers and the scheduler: they wait while Redis is down.

Their reads block for minutes, so there is no read timeout. Every command is repeated until Redis
answers. The start and the end of an outage are each logged once.
"""

import time

from redis import Redis
from redis.backoff import AbstractBackoff
from redis.exceptions import ConnectionError as RedisAway
from redis.retry import Retry

from core.logs import logger

log = logger(__name__)

LONGEST_WAIT_SECONDS = 2.0

_unavailable_since: float | None = None
_stopping = False


def worker_redis(url: str) -> Redis:
    return Redis.from_url(
        url,
        socket_connect_timeout=2,
        health_check_interval=30,
        retry=_RetryForever(_RetryPause(), -1),
    )


def stop_retrying() -> None:
    """The process has been asked to stop: no longer wait for an unavailable Redis."""
    global _stopping
    _stopping = True


class _RetryPause(AbstractBackoff):
    def compute(self, failures: int) -> float:
        """No pause after the first failure, which is usually a connection that was closed while
        idle.
        """
        global _unavailable_since
        if _stopping and failures > 1:
            raise RedisAway("Redis is away, and this process is asked to end")
        if failures == 1:
            return 0.0
        if _unavailable_since is None:
            _unavailable_since = time.monotonic()
            log.warning("redis unavailable, waiting")
        return min(0.1 * 2.0 ** (failures - 2), LONGEST_WAIT_SECONDS)


class _RetryForever(Retry):
    """Each connection has its own copy of this; whether Redis is down is shared by all of them."""

    def call_with_retry(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        global _unavailable_since
        answer = super().call_with_retry(*args, **kwargs)
        if _unavailable_since is not None:
            waited, _unavailable_since = time.monotonic() - _unavailable_since, None
            log.warning("redis available again", seconds=round(waited, 1))
        return answer
