"""Find the owner of a hook address by its token, with a cache of a few seconds."""

import re
import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from core.db import global_scope, tenant_scope
from core.lookups import find_lookup

CACHE_SECONDS = 30.0
# A signature that does not fit may have a new secret: then the owner is read again, if it was not
# read just before.
CHANGED_SECONDS = 1.0
CACHE_SIZE = 20_000
TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")

Owner = TypeVar("Owner")


class HookAddressCache(Generic[Owner]):
    """Cache of hook owners, which rarely change.

    `read` gets the tenant and the owner's id inside the tenant's transaction; `key` converts a
    token to its lookup key.
    """

    def __init__(
        self, lookup: str, read: Callable[[int, str], Owner | None], key: Callable[[str], str] = str
    ) -> None:
        self._lookup, self._read, self._key = lookup, read, key
        self._memory: dict[str, tuple[Owner, float]] = {}
        self._lock = Lock()

    def of(self, token: str, read_within: float = CACHE_SECONDS) -> Owner | None:
        if not TOKEN.fullmatch(token):
            return None
        found = self._memory.get(token)
        if found is not None and time.monotonic() - found[1] < read_within:
            return found[0]
        owner = self._find(token)
        with self._lock:
            if len(self._memory) >= CACHE_SIZE:
                self._memory.clear()
            if owner is None:
                self._memory.pop(token, None)
            else:
                self._memory[token] = (owner, time.monotonic())
        return owner

    def forget(self) -> None:
        self._memory.clear()

    def _find(self, token: str) -> Owner | None:
        with global_scope():
            owner = find_lookup(self._lookup, self._key(token))
        if owner is None:
            return None
        with tenant_scope(owner[0]):
            return self._read(*owner)
