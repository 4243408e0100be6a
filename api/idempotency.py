"""Idempotency keys at the door: `with once() as attempt:` opens the tenant's transaction."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flask import Response, g, jsonify, request

from core.db import tenant_scope
from core.errors import invalid
from tenants import idempotency
from tenants.idempotency import InterruptedRequest, StoredResponse

STORED_HEADERS = ("Location", "Content-Type")
# The keys of each mode are kept apart. A caller's key is printable, so that none begins with this;
# a column of its own would change the table's key under the release that is still running.
TEST_KEY_PREFIX = "test\n"


@dataclass
class IdempotentRequest:
    key: str | None
    answer: Response | None = None
    """What was answered the first time, when this is a repeat."""
    earlier_result: str = ""
    """What the first request made, when it was cut off before it could answer."""

    def keep(
        self, body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
    ) -> Response:
        """The answer, stored with the change it tells of: a crash loses neither or both."""
        answer = jsonify(body)
        answer.status_code = status
        answer.headers.update(headers or {})
        self.store(answer)
        return answer

    def store(self, answer: Response) -> None:
        if self.key is not None:
            idempotency.finish(self.key, to_stored_answer(answer))


def to_stored_answer(answer: Response) -> StoredResponse:
    kept = {name: answer.headers[name] for name in STORED_HEADERS if name in answer.headers}
    return StoredResponse(answer.status_code, kept, answer.get_data(as_text=True))


def earlier_request(key: str) -> IdempotentRequest:
    """What the first request with this key came to, without making the key ours."""
    with tenant_scope(g.tenant_id):
        stored = idempotency.find(key, fingerprint())
    attempt = IdempotentRequest(key)
    if isinstance(stored, InterruptedRequest):
        attempt.earlier_result = stored.made
    elif stored is not None:
        attempt.answer = replay_answer(stored)
    return attempt


@contextmanager
def idempotent_request() -> Iterator[IdempotentRequest]:
    key = idempotency_key()
    with tenant_scope(g.tenant_id):
        attempt = IdempotentRequest(key)
        if key is not None:
            stored = idempotency.begin(key, fingerprint())
            if isinstance(stored, InterruptedRequest):
                attempt.earlier_result = stored.made
            elif stored is not None:
                attempt.answer = replay_answer(stored)
        yield attempt


def replay_answer(stored: StoredResponse) -> Response:
    answer = Response(stored.body, stored.status, mimetype="application/json")
    answer.headers.update(stored.headers)
    answer.headers["Idempotent-Replayed"] = "true"
    return answer


def fingerprint() -> str:
    """Method, path and body; the order of a JSON object's members does not matter."""
    body = json.dumps(request.get_json(silent=True), sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.path}\n{body}".encode()).hexdigest()


def idempotency_key() -> str | None:
    """The request's key as it is stored: a test key and a live key never share one."""
    raw = request.headers.get("Idempotency-Key")
    if raw is None:
        return None
    key = raw.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not key or len(key) > idempotency.MAX_KEY_LENGTH or not key.isprintable():
        raise invalid(
            "Idempotency-Key",
            "invalid_idempotency_key",
            "An Idempotency-Key has 1 to {count} characters.",
            count=idempotency.MAX_KEY_LENGTH,
        )
    return TEST_KEY_PREFIX + key if g.caller.test else key
