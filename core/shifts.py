"""A worker's time at a job that stays awake: half a minute or so, then others have their turn.

Each says in its own name that it is awake, so that one who falls asleep silences nobody else.
At the end of its time a worker waits for another one to take over, if there is any; and of
two whose time is over one goes after the other. So a ring finds somebody.
"""

import time

from redis.asyncio import Redis as AsyncRedis

from core.ids import new_token
from core.rings import AWAKE_SECONDS, QUEUES, awake_key

LONGEST_SECONDS = 30
NEAR_SECONDS = 1.5
LONGER_SECONDS = 2.5
GO, STAY_ON, CALL = 0, 1, 2

STAY = f"""
local moment = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], moment + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if ARGV[3] == 'new' then
  if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
  return {STAY_ON}
elseif ARGV[3] == '' then
  return {STAY_ON}
elseif redis.call('ZCOUNT', KEYS[1], moment, '+inf') > 1 then
  return redis.call('SET', KEYS[2], ARGV[1], 'NX', 'EX', ARGV[4]) and {GO} or {STAY_ON}
elseif redis.call('SCARD', KEYS[3]) > 1 then
  return {CALL}
end
return {GO}
"""
# Who died has not said so: its name goes when its time is over.
LEAVE = """
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', redis.call('TIME')[1])
"""

_name = new_token()


class Shift:
    def __init__(self, job: str, seconds: float, *, waits: bool = True, name: str = "") -> None:
        """`waits`: for somebody to take over."""
        queue = QUEUES[job.rpartition(".")[0]]
        workers = f"rq:workers:{queue}"  # as RQ names the set of those it knows
        self._keys = (awake_key(job), f"rests:{job}", workers)
        self._name = name or _name
        self._new, self._may_go = True, not waits
        self.until = time.monotonic() + seconds
        self._latest = self.until + LONGEST_SECONDS

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.until

    async def stay(self, redis: "AsyncRedis") -> bool:
        """Say so at least once in a second. True: near its end, and another is to be called."""
        near = self.until - time.monotonic() < NEAR_SECONDS and not self._may_go
        what = "new" if self._new else "ending" if near else ""
        said = await redis.eval(
            STAY, 3, *self._keys, self._name, str(AWAKE_SECONDS), what, str(LONGEST_SECONDS)
        )
        self._new = False
        if what == "ending":
            self._may_go = said == GO
            if not self._may_go:
                self.until = min(time.monotonic() + LONGER_SECONDS, self._latest)
        return bool(said == CALL)

    async def leave(self, redis: "AsyncRedis") -> None:
        await redis.eval(LEAVE, 1, self._keys[0], self._name)
