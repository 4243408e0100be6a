"""What the network posts to us: messages, receipts and news of the line.

A body may hold several entries, each with several changes. A part that cannot be read is skipped
and noted in the log; the parts beside it are taken.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.logs import logger
from core.phone import same_variants
from core.signing import hmac_hex, same
from messaging.lines import InboundMessage, LineNews, Parsed, Receipt
from messaging.lines.cloud_errors import REFUSED, meaning_of
from messaging.lines.cloud_kinds import read_content
from messaging.lines.cloud_news import read_news
from messaging.lines.cloud_parts import (
    Skip,
    known_id,
    mapping,
    mappings,
    phone_of,
    storable,
    text,
    when,
)
from messaging.lines.cloud_wire import read_error

SIGNATURE = "x-hub-signature-256"
STATES = {
    "sent": "sent",
    "delivered": "delivered",
    "read": "read",
    "played": "read",
    "failed": "failed",
}
ECHOES = "smb_message_echoes"
REWRITES = {"edit": "edited", "revoke": "deleted"}
# The rate card knows four categories; the network counts these apart from them.
CATEGORIES = {
    "authentication_international": "authentication",
    "marketing_lite": "marketing",
    "referral_conversion": "service",
}
_TROUBLESOME = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_log = logger(__name__)


class Unreadable(ValueError):
    """The body as a whole is not what the network sends."""

    code = "unreadable_hook"


def verify(app_secret: str, headers: Mapping[str, str], raw_body: bytes) -> bool:
    given = next((value for name, value in headers.items() if name.lower() == SIGNATURE), "")
    if not app_secret or not given:
        return False
    return same(f"sha256={hmac_hex(app_secret, raw_body)}", given)


def parse(raw_body: bytes) -> list[Parsed]:
    """One Parsed for each line in the body; news of the account has an empty phone_number_id."""
    try:
        body = _load(raw_body)
    except RecursionError:
        raise Unreadable("the body is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict) or not isinstance(body.get("entry"), list):
        raise Unreadable("the body has no list named entry")
    found: dict[str, Parsed] = {}
    for place, entry in _each(body["entry"], "entry"):
        for inner, change in _each(entry.get("changes"), f"{place}.changes"):
            value = change.get("value")
            if not isinstance(value, dict):
                _note(inner, "has no value")
                continue
            line = known_id(mapping(value, "metadata").get("phone_number_id"))
            parsed = found.setdefault(line, Parsed(line))
            if (field := text(change.get("field"))) == "messages":
                _take(parsed, value, inner)
            elif field == ECHOES:
                for place_of, _ in _each(value.get("message_echoes"), f"{inner}.message_echoes"):
                    _skip(parsed, place_of, "was sent from the phone app and is not taken yet")
            else:
                parsed.news.extend(read_news(field, known_id(entry.get("id")), value))
    return list(found.values())


def _load(raw_body: bytes) -> Any:
    body = raw_body.decode("utf-8-sig", "replace")
    loaded = json.loads(body, parse_float=_finite, parse_constant=lambda _: None)
    # PostgreSQL stores neither NUL nor half a character; both hide behind escapes.
    return storable(loaded) if _TROUBLESOME.search(body) else loaded


def _finite(number: str) -> float | None:
    value = float(number)
    return value if math.isfinite(value) else None


def _each(parts: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if parts is None:
        return
    if not isinstance(parts, list):
        _note(place, "is not a list")
        return
    for number, part in enumerate(parts):
        if isinstance(part, dict):
            yield f"{place}[{number}]", part
        else:
            _note(f"{place}[{number}]", "is not an object")


def _skip(parsed: Parsed, place: str, why: object) -> None:
    parsed.skipped.append(f"{place} {why}")
    _note(place, why)


def _note(place: str, why: object) -> None:
    _log.info("part of a cloud hook skipped", place=place, why=str(why))


def _take(parsed: Parsed, value: dict[str, Any], place: str) -> None:
    contacts = mappings(value.get("contacts"))
    for inner, message in _each(value.get("messages"), f"{place}.messages"):
        try:
            kind = text(message.get("type"))
            if kind == "system":
                parsed.news.append(_number_changed(message))
            elif kind in REWRITES and isinstance(message.get(kind), dict):
                parsed.news.append(_rewritten(message, kind))
            else:
                parsed.messages.append(_message(message, contacts))
        except Skip as why:
            _skip(parsed, inner, why)
    for inner, status in _each(value.get("statuses"), f"{place}.statuses"):
        try:
            parsed.receipts.append(_receipt(status))
        except Skip as why:
            _skip(parsed, inner, why)
    for inner, error in _each(value.get("errors"), f"{place}.errors"):
        _note(inner, read_error(error).details or "an error of the network")


def _message(message: dict[str, Any], contacts: list[dict[str, Any]]) -> InboundMessage:
    network_id = known_id(message.get("id"))
    if not network_id:
        raise Skip("has no id")
    if message.get("group_id"):
        raise Skip("was written in a group")
    phone, sender_id, name = _sender(message, contacts)
    if not phone and not sender_id:
        raise Skip("has no sender")
    kind, body, content = read_content(message)
    return InboundMessage(
        network_id=network_id,
        sender_phone=phone,
        sender_network_id=sender_id,
        sender_name=name,
        at=when(message.get("timestamp")),
        kind=kind,
        text=body,
        content=content,
    )


def _sender(message: dict[str, Any], contacts: list[dict[str, Any]]) -> tuple[str, str, str]:
    """Phone, the network's own id, name. Somebody with a user name may show no phone at all."""
    said, user_id = known_id(message.get("from")), known_id(message.get("from_user_id"))
    spellings = same_variants(phone_of(said)) if phone_of(said) else set()
    contact = next(
        (
            one
            for one in contacts
            if (said and said == one.get("user_id"))
            or (user_id and user_id == one.get("user_id"))
            or (said and said == known_id(one.get("wa_id")))
            or phone_of(one.get("wa_id")) in spellings
        ),
        # Somebody else's name and phone must not stick to this sender.
        contacts[0] if len(contacts) == 1 and not (said or user_id) else {},
    )
    phone = phone_of(said) or phone_of(contact.get("wa_id"))
    sender_id = user_id or known_id(contact.get("user_id"))
    if not sender_id and said and not phone_of(said):
        sender_id = said
    profile = mapping(contact, "profile")
    return phone, sender_id, text(profile.get("name")) or text(profile.get("username"))


