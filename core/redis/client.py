"""The Redis connection of this process, and the pause after a failed call."""

import time

from redis import Redis

RETRY_AFTER_SECONDS = 1.0


_redis: Redis | None = None


_down_until = 0.0


def connect_redis(url: str) -> Redis:
    """Short timeouts: a Redis that hangs must not hold a request."""
    global _redis, _down_until
    _down_until = 0.0
    _redis = Redis.from_url(
        url, socket_timeout=2, socket_connect_timeout=1, health_check_interval=30
    )
    return _redis


def redis_client() -> Redis:
    if _redis is None:
        raise RuntimeError("connect_redis(url) has not been called")
    return _redis


def redis_is_down() -> bool:
    """Redis failed a moment ago: one request in a second waits for it, the others do without."""
    return time.monotonic() < _down_until


def mark_redis_down() -> None:
    global _down_until
    _down_until = time.monotonic() + RETRY_AFTER_SECONDS
