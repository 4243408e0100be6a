"""The WhatsApp Business Cloud API. Tests and the simulator are another base URL, nothing more."""

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from core.http import OutboundError, Reply
from core.http.async_client import Client
from core.values.reasons import encode_reason
from messaging import reasons
from messaging.lines.drivers.base import (
    Envelope,
    LineFacts,
    SendAccepted,
    SendOutcome,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.lines.drivers.cloud.errors import (
    NETWORK_DOWN,
    TOKEN_REJECTED,
    UNKNOWN_PHONE_NUMBER_ID,
    error_meaning,
)
from messaging.lines.drivers.cloud.errors import status_meaning as _by_status
from messaging.lines.drivers.cloud.health_check import LineProblem, check_line
from messaging.lines.drivers.cloud.inbound import UnreadableWebhook, parse_webhook, verify_signature
from messaging.lines.drivers.cloud.responses import api_error, bearer_header, read_json
from messaging.lines.drivers.cloud.template_payload import template_payload
from messaging.reasons import with_detail, with_quote

__all__ = [
    "LineProblem",
    "UnreadableWebhook",
    "check_line",
    "parse_webhook",
    "payload",
    "send",
    "verify_signature",
]

LONGEST_WAIT = 3600.0
_LINK = re.compile(r"https?://\S", re.IGNORECASE)
_CAPTIONED = {"image", "video", "document"}


def payload(envelope: Envelope) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "type": envelope.kind,
        envelope.kind: _part(envelope),
        # Comes back with every receipt: it settles a message whose answer was lost.
        "biz_opaque_callback_data": envelope.message_id,
    }
    # Somebody without a phone is written to by the network's own id, in a field of its own.
    body["to" if envelope.phone.isdecimal() else "recipient"] = envelope.phone
    if reply_to := envelope.content.get("reply_to"):
        body["context"] = {"message_id": reply_to}
    return body


def _part(envelope: Envelope) -> dict[str, Any]:
    content = envelope.content
    if envelope.kind == "text":
        return {"body": envelope.text, "preview_url": bool(_LINK.search(envelope.text))}
    if envelope.kind == "location":
        return {
            "latitude": content["latitude"],
            "longitude": content["longitude"],
            **{name: content[name] for name in ("name", "address") if content.get(name)},
        }
    if envelope.kind == "template":
        return template_payload(content)
    if envelope.kind not in _CAPTIONED | {"audio"}:
        raise ValueError(f"a cloud line sends no {envelope.kind}")
    part = {"link": content["url"]}
    if envelope.text and envelope.kind in _CAPTIONED:
        part["caption"] = envelope.text
    if envelope.kind == "document" and content.get("filename"):
        part["filename"] = content["filename"]
    return part


async def send(
    client: Client, base_url: str, version: str, facts: LineFacts, envelope: Envelope
) -> SendOutcome:
    authorization = bearer_header(facts.token)
    if authorization is None:
        return TOKEN_REJECTED.outcome("")
    if not facts.phone_number_id:
        return UNKNOWN_PHONE_NUMBER_ID.outcome("")
    try:
        body = json.dumps(payload(envelope), separators=(",", ":")).encode()
    except (KeyError, TypeError, ValueError) as error:
        return SendRefused("invalid_parameter", with_detail(reasons.INCOMPLETE, f"{error}."))
    try:
        reply = await client.request(
            "POST",
            f"{base_url}/{version}/{quote(facts.phone_number_id, safe='')}/messages",
            headers={"Authorization": authorization, "Content-Type": "application/json"},
            body=body,
        )
    except OutboundError as error:
        if error.sent:
            return SendUnknown(with_detail(reasons.ANSWER_LOST, f"{error}."))
        return TryLater(
            "network_unreachable", with_detail(reasons.UNREACHABLE_BECAUSE, f"{error}.")
        )
    return interpret_reply(reply)


def interpret_reply(reply: Reply) -> SendOutcome:
    answer = read_json(reply.body)
    if reply.ok and (accepted := _accepted(answer)):
        return accepted
    error = api_error(answer)
    if error is None:
        return _unexplained_reply(reply)
    known = error_meaning(error.code, error.subcode)
    if known is None:
        known = NETWORK_DOWN if error.transient else _by_status(400 if reply.ok else reply.status)
    outcome = known.outcome(
        str(error.code if error.code is not None else ""), _requested_wait(reply)
    )
    if isinstance(outcome, SendRefused) and error.details:
        return replace(outcome, reason=with_quote(outcome.reason, error.details))
    return outcome


def _accepted(answer: Any) -> SendAccepted | None:
    try:
        network_id = answer["messages"][0]["id"]
    except (KeyError, IndexError, TypeError):
        return None
    if not isinstance(network_id, str) or not network_id:
        return None
    try:
        contact = answer["contacts"][0]
        recipient = contact.get("wa_id") or contact.get("user_id")
    except (KeyError, IndexError, TypeError, AttributeError):
        recipient = None
    return SendAccepted(network_id, recipient if isinstance(recipient, str) else "")


def _unexplained_reply(reply: Reply) -> SendOutcome:
    """An answer that the API did not write.

    Success without an id: the network has the message, and only a receipt can name it. A 5xx
    comes from something in between. Its 503 says that nobody was there to take the request; but
    500, 502, 504 and the private codes above them are also said after the request was passed on
    and the way back broke, so a second try could be a second message.
    """
    if reply.ok:
        return SendUnknown(reasons.ANSWER_UNREADABLE)
    if reply.status >= 500 and reply.status != 503:
        return SendUnknown(encode_reason(reasons.ANSWERED_BETWEEN, status=reply.status))
    return _by_status(reply.status).outcome("", _requested_wait(reply))


def _requested_wait(reply: Reply) -> float | None:
    asked = reply.headers.get("retry-after", "")
    if not (asked.isascii() and asked.isdigit() and len(asked) < 10):
        return None
    return min(max(float(asked), 1.0), LONGEST_WAIT)
