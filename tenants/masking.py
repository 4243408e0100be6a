"""Mask a request or response body for storage: its structure, codes, ids and times are kept. Text
that people wrote, whole phone numbers and secrets are not: the value of any name that is not known
to be harmless is hidden.
"""

import json
import re
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from core.values.phone import mask_phone, mask_text

# Values under these names are codes, ids and times that the API defines.
PLAIN = frozenset(
    {
        *("after", "at", "category", "code", "country", "created_at"),
        *("currency", "day", "direction", "expires_at", "field", "id"),
        *("instance_id", "kind", "language", "limit", "message_id", "mode"),
        *("next", "request_id", "scheduled_at", "since", "state", "status"),
        *("status_code", "test", "type", "until", "updated_at"),
    }
)
PHONES = frozenset({"from", "phone", "phones", "recipient", "sender", "to", "wa_id"})
# The API's own sentences, in an error response.
SENTENCES = frozenset({"message", "warnings"})
OUR_ID = re.compile(r"[a-z]{1,8}_[0-9A-Z]{26}")
CODE = re.compile(r"[A-Za-z0-9_.:+/=-]{0,100}")
NETWORK_ID = re.compile(r"wamid\.[A-Za-z0-9+/=_-]*([A-Za-z0-9+/=_-]{6})")
MAX_DEPTH, MAX_LIST_ITEMS, MAX_NAMES = 12, 5, 60
ENCODE = json.JSONEncoder(ensure_ascii=False).encode
MAX_LENGTH, MIN_PHONE_DIGITS = 4000, 7
JsonValue = dict[str, Any] | list[Any] | str | int | float | bool | None


def masked_body(raw: bytes | int) -> tuple[str, str]:
    """The masked body (or only its size, for an int) and, for an error response, its `code`."""
    if isinstance(raw, int):
        return f"… {raw} bytes", ""
    if not raw:
        return "", ""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return f"… {len(raw)} bytes that are not JSON", ""
    refusal = isinstance(body, dict) and body.get("status") == "error"
    text = _storable(ENCODE(_masked(body, "", refusal, 0)))
    code = str(body.get("code") or "") if refusal else ""
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + "…", code[:64]


def masked_query(query: str) -> str:
    try:
        pairs = parse_qsl(query[:2000], keep_blank_values=True, max_num_fields=100)
    except ValueError:
        return "…"
    shown = "&".join(f"{_name(name)}={_masked(value, name, False, 0)}" for name, value in pairs)
    return _storable(shown)


def masked_path(path: str) -> str:
    """The network's ids contain the recipient's number in base64."""
    if "wamid." in path:
        path = NETWORK_ID.sub(r"wamid.…\1", path)
    return _storable(_without_phones(path[:300]))


def _masked(value: Any, name: str, refusal: bool, depth: int) -> JsonValue:
    if isinstance(value, str):
        return _text(value, name, refusal)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value, name)
    if depth >= MAX_DEPTH:
        return "…"
    if isinstance(value, list):
        shown: list[Any] = [
            _masked(one, name, refusal, depth + 1) for one in value[:MAX_LIST_ITEMS]
        ]
        rest = len(value) - MAX_LIST_ITEMS
        return [*shown, f"… {rest} more"] if rest > 0 else shown
    inner = list(value.items())[:MAX_NAMES]
    return {_name(key): _masked(one, key, refusal, depth + 1) for key, one in inner}


def _text(value: str, name: str, refusal: bool) -> str:
    if name in PHONES:
        if value.isdecimal() and len(value) <= 15:  # the common case, and fast
            return "*" * (len(value) - 2) + value[-2:]
        return mask_phone(value) if len(value) <= 32 and _is_phone(value) else _hidden(value)
    if name in PLAIN and CODE.fullmatch(value):
        short = len(value) < MIN_PHONE_DIGITS
        return value if short or OUR_ID.fullmatch(value) else masked_path(value)
    if refusal and name in SENTENCES:
        return mask_text(value)[:300]
    if name.endswith("url") and value.startswith(("http://", "https://")):
        return _host(value)
    return _hidden(value)


def _number(value: float, name: str) -> int | float | str:
    if isinstance(value, int):
        digits = str(value)
        return mask_phone(digits) if name in PHONES or len(digits) > 15 else value
    return value if name.endswith("usd") else "…"


def _is_phone(value: str) -> bool:
    return not value.strip("+0123456789 ()-./")


def _host(url: str) -> str:
    """Only the host: the rest of a URL may be a secret."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.hostname}/…"
    except ValueError:
        return _hidden(url)


def _hidden(value: str) -> str:
    return f"… {len(value)} characters" if value else ""


@lru_cache(maxsize=4096)
def _name(name: str) -> str:
    return mask_text(name)[:64]


@lru_cache(maxsize=4096)
def _without_phones(path: str) -> str:
    return mask_text(path)


def _storable(text: str) -> str:
    """Remove NUL and lone surrogates, which PostgreSQL cannot store."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
