"""Two contacts turn out to be the same person, because one message carried identities of both.

They are merged automatically only if at most one of them has a phone number: numbers are given to
other people after a while, so that two contacts with a number each may be two people.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select

from core.db import current_tenant_id, db
from messaging.contacts import duplicates, merging
from messaging.models import Identity


def join_contacts(
    contact_ids: Sequence[str], at: datetime, reason: str = duplicates.SAME_ID
) -> str:
    """Merge the contacts where that is safe, and return the one that stays.

    The first one with a phone stays, else the oldest.
    """
    if len(contact_ids) == 1:
        return contact_ids[0]
    with_phone = contacts_with_phone(contact_ids)
    kept = next((one for one in contact_ids if one in with_phone), min(contact_ids))
    for other in contact_ids:
        if other == kept:
            continue
        if other in with_phone:
            duplicates.record(kept, other, reason, at)
        else:
            merging.merge(kept, other)
    return kept


def contacts_with_phone(contact_ids: Sequence[str]) -> set[str]:
    query = select(Identity.contact_id).where(
        Identity.tenant_id == current_tenant_id(),
        Identity.contact_id.in_(list(contact_ids)),
        Identity.kind == "phone",
    )
    return set(db.session.scalars(query))
