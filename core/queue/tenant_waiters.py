"""Requests that wait until there is new work for a tenant, without polling the database.

A web process has one list in Redis and one thread that reads it, for any number of waiting
requests. A waiting request registers its process for the tenant before it reads the database; the
next wake-up for the tenant (core/queue/wakeups.py) removes the registration and writes the tenant's
id to the list. So a burst of wake-ups costs one write, and no change between the read and the wait
is missed.

Each waiting request holds a thread of the web server, so their number is limited. A tenant that has
reached its share gets the place of its own oldest request, whose client has probably gone.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from redis import Redis, RedisError

from core.ids import new_token
from core.logs import logger
from core.redis.client import mark_redis_down, redis_client, redis_is_down

log = logger(__name__)

REGISTERED_SECONDS = 60  # longer than any request waits
LISTEN_SECONDS = 5
WITHOUT_REDIS_SECONDS = 2.0  # how often the database is read while Redis is unavailable
TENANT_SHARE = 3  # a tenant gets a third of the places

# Part of the wake-up script: a function that tells every process that waits for the tenant.
WAKE_WAITERS = f"""
local function wake_waiters(work, tenant)
  local key = 'waiters:' .. work .. ':' .. tenant
  local processes = redis.call('SMEMBERS', key)
  if #processes == 0 then return end
  redis.call('DEL', key)
  for _, name in ipairs(processes) do
    redis.call('RPUSH', 'woken:' .. name, tenant)
    redis.call('EXPIRE', 'woken:' .. name, {REGISTERED_SECONDS})
  end
end
"""

T = TypeVar("T")


class TenantWaiter:
    def __init__(self) -> None:
        self.woken = threading.Event()
        self.over = False
        """A newer request has taken this one's place."""

    def dismiss(self) -> None:
        self.over = True
        self.woken.set()


class TenantWaiters:
    """The waiting requests of one process and the thread that wakes them."""

    def __init__(self, url: str, most: int) -> None:
        self._url = url
        self._most, self._most_of_tenant = most, max(1, most // TENANT_SHARE)
        self._pid = 0
        self._name = ""
        self._waiters: dict[int, list[TenantWaiter]] = {}
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiters.values()))

    def read_until(
        self,
        work: str,
        tenant_id: int,
        seconds: float,
        read: Callable[[], T],
        is_empty: Callable[[T], bool],
    ) -> tuple[T, bool]:
        """Call `read` until its result is not empty or the time is over. Returns its last result,
        and whether the request could wait; it could not if there was no place for it.

        `read` must not leave a transaction open.
        """
        until = time.monotonic() + seconds
        with self._place(tenant_id) as waiter:
            if waiter is None:
                return read(), False
            while True:
                waiter.woken.clear()
                registered = self._register(work, tenant_id)
                found = read()
                left = until - time.monotonic()
                if left <= 0 or waiter.over or not is_empty(found):
                    return found, True
                waiter.woken.wait(left if registered else min(left, WITHOUT_REDIS_SECONDS))

    @contextmanager
    def _place(self, tenant_id: int) -> Iterator[TenantWaiter | None]:
        self._listen()
        waiter = self._take(tenant_id)
        try:
            yield waiter
        finally:
            if waiter is not None:
                self._give_back(tenant_id, waiter)

    def _take(self, tenant_id: int) -> TenantWaiter | None:
        with self._lock:
            own = self._waiters.setdefault(tenant_id, [])
            active = [one for one in own if not one.over]
            if len(active) >= self._most_of_tenant:
                active[0].dismiss()
            elif self.waiting >= self._most:
                if not own:
                    del self._waiters[tenant_id]
                return None
            made = TenantWaiter()
            own.append(made)
            return made

    def _give_back(self, tenant_id: int, waiter: TenantWaiter) -> None:
        with self._lock:
            own = self._waiters.get(tenant_id, [])
            if waiter in own:
                own.remove(waiter)
            if not own:
                self._waiters.pop(tenant_id, None)

    def _register(self, work: str, tenant_id: int) -> bool:
        """False while Redis is unavailable."""
        if redis_is_down():
            return False
        key = f"waiters:{work}:{tenant_id}"
        try:
            with redis_client().pipeline(transaction=False) as pipe:
                pipe.sadd(key, self._name)
                pipe.expire(key, REGISTERED_SECONDS)
                pipe.execute()
        except RedisError:
            mark_redis_down()
            return False
        return True

    def _listen(self) -> None:
        """Start the reader thread once per process: a server may have forked since."""
        if self._pid == os.getpid():
            return
        with self._lock:
            if self._pid != os.getpid():
                self._name, self._waiters = new_token(), {}
                threading.Thread(target=self._read_wakes, name="waiters", daemon=True).start()
                self._pid = os.getpid()

    def _read_wakes(self) -> None:
        client = Redis.from_url(
            self._url, socket_connect_timeout=1, socket_timeout=LISTEN_SECONDS * 3
        )
        while True:
            try:
                found: Any = client.blmpop(
                    LISTEN_SECONDS, 1, f"woken:{self._name}", direction="LEFT", count=100
                )
            except RedisError as error:
                log.warning("waiting reader subscription failed", error=type(error).__name__)
                self._wake_all()  # what was pushed meanwhile may be lost; they read again
                time.sleep(0.5)
                continue
            for raw in set(found[1]) if found else ():
                self._wake(int(raw))

    def _wake(self, tenant_id: int) -> None:
        with self._lock:
            for waiter in self._waiters.get(tenant_id, ()):
                waiter.woken.set()

    def _wake_all(self) -> None:
        with self._lock:
            for waiters in self._waiters.values():
                for waiter in waiters:
                    waiter.woken.set()


_waiters: TenantWaiters | None = None


def configure_waiters(url: str, most: int) -> None:
    global _waiters
    _waiters = TenantWaiters(url, most)


def tenant_waiters() -> TenantWaiters:
    if _waiters is None:
        raise RuntimeError("configure_waiters(url, most) has not been called")
    return _waiters
