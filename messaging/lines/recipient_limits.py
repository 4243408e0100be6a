"""How many different people a portfolio writes to outside the 24-hour window in 24 hours.

The network allows a number of them and refuses more. They are counted in Redis, in one sorted set
for each portfolio: its members are hashes of recipients, its scores the time of the last message.
While Redis is down nothing is counted, and the network refuses what is too much.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2s

from redis import RedisError
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import NoScriptError

from core.logs import logger
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript
from messaging.models import Line

WINDOW_MS = 24 * 60 * 60 * 1000
TAKE_SECONDS = 2.0
LONGEST_WAIT = 1800.0  # the limit may be raised at any time, so waiting messages look again
CAMPAIGN_SHARE = 0.9  # the rest is left to messages about orders and to replies
log = logger(__name__)

# ARGV: the limit, the window in ms, then recipients. Returns how long each has to wait, in ms.
TAKE_SCRIPT = """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local most, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used, waits = redis.call('ZCARD', KEYS[1]), {}
for i = 3, #ARGV do
  local known = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if known or used < most then
    if not known then used = used + 1 end
    redis.call('ZADD', KEYS[1], now, ARGV[i])
    waits[#waits + 1] = 0
  else
    local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    waits[#waits + 1] = math.max((tonumber(oldest[2]) or now) + window - now, 1000)
  end
end
redis.call('PEXPIRE', KEYS[1], window)
return waits
"""
# ARGV: the window in ms, then a recipient or "". Returns how many are counted, whether the
# recipient is one of them, and in how many ms the oldest one is not counted any more.
LOOK_SCRIPT = """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local since = now - tonumber(ARGV[1])
local used = redis.call('ZCOUNT', KEYS[1], '(' .. since, '+inf')
local score = redis.call('ZSCORE', KEYS[1], ARGV[2])
local oldest = redis.call(
  'ZRANGEBYSCORE', KEYS[1], '(' .. since, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
local ends = oldest[2] and tonumber(oldest[2]) - since or 0
return {used, score and tonumber(score) > since and 1 or 0, ends}
"""
_take_sha = LuaScript(TAKE_SCRIPT).sha
_look = LuaScript(LOOK_SCRIPT)


@dataclass(frozen=True)
class RecipientLimit:
    key: str
    most: int


@dataclass(frozen=True)
class RecipientsUsed:
    used: int
    is_known: bool
    """The recipient that was asked about is already counted."""
    oldest_seconds: float
    """Until the oldest recipient is not counted any more; 0 if none is counted."""


def limit_of(line: Line) -> RecipientLimit | None:
    """None: the network has reported no limit, or there is none."""
    if line.test or not line.recipient_limit.isdecimal():
        return None
    shared = line.portfolio_id or line.account_id or f"line-{line.id}"
    return RecipientLimit(f"recipients:{line.tenant_id}:{shared}", int(line.recipient_limit))


def used_recipients(limit: RecipientLimit, phone: str = "") -> RecipientsUsed | None:
    """Look without counting. None while Redis is down."""
    if redis_is_down():
        return None
    try:
        used, known, oldest = _look(
            redis_client(), [limit.key], [WINDOW_MS, _member(phone) if phone else ""]
        )
    except RedisError as error:
        _note_outage(error)
        return None
    return RecipientsUsed(int(used), bool(known), int(oldest) / 1000)


def campaign_room(limit: RecipientLimit, in_flight: int = 0) -> tuple[int, float]:
    """How many new people a campaign may write to now, and when to look again in seconds."""
    used = used_recipients(limit)
    if used is None:
        return limit.most, 0.0
    room = int(limit.most * CAMPAIGN_SHARE) - used.used - in_flight
    return max(room, 0), min(max(used.oldest_seconds, 60.0), LONGEST_WAIT)


def days_needed(recipients: int, limit: RecipientLimit) -> int:
    """How many days a campaign takes, if it begins now."""
    room, _ = campaign_room(limit)
    daily = max(int(limit.most * CAMPAIGN_SHARE), 1)
    return 1 + -(-max(recipients - room, 0) // daily)


async def take_each(
    redis: "AsyncRedis", limit: RecipientLimit, phones: Sequence[str]
) -> list[float]:
    """Count each recipient: 0, or the seconds that its message has to wait."""
    if redis_is_down():
        return [0.0] * len(phones)
    args: list[int | str] = [limit.most, WINDOW_MS, *map(_member, phones)]
    try:
        async with asyncio.timeout(TAKE_SECONDS):
            try:
                waits = await redis.evalsha(_take_sha, 1, limit.key, *args)
            except NoScriptError:  # the server was restarted or its scripts were flushed
                waits = await redis.eval(TAKE_SCRIPT, 1, limit.key, *args)
    except (RedisError, TimeoutError) as error:
        _note_outage(error)
        return [0.0] * len(phones)
    return [min(int(wait) / 1000, LONGEST_WAIT) for wait in waits]


def limits_of_lines(lines: Sequence[Line]) -> dict[int, RecipientLimit]:
    return {line.id: limit for line in lines if (limit := limit_of(line)) is not None}


def _member(phone: str) -> str:
    """The number is not readable in Redis."""
    return blake2s(phone.encode(), digest_size=8).hexdigest()


def _note_outage(error: Exception) -> None:
    mark_redis_down()
    log.warning("redis unavailable, recipients not counted", error=type(error).__name__)
