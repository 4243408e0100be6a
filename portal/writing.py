"""A text that a member writes to a number or a contact; it is sent as the API's messages are."""

from flask import g

from core.db import tenant_scope
from core.errors import Forbidden, invalid
from core.phone import normalize
from core.texts import BadText, clean
from messaging import contacts, lines_book, sending
from messaging.crm import cards, finding
from messaging.crm.cards import Card
from messaging.lines_book import Route
from messaging.models import Line
from messaging.sending import Draft, Ticket
from portal.numbers import read_phone
from tenants import accounts
from tenants.plans import known_facts

OFFERED = 8


def send_text(line: Line, phone: str, text: str) -> Ticket:
    words = checked_text(text)
    with tenant_scope(g.tenant_id):
        contacts.refuse_blocked(phone)
        leaves_by = lines_book.route_for(
            None if line.test else line.id, test=line.test, allowed=None
        )
        return accept_text(leaves_by, phone, words)


def checked_text(text: str) -> str:
    """The text as it is sent. Raises Invalid when it is empty or cannot be shown."""
    try:
        words = clean(text)
    except BadText:
        raise invalid(
            "text", "invalid_text", "The text holds a character nobody can read."
        ) from None
    if not words:
        raise invalid("text", "empty_text", "Fill this in.")
    return words


def accept_text(line: Route, phone: str, words: str, reference: str | None = None) -> Ticket:
    """In the open tenant's transaction: accept a member's text, signed if the account signs."""
    facts = known_facts()
    if facts.suspended:
        raise Forbidden(
            "account_suspended", "This account is suspended. Write to us to have it opened again."
        )
    draft = Draft(
        kind="text", phone=phone, text=words, content=sending.signed(), reference=reference
    )
    return sending.accept(draft, line, facts)


def recipients(written: str) -> tuple[str, list[Card]]:
    """The phone that was meant, and the contacts to choose from when a name fits several."""
    with tenant_scope(g.tenant_id):
        if normalize(written, accounts.home_country() or None) is None and any(
            letter.isalpha() for letter in written
        ):
            wanted = finding.Filters(search=written, has_phone=True)
            found = cards.many(finding.listed(wanted, limit=OFFERED))
            if not found:
                raise invalid(
                    "phone", "unknown_contact", "No contact with a phone number has this name."
                )
            return (found[0].phone, []) if len(found) == 1 else ("", found)
    return read_phone(written), []
