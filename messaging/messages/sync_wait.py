"""Wait for a message's outcome through Redis, without polling the database.

A web process has one list in Redis and one thread that reads it, for any number of waiting
requests. One call registers the waiter and wakes the worker.
"""

import json
import os
import threading
import time
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from redis import Redis, RedisError

from core.ids import new_token
from core.logs import logger
from core.queue.wakeups import WAKEUP_SCRIPT, WakeUp, enqueue_job, wakeup_keys
from core.redis.client import mark_redis_down, redis_client, redis_is_down
from core.redis.scripts import LuaScript
from messaging.messages.settle import MessageOutcome

log = logger(__name__)

OUTCOME_TTL_SECONDS = 40  # longer than any caller waits
LISTEN_SECONDS = 5
OUTCOMES_PER_READ = 100

# The outcome may be published before the waiter is registered. Its keys and arguments come after
# those of the wake-up.
WAIT_SCRIPT = f"""
local function wake_worker()
{WAKEUP_SCRIPT}
end
local waits, outcome = KEYS[#KEYS - 1], KEYS[#KEYS]
local stored = redis.call('GET', outcome)
if stored then redis.call('DEL', outcome)
else redis.call('SET', waits, ARGV[#ARGV - 1], 'EX', ARGV[#ARGV]) end
return {{wake_worker(), stored}}
"""
PUBLISH_SCRIPT = """
for i, id in ipairs(KEYS) do
  local waiter = redis.call('GET', 'waits:' .. id)
  if waiter then
    redis.call('DEL', 'waits:' .. id)
    redis.call('RPUSH', 'outcomes:' .. waiter, ARGV[i + 1])
    redis.call('EXPIRE', 'outcomes:' .. waiter, ARGV[1])
  else
    redis.call('SET', 'outcome:' .. id, ARGV[i + 1], 'EX', ARGV[1])
  end
end
return #KEYS
"""


_wait_script = LuaScript(WAIT_SCRIPT)
_publish_script = LuaScript(PUBLISH_SCRIPT)


class OutcomeWaiter:
    def __init__(self) -> None:
        self._known = threading.Event()
        self._outcome: MessageOutcome | None = None

    def set_outcome(self, outcome: MessageOutcome) -> None:
        self._outcome = outcome
        self._known.set()

    def wait(self, seconds: float) -> MessageOutcome | None:
        self._known.wait(seconds)
        return self._outcome


class OutcomeListener:
    """The waiters of one process and the thread that wakes them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pid = 0
        self._name = ""
        self._waiters: dict[str, OutcomeWaiter] = {}
        self._lock = threading.Lock()

    def wait_for(self, message_id: str, wakeup: WakeUp, seconds: float) -> MessageOutcome | None:
        """Wake the worker and wait for the outcome.

        Returns None if it is not known in time or Redis is unavailable; the message row has the
        result.
        """
        self._listen()
        waiter = self._waiters[message_id] = OutcomeWaiter()
        try:
            if redis_is_down():
                log.warning("wake-up lost", job=wakeup.job, error="redis unavailable")
                return None
            must_enqueue, stored = self._register(message_id, wakeup)
            if must_enqueue:
                enqueue_job(wakeup)
            return _from_json(stored) if stored else waiter.wait(seconds)
        except RedisError as error:
            mark_redis_down()
            log.warning("sync wait failed", error=type(error).__name__)
            return None
        finally:
            self._waiters.pop(message_id, None)

    def _register(self, message_id: str, wakeup: WakeUp) -> tuple[int, bytes | None]:
        keys, args = wakeup_keys(wakeup)
        must_enqueue, stored = _wait_script(
            redis_client(),
            [*keys, f"waits:{message_id}", f"outcome:{message_id}"],
            [*args, self._name, OUTCOME_TTL_SECONDS],
        )
        return must_enqueue, stored

    def _listen(self) -> None:
        """Start the reader thread once per process: a server may have forked since."""
        if self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._name, self._waiters = new_token(), {}
                threading.Thread(target=self._read_outcomes, name="outcomes", daemon=True).start()
                self._pid = os.getpid()

    def _read_outcomes(self) -> None:
        client = Redis.from_url(
            self._url, socket_connect_timeout=1, socket_timeout=LISTEN_SECONDS * 3
        )
        while True:
            try:
                found: Any = client.blmpop(
                    LISTEN_SECONDS,
                    1,
                    f"outcomes:{self._name}",
                    direction="LEFT",
                    count=OUTCOMES_PER_READ,
                )
            except RedisError as error:
                log.warning("sync wait subscription failed", error=type(error).__name__)
                time.sleep(0.5)
                continue
            for raw in found[1] if found else ():
                outcome = _from_json(raw)
                waiter = self._waiters.get(outcome.id)
                if waiter is not None:
                    waiter.set_outcome(outcome)


_listener: OutcomeListener | None = None


def configure_sync_wait(url: str) -> None:
    global _listener
    _listener = OutcomeListener(url)


def wait_for_outcome(message_id: str, wakeup: WakeUp, seconds: float) -> MessageOutcome | None:
    if _listener is None:
        raise RuntimeError("configure_sync_wait(url) has not been called")
    return _listener.wait_for(message_id, wakeup, seconds)


def publish_outcomes(outcomes: Iterable[MessageOutcome], client: Redis) -> None:
    keys, args = publish_outcomes_args(outcomes)
    if not keys:
        return
    try:
        _publish_script(client, keys, args)
    except RedisError as error:
        log.warning("waiting requests not notified", error=type(error).__name__)


def publish_outcomes_args(outcomes: Iterable[MessageOutcome]) -> tuple[list[str], list[str | int]]:
    """Return keys and arguments of PUBLISH_SCRIPT.

    An outcome without a waiter is deleted after 40 seconds.
    """
    published = list(outcomes)
    return [one.id for one in published], [
        OUTCOME_TTL_SECONDS,
        *(json.dumps(_as_json(one)) for one in published),
    ]


def _as_json(one: MessageOutcome) -> dict[str, str | None]:
    return {
        "id": one.id,
        "state": one.state,
        "network_id": one.network_id,
        "cost_usd": str(one.cost_usd),
        "error_code": one.error_code,
        "error_reason": one.error_reason,
    }


def _from_json(raw: bytes) -> MessageOutcome:
    value: dict[str, str | None] = json.loads(raw)
    return MessageOutcome(
        id=value["id"] or "",
        state=value["state"] or "",
        network_id=value["network_id"],
        cost_usd=Decimal(value["cost_usd"] or 0),
        error_code=value["error_code"],
        error_reason=value["error_reason"],
    )
