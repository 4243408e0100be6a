"""Limit how many slots of a scarce process resource one tenant may hold at once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


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
        taken = self.take(tenant_id)
        try:
            yield taken
        finally:
            if taken:
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
