"""Log of v1 calls, queued per request and written in batches by a thread.

A request only appends to the queue. Calls that cannot be written are dropped and counted: the log
must not delay a message, and memory must not grow while the database is down.
"""

import atexit
import os
import threading
import time
from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg2
from flask import Flask, Response
from prometheus_client import Counter
from sqlalchemy.exc import SQLAlchemyError

from api.current import current_flask, current_g, current_request
from api.v1 import v1
from core.clock import now
from core.logs import logger
from tenants import request_log as tenant_request_log
from tenants.api_keys import KeyFacts
from tenants.masking import masked_body, masked_path, masked_query
from tenants.request_log import operation_name

log = logger(__name__)

DROPPED = Counter("request_log_dropped_total", "Calls that were not written to the request log")

QUEUE_SIZE = 4000
BATCH = 500
EVERY_SECONDS = 1.0
LARGEST_BODY = 8 * 1024


@dataclass(slots=True)
class LoggedCall:
    tenant_id: int
    id: str
    at: datetime
    method: str
    path: str
    query: bytes
    rule: str
    status: int
    seconds: float
    key: KeyFacts | None
    address: str
    request_body: bytes | int
    """The raw body, or only its size if it is too large to store."""
    answered: bytes | int
    answer_kind: str

    def row(self) -> dict[str, Any]:
        """Return the row. Values are masked here, in the writer thread."""
        request_body, _ = masked_body(self.request_body)
        answered, code = self.answer_kind, ""
        if self.answer_kind == "application/json":
            answered, code = masked_body(self.answered)
        return {
            "id": self.id,
            "at": self.at,
            "method": self.method,
            "path": masked_path(self.path),
            "query": masked_query(self.query.decode("utf-8", "replace")),
            "call": operation_name(self.method, self.rule),
            "status": self.status,
            "code": code,
            "duration_ms": round(self.seconds * 1000),
            "key_id": self.key.id if self.key else "",
            "key_name": self.key.name if self.key else "",
            "address": self.address,
            "asked": request_body,
            "answered": answered,
        }


class RequestLog:
    def __init__(self, app: Flask) -> None:
        self.app = app
        self.on = True
        self.runs = False
        """Whether a thread writes; tests call `write` themselves."""
        self._waiting: deque[LoggedCall] = deque()
        self._wake = threading.Event()
        self._start = threading.Lock()
        self._writing = threading.Lock()
        self._thread_of = 0

    def note(self, noted: LoggedCall) -> None:
        if len(self._waiting) >= QUEUE_SIZE:
            DROPPED.inc()
            return
        self._waiting.append(noted)
        if not self.runs:
            return
        if (
            self._thread_of != os.getpid()
        ):  # a forked process has its parent's memory, but not its thread
            self._begin()
        if len(self._waiting) >= BATCH:
            self._wake.set()

    def write(self) -> int:
        """Write the whole queue in batches. Returns how many rows were written."""
        written = 0
        with self._writing:
            while batch := self._next_batch():
                written += self._write(batch)
        return written

    def _next_batch(self) -> list[LoggedCall]:
        batch: list[LoggedCall] = []
        while self._waiting and len(batch) < BATCH:
            batch.append(self._waiting.popleft())
        return batch

    def _write(self, batch: list[LoggedCall]) -> int:
        by_tenant: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for noted in batch:
            by_tenant[noted.tenant_id].append(noted.row())
        with self.app.app_context():
            try:
                tenant_request_log.write_requests(by_tenant)
            except SQLAlchemyError as error:
                return self._drop(len(batch), error)
            except psycopg2.Error:  # a row that cannot be stored must not affect other tenants
                return sum(self._write_alone(*one) for one in by_tenant.items())
        return len(batch)

    def _write_alone(self, tenant_id: int, rows: list[dict[str, Any]]) -> int:
        try:
            tenant_request_log.write_requests({tenant_id: rows})
        except (SQLAlchemyError, psycopg2.Error) as error:
            return self._drop(len(rows), error)
        return len(rows)

    def _drop(self, count: int, error: Exception) -> int:
        DROPPED.inc(count)
        log.warning("request log entries lost", count=count, error=type(error).__name__)
        return 0

    def _begin(self) -> None:
        with self._start:
            if self._thread_of == os.getpid():
                return
            self._thread_of = os.getpid()
            threading.Thread(target=self._write_until_exit, name="request-log", daemon=True).start()
            atexit.register(self.write)

    def _write_until_exit(self) -> None:
        while True:
            self._wake.wait(EVERY_SECONDS)
            self._wake.clear()
            try:
                self.write()
            except Exception as error:  # the thread must survive any error of a single call
                log.error("request log writer failed", exc_info=error)
                time.sleep(EVERY_SECONDS)


def request_log() -> RequestLog:
    found: RequestLog = current_flask().extensions["request_log"]
    return found


def setup_request_log(app: Flask, days: int) -> None:
    app.extensions["request_log"] = RequestLog(app)
    app.extensions["request_log"].on = days > 0


@v1.after_request
def log_call(answer: Response) -> Response:
    """Log a call; without a known tenant it is not logged."""
    request, context, notes = current_request(), current_g(), request_log()
    facts = context.get("facts")
    if facts is None or request.url_rule is None or not notes.on:
        return answer
    notes.note(
        LoggedCall(
            facts.id,
            context.request_id,
            now(),
            request.method,
            request.path,
            request.query_string,
            request.url_rule.rule,
            answer.status_code,
            time.perf_counter() - context.began,
            context.get("key"),
            request.remote_addr or "",
            _stored_body(context.get("raw_body", b"")),
            b"" if answer.is_streamed else _stored_body(answer.get_data()),
            answer.mimetype or "",
        )
    )
    return answer


def _stored_body(raw: bytes) -> bytes | int:
    return raw if len(raw) <= LARGEST_BODY else len(raw)
