"""Parse the network's webhooks: messages, receipts and line updates.

A body may hold several entries, each with several changes. A part that cannot be read is skipped
and logged; the other parts are used.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.logs import logger
from core.security.signing import constant_time_equal, hmac_hex
from messaging import reasons
from messaging.lines.drivers.base import (
    META_AGENT,
    SENT_FROM_PHONE,
    InboundMessage,
    ParsedWebhook,
    Receipt,
)
from messaging.lines.drivers.cloud.account_updates import read_account_update
from messaging.lines.drivers.cloud.errors import REFUSED_BY_NETWORK, error_meaning
from messaging.lines.drivers.cloud.field_readers import (
    UnusablePart,
    read_id,
    read_object,
    read_objects,
    read_text,
    read_timestamp,
    without_unstorable,
)
from messaging.lines.drivers.cloud.inbound_changes import (
    is_edit,
    read_echo,
    read_edit,
    read_handover,
)
from messaging.lines.drivers.cloud.inbound_kinds import read_content
from messaging.lines.drivers.cloud.responses import read_error
from messaging.lines.drivers.cloud.senders import read_identity_change, read_sender
from messaging.reasons import with_quote
from webhooks.inbound import reasons as hook_reasons

SIGNATURE = "x-hub-signature-256"
RECEIPT_STATES = {
    "sent": "sent",
    "delivered": "delivered",
    "read": "read",
    "played": "read",
    "failed": "failed",
}
PAYMENT = "payment"
ECHOES, STANDBY, HANDOVERS = "smb_message_echoes", "standby", "messaging_handovers"
# The rate card has four categories; the network counts these separately.
CATEGORIES = {
    "authentication_international": "authentication",
    "marketing_lite": "marketing",
    "referral_conversion": "service",
}
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_log = logger(__name__)


class UnreadableWebhook(ValueError):
    """Raised when the body as a whole is not a webhook of the network. The message is a stored
    reason of webhooks/inbound/reasons.py.
    """

    code = "unreadable_hook"


def verify_signature(app_secret: str, headers: Mapping[str, str], raw_body: bytes) -> bool:
    given = next((value for name, value in headers.items() if name.lower() == SIGNATURE), "")
    if not app_secret or not given:
        return False
    return constant_time_equal(f"sha256={hmac_hex(app_secret, raw_body)}", given)


def parse_webhook(raw_body: bytes) -> list[ParsedWebhook]:
    """Return one ParsedWebhook per line in the body.

    Updates of the whole account have an empty phone_number_id.
    """
    try:
        body = _load(raw_body)
    except RecursionError:
        raise UnreadableWebhook(hook_reasons.BODY_TOO_DEEP) from None
    except ValueError as error:
        detail = hook_reasons.with_values(hook_reasons.BODY_NOT_JSON, detail=str(error))
        raise UnreadableWebhook(detail) from None
    if not isinstance(body, dict) or not isinstance(body.get("entry"), list):
        raise UnreadableWebhook(hook_reasons.NO_ENTRY)
    found: dict[str, ParsedWebhook] = {}
    for place, entry in _each(body["entry"], "entry"):
        for inner, change in _each(entry.get("changes"), f"{place}.changes"):
            value = change.get("value")
            if not isinstance(value, dict):
                _log_skipped(inner, "has no value")
                continue
            line = _phone_number_id(value)
            parsed = found.setdefault(line, ParsedWebhook(line))
            if (field := read_text(change.get("field"))) == "messages":
                _read_change(parsed, value, inner)
            elif field == ECHOES:
                _read_echoes(parsed, value, inner, SENT_FROM_PHONE)
            elif field == STANDBY:
                _read_standby(parsed, read_object(value, "standby") or value, inner)
            elif field == HANDOVERS:
                parsed.updates.extend(read_handover(value))
            else:
                parsed.updates.extend(read_account_update(field, read_id(entry.get("id")), value))
    return list(found.values())


def _phone_number_id(value: dict[str, Any]) -> str:
    """A hand-over has no metadata: the number is its recipient."""
    for part in ("metadata", "recipient"):
        if found := read_id(read_object(value, part).get("phone_number_id")):
            return found
    return ""


def _load(raw_body: bytes) -> Any:
    body = raw_body.decode("utf-8-sig", "replace")
    loaded = json.loads(body, parse_float=_finite, parse_constant=lambda _: None)
    # PostgreSQL stores neither NUL nor lone surrogates; in JSON both appear as escapes.
    return without_unstorable(loaded) if _UNSTORABLE_ESCAPE.search(body) else loaded


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def _each(parts: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if parts is None:
        return
    if not isinstance(parts, list):
        _log_skipped(place, "is not a list")
        return
    for number, part in enumerate(parts):
        if isinstance(part, dict):
            yield f"{place}[{number}]", part
        else:
            _log_skipped(f"{place}[{number}]", "is not an object")


def _skip(parsed: ParsedWebhook, place: str, why: UnusablePart) -> None:
    parsed.skipped.append(hook_reasons.with_values(why.code, place=place, **why.values))
    _log_skipped(place, why.code)


def _log_skipped(place: str, why: object) -> None:
    _log.info("cloud hook part skipped", place=place, why=str(why))


def _read_change(parsed: ParsedWebhook, value: dict[str, Any], place: str) -> None:
    contacts = read_objects(value.get("contacts"))
    for inner, message in _each(value.get("messages"), f"{place}.messages"):
        try:
            kind = read_text(message.get("type"))
            if kind == "system":
                parsed.updates.append(read_identity_change(message))
            elif is_edit(message):
                parsed.updates.append(read_edit(message))
            else:
                parsed.messages.append(_message(message, contacts))
        except UnusablePart as why:
            _skip(parsed, inner, why)
    for inner, status in _each(value.get("statuses"), f"{place}.statuses"):
        try:
            parsed.receipts.append(_receipt(status))
        except UnusablePart as why:
            _skip(parsed, inner, why)
    for inner, error in _each(value.get("errors"), f"{place}.errors"):
        _log_skipped(inner, read_error(error).details or "an error of the network")


def _read_echoes(parsed: ParsedWebhook, value: dict[str, Any], place: str, sent_from: str) -> None:
    for inner, echo in _each(value.get("message_echoes"), f"{place}.message_echoes"):
        try:
            if is_edit(echo):
                parsed.updates.append(read_edit(echo, echo=True))
            else:
                parsed.echoes.append(read_echo(echo, sent_from))
        except UnusablePart as why:
            _skip(parsed, inner, why)


def _read_standby(parsed: ParsedWebhook, value: dict[str, Any], place: str) -> None:
    """Read a conversation that the network's agent holds. Its prices are not ours."""
    seen = ParsedWebhook(parsed.phone_number_id)
    _read_change(seen, value, place)
    _read_echoes(seen, value, place, META_AGENT)
    parsed.messages.extend(
        replace(one, content={**one.content, "handled_by": META_AGENT}) for one in seen.messages
    )
    parsed.receipts.extend(
        replace(one, category="", billable=None, pricing_type="") for one in seen.receipts
    )
    parsed.echoes.extend(seen.echoes)
    parsed.updates.extend(seen.updates)
    parsed.skipped.extend(seen.skipped)


