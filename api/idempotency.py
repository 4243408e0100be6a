"""Idempotency keys: `@idempotent` runs a view once and repeats its answer after that."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeAlias, overload

from flask import Response, current_app, g, request

from api.current import current_request
from core.db import tenant_scope
from core.errors import invalid
from tenants import idempotency
from tenants.idempotency import InterruptedRequest, StoredResponse

STORED_HEADERS = ("Location", "Content-Type")
# Test and live keys are stored separately. A caller's key is printable, so none starts with this
# prefix. A separate column would change the table's key while an older release is still running.
TEST_KEY_PREFIX = "test\n"

JsonAnswer: TypeAlias = (
    dict[str, Any] | tuple[dict[str, Any], int] | tuple[dict[str, Any], int, dict[str, str]]
)
"""What a view returns: its body, then the status where it is not 200, then headers."""
View: TypeAlias = Callable[..., JsonAnswer]
IdempotentView: TypeAlias = Callable[..., Response]


@dataclass
class IdempotentRequest:
    key: str | None
    answer: Response | None = None
    """The first response, if this request is a repeat."""
    earlier_result: str = ""
    """What the first request created, if it was interrupted before it could respond."""

    def store(self, answer: Response) -> None:
        if self.key is not None:
            idempotency.finish(self.key, to_stored_answer(answer))


def to_stored_answer(answer: Response) -> StoredResponse:
    headers = {name: answer.headers[name] for name in STORED_HEADERS if name in answer.headers}
    return StoredResponse(answer.status_code, headers, answer.get_data(as_text=True))


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


@overload
def idempotent(view: View) -> IdempotentView: ...


@overload
def idempotent(
    *,
    check: Callable[[], None] | None = None,
    prepare: Callable[..., Any] | None = None,
    complete: Callable[[Response], Response] | None = None,
) -> Callable[[View], IdempotentView]: ...


def idempotent(
    view: View | None = None,
    *,
    check: Callable[[], None] | None = None,
    prepare: Callable[..., Any] | None = None,
    complete: Callable[[Response], Response] | None = None,
) -> Any:
    """Run a view in the tenant's transaction, once for each Idempotency-Key.

    The answer is stored in the same transaction, so that a crash keeps both or neither. `check`
    runs before the key is looked up: a caller without the right gets no stored answer. `prepare`
    gets the view's arguments and runs outside the transaction, for example to call another
    system; its result is the view's argument `prepared`. `complete` adds to every answer what must
    not be stored, for example a secret.
    """

    def decorate(view: View) -> IdempotentView:
        @wraps(view)
        def wrapped(*args: Any, **values: Any) -> Response:
            if check is not None:
                check()
            key = idempotency_key()
            if prepare is not None and (key is None or earlier_request(key).answer is None):
                values["prepared"] = prepare(*args, **values)
            with tenant_scope(g.tenant_id):
                answer = _stored_answer(key)
                if answer is None:
                    answer = current_app.make_response(view(*args, **values))
                    IdempotentRequest(key).store(answer)
                return answer if complete is None else complete(answer)

        wrapped.idempotent = True  # type: ignore[attr-defined]
        return wrapped

    return decorate if view is None else decorate(view)


def _stored_answer(key: str | None) -> Response | None:
    """The first answer, when this request is a repeat. Otherwise the key is taken."""
    stored = idempotency.begin(key, fingerprint()) if key is not None else None
    return replay_answer(stored) if isinstance(stored, StoredResponse) else None


def replay_answer(stored: StoredResponse) -> Response:
    answer = Response(stored.body, stored.status, mimetype="application/json")
    answer.headers.update(stored.headers)
    answer.headers["Idempotent-Replayed"] = "true"
    return answer


def fingerprint() -> str:
    """Hash method, path and body; the order of JSON members does not matter."""
    body = json.dumps(request.get_json(silent=True), sort_keys=True)
    return hashlib.sha256(f"{request.method} {request.path}\n{body}".encode()).hexdigest()


def idempotency_key(test: bool | None = None) -> str | None:
    """Return the request's key as stored: test and live mode never share one."""
    raw = current_request().headers.get("Idempotency-Key")
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
    return TEST_KEY_PREFIX + key if (g.caller.test if test is None else test) else key
