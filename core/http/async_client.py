"""Many concurrent requests over pooled connections, with the checks of `core.http.sync_client`.

aiohttp uses the resolver below for addresses and the socket factory below for every socket, so
neither a literal address nor a second look-up can avoid the checks.
"""

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from ipaddress import IPv6Address, ip_address
from types import TracebackType
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection
from yarl import URL

from core import chaos
from core.http.errors import (
    ANSWER_TIMED_OUT,
    BAD_CERTIFICATE,
    BROKE_OFF,
    CONNECTION_TIMED_OUT,
    NO_CONNECTION,
    NO_TLS,
    ConnectFailed,
    Timeout,
    TooLarge,
)
from core.http.guard import (
    Policy,
    Resolver,
    Url,
    check_address,
    check_url,
    resolve,
    system_resolver,
)
from core.http.reply import (
    CONNECT_TIMEOUT,
    MAX_BODY,
    TIMEOUT,
    Reply,
    headers_received,
    headers_to_send,
)

CHUNK = 16 * 1024
READ_BUFFER = 64 * 1024
STATUS_LINE = 13  # bytes of "HTTP/1.1 200 "
_SUCCESS = re.compile(rb"HTTP/1\.[01] (2[0-9]{2})[ \r]")
LOOKUPS = 32  # at once; a look-up cannot be cancelled, and a slow name must not block the others


class Client:
    """``async with Client(policy) as client: reply = await client.request("POST", url, …)``"""

    def __init__(
        self,
        policy: Policy,
        *,
        resolver: Resolver = system_resolver,
        tls: ssl.SSLContext | None = None,
        connections: int = 0,
        per_host: int = 0,
        read_buffer: int = READ_BUFFER,
    ) -> None:
        """`connections` and `per_host` limit the pool; 0 means no limit.

        A connection buffers at most twice `read_buffer` bytes that have not been read yet.
        """
        self._policy = policy
        self._lookups = ThreadPoolExecutor(LOOKUPS, "resolve")
        self._resolver = _Resolver(policy, resolver, self._lookups)
        self._tls = tls
        self._connections = connections
        self._per_host = per_host
        self._read_buffer = read_buffer
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            use_dns_cache=False,
            socket_factory=self._socket,
            ssl=self._tls or _default_tls(),
            limit=self._connections,
            limit_per_host=self._per_host,
        )
        # One session serves all tenants, so it keeps no cookies and uses no proxy of the
        # environment.
        self._session = aiohttp.ClientSession(
            connector=connector,
            response_class=_Answer,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
            request_class=_Request,
            read_bufsize=self._read_buffer,
            timeout=aiohttp.ClientTimeout(total=None),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
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
        started = time.monotonic()
        target = check_url(url, self._policy)
        exchange = _Exchange()
        _seen.set(exchange)
        try:
            async with asyncio.timeout(timeout):
                return await self._exchange(
                    started,
                    method,
                    target,
                    connect_timeout,
                    _Limits(max_body, max_body if keep is None else keep, truncate),
                    data=body,
                    headers=headers_to_send(headers, decompress=False),
                )
        except TimeoutError as error:
            what = (
                "did not answer in time" if exchange.sent else "did not take the connection in time"
            )
            problem = ANSWER_TIMED_OUT if exchange.sent else CONNECTION_TIMED_OUT
            raise Timeout(f"{target.host} {what}", sent=exchange.sent, problem=problem) from error
        except (aiohttp.ClientError, OSError) as error:
            if truncate and (found := _SUCCESS.match(exchange.head)):
                elapsed = time.monotonic() - started
                return Reply(int(found[1]), {}, b"", elapsed, exchange.peer, truncated=True)
            raise _translated_error(error, target, exchange.sent) from error

    async def _exchange(
        self,
        started: float,
        method: str,
        target: Url,
        connect_timeout: float,
        limits: "_Limits",
        **options: Any,
    ) -> Reply:
        if self._session is None:
            raise RuntimeError("the client is not open: use `async with`")
        async with self._session.request(
            method,
            _as_written(target),
            allow_redirects=False,
            timeout=_connect_within(connect_timeout),
            **options,
        ) as answer:
            body, truncated = await _read(answer, limits)
            return Reply(
                status=answer.status,
                headers=headers_received(answer.headers.items()),
                body=body,
                duration=time.monotonic() - started,
                address=getattr(answer, "peer", ""),
                truncated=truncated,
            )

    def _socket(self, info: Any) -> socket.socket:
        family, kind, protocol, _, where = info
        check_address(ip_address(where[0]), self._policy)
        return socket.socket(family, kind, protocol)


@cache
def _default_tls() -> ssl.SSLContext:
    """Cached, because reading the system's certificates takes as long as many requests."""
    return ssl.create_default_context()


class _Resolver(AbstractResolver):
    def __init__(self, policy: Policy, resolver: Resolver, lookups: ThreadPoolExecutor) -> None:
        self._policy = policy
        self._resolver = resolver
        self._lookups = lookups

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - aiohttp's signature
    ) -> list[ResolveResult]:
        addresses = await asyncio.get_running_loop().run_in_executor(
            self._lookups, resolve, host, port, self._policy, self._resolver
        )
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


