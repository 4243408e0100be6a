"""How many sends may hold a web thread while they wait for the network's response.

Portal pages, diner pages, hooks and health checks share these threads. A send that finds no free
slot is still accepted; it gets a 202 response at once.
"""

from contextlib import AbstractContextManager

from core.concurrency_limits import ConcurrencyLimit

_limits = ConcurrencyLimit(20)


def configure_sync_wait_limits(most: int) -> None:
    global _limits
    _limits = ConcurrencyLimit(most)


def sync_wait_slot(tenant_id: int) -> AbstractContextManager[bool]:
    """Yields True if the caller got a slot."""
    return _limits.place(tenant_id)
