"""A fake server that serves print jobs like the real one, and printers that count tickets."""

import base64
import json
import re
import socket
import socketserver
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from tests.timeouts import allow_for_load

CODE = "7KQ2-M9XD"
PNG = b"\x89PNG\r\n\x1a\n a ticket"


@dataclass
class Ticket:
    id: str
    printer_id: str
    data: bytes = field(repr=False)
    again: bytes = b"REPRINT!"
    fence: int = 0
    state: str = "queued"
    results: list[dict[str, Any]] = field(default_factory=list)

    def on_the_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "printer_id": self.printer_id,
            "fence": self.fence,
            "title": f"ORD-{self.id}",
            "media_type": "application/octet-stream",
            "data": base64.b64encode(self.data).decode(),
            "again": base64.b64encode(self.again).decode(),
            "lease_seconds": 60,
            "queued_at": "2026-11-15T16:42:00Z",
        }


class FakePrintServer:
    """The server's side of the agent protocol, in memory."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.printers: list[dict[str, Any]] = []
        self.tickets: dict[str, Ticket] = {}
        self.token = ""
        self.codes = {CODE}
        self.away = False
        self.polls = 0
        self.seen: dict[str, str] = {}
        self.found: list[dict[str, Any]] = []
        self.told: list[str] = []
        self.httpd = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"counter": self})
        )
        self.httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"
        self._versions = 0
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()

    def add_printer(self, printer_id: str, output: dict[str, Any], **more: Any) -> None:
        with self.changed:
            self.printers.append(
                {
                    "id": printer_id,
                    "name": printer_id,
                    "output": output,
                    "language": "escpos",
                    "checks": True,
                    **more,
                }
            )
            self._news()

    def order(self, ticket_id: str, printer_id: str, data: bytes = b"") -> Ticket:
        ticket = Ticket(ticket_id, printer_id, data or f"<T:{ticket_id}>\n".encode())
        with self.changed:
            self.tickets[ticket_id] = ticket
            self._news()
        return ticket

    def revoke(self) -> None:
        with self.changed:
            self.token = "gone"
            self._news()

    def wait(self, true, seconds: float = 20.0) -> None:
        until = time.monotonic() + allow_for_load(seconds)
        while not true():
            assert time.monotonic() < until, self.tickets
            time.sleep(0.01)

    def all_in(self, state: str = "printed") -> bool:
        return all(ticket.state == state for ticket in self.tickets.values())

    def close(self) -> None:
        self.httpd.shutdown()
        self.httpd.server_close()

    def poll(self, body: dict[str, Any]) -> dict[str, Any]:
        until = time.monotonic() + min(body["wait"], 5)
        with self.changed:
            self.polls += 1
            mine = self.polls
            self.seen = {one["id"]: one["state"] for one in body["printers"]}
            self.found = body["found"]
            known = self._versions if self.polls > 1 else -1
            while True:
                jobs = self._claim(set(body["have"])) if mine == self.polls else []
                new = known != self._versions
                left = until - time.monotonic()
                if jobs or new or left <= 0 or mine != self.polls:
                    return {"printers": self.printers, "jobs": jobs}
                self.changed.wait(left)

    def result(self, ticket_id: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        with self.changed:
            ticket = self.tickets.get(ticket_id)
            if ticket is None:
                return 404, {"error": {"code": "not_found", "message": "No such job."}}
            ticket.results.append(body)
            if body["fence"] != ticket.fence:
                return 409, {"error": {"code": "lease_lost", "message": "Another has it."}}
            self.told.append(ticket_id)
            ticket.state = {"failed": "queued"}.get(body["outcome"], body["outcome"])
            self._news()
            return 200, {"state": ticket.state}

    def _claim(self, have: set[str]) -> list[dict[str, Any]]:
        """The oldest job of each printer, one in flight; jobs the agent lost are sent again."""
        jobs = []
        for printer in self.printers:
            mine = [one for one in self.tickets.values() if one.printer_id == printer["id"]]
            open_ = [one for one in mine if one.state in ("queued", "claimed")]
            if not open_ or open_[0].id in have:
                continue
            open_[0].fence += 1
            open_[0].state = "claimed"
            jobs.append(open_[0].on_the_wire())
        return jobs

    def _news(self) -> None:
        self._versions += 1
        self.changed.notify_all()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    counter: FakePrintServer

    def log_message(self, *_: Any) -> None:
        return

    def do_POST(self) -> None:
        counter = self.counter
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if counter.away:
            self.refuse(503, "away", "Restarting.")
        elif self.path == "/print/v1/pair":
            self.pair(body)
        elif not self.is_known():
            self.refuse(401, "agent_revoked", "Revoked.")
        elif self.path == "/print/v1/poll":
            answer = counter.poll(body)
            if self.is_known():
                self.answer(200, answer)
            else:
                self.refuse(401, "agent_revoked", "Revoked.")
        elif found := re.fullmatch(r"/print/v1/jobs/([^/]+)/result", self.path):
            self.answer(*counter.result(found[1], body))

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(PNG)))
        self.end_headers()
        self.wfile.write(PNG)

    def pair(self, body: dict[str, Any]) -> None:
        if body["code"] not in self.counter.codes:
            self.refuse(404, "pairing_code_unknown", "This code is not known.")
            return
        self.counter.codes.discard(body["code"])
        self.counter.token = f"token-of-{body['code']}"
        answer = {
            "token": self.counter.token,
            "agent_id": f"agt_{body['code']}",
            "site": {"id": "sit_1", "name": "Lemar"},
            "poll_seconds": 25,
        }
        self.answer(200, answer)

    def is_known(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {self.counter.token}"

    def refuse(self, status: int, code: str, message: str) -> None:
        self.answer(status, {"error": {"code": code, "message": message}})

    def answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            self.close_connection = True


class FakePrinter:
    """A printer on a TCP port with DLE EOT status. All other bytes are printed."""

    STATUS: ClassVar = {
        "ready": (0x12, 0x12, 0x12, 0x12),
        "paper_out": (0x1A, 0x32, 0x12, 0x7E),
        "cover_open": (0x1A, 0x16, 0x12, 0x12),
        "paper_low": (0x12, 0x12, 0x12, 0x1E),
    }

    def __init__(self, port: int = 0) -> None:
        self.paper = b""
        self.state = "ready"
        self.answers = True
        self.breaks_after: int | None = None
        self.on_ticket = lambda: None
        printer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                printer.serve(self.request)

        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def output(self) -> dict[str, Any]:
        return {"kind": "network", "host": "127.0.0.1", "port": self.port}

    def tickets(self) -> list[str]:
        """Each printed ticket; REPRINT if it had that heading."""
        found = re.findall(rb"(REPRINT!)?<T:([^>]+)>", self.paper)
        return [f"{'REPRINT ' if again else ''}{ticket.decode()}" for again, ticket in found]

    def serve(self, wire: socket.socket) -> None:
        rest = b""
        while got := self._more(wire):
            rest += got
            while rest:
                at = rest.find(b"\x10\x04")
                plain = rest if at < 0 else rest[:at]
                if plain:
                    self.paper += plain
                    self.on_ticket()
                    if self.breaks_after is not None and len(self.paper) >= self.breaks_after:
                        wire.close()
                        return
                if at < 0 or len(rest) < at + 3:
                    rest = b"" if at < 0 else rest[at:]
                    break
                if self.answers:
                    wire.sendall(bytes([self.STATUS[self.state][rest[at + 2] - 1]]))
                rest = rest[at + 3 :]

    @staticmethod
    def _more(wire: socket.socket) -> bytes:
        try:
            return wire.recv(4096)
        except OSError:
            return b""

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
