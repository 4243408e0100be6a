"""Read the network's responses, including malformed ones."""

import json
from dataclasses import dataclass
from typing import Any

MAX_DETAILS = 300


@dataclass(frozen=True)
class ApiError:
    code: int | None
    subcode: int | None
    details: str
    """The network's own text in English; may be empty."""
    transient: bool


def bearer_header(token: str) -> str | None:
    """Return the header, or None for a token that cannot be in a header."""
    usable = token.isascii() and token.isprintable() and token and " " not in token
    return f"Bearer {token}" if usable else None


def read_json(body: bytes) -> Any:
    """Parse JSON; None if the body is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def api_error(answer: Any) -> ApiError | None:
    error = answer.get("error") if isinstance(answer, dict) else None
    return read_error(error) if isinstance(error, dict) else None


def read_error(error: dict[str, Any]) -> ApiError:
    """Read an error of a send response or a receipt; both have the same format."""
    data = error.get("error_data")
    details = data.get("details") if isinstance(data, dict) else None
    message = details or error.get("message") or error.get("title")
    return ApiError(
        code=_integer(error.get("code")),
        subcode=_integer(error.get("error_subcode")),
        details=message.strip()[:MAX_DETAILS] if isinstance(message, str) else "",
        transient=error.get("is_transient") is True,
    )


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