def _message(message: dict[str, Any], contacts: list[dict[str, Any]]) -> InboundMessage:
    network_id = read_id(message.get("id"))
    if not network_id:
        raise UnusablePart(hook_reasons.PART_WITHOUT_ID)
    if message.get("group_id"):
        raise UnusablePart(hook_reasons.PART_OF_GROUP)
    sender = read_sender(message, contacts)
    if not sender.phone and not sender.user_id:
        raise UnusablePart(hook_reasons.PART_WITHOUT_SENDER)
    kind, body, content = read_content(message)
    return InboundMessage(
        network_id=network_id,
        sender_phone=sender.phone,
        sender_network_id=sender.user_id,
        sender_name=sender.name,
        sender_username=sender.username,
        sender_parent_id=sender.parent_id,
        at=read_timestamp(message.get("timestamp")),
        kind=kind,
        text=body,
        content=content,
    )


def _receipt(status: dict[str, Any]) -> Receipt:
    network_id = read_id(status.get("id"))
    if not network_id:
        raise UnusablePart(hook_reasons.PART_WITHOUT_ID)
    if status.get("recipient_type") == "group":
        raise UnusablePart(hook_reasons.PART_OF_GROUP)
    state = read_text(status.get("status")).lower()
    if read_text(status.get("type")) == PAYMENT:  # of an order; the message itself was delivered
        raise UnusablePart(hook_reasons.UNKNOWN_STATUS, status=f"{PAYMENT} {state}")
    if state not in RECEIPT_STATES:
        raise UnusablePart(hook_reasons.UNKNOWN_STATUS, status=state)
    category, billable, pricing_type = _pricing(read_object(status, "pricing"))
    error_code, error_reason = (
        _error(read_objects(status.get("errors"))) if state == "failed" else ("", "")
    )
    return Receipt(
        network_id=network_id,
        state=RECEIPT_STATES[state],
        at=read_timestamp(status.get("timestamp")),
        our_id=read_id(status.get("biz_opaque_callback_data")),
        recipient=read_id(status.get("recipient_id")) or read_id(status.get("recipient_user_id")),
        category=category,
        billable=billable,
        pricing_type=pricing_type,
        error_code=error_code,
        error_reason=error_reason,
    )


def _pricing(pricing: dict[str, Any]) -> tuple[str, bool | None, str]:
    """Return category, whether the message is billed, and the network's pricing type."""
    category = read_text(pricing.get("category")).lower()
    billable, kind = pricing.get("billable"), read_text(pricing.get("type")).lower()
    if not isinstance(billable, bool):  # the network is replacing this field with `type`
        billable = kind == "regular" if kind else None
    if not kind and category == "referral_conversion":  # as the network named it before `type`
        kind = "free_entry_point"
    return CATEGORIES.get(category, category), billable, kind


def _error(errors: list[dict[str, Any]]) -> tuple[str, str]:
    if not errors:
        return (
            REFUSED_BY_NETWORK.code,
            reasons.NOT_DELIVERED,
        )
    error = read_error(errors[0])
    known = error_meaning(error.code, error.subcode) or REFUSED_BY_NETWORK
    return known.code, with_quote(known.reason, error.details)
