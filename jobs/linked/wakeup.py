"""Wakes the hosts of linked lines: what they have to do is in rows, this only says "look"."""

from redis import RedisError

from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from core.redis.client import redis_client

log = logger(__name__)

CHANNEL = "linked"


def wake_hosts(tenant_id: int) -> None:
    acknowledge_wakeup("jobs.linked.wakeup.wake_hosts", tenant_id)
    publish_to_hosts(tenant_id)


def publish_to_hosts(tenant_id: int) -> None:
    """Nobody may be listening, and Redis may be away: hosts look by themselves, later."""
    try:
        redis_client().publish(CHANNEL, str(tenant_id))
    except RedisError as error:
        log.warning("linked hosts not notified", error=type(error).__name__)
