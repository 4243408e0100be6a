"""A fake of the network's API, for checks that the portal runs while a person waits."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD_TOKEN = "EAAGgood"
EXPIRED = {"error": {"code": 190, "message": "Error validating access token"}}
NOT_THERE = {"error": {"code": 100, "error_subcode": 33, "message": "Object does not exist"}}


@dataclass
class Graph:
    """`numbers` and `accounts` are its data; `asked` records the requests."""

    url: str = ""
    numbers: dict[str, dict[str, Any]] = field(default_factory=dict)
    accounts: dict[str, list[Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str, authorization: str) -> tuple[int, dict[str, Any]]:
        self.asked.append(path)
        if authorization != f"Bearer {GOOD_TOKEN}":
            return 401, EXPIRED
        _, _version, thing, *more = path.partition("?")[0].split("/")
        if more == ["subscribed_apps"] and thing in self.accounts:
            return 200, {"data": self.accounts[thing]}
        if thing in self.numbers:
            return 200, {"id": thing, **self.numbers[thing]}
        return 400, NOT_THERE


@contextmanager
def graph_server() -> Iterator[Graph]:
    graph = Graph()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = graph.answer(self.path, self.headers.get("Authorization", ""))
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    graph.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield graph
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
