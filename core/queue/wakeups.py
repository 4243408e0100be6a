"""Wake-ups: an RQ job that tells a worker there is work. The work itself is in rows.

Wake-ups for the same work are merged until a worker acknowledges them. A wake-up that is lost with
Redis costs the seconds until the next sweep, never the work.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2s

from flask import Flask, current_app, has_app_context
from redis import Redis, RedisError
from rq import Queue
from rq.serializers import JSONSerializer

from core.logs import current_request_id, logger
from core.queue.batching_thread import BatchingThread
from core.queue.listeners import ALL_TOPICS, COMPLETE, LISTENER_HASHES
from core.queue.registry import JOB_QUEUES, MODULE_QUEUES
from core.queue.tenant_waiters import WAKE_WAITERS
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript, ScriptCall, run_scripts

log = logger(__name__)

# Jobs are JSON, not pickles: write access to Redis must not allow running code in workers.
SERIALIZER = JSONSerializer
# Jobs that keep waiting for a while after their work is done. A push to a list wakes them, which is
# cheaper than a job.
WAKEUP_LISTS = {
    "jobs.sending.worker.drain": "bell:sends",
    "jobs.webhooks.worker.drain": "bell:deliveries",
}
# Jobs whose wake-ups name a tenant, and possibly topics. The tenant is added to a set, and a second
# wake-up for it costs nothing. A wake-up with topics that the tenant does not listen to is not sent
# (core/queue/listeners.py).
TENANT_SETS = {"jobs.webhooks.worker.drain": "rung:deliveries"}
PRESENCE_SECONDS = 3
GATHER_SECONDS = 0.005
MAX_QUEUED_WAKEUPS = 64
WAKEUP_SCRIPT = f"""
local function listens(topics)
  local known = redis.call('HMGET', KEYS[5], '{COMPLETE}', ARGV[3])
  if not known[1] or known[2] == '{ALL_TOPICS}' then return true end
  if not known[2] then return false end
  for topic in string.gmatch(topics, '%S+') do
    if string.find(' ' .. known[2] .. ' ', ' ' .. topic .. ' ', 1, true) then return true end
  end
  return false
end
{WAKE_WAITERS}
if KEYS[4] ~= '' then
  wake_waiters(KEYS[4], ARGV[3])
  if ARGV[4] ~= '' and not listens(ARGV[4]) then return 0 end
  if redis.call('SADD', KEYS[4], ARGV[3]) == 0 then return 0 end
end
if KEYS[3] ~= '' and redis.call('EXISTS', KEYS[2]) == 1 then
  if redis.call('LLEN', KEYS[3]) < tonumber(ARGV[2]) then redis.call('LPUSH', KEYS[3], 1) end
  return 0
end
return redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[1]) and 1 or 0
"""
WAKEUP_TTL_SECONDS = 5  # the sweep repeats a wake-up that no worker acknowledged
JOB_TIMEOUT_SECONDS = 120
SLOW_JOB_TIMEOUT_SECONDS = (
    600  # steps end after 20 s, but joining the parts of a very large export takes longer
)
FAILED_JOB_TTL_SECONDS = 7 * 86400

_wakeup_script = LuaScript(WAKEUP_SCRIPT)


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
        """Raises RuntimeError for a job without a queue, while the transaction can still be rolled
        back.
        """
        if self.job.rpartition(".")[0] not in MODULE_QUEUES:
            raise RuntimeError(f"{self.job} has no queue; add its module to core/queue/registry.py")

    @property
    def job_args(self) -> tuple[object, ...]:
        """A job with a tenant set gets no arguments: it finds its tenants in the set."""
        return () if self.job in TENANT_SETS else self.args

    @property
    def mark(self) -> str:
        digest = blake2s(repr(self.job_args).encode(), digest_size=12).hexdigest()
        return f"ring:{self.job}:{digest}"


def gather_wakeups(app: Flask) -> None:
    """Let a thread send the wake-ups of this app. Tests and jobs send them at once."""
    app.extensions["gathers_wakeups"] = True


def send_wakeups(wakeups: Iterable[WakeUp]) -> None:
    """Never raises: the sweep finds work whose wake-up was lost."""
    found = list(wakeups)
    if not found:
        return
    if has_app_context() and "gathers_wakeups" in current_app.extensions:
        request_id = current_request_id()
        _gathered.add([(one, request_id) for one in found])
        return
    _send(dict.fromkeys(found, current_request_id()))


def _send_gathered(wakeups: list[tuple[WakeUp, str | None]]) -> None:
    """Equal wake-ups are sent once, with the id of the first request."""
    distinct: dict[WakeUp, str | None] = {}
    for one, request_id in wakeups:
        distinct.setdefault(one, request_id)
    _send(distinct)


_gathered = BatchingThread("wake-ups", GATHER_SECONDS, _send_gathered)


def _send(wakeups: Mapping[WakeUp, str | None]) -> None:
    """Send wake-ups, each with the id of its request, in one call of Redis."""
    lost, failure = list(wakeups), "redis rests"
    if not redis_is_down():
        try:
            lost = _without_job(wakeups)
            while lost:
                enqueue_job(lost[0], wakeups[lost[0]])
                del lost[0]
        except RedisError as error:
            mark_redis_down()
            failure = type(error).__name__
    for one in lost:
        log.warning("wake-up lost", job=one.job, error=failure)


def queue_named(name: str, connection: Redis | None = None) -> Queue:
    return Queue(name, connection=connection or redis_client(), serializer=SERIALIZER)


def enqueue_job(one: WakeUp, request_id: str | None = None) -> None:
    queue_named(one.queue).enqueue(
        one.job,
        args=one.job_args,
        result_ttl=0,
        failure_ttl=FAILED_JOB_TTL_SECONDS,
        job_timeout=one.seconds,
        description=one.job,
        meta={"request_id": request_id or current_request_id()},
    )


def request_another_worker(job: str) -> None:
    """Ask for another worker when one process is not enough; a free one joins. Never raises."""
    one = WakeUp(job)
    try:
        if not queue_named(one.queue).count:
            enqueue_job(one)
    except RedisError as error:
        log.warning("second worker not requested", job=job, error=type(error).__name__)


def _without_job(wakeups: Iterable[WakeUp]) -> list[WakeUp]:
    """The wake-ups that need a job: no worker is waiting for them, and no job is queued yet."""
    calls = [ScriptCall(_wakeup_script, *wakeup_keys(one)) for one in wakeups]
    answers = run_scripts(redis_client(), calls)
    return [one for one, needs_job in zip(wakeups, answers, strict=True) if needs_job]


def wakeup_keys(one: WakeUp) -> tuple[list[str], list[int | str]]:
    """The keys and arguments of WAKEUP_SCRIPT."""
    tenants = TENANT_SETS.get(one.job, "") if one.args else ""
    keys = [one.mark, presence_key(one.job), WAKEUP_LISTS.get(one.job, "")]
    keys += [tenants, LISTENER_HASHES.get(one.job, "")]
    tenant_id, *topics = map(str, one.args) if tenants else [""]
    return keys, [WAKEUP_TTL_SECONDS, MAX_QUEUED_WAKEUPS, tenant_id, " ".join(topics)]


def presence_key(job: str) -> str:
    """The sorted set of present workers and when each expires; see core/queue/presence.py."""
    return f"at-work:{job}"


def acknowledge_wakeup(job: str, *args: object) -> None:
    """A worker starts this work: later wake-ups are for what is added after this."""
    redis_client().delete(WakeUp(job, args).mark)
