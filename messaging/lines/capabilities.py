"""Which message kinds each kind of line can send: served with the line, and checked before a send.

Each driver decides from what a message kind defines, so that a new kind needs no entry here.
"""

from collections.abc import Mapping
from typing import Any

from core.errors import invalid
from messaging.lines.drivers.base import Capability
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.kinds.registry import MESSAGE_KINDS


def capabilities(line_kind: str) -> dict[str, Capability]:
    """Return the capability of every kind that programs can send."""
    capability = DRIVERS[line_kind].capability
    return {code: capability(kind) for code, kind in MESSAGE_KINDS.items() if kind.fields}


def sendable_kinds(line_kind: str) -> list[str]:
    capability = DRIVERS[line_kind].capability
    return [code for code, kind in MESSAGE_KINDS.items() if capability(kind) != "no"]


def check_capability(line_kind: str, code: str, content: Mapping[str, Any]) -> None:
    """Raise Invalid for a message that this kind of line cannot send."""
    driver = DRIVERS[line_kind]
    capability = driver.capability(MESSAGE_KINDS[code])
    if capability == "no":
        raise invalid(
            "type",
            "unsupported_type",
            "This line cannot send messages of the type {type}. The field `can` of the line lists "
            "what it can send.",
            type=code,
        )
    header = (content.get("interactive") or {}).get("header")
    if capability == "as_text" and isinstance(header, dict) and header.get("text") is None:
        raise invalid(
            "header",
            "unsupported_header",
            "This line sends {type} as a text, so the header must be a text too.",
            type=code,
        )
