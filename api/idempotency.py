"""Idempotency keys: `with idempotent_request() as attempt:` opens the tenant's transaction."""

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
# Test and live keys are stored separately. A caller's key is printable, so none starts with this
# prefix. A separate column would change the table's key while an older release is still running.
TEST_KEY_PREFIX = "test\n"


@dataclass
class IdempotentRequest:
    key: str | None
    answer: Response | None = None
    """The first response, if this request is a repeat."""
    earlier_result: str = ""
    """What the first request created, if it was interrupted before it could respond."""

    def keep(
        self, body: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
    ) -> Response:
        """Return the response and store it with its change: after a crash both exist or neither."""
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
    """Return the result of the first request with this key, without claiming the key."""
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
    """Hash method, path and body; the order of JSON members does not matter."""
    body = json.dumps(request.get_json(silent=True), sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.path}\n{body}".encode()).hexdigest()


def idempotency_key() -> str | None:
    """Return the request's key as stored: test and live mode never share one."""
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
