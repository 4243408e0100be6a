"""News for open pages: what changed, told in ids, once the change is committed.

Redis carries them and keeps a short history for each tenant, so that a page that was away reads
on from where it was. Losing Redis costs freshness, never data: a page that cannot read on is told
to start over, and asks the database.
"""

import json
from collections import Counter
from typing import Any

from redis import RedisError

from core.db import after_commit
from core.logs import logger
from core.redis.client import mark_redis_down, redis_client, redis_is_down

log = logger(__name__)

HISTORY_LENGTH = 500
HISTORY_SECONDS = 3600
MAX_OF_ONE_KIND = 60  # of one kind in a transaction; more are told as "many"

# The history and the channel are written together, so that both have one order.
PUBLISH_SCRIPT = """
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'n', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', KEYS[1], id .. ' ' .. ARGV[1])
return id
"""


def publish_update(kind: str, **facts: str | int | bool | None) -> None:
    """`tell("messages.received", id=…)`. Ids and states only: no name, no phone, no text."""
    after_commit(send_updates, {"kind": kind, **facts})


def send_updates(tenant_id: int, news: list[dict[str, Any]]) -> None:
    """At once, for doors that commit by themselves. Never raises."""
    if redis_is_down():
        log.warning("live update lost", error="redis rests")
        return
    try:
        redis_client().eval(PUBLISH_SCRIPT, 1, *update_args(tenant_id, news))
    except RedisError as error:
        mark_redis_down()
        log.warning("live update lost", error=type(error).__name__)


def update_args(tenant_id: int, news: list[dict[str, Any]]) -> tuple[str, str, int, int]:
    """The key and the arguments of TELL."""
    return channel_key(tenant_id), json.dumps(_short(news)), HISTORY_LENGTH, HISTORY_SECONDS


def history_cursor(tenant_id: int) -> str:
    """Where the history ends now: a page that is made now reads on from here. Empty: unknown."""
    if redis_is_down():
        return ""
    try:
        newest: Any = redis_client().xrevrange(channel_key(tenant_id), count=1)
        return str(newest[0][0].decode()) if newest else "0-0"
    except RedisError:
        mark_redis_down()
        return ""


def channel_key(tenant_id: int) -> str:
    return f"live:{tenant_id}"


def topic_of(kind: str) -> str:
    """`messages` of `messages.received`: what a reader asks for, and is allowed."""
    return kind.partition(".")[0]


def _short(news: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A campaign settles thousands at once: pages then look for themselves."""
    counts = Counter(one["kind"] for one in news)
    many = {kind for kind, count in counts.items() if count > MAX_OF_ONE_KIND}
    kept = [one for one in news if one["kind"] not in many]
    return kept + [{"kind": kind, "many": True} for kind in sorted(many)]
