"""Contacts that may be the same person. A person merges them or dismisses the case."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import current_tenant_id, db, read_rows
from core.errors import NotFound
from core.ids import BadId, canonical_id, to_uuid
from messaging.contacts import cards as contact_cards
from messaging.contacts.cards import ContactCard
from messaging.models import PossibleDuplicate
from tenants import audit

SAME_ID, NUMBER_CHANGED = "same_id", "number_changed"
"""One WhatsApp id was used with both numbers; or one of them changed to the number of the other."""

# The gone contact's open cases become cases of the kept one. The pair itself disappears with it.
MOVE_CASES = text("""
INSERT INTO possible_duplicates (tenant_id, contact_id, other_id, reason, found_at, dismissed_at)
SELECT pair.tenant_id, least(third.id, CAST(:kept AS uuid)),
       greatest(third.id, CAST(:kept AS uuid)), pair.reason, pair.found_at, pair.dismissed_at
  FROM possible_duplicates AS pair
 CROSS JOIN LATERAL (SELECT CASE WHEN pair.contact_id = CAST(:gone AS uuid) THEN pair.other_id
                                 ELSE pair.contact_id END AS id) AS third
 WHERE pair.tenant_id = :tenant_id
   AND CAST(:gone AS uuid) IN (pair.contact_id, pair.other_id)
   AND third.id <> CAST(:kept AS uuid)
    ON CONFLICT DO NOTHING RETURNING contact_id
""")

OPEN_CASES = text("""
SELECT count(*) AS cases FROM possible_duplicates
 WHERE tenant_id = :tenant_id AND dismissed_at IS NULL
""")


@dataclass(frozen=True)
class DuplicateCase:
    contact: ContactCard
    other: ContactCard
    reason: str
    found_at: datetime


def record(contact_id: str, other_id: str, reason: str, at: datetime) -> None:
    """A case that a person has dismissed stays dismissed."""
    first, second = sorted((contact_id, other_id))
    db.session.execute(
        upsert(PossibleDuplicate)
        .values(
            tenant_id=current_tenant_id(),
            contact_id=first,
            other_id=second,
            reason=reason,
            found_at=at,
        )
        .on_conflict_do_nothing()
    )


def list_cases(contact_id: str = "", limit: int = 100) -> list[DuplicateCase]:
    """Return the open cases, the newest first: all, or those of one contact."""
    query = (
        select(PossibleDuplicate)
        .where(
            PossibleDuplicate.tenant_id == current_tenant_id(),
            PossibleDuplicate.dismissed_at.is_(None),
        )
        .order_by(PossibleDuplicate.found_at.desc(), PossibleDuplicate.contact_id)
        .limit(limit)
    )
    if contact_id:
        query = query.where(
            or_(
                PossibleDuplicate.contact_id == contact_id,
                PossibleDuplicate.other_id == contact_id,
            )
        )
    rows = list(db.session.scalars(query))
    cards = contact_cards.existing_cards(
        list({name for row in rows for name in (row.contact_id, row.other_id)})
    )
    return [
        DuplicateCase(cards[row.contact_id], cards[row.other_id], row.reason, row.found_at)
        for row in rows
    ]


def open_cases() -> int:
    return int(read_rows(OPEN_CASES, {"tenant_id": current_tenant_id()})[0].cases)


def dismiss(contact_id: str, other_id: str) -> None:
    """They are two people. Raises NotFound if there is no such case."""
    try:
        first, second = sorted((canonical_id("con", contact_id), canonical_id("con", other_id)))
    except BadId:
        raise NotFound() from None
    done = db.session.execute(
        update(PossibleDuplicate)
        .where(
            PossibleDuplicate.tenant_id == current_tenant_id(),
            PossibleDuplicate.contact_id == first,
            PossibleDuplicate.other_id == second,
        )
        .values(dismissed_at=now())
        .returning(PossibleDuplicate.contact_id)
    ).first()
    if done is None:
        raise NotFound()
    card = contact_cards.get(first)
    audit.record("contacts.not_duplicates", card.title, contact=first, other=second)


def move_cases(kept_id: str, gone_id: str) -> None:
    """Called when two contacts are merged, before the gone one is deleted."""
    db.session.execute(
        MOVE_CASES,
        {
            "tenant_id": current_tenant_id(),
            "kept": str(to_uuid("con", kept_id)),
            "gone": str(to_uuid("con", gone_id)),
        },
    )
