"""How the customer of an order is reached.

An order keeps the phone that it was placed with. A guest may have none, or a new one since: then
messages go to an address of the contact.
"""

from core.errors import NotFound
from core.values.network_address import PHONE
from messaging.contacts import cards as contact_cards
from messaging.contacts.cards import ContactCard, address_on_line, addresses_in
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line
from restaurant.models import Order


def can_be_notified(order: Order) -> bool:
    return bool(order.customer_phone or order.contact_id) and order.line_id is not None


def address_of(order: Order, line: Line) -> str:
    """Return where messages about the order go on this line; "" if nobody can be reached."""
    card = _card(order)
    if card is None:
        return order.customer_phone
    if order.customer_phone in addresses_in(one for one in card.identities if one.kind == PHONE):
        return order.customer_phone
    address = address_on_line(card.identities, line.id, DRIVERS[line.kind].address_kinds)
    return address or order.customer_phone


def phone_of(order: Order) -> str:
    """Return the number to call; "" if it is not known."""
    if order.customer_phone or order.contact_id is None:
        return order.customer_phone
    card = _card(order)
    return card.phone if card is not None else ""


def _card(order: Order) -> ContactCard | None:
    try:
        return contact_cards.get(order.contact_id) if order.contact_id else None
    except NotFound:
        return None
