"""Messages as the API shows them."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from core.clock import rfc3339
from core.values.money import json_number
from messaging.messages import content as message_content
from messaging.messages.accept import AcceptedMessage
from messaging.messages.kinds.registry import has_file
from messaging.messages.media import files as media_files
from messaging.messages.settle import MessageOutcome
from messaging.models import HeldMessage, MediaFile, Message
from messaging.reasons import NETWORK_REASONS


def accepted_message_json(
    ticket: AcceptedMessage, outcome: MessageOutcome | None
) -> dict[str, Any]:
    """The fields of section 2.2 come first, in its order. A test message quotes the real price."""
    # It may have been sent as a fallback template, which costs more than was quoted.
    cost = max(ticket.quoted_usd, outcome.cost_usd) if outcome else ticket.quoted_usd
    return {
        "status": "success",
        "message_id": outcome.network_id if outcome else None,
        "status_code": outcome.state if outcome else ticket.state,
        "cost_usd": json_number(cost),
        "id": ticket.id,
        "instance_id": ticket.line_id,
        "phone": ticket.phone,
        "reference": ticket.reference,
        "test": ticket.test,
    }


def message_json(message: Message, file: MediaFile | None = None) -> dict[str, Any]:
    """`file` is the media file of the message, if it was loaded."""
    error = None
    if message.error_code:
        reason = message.error_reason
        error = {"code": message.error_code, "message": reason and NETWORK_REASONS.english(reason)}
    return {
        "id": message.id,
        "message_id": message.network_id,
        "direction": message.direction,
        "instance_id": message.line_id,
        "phone": message.phone,
        "type": message.kind,
        "text": message.text,
        "status_code": message.state,
        "reference": message.reference,
        "cost_usd": json_number(message.cost_usd),
        "free_reason": message.free_reason,
        "test": message.test,
        "created_at": rfc3339(message.created_at),
        "error": error,
        "media": media_json(message, file),
        "from_kind": _from_kind(message),
        **dict.fromkeys(message_content.public_fields()),
        **_content(message),
        **dict.fromkeys(message_content.PUBLIC_METADATA),
        **message_content.public_metadata(message.content),
        "edited_at": _moment(message.content.get("edited_at")),
        "deleted_at": _moment(message.content.get("deleted_at")),
        "earlier_texts": list(message.content.get("earlier", ())),
    }


def held_message_json(held: HeldMessage) -> dict[str, Any]:
    """A message of an app that waits for a person, or that was rejected or has expired."""
    message = Message(
        id=held.id,
        direction="out",
        line_id=held.line_id,
        phone=held.phone,
        kind=held.kind,
        text=held.text,
        content=held.content,
        state=held.state,
        reference=held.reference,
        cost_usd=Decimal(0),
        test=held.test,
        created_at=held.created_at,
    )
    return message_json(message)


def _moment(seconds: int | None) -> str | None:
    return None if seconds is None else rfc3339(datetime.fromtimestamp(seconds, UTC))


def _from_kind(message: Message) -> str:
    """Whether `phone` is a phone number, or the network's id of a sender whose phone is hidden."""
    return "phone" if message.phone.isdigit() else "network_id"


def _content(message: Message) -> dict[str, Any]:
    try:
        return message_content.public_content(message.kind, message.content)
    except KeyError:  # blanked when the contact was erased
        return {}


def media_json(message: Message, file: MediaFile | None) -> dict[str, Any] | None:
    """A file that we sent has the sender's own URL; one from the network has our signed URL."""
    content = message.content
    if not has_file(message.kind) or "deleted_at" in content:
        return None
    received = message.direction == "in" or bool(content.get("sent_from"))
    return {
        "mime_type": (file and file.mime_type) or content.get("mime_type"),
        "url": (media_files.signed_link(message.id) if file else None)
        if received
        else content.get("url"),
        "size": file.size if file else None,
        "sha256": (file and file.sha256) or None,
        "caption": message.text or None,
        "filename": (file and file.filename) or content.get("filename"),
    }
