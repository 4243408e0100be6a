"""Limit how much of a process one tenant, or one kind of heavy work, may hold at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock


class ConcurrencyLimit:
    """Slots of one process: a total limit, and half of it for any single tenant."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.most_per_tenant = max(1, most // 2)
        self._lock = Lock()
        self._taken: Counter[int] = Counter()

    @contextmanager
    def place(self, tenant_id: int) -> Iterator[bool]:
        """Yield True if the caller got a slot; it is held until the block ends. Never blocks."""
        acquired = self.take(tenant_id)
        try:
            yield acquired
        finally:
            if acquired:
                self.give_back(tenant_id)

    def take(self, tenant_id: int) -> bool:
        """Take a slot, which `give_back` releases. False: there is none. Never blocks."""
        with self._lock:
            full = self._taken.total() >= self.most
            if full or self._taken[tenant_id] >= self.most_per_tenant:
                return False
            self._taken[tenant_id] += 1
            return True

    def give_back(self, tenant_id: int) -> None:
        with self._lock:
            self._taken[tenant_id] -= 1
            if not self._taken[tenant_id]:
                del self._taken[tenant_id]


class HeavyWork:
    """Work that takes much memory or processor time: little of it runs at once, and few threads
    wait for their turn, so that the others still answer.
    """

    def __init__(self, at_once: int, waiting: int, seconds: float) -> None:
        self.at_once, self.most, self.seconds = at_once, at_once + waiting, seconds
        self._running = BoundedSemaphore(self.at_once)
        self._inside = BoundedSemaphore(self.most)

    @contextmanager
    def slot(self) -> Iterator[bool]:
        """Yield True if the caller may work until the block ends; False if too many wait, or if
        the wait was too long.
        """
        if not self._inside.acquire(blocking=False):
            yield False
            return
        try:
            acquired = self._running.acquire(timeout=self.seconds)
            try:
                yield acquired
            finally:
                if acquired:
                    self._running.release()
        finally:
            self._inside.release()
