"""Headers that an endpoint wants with every event, such as a token of its own gateway.

Values are stored encrypted, and never shown again.
"""

import json
import re
from collections.abc import Mapping

from core.errors import invalid
from core.i18n.catalogs import N_

MAX_HEADERS = 10
LONGEST_VALUE = 500
HIDDEN = "••••••"
"""Shown in place of a value."""
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,60}", re.ASCII)
VALUE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?", re.ASCII)
RESERVED = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)


def clean_headers(given: Mapping[str, str]) -> dict[str, str]:
    """Raises Invalid."""
    if len(given) > MAX_HEADERS:
        raise invalid(
            "headers",
            "too_many_headers",
            "An endpoint can have at most {most} headers.",
            most=MAX_HEADERS,
        )
    found: dict[str, str] = {}
    for name, value in given.items():
        name, value = name.strip(), value.strip()
        lower = name.lower()
        if not NAME.fullmatch(name):
            raise _refusal(N_("{name} is not the name of a header."), name)
        if lower in RESERVED or lower.startswith(("webhook-", "proxy-")):
            raise _refusal(N_("The header {name} is set by Comanda."), name)
        if lower in {one.lower() for one in found}:
            raise _refusal(N_("The header {name} is there twice."), name)
        if not VALUE.fullmatch(value) or len(value) > LONGEST_VALUE:
            raise _refusal(
                N_("The value of {name} must be 1 to 500 letters, digits or signs of ASCII."), name
            )
        found[name] = value
    return found


def parse_headers(text: str, known: Mapping[str, str]) -> dict[str, str]:
    """One header on each line: `X-Token: secret`. HIDDEN keeps the known value. Raises Invalid."""
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if not colon:
            raise _refusal(N_("Write each header as Name: value. {name} has no colon."), name)
        if name in found:
            raise _refusal(N_("The header {name} is there twice."), name)
        found[name] = known.get(name, "") if value == HIDDEN else value
    return clean_headers(found)


def format_headers(headers: Mapping[str, str]) -> str:
    """Without the values."""
    return "\n".join(f"{name}: {HIDDEN}" for name in headers)


def pack_headers(headers: Mapping[str, str]) -> str | None:
    return json.dumps(headers) if headers else None


def unpack_headers(packed: str | None) -> dict[str, str]:
    return dict(json.loads(packed)) if packed else {}


def _refusal(text: str, name: str) -> Exception:
    return invalid("headers", "invalid_header", text, name=name[:60] or "…")
