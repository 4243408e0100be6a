"""Customers' servers: they store what they receive, and give the prepared answers."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sqlalchemy import select

from core.db import db
from core.http import Policy
from tests.timeouts import allow_for_load
from webhooks import endpoints
from webhooks.endpoints import EndpointFields
from webhooks.models import Endpoint, WebhookAttempt, WebhookDelivery

LOCAL = Policy(allow_loopback=True)


class Receiver:
    """`answers`: a status for each request in turn, then the last one; or (status, headers)."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers) or [200]
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.pause = 0.0
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length)
                with outer.lock:
                    outer.requests.append(
                        ({name.lower(): value for name, value in self.headers.items()}, body)
                    )
                    answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                time.sleep(outer.pause)
                status, headers = answer if isinstance(answer, tuple) else (answer, {})
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "4")
                self.end_headers()
                self.wfile.write(b"fine")

            def log_message(self, *_: Any) -> None:
                pass

        class Threads(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_: Any) -> None:
                """Ignored: a client that is killed during a request closes its connection."""

        self.server = Threads(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/hook"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.requests]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def add_endpoint(business: Any, url: str, *events: str) -> Endpoint:
    with business.scope():
        return endpoints.register(EndpointFields(url=url, events=list(events) or ["*"]), LOCAL)


def deliveries_of(business: Any) -> list[WebhookDelivery]:
    with business.scope():
        return list(
            db.session.scalars(
                select(WebhookDelivery)
                .where(WebhookDelivery.tenant_id == business.tenant_id)
                .order_by(WebhookDelivery.sequence, WebhookDelivery.id)
            )
        )


def attempts_of(business: Any) -> list[WebhookAttempt]:
    with business.scope():
        return list(
            db.session.scalars(
                select(WebhookAttempt)
                .where(WebhookAttempt.tenant_id == business.tenant_id)
                .order_by(WebhookAttempt.at)
            )
        )


def wait_until(look: Callable[[], Any], seconds: float = 10.0) -> Any:
    end = time.monotonic() + allow_for_load(seconds)
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found
