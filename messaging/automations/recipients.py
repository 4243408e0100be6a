"""Whom an automation writes to: a contact that the store named, and who may not get marketing."""

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import NotFound
from messaging.automations import reasons
from messaging.automations.recipes import Recipe
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Contact, StoreEvent


def contact_address(event: StoreEvent, line_id: int | None) -> tuple[str, str]:
    """Return the address of the contact that the store named, or "" and the reason why not."""
    contact_id = str(event.data.get("contact_id") or "")
    if not contact_id:
        return "", event.no_phone or reasons.NO_PHONE
    try:
        card = contact_cards.get(contact_id)
    except NotFound:
        return "", reasons.UNKNOWN_CONTACT
    line = line_repository.route_for(line_id, test=False, allowed=None)
    kinds = DRIVERS[line.kind].address_kinds
    address = contact_cards.address_on_line(card.identities, line.id, kinds)
    return address, "" if address else reasons.CONTACT_NOT_ON_LINE


def marketing_obstacle(recipe: Recipe, phone: str) -> str:
    """Check opt-out and block for marketing only: order messages belong to the purchase."""
    if not recipe.marketing:
        return ""
    contact_id = contact_identities.find_by_address(phone)
    if contact_id is None:
        return ""
    row = db.session.execute(
        select(Contact.opted_out_at, Contact.blocked_at).where(
            Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
        )
    ).first()
    if row is not None and row.opted_out_at is not None:
        return reasons.OPTED_OUT
    return reasons.BLOCKED if row is not None and row.blocked_at is not None else ""
