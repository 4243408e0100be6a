"""Requests from threads over connections that stay open, with the checks of `sync_client`.

A request is a coroutine without an event loop: it blocks its thread, and suspends only if the
answer is not there when the thread has to go on. Another thread can continue it then. So code that
is written for the asyncio client runs with this one too (`core.asyncio_tools.run_blocking`).
"""

import ssl
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from core import chaos
from core.asyncio_tools import continue_in_another_thread
from core.http.errors import ConnectFailed
from core.http.guard import Policy, Resolver, Url, check_url, system_resolver
from core.http.http1 import Answer, request_bytes
from core.http.kept_connections import IDLE_SECONDS, is_closed_by_peer
from core.http.reply import CONNECT_TIMEOUT, MAX_BODY, TIMEOUT, Reply
from core.http.sync_client import (
    CHUNK,
    Route,
    TimedSocket,
    default_tls,
    resolve_within,
    timed_tls,
    translated_errors,
)

MOST_IDLE = 64  # for each server


@dataclass(eq=False)
class _Connection:
    wire: TimedSocket
    address: str
    used_at: float = field(default_factory=time.monotonic)

    def usable(self) -> bool:
        idle = time.monotonic() - self.used_at
        return idle <= IDLE_SECONDS and not is_closed_by_peer(self.wire.fileno())


class KeepAliveClient:
    def __init__(
        self,
        policy: Policy,
        *,
        resolver: Resolver = system_resolver,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._tls = tls
        self._idle: dict[tuple[str, str, int], list[_Connection]] = defaultdict(list)

    def until(self, moment: float) -> "PatientClient":
        """A client whose requests are continued in another thread after this moment of
        `time.monotonic`.
        """
        return PatientClient(self, moment)

    def close(self) -> None:
        for kept in self._idle.values():
            while kept:
                kept.pop().wire.close()

    def take(self, route: Route) -> _Connection:
        """An open connection to the server of the route."""
        url = route.url
        kept = self._idle[url.scheme, url.host, url.port]
        while kept:
            connection = kept.pop()
            if connection.usable():
                connection.wire.until = route.until
                return connection
            connection.wire.close()
        route.addresses = resolve_within(url, self._policy, self._resolver, route.left())
        return _Connection(self._open(route), route.address)

    def give_back(self, url: Url, connection: _Connection) -> None:
        kept = self._idle[url.scheme, url.host, url.port]
        if len(kept) >= MOST_IDLE:
            connection.wire.close()
            return
        connection.used_at = time.monotonic()
        kept.append(connection)

    def check(self, url: str) -> Url:
        return check_url(url, self._policy)

    def route(self, url: Url, timeout: float, connect_timeout: float) -> Route:
        return Route(url, self._policy, time.monotonic() + timeout, connect_timeout)

    def _open(self, route: Route) -> TimedSocket:
        wire = route.open()
        if route.url.scheme == "http":
            return wire
        tls = timed_tls(self._tls or default_tls())
        try:
            secured = tls.wrap_socket(wire, server_hostname=route.url.host)
        except BaseException:
            wire.close()
            raise
        if not isinstance(secured, TimedSocket):
            raise ConnectFailed("the connection has no deadline")
        secured.until = route.until
        return secured


class PatientClient:
    def __init__(self, client: KeepAliveClient, until: float) -> None:
        self._client = client
        self._until = until

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = TIMEOUT,  # noqa: ASYNC109 - of the request, not of the coroutine
        connect_timeout: float = CONNECT_TIMEOUT,
        max_body: int = MAX_BODY,
        truncate: bool = False,
    ) -> Reply:
        """Return the reply, whatever its status; redirects are not followed. Raises OutboundError.

        A body over `max_body` bytes raises TooLarge, or is cut with `truncate`.
        """
        started = time.monotonic()
        target = self._client.check(url)
        data = request_bytes(method, target, headers, body or b"")
        route = self._client.route(target, timeout, connect_timeout)
        connection: _Connection | None = None
        try:
            with translated_errors(route):
                connection = self._client.take(route)
                wire = connection.wire
                route.sent = True
                wire.sendall(data)
                chaos.fault_point("after_bytes")
                answer = Answer(method, max_body, truncate)
                wire.until = min(self._until, route.until)
                while not answer.complete:
                    try:
                        answer.feed(wire.recv(CHUNK))
                    except TimeoutError:
                        if wire.until == route.until:
                            raise
                        wire.until = route.until
                        await continue_in_another_thread()
            reply = answer.reply(time.monotonic() - started, connection.address)
            if answer.reusable:
                self._client.give_back(target, connection)
                connection = None
            return reply
        finally:
            if connection is not None:
                connection.wire.close()
