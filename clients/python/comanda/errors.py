"""What can go wrong. Programs decide by `code`; `request_id` finds the call in the request log."""

from collections.abc import Mapping
from typing import Any


class ComandaError(Exception):
    """Everything this package raises."""


class BadKey(ComandaError, ValueError):
    """What was given is not an API key. The key itself is not in the message."""


class BadSignature(ComandaError):
    """A webhook that is not from Comanda, was changed, or is too old."""


class ConnectionFailed(ComandaError):
    """No answer came, after all tries. Whether anything was done is not known: send it again with
    the same `idempotency_key`, and it is done once."""

    def __init__(self, message: str, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ApiError(ComandaError):
    """The service refused."""

    def __init__(self, status: int, body: Mapping[str, Any], request_id: str = "") -> None:
        self.status = status
        self.code = str(body.get("code", ""))
        self.message = str(body.get("message", "")) or f"HTTP {status}"
        self.errors: list[dict[str, Any]] = list(body.get("errors") or [])
        """The fields at fault: `field`, `code`, `message`."""
        self.request_id = str(body.get("request_id", "")) or request_id
        self.message_id: str | None = body.get("id")
        """The message's own id, where one was made and the network refused it."""
        super().__init__(f"{self.message} ({status} {self.code}, {self.request_id})")


class InvalidRequest(ApiError):
    """400, 413, 415, 422: sending it again changes nothing."""


class NotAllowed(ApiError):
    """401, 403: the key does not work, or may not do this."""


class OverLimit(ApiError):
    """402: the trial, the month's messages or the spend cap are used up."""


class NotFound(ApiError):
    """404."""


class Conflict(ApiError):
    """409: somebody was faster."""


class RateLimited(ApiError):
    """429, still after all tries."""


class Unavailable(ApiError):
    """5xx, still after all tries; or a line that needs a person (`line_unavailable`)."""


KINDS: dict[int, type[ApiError]] = {
    400: InvalidRequest,
    401: NotAllowed,
    402: OverLimit,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    429: RateLimited,
}


def error_for(status: int, body: Mapping[str, Any], request_id: str) -> ApiError:
    kind = KINDS.get(status, Unavailable if status >= 500 else ApiError)
    return kind(status, body, request_id)
