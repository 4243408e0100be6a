"""Requests from threads over connections that stay open, with the checks of `sync_client`.

A request is a coroutine without an event loop: it blocks its thread, and suspends only if the
answer is not there when the thread has to go on. Another thread can continue it then. So code that
is written for the asyncio client runs with this one too (`core.asyncio_tools.run_blocking`).
"""

import select
import ssl
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import httptools

from core import chaos
from core.asyncio_tools import continue_in_another_thread
from core.http.errors import BROKE_OFF, ConnectFailed, TooLarge
from core.http.guard import Policy, Resolver, Url, check_url, system_resolver
from core.http.reply import (
    CONNECT_TIMEOUT,
    MAX_BODY,
    TIMEOUT,
    Reply,
    headers_received,
    headers_to_send,
)
from core.http.sync_client import (
    CHUNK,
    Route,
    TimedSocket,
    default_tls,
    resolve_within,
    timed_tls,
    translated_errors,
)

IDLE_SECONDS = 15.0  # servers close idle connections; a request must not meet a closing one
MOST_IDLE = 64  # for each server
MAX_HEAD = 16 * 1024  # bytes of an answer's headers


@dataclass(eq=False)
class _Connection:
    wire: TimedSocket
    address: str
    used_at: float = field(default_factory=time.monotonic)

    def usable(self) -> bool:
        """Data without a request means that the server has closed the connection."""
        if time.monotonic() - self.used_at > IDLE_SECONDS:
            return False
        poll = select.poll()
        poll.register(self.wire.fileno(), select.POLLIN)
        return not poll.poll(0)


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
        data = _request_bytes(method, target, headers, body or b"")
        route = self._client.route(target, timeout, connect_timeout)
        connection: _Connection | None = None
        try:
            with translated_errors(route):
                connection = self._client.take(route)
                wire = connection.wire
                route.sent = True
                wire.sendall(data)
                chaos.fault_point("after_bytes")
                answer = _Answer(max_body, truncate)
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


def _request_bytes(method: str, target: Url, given: Mapping[str, str] | None, body: bytes) -> bytes:
    headers = headers_to_send(given, decompress=False)
    headers["Content-Length"] = str(len(body))
    lines = [f"{method} {target.target} HTTP/1.1", f"Host: {target.authority}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join([*lines, "", ""])
    if head.count("\r") != len(lines) + 1 or head.count("\n") != len(lines) + 1:
        raise ValueError("a header contains a line break")
    return head.encode("latin-1") + body


class _Answer:
    """Collects what the parser finds."""

    def __init__(self, max_body: int, truncate: bool) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._max_body, self._truncate = max_body, truncate
        self._pairs: list[tuple[str, str]] = []
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._head = 0
        self._in_body = False
        self.complete = False
        self.reusable = False

    def feed(self, data: bytes) -> None:
        if not data:
            self._end()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            if isinstance(error.__context__, TooLarge):
                raise error.__context__ from None
            raise ConnectionError("this is not HTTP") from error

    def reply(self, duration: float, address: str) -> Reply:
        status = self._parser.get_status_code()
        body = bytes(self._body[: self._max_body])
        return Reply(status, self._headers, body, duration, address, self._too_long())

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head += len(name) + len(value)
        if self._head > MAX_HEAD:
            raise ConnectionError("the headers are too long")
        self._pairs.append((name.decode("latin-1"), value.decode("latin-1")))

    def on_headers_complete(self) -> None:
        self._headers = headers_received(self._pairs)
        announced = self._headers.get("content-length", "")
        if announced.isdigit() and int(announced) > self._max_body and not self._truncate:
            raise TooLarge(
                f"the answer has {announced} bytes; at most {self._max_body} are read", sent=True
            )
        self._in_body = True

    def on_body(self, data: bytes) -> None:
        if self._too_long():
            return
        self._body += data
        if self._too_long() and not self._truncate:
            raise TooLarge(f"the answer is longer than {self._max_body} bytes", sent=True)
        self.complete = self._too_long()  # the rest is not read

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:  # the answer itself follows
            self._pairs.clear()
            self._in_body = False
            return
        self.complete = True
        self.reusable = self._parser.should_keep_alive() and not self._too_long()

    def _too_long(self) -> bool:
        return len(self._body) > self._max_body

    def _end(self) -> None:
        """The server has closed the connection. Only a body without a length ends with it."""
        whole = "content-length" not in self._headers and "transfer-encoding" not in self._headers
        if not (self._in_body and whole):
            raise ConnectFailed("the connection broke off", sent=True, problem=BROKE_OFF)
        self.complete = True
