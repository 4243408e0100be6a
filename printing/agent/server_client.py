"""HTTP client of the server: pairing, the long poll, results, pictures."""

import http.client
import json
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, RLock
from typing import Any
from urllib.parse import urlsplit

from printing.agent import VERSION

MAX_ANSWER_BYTES = 16_000_000
CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 20.0


class ServerUnavailable(Exception):
    """No response, or one that asks to retry later."""


class Interrupted(Exception):
    """The request was interrupted by `interrupt`."""


class TokenRevoked(Exception):
    """The token is no longer valid."""


class RequestRefused(Exception):
    """The server refused the request; a retry would not help."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message or code)
        self.status, self.code = status, code


@dataclass(frozen=True)
class Pairing:
    server: str
    code: str
    token: str
    agent_id: str
    site: str
    poll_url: str
    poll_seconds: float

    @classmethod
    def by_code(cls, server: str, code: str, name: str) -> "Pairing":
        base = server.rstrip("/")
        body = {"code": code, "name": name, "version": VERSION}
        answer = ServerConnection().post(f"{base}/print/v1/pair", body)
        return cls(
            server=base,
            code=code,
            token=answer["token"],
            agent_id=answer["agent_id"],
            site=answer.get("site", {}).get("name", ""),
            poll_url=answer.get("poll_url") or f"{base}/print/v1/poll",
            poll_seconds=float(answer.get("poll_seconds", 25)),
        )


class ServerConnection:
    """One connection to the server, opened when needed and again after it broke."""

    def __init__(self, token: str = "") -> None:
        self._token = token
        self._connection: http.client.HTTPConnection | None = None
        self._host = ("", "")
        self._lock = RLock()  # a signal handler may interrupt while it connects
        self._interrupted = Event()

    def post(
        self, url: str, body: dict[str, Any], seconds: float = ANSWER_SECONDS
    ) -> dict[str, Any]:
        data = json.dumps(body).encode()
        try:
            answer = json.loads(self._exchange("POST", url, data, seconds))
        except ValueError:
            raise ServerUnavailable(
                "the response is not from the Comanda server"
            ) from None  # such as a captive portal
        if not isinstance(answer, dict):
            raise ServerUnavailable("the response is not from the Comanda server")
        return answer

    def get(self, url: str) -> bytes:
        return self._exchange("GET", url, None, ANSWER_SECONDS)

    def interrupt(self) -> None:
        """Stop waiting for the response, because there is something to send.

        Called from another thread.
        """
        self._interrupted.set()
        with self._lock:
            wire = self._connection.sock if self._connection is not None else None
        if wire is not None:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)  # the reading thread closes it

    def hang_up(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _exchange(self, method: str, url: str, data: bytes | None, seconds: float) -> bytes:
        if self._interrupted.is_set():
            self._interrupted.clear()
            raise Interrupted
        for fresh in (False, True):
            reused = self._connection is not None and not fresh
            try:
                return self._once(method, url, data, seconds)
            except (OSError, http.client.HTTPException) as broken:
                self.hang_up()
                if self._interrupted.is_set():
                    self._interrupted.clear()
                    raise Interrupted from None
                # The server may have closed an idle connection; that is not an outage.
                if not reused or isinstance(broken, TimeoutError):
                    raise ServerUnavailable(f"{type(broken).__name__}: {broken}") from None
        raise ServerUnavailable("no connection")

    def _once(self, method: str, url: str, data: bytes | None, seconds: float) -> bytes:
        parts = urlsplit(url)
        connection = self._connected(parts.scheme, parts.netloc)
        if connection.sock is None:
            connection.connect()
        connection.sock.settimeout(seconds)
        headers = {"Accept": "application/json", "User-Agent": f"print-agent/{VERSION}"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if data is not None:
            headers["Content-Type"] = "application/json"
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path or "/", data, headers)
        answer = connection.getresponse()
        body = answer.read(MAX_ANSWER_BYTES + 1)
        if len(body) > MAX_ANSWER_BYTES:
            self.hang_up()
            raise ServerUnavailable("the response is too large")
        if answer.will_close:
            self.hang_up()
        _raise_for_status(answer.status, body)
        return body

    def _connected(self, scheme: str, host: str) -> http.client.HTTPConnection:
        with self._lock:
            if self._connection is None or self._host != (scheme, host):
                self._host = (scheme, host)
                self._connection = _connection(scheme, host)
            return self._connection


def _connection(scheme: str, host: str) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(
            host, timeout=CONNECT_SECONDS, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(host, timeout=CONNECT_SECONDS)


def _raise_for_status(status: int, body: bytes) -> None:
    if status < 300:
        return
    code, message = _error(body)
    if status == 401:
        raise TokenRevoked(message or "the token is no longer valid")
    if status == 429 or status >= 500 or status < 400:
        raise ServerUnavailable(f"the server responded with {status} {message}".strip())
    raise RequestRefused(status, code, message)


def _error(body: bytes) -> tuple[str, str]:
    try:
        error = json.loads(body)["error"]
        return str(error.get("code", "")), str(error.get("message", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", ""
