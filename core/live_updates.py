"""Live updates for open pages: what changed, as ids, published after the commit.

Redis delivers them and keeps a short history for each tenant, so that a page that was disconnected
can continue where it stopped. Losing Redis delays updates but loses no data: a page that cannot
continue is told to reload, and reads the database.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from redis import RedisError

from core.db import after_commit
from core.logs import logger
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript, ScriptCall, run_scripts

log = logger(__name__)

HISTORY_LENGTH = 500
HISTORY_SECONDS = 3600
MAX_OF_ONE_KIND = 60  # per transaction; more of one kind become a single "many" update

# One script writes both the history and the channel, so that both have the same order.
PUBLISH_SCRIPT = """
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'n', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', KEYS[1], id .. ' ' .. ARGV[1])
return id
"""

_publish_script = LuaScript(PUBLISH_SCRIPT)


def publish_update(kind: str, **facts: str | int | bool | None) -> None:
    """`publish_update("messages.received", id=…)`. Only ids and states: no name, phone or text."""
    after_commit(send_updates, {"kind": kind, **facts})


def send_updates(tenant_id: int, updates: list[dict[str, Any]]) -> None:
    """Publish at once, for entry points that commit their own SQL. Never raises."""
    send_updates_of({tenant_id: updates})


def send_updates_of(tenants: Mapping[int, list[dict[str, Any]]]) -> None:
    """The same for several tenants, in one call of Redis."""
    if redis_is_down():
        log.warning("live update lost", error="redis unavailable")
        return
    try:
        run_scripts(redis_client(), [_publication(*one) for one in tenants.items()])
    except RedisError as error:
        mark_redis_down()
        log.warning("live update lost", error=type(error).__name__)


def _publication(tenant_id: int, updates: list[dict[str, Any]]) -> ScriptCall:
    args = json.dumps(_short(updates)), HISTORY_LENGTH, HISTORY_SECONDS
    return ScriptCall(_publish_script, [channel_key(tenant_id)], args)


def history_cursor(tenant_id: int) -> str:
    """The current end of the history, from which a page rendered now continues. Empty: unknown."""
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
    """The topic of a kind: `messages` for `messages.received`. Readers are authorized by topic."""
    return kind.partition(".")[0]


def _short(updates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace many updates of one kind by one: a campaign settles thousands of messages at once,
    and the pages then reload their data.
    """
    if len(updates) <= MAX_OF_ONE_KIND:
        return updates
    counts = Counter(one["kind"] for one in updates)
    many = {kind for kind, count in counts.items() if count > MAX_OF_ONE_KIND}
    kept = [one for one in updates if one["kind"] not in many]
    return kept + [{"kind": kind, "many": True} for kind in sorted(many)]
