"""Rate limits as token buckets: one Redis call per request, local buckets while Redis is down.

A bucket is one number, the time at which it will be full again (GCRA). The same call returns the
generation of the tenant's cache, so that a revoked key is noticed without a second call.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from redis import RedisError
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import NoScriptError

from core.logs import logger
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript

log = logger(__name__)

TAKE_SECONDS = 2.0  # an event loop does not wait longer for Redis

# `take` takes from the buckets of KEYS[first] to KEYS[last], or from none of them. Returns whether
# it did, what is left in the first bucket, when that is full, and how long to wait.
BUCKETS = """
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local function take(first, last)
  local worst, full = -1, {}
  local left, reset = math.huge, 0
  for i = first, last do
    local step, burst, cost = tonumber(ARGV[i*3-2]), tonumber(ARGV[i*3-1]), tonumber(ARGV[i*3])
    local tat = math.max(tonumber(redis.call('GET', KEYS[i]) or 0), now)
    local after = tat + step * cost
    local early = after - step * burst - now
    if early > worst then worst = early end
    full[i] = after
    if i == first then
      left = math.floor((step * burst - (tat - now)) / step + 0.000001)
      reset = tat - now
    end
  end
  if worst > 0.001 then return 0, left, math.ceil(reset), math.ceil(worst) end
  for i = first, last do
    redis.call('SET', KEYS[i], full[i], 'PX', math.max(math.ceil(full[i] - now), 1))
  end
  local cost = tonumber(ARGV[first*3])
  return 1, left - cost, math.ceil(reset + tonumber(ARGV[first*3-2]) * cost), 0
