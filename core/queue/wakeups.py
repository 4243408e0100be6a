"""The doorbell: an RQ job that says "there is work". Rows hold the work itself.

Rings for the same work coalesce until a worker hears them. A ring lost with Redis
costs the seconds until the next sweep, never the work.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2s

from redis import Redis, RedisError
from rq import Queue
from rq.serializers import JSONSerializer

from core.logs import current_request_id, logger
from core.queue.registry import JOB_QUEUES, MODULE_QUEUES
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript

log = logger(__name__)

# Jobs are JSON, not pickles: write access to Redis must not mean running code in workers.
SERIALIZER = JSONSerializer
# Jobs that stay awake for a while after their work is done: they hear a ring by themselves,
# which costs a push to a list instead of a job.
WAKEUP_LISTS = {
    "jobs.sending.worker.drain": "bell:sends",
    "jobs.webhooks.worker.drain": "bell:deliveries",
}
# Jobs whose rings name a tenant: it is left in a set, and the second ring for it costs nothing.
# A second set, while it is there, says for which tenants there is any sense in ringing.
TENANT_SETS = {"jobs.webhooks.worker.drain": "rung:deliveries"}
LISTENING_SETS = {"jobs.webhooks.worker.drain": "listening:deliveries"}
PRESENCE_SECONDS = 3
MAX_QUEUED_WAKEUPS = 64
WAKEUP_SCRIPT = """
if KEYS[4] ~= '' then
  if redis.call('EXISTS', KEYS[5]) == 1 and redis.call('SISMEMBER', KEYS[5], ARGV[3]) == 0 then
    return 0
  end
  if redis.call('SADD', KEYS[4], ARGV[3]) == 0 then return 0 end
end
if KEYS[3] ~= '' and redis.call('EXISTS', KEYS[2]) == 1 then
  if redis.call('LLEN', KEYS[3]) < tonumber(ARGV[2]) then redis.call('LPUSH', KEYS[3], 1) end
  return 0
end
return redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[1]) and 1 or 0
"""
WAKEUP_TTL_SECONDS = 5  # a ring nobody hears is rung again by the sweep
JOB_TIMEOUT_SECONDS = 120
SLOW_JOB_TIMEOUT_SECONDS = (
    600  # steps end after 20 s; joining the pieces of a very large export does not
)
FAILED_JOB_TTL_SECONDS = 7 * 86400

_run_wakeup_script = LuaScript(WAKEUP_SCRIPT)


@dataclass(frozen=True)
class WakeUp:
    job: str
    args: tuple[object, ...] = ()

    @property
    def queue(self) -> str:
        return JOB_QUEUES.get(self.job) or MODULE_QUEUES[self.job.rpartition(".")[0]]

    @property
    def seconds(self) -> int:
        return SLOW_JOB_TIMEOUT_SECONDS if self.queue == "slow" else JOB_TIMEOUT_SECONDS

    def check(self) -> None:
        """A name nobody works on must fail while its transaction can still be rolled back."""
        if self.job.rpartition(".")[0] not in MODULE_QUEUES:
            raise RuntimeError(f"{self.job} has no queue; add its module to core/queue/registry.py")

    @property
    def job_args(self) -> tuple[object, ...]:
        """A gathering job finds its tenants in their set."""
        return () if self.job in TENANT_SETS else self.args

    @property
    def mark(self) -> str:
        digest = blake2s(repr(self.job_args).encode(), digest_size=12).hexdigest()
        return f"ring:{self.job}:{digest}"


def send_wakeups(wakeups: Iterable[WakeUp]) -> None:
    """Never raises: what no bell announces, the sweep finds."""
    for one in dict.fromkeys(wakeups):
        if redis_is_down():
            log.warning("wake-up lost", job=one.job, error="redis rests")
            continue
        try:
            if _needs_job(one):
                enqueue_job(one)
        except RedisError as error:
            mark_redis_down()
            log.warning("wake-up lost", job=one.job, error=type(error).__name__)


def queue_named(name: str, connection: Redis | None = None) -> Queue:
    return Queue(name, connection=connection or redis_client(), serializer=SERIALIZER)


def enqueue_job(one: WakeUp) -> None:
    queue_named(one.queue).enqueue(
        one.job,
        args=one.job_args,
        result_ttl=0,
        failure_ttl=FAILED_JOB_TTL_SECONDS,
        job_timeout=one.seconds,
        description=one.job,
        meta={"request_id": current_request_id()},
    )


def request_another_worker(job: str) -> None:
    """There is more than one process can do: another one joins, if one is free. Never raises."""
    one = WakeUp(job)
    try:
        if not queue_named(one.queue).count:
            enqueue_job(one)
    except RedisError as error:
        log.warning("second worker not requested", job=job, error=type(error).__name__)


def _needs_job(one: WakeUp) -> bool:
    """True when a job has to be put into the queue; False when one is awake or on its way."""
    keys, args = wakeup_keys(one)
    return bool(_run_wakeup_script(redis_client(), keys, args))


def wakeup_keys(one: WakeUp) -> tuple[list[str], list[int | str]]:
    """What RING is called with."""
    gathered = TENANT_SETS.get(one.job, "") if one.args else ""
    keys = [one.mark, presence_key(one.job), WAKEUP_LISTS.get(one.job, "")]
    keys += [gathered, LISTENING_SETS.get(one.job, "")]
    return keys, [WAKEUP_TTL_SECONDS, MAX_QUEUED_WAKEUPS, str(one.args[0]) if gathered else ""]


def presence_key(job: str) -> str:
    """The sorted set of present workers and when each expires; see core/queue/presence.py."""
    return f"at-work:{job}"


def set_listening_tenants(job: str, tenant_ids: Iterable[int], seconds: int) -> None:
    """Rings for other tenants are not sent until this is over or said anew."""
    key = LISTENING_SETS[job]
    with redis_client().pipeline(transaction=True) as together:
        together.delete(key)
        together.sadd(key, 0, *tenant_ids)
        together.expire(key, seconds)
        together.execute()


def acknowledge_wakeup(job: str, *args: object) -> None:
    """A worker starts on this work: rings from now on are for what comes after."""
    redis_client().delete(WakeUp(job, args).mark)