class _Answer(aiohttp.ClientResponse):
    """Stores the peer's address: a short response has released its connection before it is
    returned.
    """

    peer = ""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        peer = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(peer[0]) if peer else ""
        return await super().start(connection)


@dataclass(frozen=True)
class _Limits:
    """How much of a body is read, and how much of that is kept."""

    read: int
    max_body: int
    truncate: bool


@dataclass
class _Exchange:
    sent: bool = False
    peer: str = ""
    head: bytes = b""
    """The first bytes of the response, which contain its status."""


_seen: ContextVar[_Exchange] = ContextVar("seen")


class _Request(aiohttp.ClientRequest):
    """Records when its first byte is about to be sent."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        exchange = _seen.get()
        exchange.sent = True
        _note_first_bytes(conn, exchange)
        chaos.fault_point_soon("after_bytes")
        return await super().send(conn)


def _note_first_bytes(conn: Connection, exchange: _Exchange) -> None:
    """Keep the first bytes: aiohttp drops a response it cannot read to the end, status included."""
    protocol = conn.protocol
    if protocol is None:
        return
    peer = conn.transport.get_extra_info("peername") if conn.transport else None
    exchange.peer = str(peer[0]) if peer else ""
    receive = type(protocol).data_received

    def note(data: bytes) -> None:
        if len(exchange.head) < STATUS_LINE:
            exchange.head += data[:STATUS_LINE]
        receive(protocol, data)

    protocol.data_received = note  # type: ignore[method-assign]


@lru_cache(maxsize=4096)
def _as_written(target: Url) -> URL:
    """`check_url` has already parsed and encoded the URL; aiohttp must not parse it differently."""
    return URL(str(target), encoded=True)


@cache
def _connect_within(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, sock_connect=seconds)


async def _read(answer: aiohttp.ClientResponse, limits: _Limits) -> tuple[bytes, bool]:
    announced, most = answer.content_length, limits.read
    if announced is not None and announced > most and not limits.truncate:
        answer.close()
        raise TooLarge(f"the answer has {announced} bytes; at most {most} are read", sent=True)
    body, count = bytearray(), 0
    while count <= most:
        chunk = await answer.content.read(min(CHUNK, most + 1 - count))
        if not chunk:
            return bytes(body), False
        count += len(chunk)
        body += chunk[: limits.max_body - len(body)]
    # The rest is not read, so the connection cannot be reused.
    answer.close()
    if not limits.truncate:
        raise TooLarge(f"the answer is longer than {most} bytes", sent=True)
    return bytes(body), True


def _translated_error(error: Exception, target: Url, sent: bool) -> ConnectFailed:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        reason = getattr(error.certificate_error, "verify_message", error.certificate_error)
        invalid = f"the certificate of {target.host} is not valid: {reason}"
        return ConnectFailed(invalid, sent=sent, problem=BAD_CERTIFICATE)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        failed = f"{target.host} does not speak TLS as we do"
        return ConnectFailed(failed, sent=sent, problem=NO_TLS)
    what = "broke off or does not speak HTTP" if sent else "does not take the connection"
    problem = BROKE_OFF if sent else NO_CONNECTION
    return ConnectFailed(f"{target.host} {what}", sent=sent, problem=problem)
