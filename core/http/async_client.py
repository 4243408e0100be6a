"""Many concurrent requests in an event loop over connections that stay open, with the checks of
`core.http.sync_client`.

A general HTTP library took a quarter of the processor time of the workers that send messages, and
half of that of webhook deliveries. Here a request is one write, and its answer goes directly from
the socket into the parser.
"""

import asyncio
import socket
import ssl
import time
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv6Address
from types import TracebackType
from typing import Self, cast

from core import chaos
from core.http.errors import ConnectFailed
from core.http.guard import (
    Policy,
    Resolver,
    Url,
    addresses_of,
    check_address,
    check_url,
    system_resolver,
)
from core.http.http1 import Answer, request_bytes
from core.http.kept_connections import IDLE_SECONDS, is_closed_by_peer
from core.http.public_addresses import Address
from core.http.reply import CONNECT_TIMEOUT, MAX_BODY, TIMEOUT, Reply
from core.http.sync_client import Route, default_tls, translated_errors

CHUNK = 16 * 1024
LOOKUPS = 32  # at once; a look-up cannot be cancelled, and a slow name must not block the others
REPEATABLE_METHODS = {"GET", "HEAD", "PUT", "DELETE"}

_Server = tuple[str, str, int]
"""Scheme, host and port."""


class Client:
    """``async with Client(policy) as client: reply = await client.request("POST", url, …)``"""

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
        self._lookups = ThreadPoolExecutor(LOOKUPS, "resolve")
        # Connections are read one after the other, so one buffer is enough for all of them.
        self._buffer = memoryview(bytearray(CHUNK))
        self._idle: dict[_Server, list[_Connection]] = defaultdict(list)
        self._sweep: asyncio.TimerHandle | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._open = False
        if self._sweep is not None:
            self._sweep.cancel()
        for kept in self._idle.values():
            for connection in kept:
                connection.close()
        self._idle.clear()
        self._lookups.shutdown(wait=False, cancel_futures=True)

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = TIMEOUT,  # noqa: ASYNC109 - told apart from the caller's own timeout
        connect_timeout: float = CONNECT_TIMEOUT,
        max_body: int = MAX_BODY,
        truncate: bool = False,
        keep: int | None = None,
    ) -> Reply:
        """Return the reply, whatever its status; redirects are not followed. Raises OutboundError.

        `keep`: keep only this many bytes of the body in memory while it is read. With `truncate`
        the body matters little: a reply that begins with a success status counts as a success, even
        if its body is cut off or invalid.
        """
        if not self._open:
            raise RuntimeError("the client is not open: use `async with`")
        started = time.monotonic()
        target = check_url(url, self._policy)
        data = request_bytes(method, target, headers, body or b"")
        route = Route(target, self._policy, started + timeout, connect_timeout)
        answer = Answer(method, max_body, truncate, keep)
        with translated_errors(route):
            async with asyncio.timeout(timeout):
                try:
                    connection = await self._exchange(route, method, data, answer)
                except (ConnectFailed, ConnectionError):
                    if not (truncate and 200 <= answer.status < 300):
                        raise
                    elapsed = time.monotonic() - started
                    return Reply(answer.status, {}, b"", elapsed, route.address, True)
        if not connection.closed:
            self._keep(target, connection)
        return answer.reply(time.monotonic() - started, connection.address)

    async def _exchange(
        self, route: Route, method: str, data: bytes, answer: Answer
    ) -> "_Connection":
        """Send the request on an idle connection or on a new one. A server may close an idle
        connection at this very moment; a request that may be repeated is then sent again.
        """
        connection = self._idle_connection(route.url)
        if connection is not None:
            route.address, route.sent = connection.address, True
            try:
                await connection.exchange(data, answer)
            except (ConnectFailed, ConnectionError):
                if answer.status or method not in REPEATABLE_METHODS:
                    raise
                route.sent = False
            else:
                return connection
        connection = await self._connect(route)
        route.address, route.sent = connection.address, True
        await connection.exchange(data, answer)
        return connection

    def _idle_connection(self, target: Url) -> "_Connection | None":
        kept = self._idle.get((target.scheme, target.host, target.port))
        while kept:
            connection = kept.pop()
            if connection.usable():
                return connection
            connection.close()
        return None

    def _keep(self, target: Url, connection: "_Connection") -> None:
        connection.used_at = time.monotonic()
        self._idle[target.scheme, target.host, target.port].append(connection)
        if self._sweep is None:
            loop = asyncio.get_running_loop()
            self._sweep = loop.call_later(IDLE_SECONDS, self._close_idle)

    def _close_idle(self) -> None:
        """Close what was not used for a while. The newest connections are at the end."""
        self._sweep = None
        oldest = time.monotonic() - IDLE_SECONDS
        for server, kept in list(self._idle.items()):
            while kept and (kept[0].closed or kept[0].used_at < oldest):
                kept.pop(0).close()
            if not kept:
                del self._idle[server]
        if self._idle:
            loop = asyncio.get_running_loop()
            self._sweep = loop.call_later(IDLE_SECONDS, self._close_idle)

    async def _connect(self, route: Route) -> "_Connection":
        """Connect to the first address that accepts a connection."""
        failure: OSError = OSError("no address")
        loop, url = asyncio.get_running_loop(), route.url
        addresses = await self._addresses(url)
        connect_until = loop.time() + route.connect_timeout
        for address in addresses:
            wire = self._socket(address)
            try:
                async with asyncio.timeout_at(connect_until):
                    await loop.sock_connect(wire, (str(address), url.port))
            except TimeoutError:
                wire.close()
                raise
            except OSError as error:
                wire.close()
                failure = error
                continue
            except BaseException:
                wire.close()
                raise
            return await self._wrap(wire, url, str(address))
        raise failure

    async def _addresses(self, url: Url) -> list[Address]:
        if url.literal is not None:
            return addresses_of(url, self._policy, self._resolver)
        look_up = partial(addresses_of, url, self._policy, self._resolver)
        return await asyncio.get_running_loop().run_in_executor(self._lookups, look_up)

    def _socket(self, address: Address) -> socket.socket:
        """No address gets a socket without this check, wherever it comes from."""
        check_address(address, self._policy)
        family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
        wire = socket.socket(family, socket.SOCK_STREAM)
        wire.setblocking(False)
        return wire

    async def _wrap(self, wire: socket.socket, url: Url, address: str) -> "_Connection":
        secure = url.scheme == "https"
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: _Connection(self._buffer, address),
                sock=wire,
                ssl=(self._tls or default_tls()) if secure else None,
                server_hostname=url.host if secure else None,
            )
        except BaseException:
            wire.close()
            raise
        return connection


