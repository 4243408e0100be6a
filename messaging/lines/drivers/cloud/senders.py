"""Who wrote a message, and what the network reports about a person's number and ids.

A person with a user name may have no phone: then `from` and `wa_id` are missing, and the
business-scoped user id tells who it is.
"""

from typing import Any, NamedTuple

from core.values.phone import phone_variants
from messaging.lines.drivers.base import LineUpdate
from messaging.lines.drivers.cloud.field_readers import (
    UnusablePart,
    read_id,
    read_object,
    read_phone,
    read_text,
    read_timestamp,
)
from webhooks.inbound import reasons as hook_reasons

IDENTITY_CHANGES = frozenset({"user_changed_number", "user_changed_user_id"})


class Sender(NamedTuple):
    phone: str
    user_id: str
    parent_id: str
    name: str
    username: str


def read_sender(message: dict[str, Any], contacts: list[dict[str, Any]]) -> Sender:
    sender, user_id = read_id(message.get("from")), read_id(message.get("from_user_id"))
    spellings = phone_variants(read_phone(sender)) if read_phone(sender) else set()
    contact = next(
        (
            one
            for one in contacts
            if (sender and sender == one.get("user_id"))
            or (user_id and user_id == one.get("user_id"))
            or (sender and sender == read_id(one.get("wa_id")))
            or read_phone(one.get("wa_id")) in spellings
        ),
        # Another contact's name and phone must not be used for this sender.
        contacts[0] if len(contacts) == 1 and not (sender or user_id) else {},
    )
    phone = read_phone(sender) or read_phone(contact.get("wa_id"))
    sender_id = user_id or read_id(contact.get("user_id"))
    if not sender_id and sender and not read_phone(sender):
        sender_id = sender
    profile = read_object(contact, "profile")
    username = read_text(profile.get("username"))
    return Sender(
        phone=phone,
        user_id=sender_id,
        parent_id=read_id(message.get("from_parent_user_id"))
        or read_id(contact.get("parent_user_id")),
        name=read_text(profile.get("name")) or username,
        username=username.removeprefix("@"),
    )


def read_identity_change(message: dict[str, Any]) -> LineUpdate:
    """A system message: the person has a new number, a new id, or both."""
    system = read_object(message, "system")
    old_phone, new_phone = read_phone(message.get("from")), read_phone(system.get("wa_id"))
    new_id = read_id(system.get("user_id"))
    old_ids = [
        one
        for one in (
            read_id(system.get("previous_user_id")),
            read_id(system.get("previous_parent_user_id")),
        )
        if one
    ]
    has_old, has_new = bool(old_phone or old_ids), bool(new_phone or new_id)
    if not has_old or not has_new:
        raise UnusablePart(hook_reasons.CHANGE_WITHOUT_NUMBERS)
    return LineUpdate(
        "number_changed",
        {
            "phone": old_phone,
            "new_phone": new_phone,
            "old_ids": old_ids,
            "network_id": new_id,
            "at": read_timestamp(message.get("timestamp")),
            "because": read_text(system.get("body")),
        },
    )
