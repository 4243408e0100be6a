"""Who gets a message: a phone, a contact or a conversation, and the address that fits the line.

A key that is limited to some of the lines reaches only contacts who have written to one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import g

from api.v1.schemas.messaging.message_types import Recipient
from core.db import tenant_scope
from core.errors import NotFound, invalid
from core.ids import BadId
from messaging.contacts import cards as contact_cards
from messaging.contacts.cards import CardIdentity, address_on_line, line_of_newest_id
from messaging.inbox import conversations as inbox_conversations
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.repository import LineRoute


@dataclass(frozen=True)
class MessageTarget:
    phone: str = ""
    identities: Sequence[CardIdentity] = ()
    line_id: int | None = None
    """The line that sends if the caller names none."""
    field: str = "to"

    def address_on(self, line: LineRoute) -> str:
        """Raises Invalid if the contact cannot be reached on this line."""
        if self.phone:
            return self.phone
        kinds = DRIVERS[line.kind].address_kinds
        address = address_on_line(self.identities, line.id, kinds)
        if not address:
            raise invalid(
                self.field,
                "no_phone",
                "This contact has no phone number and no WhatsApp ID that this line can send to.",
            )
        return address


def target_of(to: Recipient) -> MessageTarget:
    """Raises Invalid for a contact or conversation that does not exist."""
    if to.phone is not None:
        return MessageTarget(phone=to.phone)
    try:
        if to.conversation_id is not None:
            return conversation_target(to.conversation_id, "to.conversation_id")
        return contact_target(str(to.contact_id), "to.contact_id")
    except NotFound:
        if to.conversation_id is not None:
            raise invalid(
                "to.conversation_id", "unknown_conversation", "No conversation has this id."
            ) from None
        raise invalid("to.contact_id", "unknown_contact", "No contact has this id.") from None


def conversation_target(conversation_id: str, field: str = "conversation_id") -> MessageTarget:
    """Raises NotFound, also for a conversation on a line that the key does not see."""
    visible = g.caller.visible_line_ids
    with tenant_scope(g.tenant_id):
        try:
            talk = inbox_conversations.get(conversation_id)
        except BadId:
            raise NotFound() from None
    if visible is not None and talk.line_id not in visible:
        raise NotFound()
    return MessageTarget(talk.phone, talk.identities, talk.line_id, field)


def contact_target(contact_id: str, field: str = "contact_id") -> MessageTarget:
    """Raises NotFound, also for a contact who never wrote to a line that the key sees."""
    visible = g.caller.visible_line_ids
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
        talks = [] if visible is None else inbox_conversations.conversations_of_contact(card.id)
    if visible is not None and not any(talk.line_id in visible for talk in talks):
        raise NotFound()
    return MessageTarget(card.phone, card.identities, line_of_newest_id(card.identities), field)