class _Connection(asyncio.BufferedProtocol):
    def __init__(self, buffer: memoryview, address: str) -> None:
        self.address = address
        self.used_at = time.monotonic()
        self.closed = False
        self._buffer = buffer
        self._answer: Answer | None = None
        self._waiter: asyncio.Future[None] | None = None

    def usable(self) -> bool:
        if self.closed or time.monotonic() - self.used_at > IDLE_SECONDS:
            return False
        return not is_closed_by_peer(self._file_descriptor)

    async def exchange(self, data: bytes, answer: Answer) -> None:
        """Send the request and wait until the answer is complete. The connection is closed
        afterwards if it cannot be used again.
        """
        self._waiter = asyncio.get_running_loop().create_future()
        self._answer = answer
        chaos.fault_point_soon("after_bytes")
        answered = False
        try:
            self._transport.write(data)
            await self._waiter
            answered = True
        finally:
            self._answer = self._waiter = None
            if not (answered and answer.reusable):
                self.close()

    def close(self) -> None:
        """At once: what was not sent yet is not sent any more."""
        self.closed = True
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._file_descriptor: int = transport.get_extra_info("socket").fileno()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's signature
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        self._feed(self._buffer[:nbytes])

    def eof_received(self) -> None:
        self.closed = True
        self._feed(b"")

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error or ConnectionError("the connection broke off"))

    def _feed(self, data: bytes | memoryview) -> None:
        answer, waiter = self._answer, self._waiter
        if answer is None or waiter is None:
            self.close()  # nothing was asked: the server ends the connection
            return
        if waiter.done():
            return
        try:
            answer.feed(data)
        except Exception as error:  # noqa: BLE001 - raised where the answer is awaited
            waiter.set_exception(error)
        else:
            if answer.complete:
                waiter.set_result(None)
