"""The WhatsApp Business Cloud API. Tests and the simulator only use another base URL."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from core.http import OutboundError, Reply
from core.http.client import HttpClient
from core.i18n.catalogs import N_
from core.settings import Settings
from core.values.network_address import PHONE, USER_ID, is_phone
from core.values.reasons import encode_reason
from messaging import reasons
from messaging.lines.drivers.base import (
    Envelope,
    LineDriver,
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
    direct_send_meaning,
    error_meaning,
)
from messaging.lines.drivers.cloud.errors import status_meaning as _by_status
from messaging.lines.drivers.cloud.health_check import LineProblem, check_line
from messaging.lines.drivers.cloud.inbound import UnreadableWebhook, parse_webhook, verify_signature
from messaging.lines.drivers.cloud.responses import api_error, bearer_header, read_json
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.reasons import with_detail, with_quote

__all__ = [
    "CLOUD",
    "LineProblem",
    "UnreadableWebhook",
    "base_url",
    "check_line",
    "parse_webhook",
    "payload",
    "send",
    "verify_signature",
]

LONGEST_WAIT = 3600.0
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def base_url(settings: Settings, network: str) -> str:
    """The simulated network speaks the same API. Empty: this installation has none."""
    return settings.simulator_url if network == "simulator" else settings.cloud_base_url


def payload(envelope: Envelope) -> dict[str, Any]:
    kind = MESSAGE_KINDS.get(envelope.kind)
    if kind is None or kind.cloud_part is None:
        raise ValueError(f"a cloud line sends no {envelope.kind}")
    network_type = kind.cloud_type or envelope.kind
    body: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "type": network_type,
        network_type: kind.cloud_part(envelope),
        # Echoed in every receipt: it settles a message whose send response was lost.
        "biz_opaque_callback_data": envelope.message_id,
    }
    # A recipient without a phone is addressed by the network's own id, in a separate field.
    body["to" if is_phone(envelope.phone) else "recipient"] = envelope.phone
    if category := envelope.content.get("direct_send"):
        body["category"] = category
    if reply_to := envelope.content.get("reply_to"):
        body["context"] = {"message_id": reply_to}
    return body


async def send(
    client: HttpClient, base_url: str, version: str, facts: LineFacts, envelope: Envelope
) -> SendOutcome:
    authorization = bearer_header(facts.token)
    if authorization is None:
        return TOKEN_REJECTED.outcome("")
    if not facts.phone_number_id:
        return UNKNOWN_PHONE_NUMBER_ID.outcome("")
    try:
        body = _ENCODER.encode(payload(envelope)).encode()
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
    return interpret_reply(reply, direct_send="direct_send" in envelope.content)


def interpret_reply(reply: Reply, *, direct_send: bool = False) -> SendOutcome:
    answer = read_json(reply.body)
    if reply.ok and (accepted := _accepted(answer)):
        return accepted
    error = api_error(answer)
    if error is None:
        return _unexplained_reply(reply)
    if direct_send:
        known = direct_send_meaning(error.code, error.subcode, error.details)
    else:
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
    """Interpret a response that the API did not write.

    Success without an id means that the network has the message, and only a receipt can give its
    id. A 5xx comes from a proxy. A 503 means that no server took the request. But 500, 502, 504 and
    the private codes above them also occur after the request was forwarded, so a retry could send
    the message twice.
    """
    if reply.ok:
        return SendUnknown(reasons.ANSWER_UNREADABLE)
    if reply.status >= 500 and reply.status != 503:
        return SendUnknown(encode_reason(reasons.ANSWERED_BETWEEN, status=reply.status))
    return _by_status(reply.status).outcome("", _requested_wait(reply))


def _requested_wait(reply: Reply) -> float | None:
    header = reply.headers.get("retry-after", "")
    if not (header.isascii() and header.isdigit() and len(header) < 10):
        return None
    return min(max(float(header), 1.0), LONGEST_WAIT)


async def _send_by_line(
    client: HttpClient, settings: Settings, network: str, facts: LineFacts, envelope: Envelope
) -> SendOutcome:
    return await send(client, base_url(settings, network), settings.cloud_version, facts, envelope)


CLOUD = LineDriver(
    title=N_("WhatsApp Cloud API"),
    simulated_title=N_("Simulated"),
    send=_send_by_line,
    request_body=payload,
    parse_webhook=parse_webhook,
    has_templates=True,
    has_reply_window=True,
    has_read_receipts=True,
    has_access_token=True,
    address_kinds=frozenset({PHONE, USER_ID}),
    has_price_list=True,
    capability=lambda kind: "yes" if kind.cloud_part else "no",
)
