"""Shared by the provider modules: guarded HTTP calls, tolerant JSON access, amounts."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from core.http import OutboundError, Reply
from core.http.sync_client import request
from core.values.money import BadMoney, decimal_places, quantize
from restaurant.payments import reasons
from restaurant.payments.gateways.base import (
    GatewayRefused,
    GatewayUnreachable,
    ProviderCredentials,
    UnreadableEvent,
)
from webhooks.inbound import reasons as hook_reasons

MAX_REPLY_BYTES = 1024 * 1024
RETRY_STATUSES = frozenset({408, 409, 425, 429})


def call(
    credentials: ProviderCredentials,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
) -> Reply:
    """Raises GatewayUnreachable without an answer, or if the provider asks to retry later."""
    try:
        reply = request(
            method,
            credentials.base_url.rstrip("/") + path,
            policy=credentials.policy,
            headers=headers,
            body=body,
            timeout=credentials.timeout,
            max_body=MAX_REPLY_BYTES,
        )
    except OutboundError as error:
        raise GatewayUnreachable(reasons.with_values(reasons.UNREACHABLE, error=error)) from error
    if reply.status >= 500 or reply.status in RETRY_STATUSES:
        raise GatewayUnreachable(reasons.with_values(reasons.RETRY_LATER, status=reply.status))
    if 300 <= reply.status < 400:
        raise GatewayRefused(reasons.REDIRECTED)
    return reply


def parse_reply(reply: Reply) -> dict[str, Any]:
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        raise GatewayUnreachable(reasons.REPLY_NOT_JSON) from None
    if not isinstance(value, dict):
        raise GatewayUnreachable(reasons.REPLY_NOT_OBJECT)
    return value


def parse_event(raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise UnreadableEvent(hook_reasons.BODY_NOT_JSON) from None
    if not isinstance(value, dict):
        raise UnreadableEvent(hook_reasons.BODY_NOT_OBJECT)
    return value


def nested_object(value: object, *names: str) -> dict[str, Any]:
    """The object at this path, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text_value(value: object, most: int = 255) -> str:
    """Ids are strings or numbers; anything else gives "". NUL characters cannot be stored."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)[:most].replace("\0", "").encode("utf-8", "replace").decode()


def amount_value(value: object, currency: str) -> Decimal | None:
    """The exact amount, or None if `value` is not an amount."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        exact = Decimal(str(value))
        if quantize(exact, currency) != exact:
            return None
        return quantize(exact, currency)
    except (InvalidOperation, BadMoney):
        return None


def timestamp_value(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def currency_value(code: object) -> str:
    """In upper case; empty if it is not a currency."""
    currency = text_value(code, 3).upper()
    try:
        decimal_places(currency)
    except BadMoney:
        return ""
    return currency


def header(headers: Mapping[str, str], name: str) -> str:
    lower_name = name.lower()
    return next((value for key, value in headers.items() if key.lower() == lower_name), "").strip()
