"""Rate limits as token buckets: one Redis call a request, a local bucket while Redis is away.

A bucket is one number, the time at which it will be full again (GCRA). The same call
brings home the tenant's generation, so that a revoked key is noticed without another trip.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from redis import RedisError

from core.logs import logger
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript

log = logger(__name__)

TAKE_SCRIPT = """
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local worst, full = -1, {}
local left, reset = math.huge, 0
for i = 1, #KEYS - 1 do
  local step, burst, cost = tonumber(ARGV[i*3-2]), tonumber(ARGV[i*3-1]), tonumber(ARGV[i*3])
  local tat = math.max(tonumber(redis.call('GET', KEYS[i]) or 0), now)
  local after = tat + step * cost
  local early = after - step * burst - now
  if early > worst then worst = early end
  full[i] = {after, step * burst}
  if i == 1 then
    left = math.floor((step * burst - (tat - now)) / step + 0.000001)
    reset = tat - now
  end
end
local gen = redis.call('GET', KEYS[#KEYS]) or '0'
if worst > 0.001 then return {0, left, math.ceil(reset), math.ceil(worst), gen} end
for i = 1, #KEYS - 1 do
  redis.call('SET', KEYS[i], full[i][1], 'PX', math.max(math.ceil(full[i][1] - now), 1))
end
local cost = tonumber(ARGV[3])
return {1, left - cost, math.ceil(reset + tonumber(ARGV[1]) * cost), 0, gen}
"""


@dataclass(frozen=True)
class Bucket:
    name: str
    rate: float
    """Tokens that come back each second."""
    burst: int
    cost: int = 1

    @property
    def step_ms(self) -> float:
        return 1000.0 / self.rate


@dataclass(frozen=True)
class RateLimitResult:
    allowed: bool
    left: int
    reset_ms: int
    wait_ms: int
    generation: str | None
    """None while Redis is away."""

    @property
    def retry_after(self) -> int:
        return max(1, -(-self.wait_ms // 1000))


class LocalBuckets:
    """What a process grants alone: its share of each bucket."""

    def __init__(self, share: float = 1.0) -> None:
        self.share = share
        self._full_at: dict[str, float] = {}
        self._lock = Lock()

    def take(self, buckets: Sequence[Bucket]) -> RateLimitResult:
        moment = time.monotonic() * 1000
        with self._lock:
            if len(self._full_at) > 50_000:
                self._full_at = {k: at for k, at in self._full_at.items() if at > moment}
            after, worst, left, reset = {}, 0.0, 0, 0.0
            for index, bucket in enumerate(buckets):
                step = bucket.step_ms / self.share
                room = max(1.0, bucket.burst * self.share) * step
                full_at = max(self._full_at.get(bucket.name, 0.0), moment)
                after[bucket.name] = full_at + step * bucket.cost
                worst = max(worst, after[bucket.name] - room - moment)
                if index == 0:
                    left = int((room - (full_at - moment)) / step + 1e-6)
                    reset = full_at - moment
            if worst > 0.001:
                return RateLimitResult(False, left, int(reset), int(worst) + 1, None)
            self._full_at.update(after)
            first = buckets[0]
            return RateLimitResult(True, left - first.cost, int(reset + first.step_ms), 0, None)


_local = LocalBuckets()
_run_take_script = LuaScript(TAKE_SCRIPT)


def set_process_count(processes: int) -> None:
    global _local
    _local = LocalBuckets(1.0 / processes)


def take_tokens(buckets: Sequence[Bucket], generation_of: str = "") -> RateLimitResult:
    """Take from all buckets or from none. The first one is told in the answer."""
    if redis_is_down():
        return _local.take(buckets)
    try:
        keys = [f"bucket:{b.name}" for b in buckets] + [f"generation:{generation_of}"]
        args = [value for b in buckets for value in (b.step_ms, b.burst, b.cost)]
        allowed, left, reset, wait, generation = _run_take_script(redis_client(), keys, args)
        return RateLimitResult(bool(allowed), int(left), int(reset), int(wait), generation.decode())
    except RedisError as error:
        mark_redis_down()
        log.warning("redis unavailable, limiting locally", error=type(error).__name__)
        return _local.take(buckets)


def bump_cache_generation(of: str) -> None:
    """What was remembered about this tenant is no longer true, in every process."""
    try:
        redis_client().incr(f"generation:{of}")
    except RedisError as error:
        log.warning("cache invalidation not published", error=type(error).__name__)