end
"""
TAKE_SCRIPT = f"""{BUCKETS}
local allowed, left, reset, wait = take(1, #KEYS - 1)
return {{allowed, left, reset, wait, redis.call('GET', KEYS[#KEYS]) or '0'}}
"""
# Several takes of ARGV[#ARGV] buckets each, one after the other.
TAKE_EACH_SCRIPT = f"""{BUCKETS}
local size, found = tonumber(ARGV[#ARGV]), {{}}
for first = 1, #KEYS, size do
  local allowed, left, reset, wait = take(first, first + size - 1)
  found[#found + 1] = {{allowed, left, reset, wait}}
end
return found
"""
# Moves the time at which each bucket is full: by ARGV[1] ms, and to ARGV[2] ms from now at least.
MOVE_SCRIPT = """
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
for i = 1, #KEYS do
  local by, least = tonumber(ARGV[i*2-1]), tonumber(ARGV[i*2])
  local tat = math.max(tonumber(redis.call('GET', KEYS[i]) or 0) + by, now + least)
  if tat > now then redis.call('SET', KEYS[i], tat, 'PX', math.max(math.ceil(tat - now), 1))
  else redis.call('DEL', KEYS[i]) end
end
return #KEYS
"""


@dataclass(frozen=True)
class Bucket:
    name: str
    rate: float
    """Tokens added each second."""
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
    """None while Redis is down."""

    @property
    def retry_after(self) -> int:
        return max(1, -(-self.wait_ms // 1000))


class LocalBuckets:
    """Buckets of one process without Redis. It grants its share of each bucket."""

    def __init__(self, share: float = 1.0) -> None:
        self.share = share
        self._full_at: dict[str, float] = {}
        self._lock = Lock()

    def take_tokens(self, buckets: Sequence[Bucket]) -> RateLimitResult:
        moment = time.monotonic() * 1000
        with self._lock:
            if len(self._full_at) > 50_000:
                self._full_at = {k: at for k, at in self._full_at.items() if at > moment}
            after, worst, left, reset = {}, 0.0, 0, 0.0
            for index, bucket in enumerate(buckets):
                step = bucket.step_ms / self.share
                capacity = max(1.0, bucket.burst * self.share) * step
                full_at = max(self._full_at.get(bucket.name, 0.0), moment)
                after[bucket.name] = full_at + step * bucket.cost
                worst = max(worst, after[bucket.name] - capacity - moment)
                if index == 0:
                    left = int((capacity - (full_at - moment)) / step + 1e-6)
                    reset = full_at - moment
            if worst > 0.001:
                return RateLimitResult(False, left, int(reset), int(worst) + 1, None)
            self._full_at.update(after)
            first = buckets[0]
            return RateLimitResult(True, left - first.cost, int(reset + first.step_ms), 0, None)

    def delay_refill(self, bucket: Bucket, by_ms: float, least_ms: float = 0.0) -> None:
        """As MOVE_SCRIPT."""
        moment = time.monotonic() * 1000
        with self._lock:
            full_at = self._full_at.get(bucket.name, 0.0) + by_ms
            self._full_at[bucket.name] = max(full_at, moment + least_ms)


_local = LocalBuckets()
_run_take_script = LuaScript(TAKE_SCRIPT)
_take_each_sha = LuaScript(TAKE_EACH_SCRIPT).sha
_run_move_script = LuaScript(MOVE_SCRIPT)


def set_process_count(processes: int) -> None:
    global _local
    _local = LocalBuckets(1.0 / processes)


def take_tokens(
    buckets: Sequence[Bucket], generation_of: str = "", local: LocalBuckets | None = None
) -> RateLimitResult:
    """Take tokens from all buckets or from none. `left` and `reset_ms` describe the first one.

    `local` replaces the buckets of this process that are used while Redis is down.
    """
    if redis_is_down():
        return (local or _local).take_tokens(buckets)
    try:
        keys = [*_keys(buckets), f"generation:{generation_of}"]
        allowed, left, reset, wait, generation = _run_take_script(
            redis_client(), keys, _take_args(buckets)
        )
        return RateLimitResult(bool(allowed), int(left), int(reset), int(wait), generation.decode())
    except RedisError as error:
        mark_redis_down()
        log.warning("redis unavailable, limiting locally", error=type(error).__name__)
        return (local or _local).take_tokens(buckets)


async def take_tokens_each(
    redis: "AsyncRedis", groups: Sequence[Sequence[Bucket]], local: LocalBuckets
) -> list[RateLimitResult]:
    """Take tokens for each group, one after the other, in one call. All groups have one size."""
    if redis_is_down():
        return [local.take_tokens(group) for group in groups]
    keys = [key for group in groups for key in _keys(group)]
    args = [value for group in groups for value in _take_args(group)]
    try:
        async with asyncio.timeout(TAKE_SECONDS):
            found = await _run_take_each(redis, keys, [*args, len(groups[0])])
    except (RedisError, TimeoutError) as error:
        mark_redis_down()
        log.warning("redis unavailable, limiting locally", error=type(error).__name__)
        return [local.take_tokens(group) for group in groups]
    return [
        RateLimitResult(bool(allowed), int(left), int(reset), int(wait), None)
        for allowed, left, reset, wait in found
    ]


async def _run_take_each(redis: "AsyncRedis", keys: list[str], args: list[float]) -> Any:
    try:
        return await redis.evalsha(_take_each_sha, len(keys), *keys, *args)
    except NoScriptError:  # the server was restarted or its scripts were flushed
        return await redis.eval(TAKE_EACH_SCRIPT, len(keys), *keys, *args)


def return_tokens(buckets: Sequence[Bucket], local: LocalBuckets) -> None:
    """Put back tokens that were taken for nothing. Never raises."""
    _delay_refill(buckets, local, [(-one.step_ms * one.cost, 0.0) for one in buckets])


def block_bucket(bucket: Bucket, seconds: float, local: LocalBuckets) -> None:
    """Grant nothing from this bucket for some seconds, then its steady rate. Never raises."""
    empty = bucket.step_ms * (bucket.burst - 1)
    _delay_refill([bucket], local, [(0.0, seconds * 1000 + empty)])


def _delay_refill(
    buckets: Sequence[Bucket], local: LocalBuckets, delays: Sequence[tuple[float, float]]
) -> None:
    if not redis_is_down():
        try:
            args = [value for delay in delays for value in delay]
            _run_move_script(redis_client(), _keys(buckets), args)
            return
        except RedisError as error:
            mark_redis_down()
            log.warning("redis unavailable, limiting locally", error=type(error).__name__)
    for bucket, delay in zip(buckets, delays, strict=True):
        local.delay_refill(bucket, *delay)


def _keys(buckets: Sequence[Bucket]) -> list[str]:
    return [f"bucket:{bucket.name}" for bucket in buckets]


def _take_args(buckets: Sequence[Bucket]) -> list[float]:
    return [value for one in buckets for value in (one.step_ms, one.burst, one.cost)]


def bump_cache_generation(of: str) -> None:
    """Invalidate what any process has cached about this tenant."""
    try:
        redis_client().incr(f"generation:{of}")
    except RedisError as error:
        log.warning("cache invalidation not published", error=type(error).__name__)
