"""The network's checks of a send before it is accepted."""

import re
from collections.abc import Callable
from typing import Any

from messaging.simulator.network.interactive_checks import interactive_fault
from messaging.simulator.network.magic_numbers import Refusal
from messaging.simulator.sample_templates import (
    filled_body,
    find_template,
    placeholders_of,
    refusal_of,
)
from messaging.templates.components import filled_preview as whole
from messaging.templates.components import required_parameters

LONGEST_TEXT, LONGEST_CAPTION, LONGEST_CALLBACK_DATA = 4096, 1024, 512
MEDIA = ("image", "video", "audio", "document", "sticker")
_PHONE = re.compile(r"\+?[1-9][0-9]{6,14}")
_USER_ID = re.compile(r"[A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128}")


FindTemplate = Callable[[str, str], dict[str, Any] | None]


def _refusal(message: str, code: int = 100) -> Refusal:
    return Refusal(code, 400, message)


def check_send(
    body: Any, find: FindTemplate = find_template
) -> Refusal | tuple[str, str, str, dict[str, Any]]:
    """Return the refusal, or recipient, kind, displayed text and other content.

    `find` returns a template of the sender's account by name and language.
    """
    if not isinstance(body, dict) or body.get("messaging_product") != "whatsapp":
        return _refusal("(#100) The parameter messaging_product is required.")
    to = body.get("to", body.get("recipient"))
    if not isinstance(to, str) or not (_PHONE.fullmatch(to) or _USER_ID.fullmatch(to)):
        return _refusal("(#100) Param to is not a valid WhatsApp ID", 131009)
    kind = body.get("type", "text")
    part = body.get(kind) if isinstance(kind, str) else None
    if kind == "contacts" and isinstance(part, list):
        part = {"contacts": part}
    if not isinstance(part, dict):
        return _refusal(f"(#131008) Required parameter is missing: {kind}", 131008)
    ours = body.get("biz_opaque_callback_data", "")
    if not isinstance(ours, str) or len(ours) > LONGEST_CALLBACK_DATA:
        return _refusal("(#100) Param biz_opaque_callback_data is too long")
    shown = _template(part, find) if kind == "template" else _displayed_text(kind, part)
    if isinstance(shown, Refusal):
        return shown
    return to.removeprefix("+"), kind, shown[0], shown[1]


def _displayed_text(kind: str, part: dict[str, Any]) -> Refusal | tuple[str, dict[str, Any]]:
    if kind == "text":
        text = part.get("body")
        if not isinstance(text, str) or not text.strip():
            return _refusal("(#131008) Required parameter is missing: text.body", 131008)
        if len(text) > LONGEST_TEXT:
            return _refusal("(#100) Param text['body'] must be at most 4096 characters long.")
        return text, {}
    if kind in MEDIA:
        return _media(part)
    if kind == "location":
        place = part.get("latitude"), part.get("longitude")
        if not all(isinstance(one, int | float) for one in place):
            return _refusal("(#131009) Parameter value is not valid: location", 131009)
        return str(part.get("name") or ""), part
    if kind == "reaction":
        return _reaction(part)
    if kind == "contacts":
        return _contacts(part["contacts"])
    if kind == "interactive":
        if fault := interactive_fault(part):
            return _refusal(f"(#131009) Parameter value is not valid: {fault}", 131009)
        return str((part.get("body") or {}).get("text") or ""), part
    return _refusal(f"(#131051) Unsupported message type: {kind}", 131051)


def _reaction(part: dict[str, Any]) -> Refusal | tuple[str, dict[str, Any]]:
    emoji, message_id = part.get("emoji"), part.get("message_id")
    if not isinstance(emoji, str) or not isinstance(message_id, str) or not message_id:
        return _refusal("(#131009) Parameter value is not valid: reaction", 131009)
    return emoji, {"message_id": message_id, "emoji": emoji}


