"""The network reports that a person has a new phone number or a new id.

The contact stays the same, with its points, orders, consent and opt-out. The old number and ids
become former identities: nothing is sent to them any more.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from core.logs import logger
from messaging import search_index
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import duplicates, identities, linking, search_tokens
from messaging.contacts.identities import IdentityKey
from messaging.models import Contact, Identity
from tenants import audit

log = logger(__name__)

RETIRE = text("""
INSERT INTO former_identities (tenant_id, contact_id, kind, value, spelling, ended_at)
SELECT tenant_id, contact_id, kind, value, spelling, :at FROM identities
 WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND kind = :kind
   AND value = ANY(:addresses)
    ON CONFLICT (tenant_id, contact_id, kind, value) DO UPDATE SET ended_at = EXCLUDED.ended_at
RETURNING value
""")
# Outbound messages have no contact, and the old address alone no longer tells whose they are.
KEEP_MESSAGES = text("""
UPDATE messages SET contact_id = :contact_id
 WHERE tenant_id = :tenant_id AND phone = ANY(:addresses) AND contact_id IS NULL
""")
READDRESS_WAITING = text("""
UPDATE messages SET phone = :address
 WHERE tenant_id = :tenant_id AND phone = ANY(:addresses) AND state IN ('queued', 'scheduled')
""")


@dataclass(frozen=True)
class AddressChange:
    """What the network says: any part may be empty."""

    old_phone: str
    new_phone: str
    old_ids: tuple[str, ...]
    new_id: str


def record_change(change: AddressChange, at: datetime, line_id: int | None) -> str | None:
    """Return the contact that now has the new addresses; None if nobody had the old ones."""
    at = min(at, now())
    new = identities.identity_keys(change.new_phone, change.new_id)
    old = [
        key
        for key in identities.identity_keys(change.old_phone, *change.old_ids)
        if not any(key.kind == other.kind and key.values == other.values for other in new)
    ]
    had = identities.owners(old)
    if not had or not new:
        log.info("changed number not found", line=line_id)
        return None
    contact_id = linking.join_contacts(_unique(had), at)
    old = [key for key in old if had.get(key) is not None]
    others = [one for one in _unique(identities.owners(new)) if one != contact_id]
    if others:
        contact_id = linking.join_contacts(
            [contact_id, *others], at, reason=duplicates.NUMBER_CHANGED
        )
    _replace(contact_id, old, new, at, line_id)
    if change.new_phone:
        card = contact_cards.get(contact_id)
        audit.record("contacts.number_changed", card.title, contact=contact_id)
    return contact_id


def _replace(
    contact_id: str,
    old: list[IdentityKey],
    new: list[IdentityKey],
    at: datetime,
    line_id: int | None,
) -> None:
    with search_tokens.updating_tokens(contact_id):
        for key in old:
            _retire(contact_id, key, at)
        taken = identities.owners(new)
        identities.add_identities(contact_id, [key for key in new if key not in taken], line_id)
    owned = [key for key, owner in identities.owners(new).items() if owner == contact_id]
    addresses = sorted({value for key in old for value in (*key.values, key.spelling)})
    params = {
        "tenant_id": current_tenant_id(),
        "contact_id": str(to_uuid("con", contact_id)),
        "addresses": addresses,
    }
    db.session.execute(KEEP_MESSAGES, params)
    if owned:
        db.session.execute(READDRESS_WAITING, params | {"address": owned[0].spelling})
    blocked = select(Contact.blocked_at).where(
        Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
    )
    if db.session.scalar(blocked) is not None:
        contact_consent.delete_blocked_phones(contact_id)
        contact_consent.record_blocked_phones(contact_id)
    search_index.add_contact_words([contact_id])


def _retire(contact_id: str, key: IdentityKey, at: datetime) -> None:
    db.session.execute(
        RETIRE,
        {
            "tenant_id": current_tenant_id(),
            "contact_id": str(to_uuid("con", contact_id)),
            "kind": key.kind,
            "addresses": list(key.values),
            "at": at,
        },
    )
    db.session.execute(
        delete(Identity).where(
            Identity.tenant_id == current_tenant_id(),
            Identity.contact_id == contact_id,
            Identity.kind == key.kind,
            Identity.value.in_(key.values),
        )
    )


def _unique(owners: dict[IdentityKey, str]) -> list[str]:
    return list(dict.fromkeys(owners.values()))
