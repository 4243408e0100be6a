"""The errors. Check `code` in programs; `request_id` finds the call in the request log."""

from collections.abc import Mapping
from typing import Any


class ComandaError(Exception):
    """Base class of all errors of this package."""


class BadKey(ComandaError, ValueError):
    """The value is not an API key. The message does not contain it."""


class BadSignature(ComandaError):
    """A webhook that is not from Comanda, was modified, or is too old."""


class ConnectionFailed(ComandaError):
    """No response after all retries. The request may have taken effect: repeat it with the same
    `idempotency_key`, and it is executed only once."""

    def __init__(self, message: str, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ApiError(ComandaError):
    """The service returned an error."""

    def __init__(self, status: int, body: Mapping[str, Any], request_id: str = "") -> None:
        self.status = status
        self.code = str(body.get("code", ""))
        self.message = str(body.get("message", "")) or f"HTTP {status}"
        self.errors: list[dict[str, Any]] = list(body.get("errors") or [])
        """The invalid fields: `field`, `code`, `message`."""
        self.request_id = str(body.get("request_id", "")) or request_id
        self.message_id: str | None = body.get("id")
        """The id of the message if it was created and then refused by the network."""
        super().__init__(f"{self.message} ({status} {self.code}, {self.request_id})")


class InvalidRequest(ApiError):
    """400, 413, 415, 422: a retry gives the same result."""


class NotAllowed(ApiError):
    """401, 403: the key is not valid or lacks a permission."""


class OverLimit(ApiError):
    """402: the trial has ended, or the monthly messages or the spend cap are used up."""


class NotFound(ApiError):
    """404."""


class Conflict(ApiError):
    """409: the object has changed meanwhile."""


class RateLimited(ApiError):
    """429, after all retries."""


class Unavailable(ApiError):
    """5xx, after all retries; or a line that needs attention (`line_unavailable`)."""


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
