"""Redis as workers need it: their reads block for minutes, so there is no read timeout."""

from redis import Redis


def worker_redis(url: str) -> Redis:
    return Redis.from_url(url, socket_connect_timeout=2, health_check_interval=30)
