"""Wakes the hosts of linked lines: what they have to do is in rows, this only says "look"."""

from redis import RedisError

from core.logs import logger
from core.rings import hear, redis_client

log = logger(__name__)

CHANNEL = "linked"


def wake(tenant_id: int) -> None:
    hear("jobs.linked.wake", tenant_id)
    tell_hosts(tenant_id)


def tell_hosts(tenant_id: int) -> None:
    """Nobody may be listening, and Redis may be away: hosts look by themselves, later."""
    try:
        redis_client().publish(CHANNEL, str(tenant_id))
    except RedisError as error:
        log.warning("hosts not woken", error=type(error).__name__)
