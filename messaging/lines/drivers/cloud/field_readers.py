"""Read fields from bodies written by others: return the right type, or an empty value."""

import math
import re
import time
from typing import Any

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
LONGEST_ID = 512
LAST_SECOND = 4_102_444_800  # the year 2100


class UnusablePart(ValueError):
    """Raised when a part of a body cannot be used. `code` is of webhooks/inbound/reasons.py."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(code)
        self.code, self.values = code, values


def read_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def read_id(value: Any) -> str:
    """Return an id as a string that fits into an index; the network writes some ids as numbers."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return value if isinstance(value, str) and len(value) <= LONGEST_ID else ""


def read_object(parent: Any, name: str) -> dict[str, Any]:
    value = parent.get(name) if isinstance(parent, dict) else None
    return value if isinstance(value, dict) else {}


def read_objects(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def without_unstorable(value: Any) -> Any:
    """Return a copy without NUL, lone surrogates, NaN or infinity: PostgreSQL rejects them."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_unstorable(part) for part in value]
    if isinstance(value, dict):
        return {without_unstorable(name): without_unstorable(part) for name, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def read_number(value: Any) -> int | float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return value if usable and abs(value) < 1e15 else None


def read_amount(value: Any) -> str:
    """Return an amount as text, so that it is not rounded as a float."""
    if isinstance(value, str):
        return value
    amount = read_number(value)
    return "" if amount is None else str(amount)


def read_timestamp(value: Any) -> int:
    """Return whole seconds since 1970.

    An invalid time becomes the current time, because the message itself is still good.
    """
    stamp = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if stamp.isascii() and stamp.isdigit() and len(stamp) < 12 and 0 < int(stamp) < LAST_SECOND:
        return int(stamp)
    return int(time.time())


def read_phone(value: Any) -> str:
    """Return the digits of a phone in any of the network's spellings, else ""."""
    spelled = read_text(value).partition("@")
    if spelled[2] not in ("", "s.whatsapp.net", "c.us"):
        return ""
    digits = spelled[0].removeprefix("+")
    return digits if digits.isascii() and digits.isdigit() and 6 <= len(digits) <= 15 else ""


def flat_copy(value: dict[str, Any], depth: int = 2) -> dict[str, Any]:
    """Return a copy that is safe to store: short names, plain values, at most `depth` levels."""
    copied: dict[str, Any] = {}
    for name, part in list(value.items())[:50]:
        if isinstance(part, str | int | float | bool) or part is None:
            copied[name[:100]] = part
        elif depth > 1 and isinstance(part, dict):
            copied[name[:100]] = flat_copy(part, depth - 1)
        elif depth > 1 and isinstance(part, list):
            copied[name[:100]] = [flat_copy(one, depth - 1) for one in read_objects(part)[:50]]
    return copied
