"""Convert between the library's types and ours. Uses its field names without importing it."""

import re
from typing import Any

from core.values.phone import BadPhone, check_phone
from messaging.lines.drivers.base import Envelope, InboundMessage, LineUpdate, Receipt
from messaging.lines.drivers.linked.client import (
    ClientEvent,
    EchoReceived,
    MediaFileBody,
    MessageChanged,
    MessageReceived,
    ReceiptReceived,
)
from messaging.lines.drivers.linked.neonize_content import (
    is_protocol_message,
    read_change,
    read_content,
)
from messaging.messages.kinds.registry import MESSAGE_KINDS, UNREADABLE

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


def chat_address(address: str) -> dict[str, Any]:
    """The fields of a person's JID, given the phone or the hidden id `…@lid`."""
    user, _, server = address.partition("@")
    return {
        "User": user,
        "Device": 0,
        "Server": server or PHONE_SERVER,
        "RawAgent": 0,
        "Integrator": 0,
        "IsEmpty": False,
    }


def read_message(event: Any) -> list[ClientEvent]:
    """Convert a person's message to us, or an echo of our own. Groups and channels are ignored."""
    info, source = event.Info, event.Info.MessageSource
    if source.IsGroup or source.Chat.Server not in (PHONE_SERVER, LID_SERVER):
        return []
    at, from_me = _seconds(info.Timestamp), source.IsFromMe
    here, other = (
        (source.Chat, source.RecipientAlt) if from_me else (source.Sender, source.SenderAlt)
    )
    phone, network_id = _phone_and_lid(here, other)
    if not phone and not network_id:
        return []
    person = phone or network_id
    if (change := read_change(event.Message)) is not None:
        return [MessageChanged(_update(change, info.ID, at, person, echo=from_me))]
    kind, text, content = read_content(event.Message, info.ID)
    # Devices exchange keys and settings with the same events.
    if is_protocol_message(event.Message) or (from_me and kind == UNREADABLE):
        return []
    if from_me:
        return [EchoReceived(info.ID, person, kind, text, at, content)]
    message = InboundMessage(
        network_id=info.ID,
        sender_phone=phone,
        sender_network_id=network_id,
        sender_name=info.Pushname,
        at=at,
        kind=kind,
        text=text,
        content=content,
    )
    return [MessageReceived(message)]


def _update(
    change: tuple[str, str, str, str], change_id: str, at: int, person: str, *, echo: bool
) -> LineUpdate:
    """The same update as that of a cloud line."""
    kind, original, new_kind, text = change
    detail = {
        "network_id": original,
        "id": change_id,
        "at": at,
        "direction": "out" if echo else "in",
        "person": person,
        "kind": new_kind,
        "text": text,
    }
    return LineUpdate(kind, detail)


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


def _seconds(timestamp: int) -> int:
    return timestamp // 1000 if timestamp > _MILLISECONDS else timestamp