def _contacts(cards: list[Any]) -> Refusal | tuple[str, dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    for card in cards:
        name = card.get("name") if isinstance(card, dict) else None
        if not isinstance(name, dict) or not name.get("formatted_name") or len(name) < 2:
            return _refusal("(#131008) Required parameter is missing: contacts.name", 131008)
        phones = [str(one.get("phone") or "") for one in card.get("phones") or []]
        shown.append({"name": str(name["formatted_name"]), "phones": phones})
    if not shown:
        return _refusal("(#131008) Required parameter is missing: contacts", 131008)
    return ", ".join(card["name"] for card in shown), {"contacts": shown}


def _media(part: dict[str, Any]) -> Refusal | tuple[str, dict[str, Any]]:
    link, media_id = part.get("link"), part.get("id")
    if media_id is None and not (
        isinstance(link, str) and link.startswith(("http://", "https://"))
    ):
        return _refusal("(#131053) Media upload error: the link cannot be used", 131053)
    caption = part.get("caption", "")
    if not isinstance(caption, str) or len(caption) > LONGEST_CAPTION:
        return _refusal("(#100) Param caption must be at most 1024 characters long.")
    shown = ("link", "id", "filename", "voice")
    return caption, {name: part[name] for name in shown if name in part}


def _template(part: dict[str, Any], find: FindTemplate) -> Refusal | tuple[str, dict[str, Any]]:
    language = part.get("language")
    code = str(language.get("code")) if isinstance(language, dict) else ""
    found = find(str(part.get("name")), code)
    if found is None or found["status"] in ("REJECTED", "PENDING"):
        return _refusal("(#132001) Template name does not exist in the translation", 132001)
    if code_of := refusal_of(found):
        return _refusal(f"(#{code_of}) Template is paused or disabled", code_of)
    given = [
        value
        for component in part.get("components") or []
        if component.get("type") == "body"
        for value in component.get("parameters") or []
    ]
    names = sorted(placeholders_of(found), key=lambda name: (len(name), name))
    values = {
        str(value.get("parameter_name") or names[at] if at < len(names) else ""): str(
            value.get("text", "…")
        )
        for at, value in enumerate(given)
    }
    if len(given) != len(names) or values.keys() != set(names):
        return _refusal("(#132000) Number of parameters does not match", 132000)
    if fault := _parameter_fault(found, part.get("components") or []):
        return fault
    displayed = _displayed_parts(found, part.get("components") or [])
    named = {"name": found["name"], "language": code, "category": found["category"].lower()}
    return filled_body(found, values), {**named, **displayed}


def _parameter_fault(found: dict[str, Any], given: list[dict[str, Any]]) -> Refusal | None:
    """Check that header and buttons have the values that the template needs."""
    needs = required_parameters(found["components"])
    header = [
        one
        for part in given
        if part.get("type") == "header"
        for one in part.get("parameters") or []
    ]
    if needs.header_media:
        media = [one.get(needs.header_media) for one in header]
        if len(media) != 1 or not isinstance(media[0], dict):
            return _refusal("(#132012) Parameter format does not match: header", 132012)
        refused = _media(media[0])
        if isinstance(refused, Refusal):
            return refused
    elif needs.header_location:
        if len(header) != 1 or header[0].get("type") != "location":
            return _refusal("(#132012) Parameter format does not match: header", 132012)
    elif len(header) != len(needs.header):
        return _refusal("(#132000) Number of parameters does not match: header", 132000)
    for kind, indexes in (("url", needs.buttons), ("copy_code", needs.codes)):
        filled_in = {
            str(part.get("index"))
            for part in given
            if part.get("type") == "button" and part.get("sub_type") == kind
        }
        if filled_in != {str(at) for at in indexes}:
            return _refusal("(#131008) Required parameter is missing: buttons", 131008)
    return None


def _displayed_parts(found: dict[str, Any], given: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the displayed parts around the body."""
    values = {
        (part.get("type"), str(part.get("index", ""))): (part.get("parameters") or [{}])[0]
        for part in given
    }
    needs, top = required_parameters(found["components"]), values.get(("header", ""), {})
    ends = {at: str(values.get(("button", str(at)), {}).get("text", "")) for at in needs.buttons}
    shown = whole(found["components"], {}, header=str(top.get("text") or ""), ends=ends)
    media = top.get(needs.header_media) or {} if needs.header_media else {}
    return {
        "header": shown.header,
        "header_kind": needs.header_media,
        "link": str(media.get("link") or ""),
        "buttons": [list(pair) for pair in zip(shown.buttons, shown.links, strict=True)],
        "footer": shown.footer,
    }
