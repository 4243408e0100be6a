"""Texts that members write to a number or a contact, sent through the API's code path."""

from flask import g

from core.db import tenant_scope
from core.errors import Forbidden, invalid
from core.values.phone import normalize_phone
from core.values.text import BadText, normalize_text
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.contacts import search as contact_search
from messaging.contacts.cards import ContactCard
from messaging.lines import repository as line_repository
from messaging.lines.repository import LineRoute
from messaging.messages import accept as message_accept
from messaging.messages.accept import AcceptedMessage, MessageDraft
from messaging.models import Line
from portal.messages.phone_input import read_phone
from tenants import accounts
from tenants.plans.catalog import current_tenant_facts

MOST_OFFERED = 8


def send_text(line: Line, phone: str, text: str) -> AcceptedMessage:
    words = checked_text(text)
    with tenant_scope(g.tenant_id):
        contact_identities.check_not_blocked(phone)
        leaves_by = line_repository.route_for(
            None if line.test else line.id, test=line.test, allowed=None
        )
        return accept_text(leaves_by, phone, words)


def checked_text(text: str) -> str:
    """Return the text to send. Raises Invalid if it is empty or cannot be displayed."""
    try:
        words = normalize_text(text)
    except BadText:
        raise invalid("text", "invalid_text", "The text contains an invalid character.") from None
    if not words:
        raise invalid("text", "empty_text", "Fill in this field.")
    return words


def accept_text(
    line: LineRoute, phone: str, words: str, reference: str | None = None
) -> AcceptedMessage:
    """Accept a member's text in the open transaction, signed if the account signs messages."""
    facts = current_tenant_facts()
    if facts.suspended:
        raise Forbidden(
            "account_suspended", "This account is suspended. Contact us to reactivate it."
        )
    draft = MessageDraft(
        kind="text",
        phone=phone,
        text=words,
        content=message_accept.author_field(),
        reference=reference,
    )
    return message_accept.accept_message(draft, line, facts)


def find_recipients(written: str) -> tuple[str, list[ContactCard]]:
    """The phone number, and the contacts to choose from if a name matches several."""
    with tenant_scope(g.tenant_id):
        if normalize_phone(written, accounts.home_country() or None) is None and any(
            char.isalpha() for char in written
        ):
            filters = contact_search.ContactFilters(search=written, has_phone=True)
            found = contact_cards.cards_of(
                contact_search.search_contacts(filters, limit=MOST_OFFERED)
            )
            if not found:
                raise invalid(
                    "phone", "unknown_contact", "No contact with this name has a phone number."
                )
            return (found[0].phone, []) if len(found) == 1 else ("", found)
    return read_phone(written), []
