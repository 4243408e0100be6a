"""What a customer does with a phone: write, send a photo, share a location, block, read."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.values.phone import check_phone
from messaging.simulator.network.state import (
    Chat,
    ChatMessage,
    SimulatedLine,
    SimulatedNetwork,
    StoredMedia,
    timestamp,
    user_id,
)
from messaging.simulator.network.webhook_sender import WebhookSender, webhook_metadata
from messaging.simulator.sample_photo import sample_png

Kind = Literal[
    "text",
    "image",
    "audio",
    "document",
    "location",
    "contacts",
    "button",
    "button_reply",
    "list_reply",
    "flow_reply",
    "reaction",
    "poll",
]
# Kinds whose name in the webhook differs.
_WEBHOOK_KINDS = {
    "poll": "unsupported",
    "button_reply": "interactive",
    "list_reply": "interactive",
    "flow_reply": "interactive",
}
# Not a playable file; nothing here plays it.
_OTHER_MEDIA = {
    "audio": ("audio/ogg; codecs=opus", b"OggS simulated voice note", ""),
    "document": ("application/pdf", b"%PDF-1.4\n% simulated document\n%%EOF\n", "document.pdf"),
}


class CustomerMessage(BaseModel):
    """One message from a phone to a line."""

    model_config = ConfigDict(extra="forbid")

    to_phone_number_id: str
    kind: Kind = "text"
    text: Annotated[str, Field(max_length=4096)] = ""
    name: Annotated[str, Field(max_length=100)] = ""
    """The customer's own name, shown with the message."""
    latitude: Annotated[float, Field(ge=-90, le=90)] = 41.0256
    longitude: Annotated[float, Field(ge=-180, le=180)] = 28.9742
    place: Annotated[str, Field(max_length=200)] = ""
    reply_to: str = ""
    """The network id of the message that is answered or reacted to, or that had the button."""
    payload: str = ""
    """The id of the button or row that was tapped."""
    description: Annotated[str, Field(max_length=72)] = ""
    """Of the row of a list."""
    hide_phone: bool = False
    """A customer with a user name: the business gets the network's id and no phone."""
    copies: Annotated[int, Field(ge=1, le=10)] = 1
    """How often the webhook is posted."""


class Customers:
    def __init__(self, network: SimulatedNetwork, courier: WebhookSender) -> None:
        self._network = network
        self._courier = courier

    def write(self, phone: str, line: SimulatedLine, writes: CustomerMessage) -> ChatMessage:
        check_phone(phone)
        if writes.name:
            self._network.names[line.tenant_id, phone] = writes.name
        part, content = self._part(writes, phone)
        bubble = ChatMessage(
            self._network.new_id(line),
            False,
            writes.kind,
            writes.text,
            content,
            timestamp(),
            "sent",
        )
        kind = _WEBHOOK_KINDS.get(writes.kind, writes.kind)
        message: dict[str, Any] = {
            "id": bubble.id,
            "timestamp": str(int(bubble.at)),
            "type": kind,
            kind: part,
            "from_user_id": user_id(phone, line.account_id),
        }
        contact: dict[str, Any] = {
            "profile": {"name": self._network.name_of(phone, line.tenant_id)},
            "user_id": message["from_user_id"],
        }
        if not writes.hide_phone:
            message["from"] = contact["wa_id"] = phone
        if writes.reply_to and kind != "reaction":
            message["context"] = {"from": line.phone, "id": writes.reply_to}
        self._network.show(self._network.chat(phone, line), bubble)
        body = {**webhook_metadata(line), "contacts": [contact], "messages": [message]}
        self._courier.message(line, body, writes.copies)
        return bubble

    def block(self, chat: Chat, blocked: bool) -> None:
        chat.blocked = blocked
        self._network.publish(chat)

    def _part(self, writes: CustomerMessage, phone: str) -> tuple[Any, dict[str, Any]]:
        """Return the part for the webhook, and the content that the phone shows."""
        if _WEBHOOK_KINDS.get(writes.kind) == "interactive":
            return _tapped(writes), {}
        if writes.kind == "text":
            return {"body": writes.text}, {}
        if writes.kind in ("image", "audio", "document"):
            media = self._media(writes.kind)
            part = {"id": media.id, "mime_type": media.mime_type, "sha256": media.sha256}
            if media.filename:
                part["filename"] = media.filename
            if writes.kind == "audio":
                part["voice"] = True  # type: ignore[assignment]
            elif writes.text:
                part["caption"] = writes.text
            return part, {"id": media.id, "filename": media.filename}
        if writes.kind == "location":
            place: dict[str, Any] = {"latitude": writes.latitude, "longitude": writes.longitude}
            if writes.place:
                place["name"] = writes.place
            return place, dict(place)
        if writes.kind == "contacts":
            return _contact_card(writes.text, phone)
        if writes.kind == "button":
            return {"text": writes.text, "payload": writes.payload or writes.text}, {}
        if writes.kind == "reaction":
            return {"message_id": writes.reply_to, "emoji": writes.text}, {}
        return {"type": "poll"}, {}

    def _media(self, kind: str) -> StoredMedia:
        if kind == "image":
            return self._network.store_media("image/png", sample_png())
        return self._network.store_media(*_OTHER_MEDIA[kind])


def _tapped(writes: CustomerMessage) -> dict[str, Any]:
    """The webhook's part for a tapped button or row, or for a form that was sent."""
    if writes.kind == "flow_reply":
        answers = json.dumps({"flow_token": writes.payload or "unused"})
        reply = {"name": "flow", "body": writes.text or "Sent", "response_json": answers}
        return {"type": "nfm_reply", "nfm_reply": reply}
    reply = {"id": writes.payload or writes.text, "title": writes.text}
    if writes.description:
        reply["description"] = writes.description
    return {"type": writes.kind, writes.kind: reply}


def _contact_card(name: str, phone: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A card with this name; without one, the answer to a request for the phone number."""
    if name:
        return [{"name": {"formatted_name": name}, "phones": []}], {}
    card = {
        "origin": "contact_request",
        "name": {"formatted_name": f"+{phone}", "first_name": f"+{phone}"},
        "phones": [{"phone": f"+{phone}", "wa_id": phone, "type": "CELL"}],
    }
    return [card], {"contacts": [{"name": "", "phones": [f"+{phone}"]}]}
