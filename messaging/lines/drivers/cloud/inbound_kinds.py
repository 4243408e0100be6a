"""Convert each kind of inbound message to our format."""

import json
from collections.abc import Callable
from typing import Any

from messaging.lines.drivers.cloud.field_readers import (
    read_amount,
    read_id,
    read_number,
    read_object,
    read_objects,
    read_phone,
    read_text,
    without_unstorable,
)
from messaging.lines.drivers.cloud.responses import read_error

LONGEST_ANSWERS = 100_000
LONGEST_OF_AD = 2_000
REFERRAL_FIELDS = (
    "source_url",
    "source_id",
    "source_type",
    "headline",
    "body",
    "media_type",
    "image_url",
    "video_url",
    "thumbnail_url",
    "ctwa_clid",
)
WELCOME = "request_welcome"  # the customer opened the chat and has not written yet
Content = tuple[str, str, dict[str, Any]]  # kind, text, content


def read_content(message: dict[str, Any]) -> Content:
    """Return kind, text and content.

    A message that is unreadable or of an unknown kind becomes `unsupported` and is kept, because
    the customer did write.
    """
    kind = read_text(message.get("type"))
    read = _READERS.get(kind)
    part = message.get(kind)
    if kind == WELCOME:
        made: Content = (WELCOME, "", {})
    else:
        made = (read(kind, part) if read and part else None) or _unsupported(kind, message)
    made[2].update(_about(message))
    return made


def _text(_kind: str, part: Any) -> Content | None:
    body = read_text(read_object({"text": part}, "text").get("body"))
    return ("text", body, {}) if body else None


def _media(kind: str, part: Any) -> Content | None:
    part = read_object({"media": part}, "media")
    if not read_id(part.get("id")):
        return None
    content: dict[str, Any] = {"id": read_id(part["id"])}
    for name in ("mime_type", "sha256", "filename", "caption"):
        if value := read_text(part.get(name)):
            content[name] = value
    for name in ("voice", "animated"):
        if part.get(name) is True:
            content[name] = True
    if kind == "voice":
        kind, content["voice"] = "audio", True
    return kind, content.get("caption", ""), content


def _location(_kind: str, part: Any) -> Content | None:
    part = read_object({"location": part}, "location")
    latitude, longitude = read_number(part.get("latitude")), read_number(part.get("longitude"))
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    content: dict[str, Any] = {"latitude": latitude, "longitude": longitude}
    for name in ("name", "address", "url"):
        if value := read_text(part.get(name)):
            content[name] = value
    return "location", "", content


def _contacts(_kind: str, part: Any) -> Content | None:
    people: list[dict[str, Any]] = []
    origin = ""
    for person in read_objects(part):
        origin = origin or read_text(person.get("origin"))
        phones = [
            read_phone(phone.get("wa_id")) or read_text(phone.get("phone"))
            for phone in read_objects(person.get("phones"))
        ]
        name = read_text(read_object(person, "name").get("formatted_name"))
        people.append({"name": name, "phones": [phone for phone in phones if phone]})
    if not people:
        return None
    content: dict[str, Any] = {"contacts": people}
    if origin:  # contact_request: the person answered a request for their number
        content["origin"] = origin
    return "contacts", ", ".join(person["name"] for person in people), content


def _reaction(_kind: str, part: Any) -> Content | None:
    part = read_object({"reaction": part}, "reaction")
    to = read_id(part.get("message_id"))
    emoji = read_text(part.get("emoji"))  # empty or missing if the reaction was removed
    return ("reaction", emoji, {"message_id": to, "emoji": emoji}) if to else None


def _order(_kind: str, part: Any) -> Content | None:
    part = read_object({"order": part}, "order")
    items = [
        {
            "product_retailer_id": read_id(item.get("product_retailer_id")),
            "quantity": read_number(item.get("quantity")),
            "item_price": read_amount(item.get("item_price")),
            "currency": read_text(item.get("currency")),
        }
        for item in read_objects(part.get("product_items"))
    ]
    if not items:
        return None
    catalog = read_id(part.get("catalog_id"))
    return "order", read_text(part.get("text")), {"catalog_id": catalog, "items": items}


def _template_button(_kind: str, part: Any) -> Content | None:
    part = read_object({"button": part}, "button")
    title = read_text(part.get("text"))
    payload = read_text(part.get("payload"))
    return (
        ("button", title or payload, {"id": payload, "title": title}) if title or payload else None
    )


def _interactive(_kind: str, part: Any) -> Content | None:
    part = read_object({"interactive": part}, "interactive")
    kind = read_text(part.get("type"))
    reply = read_object(part, kind)
    if kind in ("button_reply", "list_reply"):
        title = read_text(reply.get("title"))
        content = {"id": read_text(reply.get("id")), "title": title}
        if description := read_text(reply.get("description")):
            content["description"] = description
        return ("button", title, content) if title or content["id"] else None
    if kind == "nfm_reply":
        title = read_text(reply.get("body"))
        answers = {"id": read_text(reply.get("name")), "title": title}
        return "button", title, {**answers, **_flow_answers(reply.get("response_json"))}
    if kind == "call_permission_reply":
        chosen = read_text(reply.get("response"))
        return ("button", chosen, {"id": kind, "title": chosen}) if chosen else None
    return None


def _flow_answers(given: Any) -> dict[str, Any]:
    """Return the answers of a Flow as `answers`, or why there are none as `refused`."""
    written = read_text(given)
    if len(written) > LONGEST_ANSWERS:
        return {"refused": "too_large"}
    try:
        answers = json.loads(written, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return {"refused": "unreadable"}
    if not isinstance(answers, dict):
        return {"refused": "not_an_object"}
    return {"answers": without_unstorable(answers)}


def _unsupported(kind: str, message: dict[str, Any]) -> Content:
    content: dict[str, Any] = {"type": kind[:100]}
    if inner := read_text(read_object(message, "unsupported").get("type")):
        content["type"] = inner[:100]
    if errors := read_objects(message.get("errors")):
        content["because"] = read_error(errors[0]).details
    return "unsupported", "", content


def _about(message: dict[str, Any]) -> dict[str, Any]:
    """Return the context: what it replies to, whether it was forwarded, and its advertisement."""
    context = read_object(message, "context")
    about: dict[str, Any] = {}
    if reply_to := read_id(context.get("id")):
        about["reply_to"] = reply_to
    if context.get("forwarded") is True or context.get("frequently_forwarded") is True:
        about["forwarded"] = True
    if referral := _referral(read_object(message, "referral")):
        about["referral"] = referral
    product = read_object(context, "referred_product")
    if product_id := read_id(product.get("product_retailer_id")):
        catalog_id = read_id(product.get("catalog_id"))
        about["referred_product"] = {"catalog_id": catalog_id, "product_id": product_id}
    return about


def _referral(given: dict[str, Any]) -> dict[str, str]:
    """Return the ad or the post that the customer came from."""
    made = {
        name: (read_id(value) or read_text(value))[:LONGEST_OF_AD]
        for name in REFERRAL_FIELDS
        if (value := given.get(name))
    }
    if welcome := read_text(read_object(given, "welcome_message").get("text")):
        made["welcome_message"] = welcome[:LONGEST_OF_AD]
    return {name: value for name, value in made.items() if value}


_READERS: dict[str, Callable[[str, Any], Content | None]] = {
    "text": _text,
    **dict.fromkeys(("image", "video", "audio", "voice", "document", "sticker"), _media),
    "location": _location,
    "contacts": _contacts,
    "reaction": _reaction,
    "order": _order,
    "button": _template_button,
    "interactive": _interactive,
}
