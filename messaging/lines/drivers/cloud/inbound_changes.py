"""Read edits, deletions, echoes and hand-overs from the network's webhooks."""

from typing import Any

from messaging.lines.drivers.base import META_AGENT, EchoedMessage, LineUpdate
from messaging.lines.drivers.cloud.field_readers import (
    UnusablePart,
    read_id,
    read_object,
    read_objects,
    read_phone,
    read_text,
    read_timestamp,
)
from messaging.lines.drivers.cloud.inbound_kinds import read_content
from messaging.messages.kinds.registry import UNREADABLE
from webhooks.inbound import reasons as hook_reasons

EDIT_KINDS = {"edit": "edited", "revoke": "deleted"}
_AGENT_ROLES = ("ai_agent", "meta_business_agent")


def is_edit(message: dict[str, Any]) -> bool:
    kind = read_text(message.get("type"))
    return kind in EDIT_KINDS and isinstance(message.get(kind), dict)


def read_edit(message: dict[str, Any], *, echo: bool = False) -> LineUpdate:
    """An earlier message was edited or deleted: by the customer or, with `echo`, on the phone.

    `detail` has the `network_id` of the changed message, the `id` of the change, `at`, `direction`
    and the `person` on the other side; for an edit also `kind` and `text`.
    """
    kind = read_text(message.get("type"))
    part = read_object(message, kind)
    original = read_id(part.get("original_message_id"))
    if not original:
        raise UnusablePart(hook_reasons.EDIT_WITHOUT_MESSAGE)
    side = "to" if echo else "from"
    detail: dict[str, Any] = {
        "network_id": original,
        "id": read_id(message.get("id")),
        "at": read_timestamp(message.get("timestamp")),
        "direction": "out" if echo else "in",
        "person": read_id(message.get(side)) or read_id(message.get(f"{side}_user_id")),
    }
    if kind == "edit":
        detail["kind"], detail["text"], _ = read_content(read_object(part, "message"))
    return LineUpdate(EDIT_KINDS[kind], detail)


def read_echo(echo: dict[str, Any], sent_from: str) -> EchoedMessage:
    """The network's agent reports the request that it sent, in `message`."""
    message = read_object(echo, "message") or echo
    network_id = read_id(echo.get("id"))
    if not network_id:
        raise UnusablePart(hook_reasons.PART_WITHOUT_ID)
    if echo.get("group_id") or message.get("recipient_type") == "group":
        raise UnusablePart(hook_reasons.PART_OF_GROUP)
    to = read_id(message.get("to"))
    phone = read_phone(to)
    user_id = read_id(message.get("to_user_id")) or read_id(message.get("recipient"))
    recipient_id = user_id or ("" if phone else to)
    if not phone and not recipient_id:
        raise UnusablePart(hook_reasons.PART_WITHOUT_SENDER)
    kind, text, content = _sent_content(message)
    return EchoedMessage(
        network_id=network_id,
        phone=phone,
        recipient_network_id=recipient_id,
        at=read_timestamp(echo.get("timestamp")),
        kind=kind,
        text=text,
        content=content,
        sent_from=sent_from,
    )


def _sent_content(message: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Like `read_content`; also reads kinds that only businesses send, in the form of a request."""
    type_name = read_text(message.get("type"))
    kind, text, content = read_content(message)
    if kind != UNREADABLE:
        return kind, text, content
    part = read_object(message, type_name)
    if type_name == "template":
        language = read_text(read_object(part, "language").get("code"))
        named = {"name": read_text(part.get("name")), "language": language, "parameters": []}
        return "template", "", named
    if type_name == "interactive":
        if body := read_text(read_object(part, "body").get("text")):
            return "text", _with_titles(body, read_object(part, "action")), {}
    elif link := read_text(part.get("link")):
        caption = read_text(part.get("caption"))
        return type_name, caption, {"url": link}
    return kind, text, content


def _with_titles(body: str, action: dict[str, Any]) -> str:
    """Return the body, and below it the titles of its buttons or rows."""
    buttons = [read_object(one, "reply") for one in read_objects(action.get("buttons"))]
    rows = [
        row
        for section in read_objects(action.get("sections"))
        for row in read_objects(section.get("rows"))
    ]
    titles = [read_text(one.get("title")) for one in [*buttons, *rows]]
    return "\n".join([body, *(f"- {title}" for title in titles if title)])


def read_handover(value: dict[str, Any]) -> list[LineUpdate]:
    """Read who holds a conversation now. Empty if the hook does not tell.

    `detail`: `phone`, `network_id`, `at`, and `holder`: `meta_agent`, or "" for the business.
    """
    sender = read_object(value, "sender")
    phone = read_phone(sender.get("phone_number")) or read_phone(sender.get("wa_id"))
    user_id = read_id(sender.get("user_id"))
    kind = read_text(value.get("type"))
    part = read_object(value, kind)
    new = read_text(part.get("new_owner_role")) or read_text(part.get("new_owner_app_role"))
    old = read_text(part.get("previous_owner_role")) or read_text(
        part.get("previous_owner_app_role")
    )
    if new in _AGENT_ROLES:
        holder = META_AGENT
    elif new or old in _AGENT_ROLES or kind == "control_passed":
        holder = ""
    else:
        return []
    if not phone and not user_id:
        return []
    detail = {
        "phone": phone,
        "network_id": user_id,
        "at": read_timestamp(value.get("timestamp")),
        "holder": holder,
    }
    return [LineUpdate("handover", detail)]
