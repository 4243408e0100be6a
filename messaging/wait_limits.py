"""How many sends may hold a web thread while they wait for the network's answer.

Portal pages, diner pages, hooks and health checks share these threads. A send that finds no
place is still accepted; it is answered 202 at once.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class WaitLimits:
    """Of one process: a limit in total, and half of it for any one tenant."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.most_of_tenant = max(1, most // 2)
        self._lock = Lock()
        self._waiting: Counter[int] = Counter()

    @contextmanager
    def place(self, tenant_id: int) -> Iterator[bool]:
        """True: the caller may wait until the block ends. Never blocks."""
        taken = self._take(tenant_id)
        try:
            yield taken
        finally:
            if taken:
                self._give_back(tenant_id)

    def _take(self, tenant_id: int) -> bool:
        with self._lock:
            full = self._waiting.total() >= self.most
            if full or self._waiting[tenant_id] >= self.most_of_tenant:
                return False
            self._waiting[tenant_id] += 1
            return True

    def _give_back(self, tenant_id: int) -> None:
        with self._lock:
            self._waiting[tenant_id] -= 1
            if not self._waiting[tenant_id]:
                del self._waiting[tenant_id]


_limits = WaitLimits(20)


def use_wait_limits(most: int) -> None:
    global _limits
    _limits = WaitLimits(most)


@contextmanager
def place(tenant_id: int) -> Iterator[bool]:
    with _limits.place(tenant_id) as taken:
        yield taken