def _rewritten(message: dict[str, Any], kind: str) -> LineNews:
    """The customer changed or deleted a message that was here before."""
    part = mapping(message, kind)
    original = known_id(part.get("original_message_id"))
    if not original:
        raise Skip("does not say which message it changes")
    detail: dict[str, Any] = {"network_id": original, "at": when(message.get("timestamp"))}
    if kind == "edit":
        _, detail["text"], content = read_content(mapping(part, "message"))
        detail["caption"] = content.get("caption")
    return LineNews(REWRITES[kind], detail)


def _number_changed(message: dict[str, Any]) -> LineNews:
    system = mapping(message, "system")
    old, new = phone_of(message.get("from")), phone_of(system.get("wa_id"))
    if not old or not new:
        raise Skip("is a notice of the network without two numbers")
    return LineNews(
        "number_changed",
        {
            "phone": old,
            "new_phone": new,
            "network_id": known_id(system.get("user_id")),
            "at": when(message.get("timestamp")),
            "because": text(system.get("body")),
        },
    )


def _receipt(status: dict[str, Any]) -> Receipt:
    network_id = known_id(status.get("id"))
    if not network_id:
        raise Skip("has no id")
    if status.get("recipient_type") == "group":
        raise Skip("is of a group")
    said = text(status.get("status")).lower()
    if said not in STATES:
        raise Skip(f"has the status {said[:50]!r}, which moves nothing")
    category, billable = _pricing(mapping(status, "pricing"))
    error_code, error_text = (
        _error(mappings(status.get("errors"))) if said == "failed" else ("", "")
    )
    return Receipt(
        network_id=network_id,
        state=STATES[said],
        at=when(status.get("timestamp")),
        our_id=known_id(status.get("biz_opaque_callback_data")),
        recipient=known_id(status.get("recipient_id")) or known_id(status.get("recipient_user_id")),
        category=category,
        billable=billable,
        error_code=error_code,
        error_text=error_text,
    )


def _pricing(pricing: dict[str, Any]) -> tuple[str, bool | None]:
    category = text(pricing.get("category")).lower()
    billable = pricing.get("billable")
    if not isinstance(billable, bool):  # the network is giving that field up for `type`
        kind = text(pricing.get("type"))
        billable = kind == "regular" if kind else None
    return CATEGORIES.get(category, category), billable


def _error(errors: list[dict[str, Any]]) -> tuple[str, str]:
    if not errors:
        return REFUSED.code, "The network could not deliver the message and gave no reason."
    error = read_error(errors[0])
    known = meaning_of(error.code, error.subcode) or REFUSED
    said = f" The network says: {error.details}" if error.details else ""
    return known.code, f"{known.sentence}{said}"
