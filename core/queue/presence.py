"""Worker presence: how long a worker stays at a job that waits for wake-ups.

A worker stays for about half a minute, then others get a turn. Each worker records its presence
under its own name, so that one that leaves does not affect the others.

Messages always have a worker as long as there is another one: at the end of its time a worker waits
until another takes over, and two workers whose time is up leave one after the other. If others are
at the same job, or no other worker could be, a job waiting in another queue ends the time early.
Any other job ends as soon as messages wait and no worker handles them.
"""

import time
from collections.abc import Iterable

from redis import RedisError
from redis.asyncio import Redis as AsyncRedis

from core.ids import new_token
from core.queue.registry import MODULE_QUEUES
from core.queue.wakeups import PRESENCE_SECONDS, presence_key
from core.redis.client import redis_client

PRIORITY_QUEUE, PRIORITY_JOB = "sends", "jobs.sending.worker.drain"
MAX_OVERTIME_SECONDS = 30
HANDOVER_SECONDS = 1.5
EXTENSION_SECONDS = 2.5
MIN_SECONDS, YIELD_AFTER_SECONDS = 3.0, 1.0
MIN_SECONDS_BEFORE_SENDS = 0.5  # every job gets something done, however much there is to send
MAY_LEAVE, MUST_STAY, CALL_REPLACEMENT = 0, 1, 2
NONE_WAITING, JOBS_WAITING, SENDS_WAITING = 0, 1, 2

# Records the presence of a worker. Returns whether it may leave, whether a job waits in another
# queue, and whether another worker is at this job or none could be. A waiting send job counts only
# while no worker is present for sends.
HEARTBEAT_SCRIPT = f"""
local moment = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], moment + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
local beside = redis.call('ZCOUNT', KEYS[1], moment, '+inf') > 1
local alone = redis.call('SCARD', KEYS[3]) < 2
local waits = {NONE_WAITING}
for i = 5, #KEYS do
  if redis.call('LLEN', KEYS[i]) > 0 then
    if KEYS[i] ~= ARGV[5] then waits = math.max(waits, {JOBS_WAITING})
    elseif redis.call('EXISTS', KEYS[4]) == 0 then waits = {SENDS_WAITING} end
  end
end
local may = {MUST_STAY}
if ARGV[3] == 'new' then
  if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
elseif ARGV[3] == 'ending' then
  if beside then
    if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'EX', ARGV[4]) then may = {MAY_LEAVE} end
  elseif alone then
    may = {MAY_LEAVE}
  else
    may = {CALL_REPLACEMENT}
  end
end
return {{may, waits, (beside or alone) and 1 or 0}}
"""
# Also removes workers that died without leaving: their entries have expired.
LEAVE_SCRIPT = """
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', redis.call('TIME')[1])
"""

_name = new_token()
_served: tuple[str, ...] = ()
_closing = False


def set_served_queues(queues: Iterable[str]) -> None:
    """Set the queues that this process's worker serves."""
    global _served
    _served = tuple(queues)


def begin_shutdown() -> None:
    """This process has been asked to stop: a worker that waits for wake-ups leaves now."""
    global _closing
    _closing = True


def should_yield() -> bool:
    """For jobs that continue while there is work: True when it is time to stop."""
    return _closing or sends_are_waiting()


def sends_are_waiting() -> bool:
    """For other jobs, between steps: True if messages wait, no worker handles them, and this worker
    could.
    """
    if PRIORITY_QUEUE not in _served:
        return False
    try:
        with redis_client().pipeline(transaction=False) as asked:
            asked.llen(f"rq:queue:{PRIORITY_QUEUE}")
            asked.exists(presence_key(PRIORITY_JOB))
            waiting, awake = asked.execute()
    except RedisError:
        return False
    return bool(waiting and not awake)


class WorkerPresence:
    def __init__(self, job: str, seconds: float, *, waits: bool = True, name: str = "") -> None:
        """`waits`: stay until another worker takes over."""
        queue = MODULE_QUEUES[job.rpartition(".")[0]]
        # RQ's own keys: the set of workers of a queue, and the lists of jobs.
        others = [f"rq:queue:{one}" for one in _served if one != queue]
        workers = f"rq:workers:{queue}"
        self._keys = [
            presence_key(job),
            f"rests:{job}",
            workers,
            presence_key(PRIORITY_JOB),
            *others,
        ]
        self._name = name or _name
        self._waits = waits
        self._new, self._may_go = True, not waits
        self._others_since: float | None = None
        self._began = time.monotonic()
        self.until = self._began + seconds
        self._latest = self.until + MAX_OVERTIME_SECONDS

    @property
    def over(self) -> bool:
        return _closing or time.monotonic() >= self.until

    async def heartbeat(self, redis: "AsyncRedis") -> bool:
        """Record the presence; call at least once a second. True: a replacement must be called,
        because the time is nearly over and nobody else is at this job.
        """
        near = self.until - time.monotonic() < HANDOVER_SECONDS and not self._may_go
        what = "new" if self._new else "ending" if near else ""
        args = (
            self._name,
            PRESENCE_SECONDS,
            what,
            MAX_OVERTIME_SECONDS,
            f"rq:queue:{PRIORITY_QUEUE}",
        )
        may, others, covered = await redis.eval(
            HEARTBEAT_SCRIPT, len(self._keys), *self._keys, *args
        )
        self._new = False
        if what == "ending":
            self._may_go = may == MAY_LEAVE
            if not self._may_go:
                self.until = min(time.monotonic() + EXTENSION_SECONDS, self._latest)
        if others == SENDS_WAITING and time.monotonic() - self._began >= MIN_SECONDS_BEFORE_SENDS:
            self.until = min(self.until, time.monotonic())
        elif others and (covered or not self._waits):
            self._give_way()
        else:
            self._others_since = None
        return bool(may == CALL_REPLACEMENT)

    def _give_way(self) -> None:
        moment = time.monotonic()
        if self._others_since is None:
            self._others_since = moment
        waited = moment - self._others_since >= YIELD_AFTER_SECONDS
        if waited and moment - self._began >= MIN_SECONDS:
            self.until, self._may_go = min(self.until, moment), True

    async def leave(self, redis: "AsyncRedis") -> None:
        await redis.eval(LEAVE_SCRIPT, 1, self._keys[0], self._name)
