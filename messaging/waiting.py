"""Whoever waits for a message's outcome is woken by Redis, not by polling the database.

A web process has one list in Redis and one thread that listens to it, however many requests
wait. Saying that one waits and ringing for the worker is one call.
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
from core.rings import RING, Ring, let_redis_rest, redis_client, redis_rests, ring_keys, send_job
from core.scripts import Script
from messaging.settling import Told

log = logger(__name__)

KEPT_SECONDS = 40  # longer than anybody waits
LISTEN_SECONDS = 5
AT_ONCE = 100

# The outcome may be there before whoever waits for it has said so.
ASK = f"""
local function ring()
{RING}
end
local told = redis.call('GET', KEYS[7])
if told then redis.call('DEL', KEYS[7])
else redis.call('SET', KEYS[6], ARGV[4], 'EX', ARGV[5]) end
return {{ring(), told}}
"""
TELL = """
for i, id in ipairs(KEYS) do
  local who = redis.call('GET', 'waits:' .. id)
  if who then
    redis.call('DEL', 'waits:' .. id)
    redis.call('RPUSH', 'told:' .. who, ARGV[i + 1])
    redis.call('EXPIRE', 'told:' .. who, ARGV[1])
  else
    redis.call('SET', 'outcome:' .. id, ARGV[i + 1], 'EX', ARGV[1])
  end
end
return #KEYS
"""


_ask = Script(ASK)
_tell = Script(TELL)


class Waiter:
    def __init__(self) -> None:
        self._there = threading.Event()
        self._told: Told | None = None

    def tell(self, told: Told) -> None:
        self._told = told
        self._there.set()

    def wait(self, seconds: float) -> Told | None:
        self._there.wait(seconds)
        return self._told


class Waiting:
    """Of one process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pid = 0
        self._name = ""
        self._waiters: dict[str, Waiter] = {}
        self._lock = threading.Lock()

    def wait_for(self, message_id: str, ring: Ring, seconds: float) -> Told | None:
        """Ring, and wait. None: not known yet, or Redis is away; the row knows in any case."""
        self._listen()
        waiter = self._waiters[message_id] = Waiter()
        try:
            if redis_rests():
                log.warning("ring lost", job=ring.job, error="redis rests")
                return None
            rung, told = self._say(message_id, ring)
            if rung:
                send_job(ring)
            return _from_json(told) if told else waiter.wait(seconds)
        except RedisError as error:
            let_redis_rest()
            log.warning("waiting failed", error=type(error).__name__)
            return None
        finally:
            self._waiters.pop(message_id, None)

    def _say(self, message_id: str, ring: Ring) -> tuple[int, bytes | None]:
        keys, args = ring_keys(ring)
        rung, told = _ask(
            redis_client(),
            [*keys, f"waits:{message_id}", f"outcome:{message_id}"],
            [*args, self._name, KEPT_SECONDS],
        )
        return rung, told

    def _listen(self) -> None:
        """A thread of this very process: a server may have forked since."""
        if self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._name, self._waiters = new_token(), {}
                threading.Thread(target=self._hear, name="waiting", daemon=True).start()
                self._pid = os.getpid()

    def _hear(self) -> None:
        client = Redis.from_url(
            self._url, socket_connect_timeout=1, socket_timeout=LISTEN_SECONDS * 3
        )
        while True:
            try:
                found: Any = client.blmpop(
                    LISTEN_SECONDS, 1, f"told:{self._name}", direction="LEFT", count=AT_ONCE
                )
            except RedisError as error:
                log.warning("listening failed", error=type(error).__name__)
                time.sleep(0.5)
                continue
            for raw in found[1] if found else ():
                told = _from_json(raw)
                waiter = self._waiters.get(told.id)
                if waiter is not None:
                    waiter.tell(told)


_waiting: Waiting | None = None


def use_waiting(url: str) -> None:
    global _waiting
    _waiting = Waiting(url)


def wait_for(message_id: str, ring: Ring, seconds: float) -> Told | None:
    if _waiting is None:
        raise RuntimeError("use_waiting(url) has not been called")
    return _waiting.wait_for(message_id, ring, seconds)


def tell(outcomes: Iterable[Told], client: Redis) -> None:
    keys, args = tell_args(outcomes)
    if not keys:
        return
    try:
        _tell(client, keys, args)
    except RedisError as error:
        log.warning("waiters not told", error=type(error).__name__)


def tell_args(outcomes: Iterable[Told]) -> tuple[list[str], list[str | int]]:
    """Keys and arguments of TELL. Without a waiter an outcome is gone after half a minute."""
    told = list(outcomes)
    return [one.id for one in told], [KEPT_SECONDS, *(json.dumps(_as_json(one)) for one in told)]


def _as_json(one: Told) -> dict[str, str | None]:
    return {
        "id": one.id,
        "state": one.state,
        "network_id": one.network_id,
        "cost_usd": str(one.cost_usd),
        "error_code": one.error_code,
        "error_text": one.error_text,
    }


def _from_json(raw: bytes) -> Told:
    value: dict[str, str | None] = json.loads(raw)
    return Told(
        id=value["id"] or "",
        state=value["state"] or "",
        network_id=value["network_id"],
        cost_usd=Decimal(value["cost_usd"] or 0),
        error_code=value["error_code"],
        error_text=value["error_text"],
    )
