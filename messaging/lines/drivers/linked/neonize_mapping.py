"""Convert between the library's types and ours. Uses its field names without importing it."""

import re
from typing import Any

from core.values.phone import BadPhone, check_phone
from messaging.lines.drivers.base import Envelope, InboundMessage, Receipt
from messaging.lines.drivers.linked.client import (
    ClientEvent,
    EchoReceived,
    MediaFileBody,
    MessageReceived,
    ReceiptReceived,
)
from messaging.messages.kinds.registry import MESSAGE_KINDS

PHONE_SERVER, LID_SERVER = "s.whatsapp.net", "lid"
DELIVERED, READ, PLAYED = 1, 4, 6
STATES = {DELIVERED: "delivered", READ: "read", PLAYED: "read"}
_DEVICE = re.compile(r"(\d+):(\d+)@([\w.]+)")
_MILLISECONDS = 10**11


def parse_device(stored: str) -> dict[str, Any]:
    """Parse `905…:12@s.whatsapp.net` into the fields of a JID; {} for a line without a device."""
    found = _DEVICE.fullmatch(stored)
    if found is None:
        return {}
    return _jid_fields(found[1], found[3], int(found[2]))


def recipient_fields(address: str) -> dict[str, Any]:
    """The fields of the JID of a phone or of an id that ends with `@lid`."""
    user, _, server = address.partition("@")
    return _jid_fields(user, server or PHONE_SERVER)


def _jid_fields(user: str, server: str, device: int = 0) -> dict[str, Any]:
    return {
        "User": user,
        "Device": device,
        "Server": server,
        "RawAgent": 0,
        "Integrator": 0,
        "IsEmpty": False,
    }


def read_message(event: Any) -> list[ClientEvent]:
    """Convert a person's message to us, or an echo of our own. Groups and channels are ignored."""
    info, source = event.Info, event.Info.MessageSource
    if source.IsGroup or source.Chat.Server not in (PHONE_SERVER, LID_SERVER):
        return []
    kind, text, content = _content(event.Message, info.ID)
    if source.IsFromMe:
        phone, network_id = _phone_and_lid(source.Chat, source.RecipientAlt)
        return [EchoReceived(info.ID, phone or network_id, kind, text, _seconds(info.Timestamp))]
    phone, network_id = _phone_and_lid(source.Sender, source.SenderAlt)
    if not phone and not network_id:
        return []
    message = InboundMessage(
        network_id=info.ID,
        sender_phone=phone,
        sender_network_id=network_id,
        sender_name=info.Pushname,
        at=_seconds(info.Timestamp),
        kind=kind,
        text=text,
        content=content,
    )
    return [MessageReceived(message)]


def read_receipt(event: Any) -> list[ClientEvent]:
    state = STATES.get(event.Type)
    if state is None:
        return []
    at = _seconds(event.Timestamp)
    return [ReceiptReceived(Receipt(str(one), state, at)) for one in event.MessageIDs]


def message_fields(
    envelope: Envelope, media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    """Return the field of the library's message, its values, and the media type of its upload."""
    kind = MESSAGE_KINDS.get(envelope.kind)
    if kind is None or kind.linked_part is None:
        raise ValueError(f"a linked phone sends no {envelope.kind}")
    return kind.linked_part(envelope, media)


def _phone_and_lid(one: Any, other: Any) -> tuple[str, str]:
    """Return phone and hidden id. Each argument may hold either of the two."""
    phone = network_id = ""
    for named in (one, other):
        if named.Server == PHONE_SERVER and not phone:
            phone = _phone(named.User)
        elif named.Server == LID_SERVER and named.User and not network_id:
            network_id = f"{named.User}@{LID_SERVER}"
    return phone, network_id


def _phone(user: str) -> str:
    try:
        return check_phone(user)
    except BadPhone:
        return ""


def _content(message: Any, network_id: str) -> tuple[str, str, dict[str, Any]]:
    if message.conversation:
        return "text", message.conversation, {}
    if message.extendedTextMessage.text:
        return "text", message.extendedTextMessage.text, {}
    for kind, known in MESSAGE_KINDS.items():
        part = getattr(message, known.linked_media[0]) if known.linked_media else None
        if part is not None and part.mimetype:
            caption = getattr(part, "caption", "")
            content: dict[str, Any] = {"id": network_id, "mime_type": part.mimetype}
            if caption:
                content["caption"] = caption
            if kind == "document" and part.fileName:
                content["filename"] = part.fileName
            return kind, caption, content
    place = message.locationMessage
    if place.degreesLatitude or place.degreesLongitude:
        content = {"latitude": place.degreesLatitude, "longitude": place.degreesLongitude}
        content |= {n: v for n in ("name", "address") if (v := getattr(place, n))}
        return "location", "", content
    return "unsupported", "", {"type": "unknown"}


def _seconds(timestamp: int) -> int:
    return timestamp // 1000 if timestamp > _MILLISECONDS else timestamp
