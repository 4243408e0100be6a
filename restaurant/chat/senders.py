"""The guest who wrote a message, also one without a phone number."""

from dataclasses import dataclass

from core.clock import reported_time
from core.errors import NotFound
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.contacts.cards import address_on_line
from messaging.lines.drivers.base import InboundMessage
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line


@dataclass(frozen=True)
class Sender:
    contact_id: str
    phone: str
    """Empty if it is not known."""
    address: str
    """Where replies go."""
    name: str
    language: str
    blocked: bool


def contact_of(message: InboundMessage) -> str | None:
    return contact_identities.find_contact(
        message.sender_phone, message.sender_network_id, reported_time(message.at)
    )


def read_sender(line: Line, message: InboundMessage) -> Sender | None:
    """Runs in the transaction that stored the message."""
    contact_id = contact_of(message)
    if contact_id is None:
        return None
    return _sender(line, contact_id, message.sender_phone, message.sender_network_id)


def sender_of_contact(line: Line, contact_id: str) -> Sender | None:
    """For an answer that is sent later. None if the contact is gone."""
    try:
        return _sender(line, contact_id)
    except NotFound:
        return None


def _sender(line: Line, contact_id: str, phone: str = "", network_id: str = "") -> Sender:
    card = contact_cards.get(contact_id)
    address = address_on_line(card.identities, line.id, DRIVERS[line.kind].address_kinds)
    username = f"@{card.contact.username}" if card.contact.username else ""
    return Sender(
        contact_id=card.id,
        phone=phone or card.phone,
        address=phone or address or network_id,
        name=card.contact.name or username,
        language=card.contact.language,
        blocked=card.contact.blocked_at is not None,
    )
