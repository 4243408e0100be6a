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
VALUES (:tenant_id, :contact_id, :kind, :value, :spelling, :at)
    ON CONFLICT (tenant_id, contact_id, kind, value) DO UPDATE SET ended_at = EXCLUDED.ended_at
""")
# Outbound messages have no contact, and the old address alone no longer tells whose they are.
KEEP_MESSAGES = text("""
UPDATE messages SET contact_id = :contact_id
 WHERE tenant_id = :tenant_id AND phone = ANY(:addresses) AND contact_id IS NULL
""")
READDRESS_WAITING = text("""
UPDATE messages SET phone = :address
 WHERE tenant_id = :tenant_id AND phone = ANY(:addresses) AND state IN ('queued', 'scheduled')
   AND contact_id = :contact_id
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
    had = identities.owners(old, at)
    if not had or not new:
        log.info("changed number not found", line=line_id)
        return None
    contact_id = linking.join_contacts(_unique(had), at)
    others = [one for one in _unique(identities.owners(new)) if one != contact_id]
    if others:
        linking.join_contacts([contact_id, *others], at, reason=duplicates.NUMBER_CHANGED)
    # A contact with a phone of its own was not merged. It keeps what it has of the new addresses,
    # and gets the rest of them.
    target = next(iter(identities.owners(new).values()), contact_id)
    still_had = identities.owners(old, at)
    for key in old:
        _retire(still_had.get(key, target), key, at)
    _add(target, new, at, line_id)
    _update_messages(target, old, new)
    if change.new_phone:
        audit.record("contacts.new_number", contact_cards.get(target).title, contact=target)
    return target


def _retire(contact_id: str, key: IdentityKey, at: datetime) -> None:
    """Nothing is sent to it any more. Earlier messages stay with the contact.

    It may be one that the contact was never seen with: a late message may still carry it.
    """
    params = {
        "tenant_id": current_tenant_id(),
        "contact_id": str(to_uuid("con", contact_id)),
        "kind": key.kind,
        "value": key.values[0],
        "spelling": key.spelling,
        "addresses": list(key.values),
        "at": at,
    }
    with search_tokens.updating_tokens(contact_id):
        db.session.execute(RETIRE, params)
        db.session.execute(
            delete(Identity).where(
                Identity.tenant_id == current_tenant_id(),
                Identity.contact_id == contact_id,
                Identity.kind == key.kind,
                Identity.value.in_(key.values),
            )
        )
    db.session.execute(KEEP_MESSAGES, params)
    _update_blocked(contact_id)


def _add(contact_id: str, new: list[IdentityKey], at: datetime, line_id: int | None) -> None:
    taken = identities.owners(new)
    with search_tokens.updating_tokens(contact_id):
        identities.add_identities(contact_id, [key for key in new if key not in taken], at, line_id)
    _update_blocked(contact_id)
    search_index.add_contact_words([contact_id])


def _update_messages(contact_id: str, old: list[IdentityKey], new: list[IdentityKey]) -> None:
    """What still waits for the old addresses goes to the new one, if they are one contact's."""
    address = next(key.spelling for key in new if identities.owners([key]).get(key) == contact_id)
    db.session.execute(
        READDRESS_WAITING,
        {
            "tenant_id": current_tenant_id(),
            "contact_id": str(to_uuid("con", contact_id)),
            "addresses": [value for key in old for value in {*key.values, key.spelling}],
            "address": address,
        },
    )


def _update_blocked(contact_id: str) -> None:
    blocked = select(Contact.blocked_at).where(
        Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
    )
    if db.session.scalar(blocked) is not None:
        contact_consent.delete_blocked_phones(contact_id)
        contact_consent.record_blocked_phones(contact_id)


def _unique(owners: dict[IdentityKey, str]) -> list[str]:
    return list(dict.fromkeys(owners.values()))
