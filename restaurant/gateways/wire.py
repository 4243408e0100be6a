"""What the providers' modules share: one guarded call, JSON read with care, minor units."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from core.money import BadMoney, places, quantize
from core.outbound import OutboundError, Reply
from core.outbound.sync import request
from restaurant.gateways import Desk, Refused, Unreachable, Unreadable

MOST_ANSWER = 1024 * 1024
LATER = frozenset({408, 409, 425, 429})


def call(
    desk: Desk, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
) -> Reply:
    """Raises Unreachable when there is no answer, or one that says "later"."""
    try:
        reply = request(
            method,
            desk.base_url.rstrip("/") + path,
            policy=desk.policy,
            headers=headers,
            body=body,
            timeout=desk.timeout,
            max_body=MOST_ANSWER,
        )
    except OutboundError as error:
        raise Unreachable(f"The provider could not be reached: {error}.") from error
    if reply.status >= 500 or reply.status in LATER:
        raise Unreachable(f"The provider answered {reply.status}: not now.")
    if 300 <= reply.status < 400:
        raise Refused("The provider's address leads elsewhere; check the address setting.")
    return reply


def answer_of(reply: Reply) -> dict[str, Any]:
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        raise Unreachable("The provider's answer is not JSON.") from None
    if not isinstance(value, dict):
        raise Unreachable("The provider's answer is not a JSON object.")
    return value


def signal_of(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise Unreadable("the body is not JSON") from None
    if not isinstance(value, dict):
        raise Unreadable("the body is not a JSON object")
    return value


def part(value: object, *names: str) -> dict[str, Any]:
    """The object found along these names, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: object, most: int = 255) -> str:
    """Ids come as strings or numbers; anything else is none. NUL cannot be stored."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)[:most].replace("\0", "").encode("utf-8", "replace").decode()


def money(value: object, currency: str) -> Decimal | None:
    """An amount as the provider writes it, exact, or None when it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        exact = Decimal(str(value))
        if quantize(exact, currency) != exact:
            return None
        return quantize(exact, currency)
    except (InvalidOperation, BadMoney):
        return None


def moment(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def known_currency(code: object) -> str:
    """In capitals; empty when it is no currency."""
    currency = text(code, 3).upper()
    try:
        places(currency)
    except BadMoney:
        return ""
    return currency


def header(headers: Mapping[str, str], name: str) -> str:
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "").strip()
