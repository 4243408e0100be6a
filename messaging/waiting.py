"""Whoever waits for a message's outcome is woken by Redis, not by polling the database."""

import json
from collections.abc import Iterable
from decimal import Decimal

from redis import ConnectionPool, Redis, RedisError

from core.logs import logger
from messaging.settling import Told

log = logger(__name__)

KEPT_SECONDS = 30
WAITERS = 1200  # threads that may wait at once in one process

_waiting: Redis | None = None


def use_waiting(url: str) -> None:
    """A pool of its own: these connections block, and must not starve the rate limits."""
    global _waiting
    pool = ConnectionPool.from_url(
        url, max_connections=WAITERS, socket_connect_timeout=1, socket_timeout=40
    )
    _waiting = Redis(connection_pool=pool)


def tell(outcomes: Iterable[Told], client: Redis) -> None:
    """Leave each outcome at its place. Without a waiter it is gone after half a minute."""
    try:
        with client.pipeline(transaction=False) as pipe:
            for one in outcomes:
                pipe.rpush(_place(one.id), json.dumps(_as_json(one)))
                pipe.expire(_place(one.id), KEPT_SECONDS)
            pipe.execute()
    except RedisError as error:
        log.warning("waiters not told", error=type(error).__name__)


def wait_for(message_id: str, seconds: float) -> Told | None:
    """None: not known yet, or Redis is away; the row knows in any case."""
    if _waiting is None or seconds <= 0:
        return None
    try:
        found = _waiting.blpop([_place(message_id)], timeout=seconds)
    except RedisError as error:
        log.warning("waiting failed", error=type(error).__name__)
        return None
    return _from_json(json.loads(found[1])) if found else None


def _place(message_id: str) -> str:
    return f"told:{message_id}"


def _as_json(one: Told) -> dict[str, str | None]:
    return {
        "id": one.id,
        "state": one.state,
        "network_id": one.network_id,
        "cost_usd": str(one.cost_usd),
        "error_code": one.error_code,
        "error_text": one.error_text,
    }


def _from_json(value: dict[str, str | None]) -> Told:
    return Told(
        id=value["id"] or "",
        state=value["state"] or "",
        network_id=value["network_id"],
        cost_usd=Decimal(value["cost_usd"] or 0),
        error_code=value["error_code"],
        error_text=value["error_text"],
    )
