"""A proxy that treats web servers as `deploy/nginx.conf` does (`proxy_next_upstream`).

A connection that is refused or broken goes to the next server; a request that is not idempotent
does so only if nothing of it was sent. A server that failed is left out for ten seconds, unless
all did.
"""

import http.client
import itertools
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.hosts.machines import Machine

CONNECT_SECONDS, ANSWER_SECONDS = 2.0, 60.0
FAILED_SECONDS = 10.0
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
IDEMPOTENT = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "host", "content-length"}


class Sent(Exception):
    """The server broke off after the request had been sent."""


class Proxy:
    def __init__(self, port: int = 0) -> None:
        """`servers` of each upstream are added later."""
        self.servers: dict[str, list[tuple[Machine, int]]] = {"web": [], "live": []}
        self.answers: Counter[int] = Counter()
        self.failed: dict[tuple[str, int], float] = {}
        self.down: set[str] = set()
        """Machines taken out of `upstream.conf` and `live.conf` for an upgrade."""
        self._turn = itertools.count()
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length)
                if len(body) < length:
                    return
                status, headers, answer = outer.pass_on(
                    self.command, self.path, list(self.headers.items()), body
                )
                with outer._lock:
                    outer.answers[status] += 1
                self.send_response_only(status)
                for name, value in headers:
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        for method in METHODS:
            setattr(Handler, f"do_{method}", Handler.handle_any)

        class Threads(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256
            allow_reuse_address = True

            def handle_error(self, *_: Any) -> None:
                """Ignored: clients are killed too."""

        self.server = Threads(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def pass_on(
        self, method: str, path: str, headers: list[tuple[str, str]], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        live = path.partition("?")[0] == "/print/v1/poll" or path.startswith("/live/")
        upstream = "live" if live else "web"
        for number in self._order(upstream):
            try:
                return self._ask(upstream, number, method, path, headers, body)
            except Sent:
                if method not in IDEMPOTENT:
                    break
            except OSError:
                pass
        return 503, [("Content-Type", "application/json")], b'{"code": "try_again"}'

    def _order(self, upstream: str) -> list[int]:
        first, many = next(self._turn), len(self.servers[upstream])
        order = [(first + number) % many for number in range(many)]
        order = [one for one in order if self.servers[upstream][one][0].name not in self.down]
        usable = [one for one in order if self.failed.get((upstream, one), 0) <= time.monotonic()]
        return usable or order

    def _ask(
        self,
        upstream: str,
        number: int,
        method: str,
        path: str,
        headers: list[tuple[str, str]],
        body: bytes,
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        machine, port = self.servers[upstream][number]
        try:
            made = machine.connect(port, CONNECT_SECONDS)
        except OSError:
            self.failed[(upstream, number)] = time.monotonic() + FAILED_SECONDS
            raise
        made.settimeout(ANSWER_SECONDS)
        connection = http.client.HTTPConnection(machine.address, port)
        connection.sock = made
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers:
                if name.lower() not in HOP_BY_HOP - {"host"}:
                    connection.putheader(name, value)
            connection.putheader("X-Forwarded-For", "127.0.0.1")
            if body or method in ("POST", "PUT", "PATCH"):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.failed[(upstream, number)] = time.monotonic() + FAILED_SECONDS
            raise Sent from error
        finally:
            connection.close()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
