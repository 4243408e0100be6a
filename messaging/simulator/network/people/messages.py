"""The messages that a phone can send, and their parts in webhooks."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from messaging.simulator.network.state import SimulatedNetwork, StoredMedia
from messaging.simulator.sample_photo import sample_png

Kind = Literal[
    "text",
    "image",
    "video",
    "audio",
    "voice",
    "document",
    "sticker",
    "location",
    "contacts",
    "order",
    "button",
    "button_reply",
    "list_reply",
    "flow_reply",
    "reaction",
    "poll",
]
# Kinds whose name in the webhook differs.
WEBHOOK_KINDS = {
    "poll": "unsupported",
    "voice": "audio",
    "button_reply": "interactive",
    "list_reply": "interactive",
    "flow_reply": "interactive",
}
MEDIA = ("image", "video", "audio", "voice", "document", "sticker")
_VOICE = ("audio/ogg; codecs=opus", b"OggS simulated voice note", "")
# Not playable files; nothing here plays them.
_OTHER_MEDIA = {
    "video": ("video/mp4", b"\x00\x00\x00\x18ftypmp42 simulated video", ""),
    "audio": _VOICE,
    "voice": _VOICE,
    "document": ("application/pdf", b"%PDF-1.4\n% simulated document\n%%EOF\n", "document.pdf"),
}
_UNSUPPORTED = {
    "code": 131051,
    "title": "Message type unknown",
    "message": "Message type unknown",
    "error_data": {"details": "Message type is currently not supported."},
}
Short = Annotated[str, Field(max_length=200)]


class Product(BaseModel):
    """A product in an order from the catalog."""

    model_config = ConfigDict(extra="forbid")

    product_retailer_id: Annotated[str, Field(min_length=1, max_length=100)]
    quantity: Annotated[int, Field(ge=1, le=999)] = 1
    item_price: Annotated[float, Field(ge=0)] = 95.0
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "TRY"


class Referral(BaseModel):
    """The ad that brought the person."""

    model_config = ConfigDict(extra="forbid")

    source_url: Short = "https://fb.me/1simulatedAd"
    source_id: Short = "120218305854810726"
    source_type: Literal["ad", "post"] = "ad"
    headline: Short = "Weekend menu"
    body: Annotated[str, Field(max_length=1024)] = "Order by message and get dessert free."
    media_type: Literal["image", "video"] = "image"
    image_url: Short = "https://example.com/ad.jpg"
    ctwa_clid: Short = "ARsimulatedClickId0001"


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
    place: Short = ""
    reply_to: str = ""
    """The network id of the message that is answered or reacted to, or that had the button."""
    payload: str = ""
    """The id of the button or row that was tapped, or the token of the form."""
    description: Annotated[str, Field(max_length=72)] = ""
    """Of the row of a list."""
    products: Annotated[list[Product], Field(max_length=30)] = []
    catalog_id: Short = ""
    answers: dict[str, Any] = {}
    """What was filled in in a form."""
    forwarded: Literal["", "once", "often"] = ""
    referral: Referral | None = None
    hide_phone: bool = False
    """Hide the phone in this message only."""
    copies: Annotated[int, Field(ge=1, le=10)] = 1
    """How often the webhook is posted."""


def message_part(
    network: SimulatedNetwork, writes: CustomerMessage, phone: str
) -> tuple[Any, dict[str, Any]]:
    """Return the part for the webhook, and the content that the phone shows."""
    if WEBHOOK_KINDS.get(writes.kind) == "interactive":
        return _tapped(writes)
    if writes.kind == "text":
        return {"body": writes.text}, {}
    if writes.kind in MEDIA:
        return _media_part(network, writes)
    if writes.kind == "location":
        place: dict[str, Any] = {"latitude": writes.latitude, "longitude": writes.longitude}
        if writes.place:
            place["name"] = writes.place
        return place, dict(place)
    if writes.kind == "contacts":
        return _contact_card(writes.text, phone)
    if writes.kind == "order":
        return _order(writes)
    if writes.kind == "button":
        return {"text": writes.text, "payload": writes.payload or writes.text}, {}
    if writes.kind == "reaction":
        return {"message_id": writes.reply_to, "emoji": writes.text}, {}
    return {"type": "poll"}, {}


def message_extras(writes: CustomerMessage, business_phone: str) -> dict[str, Any]:
    """The fields of the webhook beside the part: context, ad, and why it is unsupported."""
    extras: dict[str, Any] = {}
    context: dict[str, Any] = {}
    if writes.reply_to and writes.kind != "reaction":
        context |= {"from": business_phone, "id": writes.reply_to}
    if writes.forwarded:
        context["frequently_forwarded" if writes.forwarded == "often" else "forwarded"] = True
    if context:
        extras["context"] = context
    if writes.referral is not None:
        extras["referral"] = writes.referral.model_dump()
    if writes.kind == "poll":
        extras["errors"] = [_UNSUPPORTED]
    return extras


def _media_part(
    network: SimulatedNetwork, writes: CustomerMessage
) -> tuple[dict[str, Any], dict[str, Any]]:
    media = _stored_media(network, writes.kind)
    part: dict[str, Any] = {
        "id": media.id,
        "mime_type": media.mime_type,
        "sha256": media.sha256,
    }
    if media.filename:
        part["filename"] = media.filename
    if writes.kind in ("audio", "voice"):
        part["voice"] = True
    elif writes.kind == "sticker":
        part["animated"] = False
    elif writes.text:
        part["caption"] = writes.text
    return part, {"id": media.id, "filename": media.filename}


def _stored_media(network: SimulatedNetwork, kind: str) -> StoredMedia:
    if kind in ("image", "sticker"):
        return network.store_media("image/png", sample_png())
    return network.store_media(*_OTHER_MEDIA[kind])


def _tapped(writes: CustomerMessage) -> tuple[dict[str, Any], dict[str, Any]]:
    """A tapped button or row, or a form that was sent."""
    if writes.kind == "flow_reply":
        answers = {**writes.answers, "flow_token": writes.payload or "unused"}
        reply = {
            "name": "flow",
            "body": writes.text or "Sent",
            "response_json": json.dumps(answers, ensure_ascii=False),
        }
        return {"type": "nfm_reply", "nfm_reply": reply}, {"answers": writes.answers}
    reply = {"id": writes.payload or writes.text, "title": writes.text}
    if writes.description:
        reply["description"] = writes.description
    return {"type": writes.kind, writes.kind: reply}, {}


def _order(writes: CustomerMessage) -> tuple[dict[str, Any], dict[str, Any]]:
    products = writes.products or [Product(product_retailer_id=writes.payload or "sample")]
    items = [one.model_dump() for one in products]
    catalog = writes.catalog_id or "1"
    return {"catalog_id": catalog, "text": writes.text, "product_items": items}, {"items": items}


def _contact_card(name: str, phone: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A card with this name; without one, the answer to a request for the phone number."""
    if name:
        card: dict[str, Any] = {"name": {"formatted_name": name, "first_name": name}, "phones": []}
        return [card], {"contacts": [{"name": name, "phones": []}]}
    card = {
        "origin": "contact_request",
        "name": {"formatted_name": f"+{phone}", "first_name": f"+{phone}"},
        "phones": [{"phone": f"+{phone}", "wa_id": phone, "type": "CELL"}],
    }
    return [card], {"contacts": [{"name": "", "phones": [f"+{phone}"]}]}
