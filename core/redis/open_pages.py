"""Which members have a page of the portal open. The live server reports it; workers read it.

Kept in Redis only: after an outage, every open page is reported again within half a minute.
"""

import time
from collections.abc import Iterable

from redis import RedisError

from core.redis.client import mark_redis_down, redis_client, redis_is_down

REPORT_SECONDS = 30
PRESENT_SECONDS = 150
"""A page that reconnects, or a phone that changes its network, is not an absence."""


def key_of(tenant_id: int) -> str:
    return f"open_pages:{tenant_id}"


def report_arguments(people: Iterable[str]) -> dict[str, float]:
    """Members with the time of the report, for ZADD."""
    moment = time.time()
    return dict.fromkeys(people, moment)


def report(tenant_id: int, person_id: str) -> None:
    """For tests and for pages without live updates."""
    redis_client().zadd(key_of(tenant_id), report_arguments([person_id]))


def people_present(tenant_id: int) -> set[str]:
    """Person ids; empty if Redis is down, so that nothing is assigned to people who may be gone."""
    if redis_is_down():
        return set()
    oldest = time.time() - PRESENT_SECONDS
    try:
        found = redis_client().zrangebyscore(key_of(tenant_id), oldest, "+inf")
    except RedisError:
        mark_redis_down()
        return set()
    return {one.decode() for one in found}  # type: ignore[union-attr]
