"""Who gets a message: a phone, a contact or a conversation, and the address that fits the line.

`visible` are the lines of a key that is limited to some: it reaches only contacts who have written
to one of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


def conversation_target(
    conversation_id: str, visible: frozenset[int] | None, field: str = "conversation_id"
) -> MessageTarget:
    """Raises NotFound, also for a conversation on a line that is not visible."""
    try:
        talk = inbox_conversations.get(conversation_id)
    except BadId:
        raise NotFound() from None
    if visible is not None and talk.line_id not in visible:
        raise NotFound()
    return MessageTarget(talk.phone, talk.identities, talk.line_id, field)


def contact_target(
    contact_id: str, visible: frozenset[int] | None, field: str = "contact_id"
) -> MessageTarget:
    """Raises NotFound, also for a contact who never wrote to a visible line."""
    card = contact_cards.get(contact_id)
    talks = [] if visible is None else inbox_conversations.conversations_of_contact(card.id)
    if visible is not None and not any(talk.line_id in visible for talk in talks):
        raise NotFound()
    return MessageTarget(card.phone, card.identities, line_of_newest_id(card.identities), field)
