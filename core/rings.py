"""The doorbell: an RQ job that says "there is work". Rows hold the work itself.

Rings for the same work coalesce until a worker hears them. A ring lost with Redis
costs the seconds until the next sweep, never the work.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2s

from redis import Redis, RedisError
from rq import Queue
from rq.serializers import JSONSerializer

from core.logs import current_request_id, logger
from core.scripts import Script

log = logger(__name__)

# Jobs are JSON, not pickles: write access to Redis must not mean running code in workers.
SERIALIZER = JSONSerializer
# The queue is the second word of a job's dotted name: jobs.<module>.<function>.
QUEUES = {
    "jobs.sends": "sends",
    "jobs.deliveries": "deliveries",
    "jobs.linked": "default",
    "jobs.hooks": "hooks",
    "jobs.automations": "hooks",
    "jobs.campaigns": "campaigns",
    "jobs.costs": "costs",
    "jobs.orders": "default",
    "jobs.loyalty": "campaigns",
    "jobs.printing": "prints",
    "jobs.payments": "payments",
    "jobs.reads": "default",
    "jobs.mail": "default",
    "jobs.contacts": "default",
    "jobs.health": "default",
    "jobs.housekeeping": "slow",
    "jobs.keeping": "slow",
    "jobs.closing": "slow",
    "jobs.exports": "slow",
    "jobs.media": "default",
    "jobs.templates": "default",
    "jobs.troubles": "default",
    "jobs.plans": "default",
    "jobs.warnings": "default",
}
# Jobs that do not belong where the rest of their module is: `slow` is for work that takes long and
# that nobody waits for, `sweep` for the sweep, which starts what is due every five seconds.
JOB_QUEUES = {
    "jobs.housekeeping.sweep": "sweep",
    "jobs.closing.ask_payments": "payments",
    "jobs.contacts.tidy": "slow",
    "jobs.costs.close_day": "slow",
    "jobs.deliveries.forget": "slow",
    "jobs.media.remove_doomed": "slow",
    "jobs.plans.look": "slow",
    "jobs.templates.mark_all": "slow",
    "jobs.warnings.look": "slow",
}
ALL_QUEUES = (
    *("sends", "deliveries", "hooks", "prints"),
    *("campaigns", "costs", "payments", "default", "sweep", "slow"),
)
# Jobs that stay awake for a while after their work is done: they hear a ring by themselves,
# which costs a push to a list instead of a job.
BELLS = {"jobs.sends.drain": "bell:sends", "jobs.deliveries.drain": "bell:deliveries"}
# Jobs whose rings name a tenant: it is left in a set, and the second ring for it costs nothing.
# A second set, while it is there, says for which tenants there is any sense in ringing.
GATHERED = {"jobs.deliveries.drain": "rung:deliveries"}
LISTENING = {"jobs.deliveries.drain": "listening:deliveries"}
AWAKE_SECONDS = 3
MOST_WAITING_RINGS = 64
RING = """
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
UNHEARD_SECONDS = 5  # a ring nobody hears is rung again by the sweep
JOB_SECONDS = 120
SLOW_JOB_SECONDS = 600  # steps end after 20 s; joining the pieces of a very large export does not
FAILURES_KEPT_SECONDS = 7 * 86400
REST_SECONDS = 1.0

_redis: Redis | None = None
_rests_until = 0.0
_ring = Script(RING)


@dataclass(frozen=True)
class Ring:
    job: str
    args: tuple[object, ...] = ()

    @property
    def queue(self) -> str:
        return JOB_QUEUES.get(self.job) or QUEUES[self.job.rpartition(".")[0]]

    @property
    def seconds(self) -> int:
        return SLOW_JOB_SECONDS if self.queue == "slow" else JOB_SECONDS

    def check(self) -> None:
        """A name nobody works on must fail while its transaction can still be rolled back."""
        if self.job.rpartition(".")[0] not in QUEUES:
            raise RuntimeError(f"{self.job} has no queue; core/rings.py names one for each module")

    @property
    def job_args(self) -> tuple[object, ...]:
        """A gathering job finds its tenants in their set."""
        return () if self.job in GATHERED else self.args

    @property
    def mark(self) -> str:
        digest = blake2s(repr(self.job_args).encode(), digest_size=12).hexdigest()
        return f"ring:{self.job}:{digest}"


def use_redis(url: str) -> Redis:
    """Short timeouts: a Redis that hangs must not hold a request."""
    global _redis, _rests_until
    _rests_until = 0.0
    _redis = Redis.from_url(
        url, socket_timeout=2, socket_connect_timeout=1, health_check_interval=30
    )
    return _redis


def redis_client() -> Redis:
    if _redis is None:
        raise RuntimeError("use_redis(url) has not been called")
    return _redis


def redis_rests() -> bool:
    """Redis failed a moment ago: one request in a second waits for it, the others do without."""
    return time.monotonic() < _rests_until


def let_redis_rest() -> None:
    global _rests_until
    _rests_until = time.monotonic() + REST_SECONDS


def send_rings(rings: Iterable[Ring]) -> None:
    """Never raises: what no bell announces, the sweep finds."""
    for one in dict.fromkeys(rings):
        if redis_rests():
            log.warning("ring lost", job=one.job, error="redis rests")
            continue
        try:
            if _nobody_hears(one):
                send_job(one)
        except RedisError as error:
            let_redis_rest()
            log.warning("ring lost", job=one.job, error=type(error).__name__)


def queue_named(name: str, connection: Redis | None = None) -> Queue:
    return Queue(name, connection=connection or redis_client(), serializer=SERIALIZER)


def send_job(one: Ring) -> None:
    queue_named(one.queue).enqueue(
        one.job,
        args=one.job_args,
        result_ttl=0,
        failure_ttl=FAILURES_KEPT_SECONDS,
        job_timeout=one.seconds,
        description=one.job,
        meta={"request_id": current_request_id()},
    )


def call_help(job: str) -> None:
    """There is more than one process can do: another one joins, if one is free. Never raises."""
    one = Ring(job)
    try:
        if not queue_named(one.queue).count:
            send_job(one)
    except RedisError as error:
        log.warning("no help was called", job=job, error=type(error).__name__)


def _nobody_hears(one: Ring) -> bool:
    """True when a job has to be put into the queue; False when one is awake or on its way."""
    keys, args = ring_keys(one)
    return bool(_ring(redis_client(), keys, args))


def ring_keys(one: Ring) -> tuple[list[str], list[int | str]]:
    """What RING is called with."""
    gathered = GATHERED.get(one.job, "") if one.args else ""
    keys = [one.mark, awake_key(one.job), BELLS.get(one.job, "")]
    keys += [gathered, LISTENING.get(one.job, "")]
    return keys, [UNHEARD_SECONDS, MOST_WAITING_RINGS, str(one.args[0]) if gathered else ""]


def awake_key(job: str) -> str:
    """Of a sorted set: who is awake, and until when they have said so. See core/shifts.py."""
    return f"at-work:{job}"


def tell_who_listens(job: str, tenant_ids: Iterable[int], seconds: int) -> None:
    """Rings for other tenants are not sent until this is over or said anew."""
    key = LISTENING[job]
    with redis_client().pipeline(transaction=True) as together:
        together.delete(key)
        together.sadd(key, 0, *tenant_ids)
        together.expire(key, seconds)
        together.execute()


def hear(job: str, *args: object) -> None:
    """A worker starts on this work: rings from now on are for what comes after."""
    redis_client().delete(Ring(job, args).mark)
