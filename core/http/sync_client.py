"""One request to a server outside, from a thread, under one deadline.

The connection goes to a checked address, with the name kept for Host, SNI and the certificate.
Every wait on the socket is limited to what is left of the deadline, so a server that sends its
headers or its body very slowly cannot extend it.
"""

import http.client
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from ipaddress import IPv6Address
from typing import IO, Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from core.http.errors import (
    ANSWER_TIMED_OUT,
    BAD_CERTIFICATE,
    BROKE_OFF,
    CONNECTION_TIMED_OUT,
    NO_CONNECTION,
    NO_TLS,
    ConnectFailed,
    OutboundError,
    Timeout,
    TooLarge,
)
from core.http.guard import (
    Policy,
    Resolver,
    Url,
    addresses_of,
    check_address,
    check_url,
    system_resolver,
)
from core.http.public_addresses import Address
from core.http.reply import (
    CONNECT_TIMEOUT,
    MAX_BODY,
    TIMEOUT,
    Reply,
    headers_received,
    headers_to_send,
)

CHUNK = 16 * 1024


def request(
    method: str,
    url: str,
    *,
    policy: Policy,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    timeout: float = TIMEOUT,
    connect_timeout: float = CONNECT_TIMEOUT,
    max_body: int = MAX_BODY,
    truncate: bool = False,
    decompress: bool = False,
    into: IO[bytes] | None = None,
    resolver: Resolver = system_resolver,
    tls: ssl.SSLContext | None = None,
) -> Reply:
    """Return the reply, whatever its status; redirects are not followed. Raises OutboundError.

    A body over `max_body` bytes raises TooLarge, or is cut with `truncate`. With `into` the body is
    written there instead of being kept in memory.
    """
    started = time.monotonic()
    target = check_url(url, policy)
    sending = headers_to_send(headers, decompress) | {"Connection": "close"}
    line = Route(target, policy, started + timeout, connect_timeout)
    line.addresses = resolve_within(target, policy, resolver, timeout)
    connection = line.connection(tls or default_tls())
    try:
        with translated_errors(line):
            connection.connect()
            line.sent = True
            connection.request(
                method,
                target.target,
                body=body,
                headers=sending,
                preload_content=False,
                decode_content=decompress,
            )
            answer = connection.getresponse()
            body_read, truncated = _read(answer, max_body, truncate, into)
    finally:
        connection.close()
    return Reply(
        status=answer.status,
        headers=headers_received(answer.headers.items()),
        body=body_read,
        duration=time.monotonic() - started,
        address=line.address,
        truncated=truncated,
    )


@cache
def default_tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class TimedSocket(socket.socket):
    """A socket whose timeout is a deadline, not a time of silence."""

    until = math.inf

    def _cut(self) -> None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        self.settimeout(None if left == math.inf else left)

    def recv(self, *args: Any) -> bytes:
        self._cut()
        return super().recv(*args)

    def recv_into(self, *args: Any) -> int:
        self._cut()
        return super().recv_into(*args)

    def send(self, *args: Any) -> int:
        self._cut()
        return super().send(*args)

    def sendall(self, *args: Any) -> None:
        self._cut()
        super().sendall(*args)


class TimedTlsSocket(TimedSocket, ssl.SSLSocket):
    pass


class Route:
    """The checked addresses of one server, and the deadline."""

    def __init__(self, url: Url, policy: Policy, until: float, connect_timeout: float) -> None:
        self.url = url
        self.policy = policy
        self.until = until
        self.connect_timeout = connect_timeout
        self.addresses: list[Address] = []
        self.address = ""
        self.sent = False

    def left(self) -> float:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return left

    def connection(self, tls: ssl.SSLContext) -> HTTPConnection:
        if self.url.scheme == "http":
            return _Http(self, self.url.host, self.url.port)
        return _Https(self, self.url.host, self.url.port, ssl_context=timed_tls(tls))

    def open(self) -> TimedSocket:
        """Connect to the first address that accepts a connection."""
        connect_until = time.monotonic() + self.connect_timeout
        failure: OSError = OSError("no address")
        for address in self.addresses:
            left = min(self.left(), connect_until - time.monotonic())
            if left <= 0:
                raise TimeoutError("connecting took too long")
            check_address(address, self.policy)
            family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
            wire = TimedSocket(family, socket.SOCK_STREAM)
            try:
                wire.settimeout(left)
                wire.connect((str(address), self.url.port))
                wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                wire.close()
                failure = error
                continue
            self.address = str(address)
            wire.until = self.until
            wire.settimeout(self.left())
            return wire
        raise failure


