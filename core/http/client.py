"""What line drivers call: the client of an event loop, or that of a thread."""

from collections.abc import Mapping
from typing import Protocol

from core.http.reply import Reply


class HttpClient(Protocol):
    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Reply:
        """Return the reply, whatever its status. Raises OutboundError."""
