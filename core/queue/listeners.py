"""Which tenants listen to which topics. Wake-ups for topics that nobody listens to are not sent.

This is a cache in Redis of what the database contains. The wake-up script reads it after the commit
of the transaction that wrote the work; while it is missing, every wake-up is sent.

A transaction that changes a tenant's topics calls `forget_listeners` after its commit and then
wakes a worker for the tenant. That worker finds the work whose wake-up was not sent before; later
wake-ups are sent. A cache that was read from the database before a change cannot be stored after
it: the change starts a new generation.
"""

from collections.abc import Mapping

from redis import RedisError

from core.logs import logger
from core.redis.client import redis_client
from core.redis.scripts import LuaScript

log = logger(__name__)

LISTENER_HASHES = {"jobs.webhooks.worker.drain": "listeners:deliveries"}
COMPLETE = "complete"
"""The field that exists while the cache is complete. All other fields are tenant ids."""
ALL_TOPICS = "*"

STORE_SCRIPT = """
if (redis.call('GET', KEYS[2]) or '0') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[3], 1)
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""

_store = LuaScript(STORE_SCRIPT)


def generation_key(job: str) -> str:
    return f"{LISTENER_HASHES[job]}:generation"


def listener_generation(job: str) -> str:
    """Read this before the topics are read from the database."""
    return str(int(redis_client().get(generation_key(job)) or 0))


def store_listeners(job: str, generation: str, topics: Mapping[int, str], seconds: int) -> bool:
    """Store the topics of every tenant that listens, separated by spaces. False: they have changed
    since the generation was read.
    """
    pairs = [text for tenant_id, names in topics.items() for text in (str(tenant_id), names)]
    keys = [LISTENER_HASHES[job], generation_key(job)]
    return bool(_store(redis_client(), keys, [generation, seconds, COMPLETE, *pairs]))


def forget_listeners(job: str) -> None:
    """After the commit of a change. Never raises: the cache is also renewed every minute."""
    try:
        with redis_client().pipeline(transaction=True) as pipe:
            pipe.incr(generation_key(job))
            pipe.delete(LISTENER_HASHES[job])
            pipe.execute()
    except RedisError as error:
        log.warning("listeners not updated", job=job, error=type(error).__name__)