class _Http(HTTPConnection):
    def __init__(self, line: Route, host: str, port: int) -> None:
        super().__init__(host, port)
        self._line = line

    def _new_conn(self) -> socket.socket:
        return self._line.open()


class _Https(HTTPSConnection):
    def __init__(self, line: Route, host: str, port: int, ssl_context: ssl.SSLContext) -> None:
        super().__init__(host, port, ssl_context=ssl_context)
        self._line = line

    def _new_conn(self) -> socket.socket:
        return self._line.open()

    def connect(self) -> None:
        super().connect()
        if not isinstance(self.sock, TimedTlsSocket):
            raise ConnectFailed("the connection has no deadline")
        self.sock.until = self._line.until


def timed_tls(tls: ssl.SSLContext) -> ssl.SSLContext:
    tls.sslsocket_class = TimedTlsSocket
    return tls


def resolve_within(url: Url, policy: Policy, resolver: Resolver, timeout: float) -> list[Address]:
    """Resolve in a thread, because a look-up cannot be cancelled. It is abandoned after
    `timeout`.
    """
    if url.literal is not None:
        return addresses_of(url, policy, resolver)
    outcome: list[list[Address] | Exception] = []

    def look_up() -> None:
        try:
            outcome.append(addresses_of(url, policy, resolver))
        except Exception as error:  # noqa: BLE001 - raised in the caller's thread
            outcome.append(error)

    thread = threading.Thread(target=look_up, name="resolve", daemon=True)
    thread.start()
    thread.join(timeout)
    if not outcome:
        raise Timeout(f"resolving the name {url.host} took longer than {timeout:g} s")
    found = outcome[0]
    if isinstance(found, Exception):
        raise found
    return found


def _read(
    answer: urllib3.BaseHTTPResponse, max_body: int, truncate: bool, into: IO[bytes] | None
) -> tuple[bytes, bool]:
    announced = answer.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > max_body and not truncate:
        raise TooLarge(f"the answer has {announced} bytes; at most {max_body} are read", sent=True)
    body = bytearray()
    read = 0
    for chunk in _chunks(answer, max_body + 1):
        piece = chunk[: max_body - read]
        read += len(chunk)
        if into is not None:
            into.write(piece)
        else:
            body += piece
    if read > max_body and not truncate:
        raise TooLarge(f"the answer is longer than {max_body} bytes", sent=True)
    return bytes(body), read > max_body


def _chunks(answer: urllib3.BaseHTTPResponse, limit: int) -> Iterator[bytes]:
    while limit > 0 and (chunk := answer.read(min(CHUNK, limit))):
        limit -= len(chunk)
        yield chunk


class translated_errors:  # noqa: N801 - reads as a verb
    """Turn the errors of sockets, TLS and HTTP into OutboundError."""

    TIMED_OUT = (TimeoutError, urllib3.exceptions.TimeoutError)
    BROKEN = (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError)

    def __init__(self, line: Route) -> None:
        self.line = line

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, OutboundError):
            return
        host, sent = self.line.url.host, self.line.sent
        causes = list(_causes(error))
        if any(isinstance(cause, self.TIMED_OUT) for cause in causes):
            what = "did not answer in time" if sent else "did not take the connection in time"
            problem = ANSWER_TIMED_OUT if sent else CONNECTION_TIMED_OUT
            raise Timeout(f"{host} {what}", sent=sent, problem=problem) from error
        for cause in causes:
            if isinstance(cause, ssl.SSLCertVerificationError):
                reason = f"the certificate of {host} is not valid: {cause.verify_message}"
                raise ConnectFailed(reason, sent=sent, problem=BAD_CERTIFICATE) from error
            if isinstance(cause, ssl.SSLError):
                failed = f"{host} does not speak TLS as we do"
                raise ConnectFailed(failed, sent=sent, problem=NO_TLS) from error
        if isinstance(error, self.BROKEN):
            what = "broke off or does not speak HTTP" if sent else "does not take the connection"
            problem = BROKE_OFF if sent else NO_CONNECTION
            raise ConnectFailed(f"{host} {what}", sent=sent, problem=problem) from error


def _causes(error: BaseException | None) -> Iterable[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
