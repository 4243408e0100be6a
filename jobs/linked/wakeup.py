"""Wake the hosts of linked lines. The work itself is in rows."""

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
    """Never raises. If no host listens or Redis is down, the hosts find the work later by
    polling.
    """
    try:
        redis_client().publish(CHANNEL, str(tenant_id))
    except RedisError as error:
        log.warning("linked hosts not notified", error=type(error).__name__)
