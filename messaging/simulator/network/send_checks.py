"""The network's checks of a send before it is accepted."""

import re
from collections.abc import Callable
from typing import Any

from messaging.simulator.network.checks.fields import Field, Object, Text, exactly
from messaging.simulator.network.checks.interactive import interactive_fault
from messaging.simulator.network.checks.message_parts import MESSAGE_PARTS, media_part
from messaging.simulator.network.checks.refusals import refuse
from messaging.simulator.network.magic_numbers import Refusal
from messaging.simulator.sample_templates import (
    filled_body,
    find_template,
    placeholders_of,
    refusal_of,
)
from messaging.templates.components import button_indexes, required_parameters
from messaging.templates.components import filled_preview as whole

LONGEST_CALLBACK_DATA = 512
MEDIA = ("image", "video", "audio", "document", "sticker")
DIRECT_SEND = ("text", "button", "cta_url")
"""What can be sent without a template while the window is closed."""
_PHONE = re.compile(r"\+?[1-9][0-9]{6,14}")
_USER_ID = re.compile(r"[A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128}")
FindTemplate = Callable[[str, str], dict[str, Any] | None]
_FRAME: dict[str, Field] = {
    "messaging_product": exactly("whatsapp"),
    "recipient_type": exactly("individual"),
    "to": Text(200),
    "recipient": Text(200),
    "type": Text(40),
    "context": Object({"message_id": Text(200)}),
    "biz_opaque_callback_data": Text(LONGEST_CALLBACK_DATA, empty=True),
    "category": exactly("utility"),
}
_READ = Object(
    {
        "messaging_product": exactly("whatsapp"),
        "status": exactly("read"),
        "message_id": Text(200),
    },
    {"typing_indicator": Object({"type": exactly("text")})},
)


def check_send(
    body: Any, find: FindTemplate = find_template
) -> Refusal | tuple[str, str, str, dict[str, Any]]:
    """Return the refusal, or recipient, kind, displayed text and other content.

    `find` returns a template of the sender's account by name and language.
    """
    if not isinstance(body, dict) or "messaging_product" not in body:
        return refuse(100, "The parameter messaging_product is required.")
    kind = body.get("type", "text")
    if kind != "interactive" and kind not in MESSAGE_PARTS:
        return refuse(131051, f"Unsupported message type: {str(kind)[:40]}")
    for name, value in body.items():
        if name == kind:
            continue
        if name not in _FRAME:
            return refuse(100, f'Unexpected key "{name[:60]}" on the message.')
        if fault := _FRAME[name].fault(value, name):
            return fault
    to = _recipient(body)
    if isinstance(to, Refusal):
        return to
    if kind not in body:
        return refuse(131008, f"Required parameter is missing: {kind}")
    part = body[kind]
    known = MESSAGE_PARTS.get(kind)
    if fault := known.fault(part, kind) if known else interactive_fault(part):
        return fault
    if "category" in body and (part.get("type") if known is None else kind) not in DIRECT_SEND:
        return refuse(100, "Only texts, reply buttons and link buttons can have a category.")
    shown = _template(part, find) if kind == "template" else _displayed_text(kind, part)
    return shown if isinstance(shown, Refusal) else (to, kind, *shown)


def check_read(body: Any) -> Refusal | None:
    """Check the report that a message was read, with or without typing."""
    return _READ.fault(body, "")


def _recipient(body: dict[str, Any]) -> Refusal | str:
    """A phone in `to`, or an id in `recipient`; with both, the phone counts."""
    to, recipient = body.get("to"), body.get("recipient")
    if to is None and recipient is None:
        return refuse(131008, "Required parameter is missing: to")
    if to is not None and not (_PHONE.fullmatch(to) or _USER_ID.fullmatch(to)):
        return refuse(131009, "Parameter value is not valid: to is not a WhatsApp id")
    if recipient is not None and not _USER_ID.fullmatch(recipient):
        return refuse(131009, "Parameter value is not valid: recipient is not a user id")
    return str(to).removeprefix("+") if to is not None else str(recipient)


def _displayed_text(kind: str, part: Any) -> tuple[str, dict[str, Any]]:
    if kind == "text":
        return part["body"], {}
    if kind in MEDIA:
        shown = ("link", "id", "filename", "voice")
        return part.get("caption", ""), {name: part[name] for name in shown if name in part}
    if kind == "location":
        return str(part.get("name") or ""), part
    if kind == "reaction":
        return part["emoji"], part
    if kind == "contacts":
        return _contacts(part)
    return str((part.get("body") or {}).get("text") or ""), part


def _contacts(cards: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    shown = [
        {
            "name": card["name"]["formatted_name"],
            "phones": [str(one.get("phone") or "") for one in card.get("phones") or []],
        }
        for card in cards
    ]
    return ", ".join(card["name"] for card in shown), {"contacts": shown}


def _template(part: dict[str, Any], find: FindTemplate) -> Refusal | tuple[str, dict[str, Any]]:
    code = str(part["language"]["code"])
    found = find(str(part["name"]), code)
    if found is None or found["status"] in ("REJECTED", "PENDING"):
        return refuse(132001, f"template name ({part['name']}) does not exist in {code}")
    if code_of := refusal_of(found):
        return refuse(code_of)
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
        return refuse(132000, f"body: number of params ({len(given)}) is not {len(names)}")
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
            return refuse(132012, f"header: Format mismatch, expected {needs.header_media}")
        if fault := media_part(filename=Text(240)).fault(media[0], "header"):
            return fault
    elif needs.header_location:
        if len(header) != 1 or header[0].get("type") != "location":
            return refuse(132012, "header: Format mismatch, expected location")
    elif len(header) != len(needs.header):
        expected = len(needs.header)
        return refuse(132000, f"header: number of params ({len(header)}) is not {expected}")
    required = (("url", needs.buttons), ("copy_code", needs.codes), ("flow", needs.flows))
    for kind, indexes in required:
        if _filled_buttons(given, kind) != {str(at) for at in indexes}:
            return refuse(131008, f"Required parameter is missing: a {kind} button")
    catalogs = {str(at) for at in button_indexes(found["components"], "CATALOG")}
    if not _filled_buttons(given, "catalog") <= catalogs:
        return refuse(132012, "button: the template has no catalog button there")
    return None


def _filled_buttons(given: list[dict[str, Any]], kind: str) -> set[str]:
    return {
        str(part.get("index"))
        for part in given
        if part.get("type") == "button" and str(part.get("sub_type")).lower() == kind
    }


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
        "button_payloads": [
            _payload(values.get(("button", str(at)), {}), text)
            for at, text in enumerate(shown.buttons)
        ],
        "button_actions": [
            values.get(("button", str(at)), {}).get("action") or {}
            for at in range(len(shown.buttons))
        ],
        "button_kinds": [
            str(button.get("type") or "")
            for part in found["components"]
            if part["type"] == "BUTTONS"
            for button in part.get("buttons") or []
        ],
        "footer": shown.footer,
    }


def _payload(value: dict[str, Any], label: str) -> str:
    """What a tapped quick reply returns: the given payload or text, else its label."""
    return str(value.get("payload") or value.get("text") or label)
