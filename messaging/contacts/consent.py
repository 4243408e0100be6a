"""Consent, marketing opt-out and blocking of contacts, each with a recorded source."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, insert, select, text, update

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import invalid
from core.ids import new_id, to_uuid
from core.values.network_address import address_variants
from core.values.text import one_line
from messaging.contacts import search_tokens
from messaging.journeys import reasons as journey_reasons
from messaging.journeys.stops import stop_runs
from messaging.messages import queries as message_queries
from messaging.models import BlockedPhone, ConsentChange, Contact, Identity
from tenants.audit import current_actor

LONGEST_SOURCE = 120
BLOCK = text("""
INSERT INTO blocked_phones (tenant_id, phone, contact_id)
SELECT :tenant_id, mine.phone, :contact_id FROM unnest(CAST(:phones AS text[])) AS mine (phone)
    ON CONFLICT DO NOTHING RETURNING phone
""")


def opt_out(contact_id: str, at: datetime, source: str) -> bool:
    """Opt out of marketing and cancel waiting marketing messages; orders and payments still arrive.

    Returns False if they had opted out already.
    """
    done = _record_change(
        contact_id,
        "opted_out",
        source,
        at,
        Contact.opted_out_at.is_(None),
        opted_out_at=at,
        opted_out_source=source,
    )
    if done:
        message_queries.cancel_waiting_messages(_addresses(contact_id), "marketing")
        stop_runs(contact_id, journey_reasons.OPTED_OUT)
    return done


def opt_in(contact_id: str, at: datetime, source: str) -> bool:
    """Opt in again. An older request does not override a newer opt-out."""
    return _record_change(
        contact_id,
        "opted_in",
        source,
        at,
        Contact.opted_out_at < at,
        opted_out_at=None,
        opted_out_source="",
    )


def give_consent(contact_id: str, source: str, at: datetime | None = None) -> bool:
    """Record a consent. It replaces an older one; both stay in the history."""
    named, moment = checked_source(source), at or now()
    if moment > now():
        raise invalid("consent_at", "invalid_time", "The consent date cannot be in the future.")
    return _record_change(
        contact_id, "consent", named, moment, None, consent_at=moment, consent_source=named
    )


def withdraw_consent(contact_id: str, source: str) -> bool:
    return _record_change(
        contact_id,
        "withdrawn",
        source,
        now(),
        Contact.consent_at.is_not(None),
        consent_at=None,
        consent_source="",
    )


def block(contact_id: str) -> bool:
    """Block a contact. Nothing is sent to them until they are unblocked."""
    done = _record_change(
        contact_id, "blocked", "person", now(), Contact.blocked_at.is_(None), blocked_at=now()
    )
    if done:
        record_blocked_phones(contact_id)
        stop_runs(contact_id, journey_reasons.BLOCKED)
    return done


def unblock(contact_id: str) -> bool:
    done = _record_change(
        contact_id, "unblocked", "person", now(), Contact.blocked_at.is_not(None), blocked_at=None
    )
    if done:
        delete_blocked_phones(contact_id)
    return done


def record_blocked_phones(contact_id: str) -> None:
    """Store every spelling of the contact's phones and ids, so that one lookup is enough."""
    if ways := _addresses(contact_id):
        db.session.execute(
            BLOCK,
            {
                "tenant_id": current_tenant_id(),
                "contact_id": str(to_uuid("con", contact_id)),
                "phones": ways,
            },
        )


def _addresses(contact_id: str) -> list[str]:
    spellings = db.session.scalars(
        select(Identity.spelling).where(
            Identity.tenant_id == current_tenant_id(), Identity.contact_id == contact_id
        )
    )
    return sorted({way for one in spellings for way in address_variants(one)})


def delete_blocked_phones(contact_id: str) -> None:
    db.session.execute(
        delete(BlockedPhone).where(
            BlockedPhone.tenant_id == current_tenant_id(), BlockedPhone.contact_id == contact_id
        )
    )


CONSENT_HISTORY = (
    select(ConsentChange)
    .where(
        ConsentChange.tenant_id == THIS_TENANT,
        ConsentChange.contact_id == bindparam("contact_id"),
    )
    .order_by(ConsentChange.id.desc())
    .limit(bindparam("most"))
)


def consent_history(contact_id: str, limit: int = 50) -> Sequence[Any]:
    """Return the columns of the changes, newest first."""
    return read_rows(CONSENT_HISTORY, {"contact_id": contact_id, "most": limit})


def checked_source(source: str) -> str:
    """Return the cleaned source. Raises Invalid if it is empty: it is the proof of the consent."""
    named = one_line(source, LONGEST_SOURCE)
    if not named:
        raise invalid(
            "consent_source",
            "missing_source",
            "Enter the consent source, such as “website form”. Without it, the "
            "consent cannot be proven.",
        )
    return named


def _record_change(
    contact_id: str,
    kind: str,
    source: str,
    at: datetime,
    condition: ColumnElement[bool] | None,
    **values: Any,
) -> bool:
    """Update the contact and record the change. Returns False if `condition` did not hold."""
    tenant_id = current_tenant_id()
    query = update(Contact).where(Contact.tenant_id == tenant_id, Contact.id == contact_id)
    if condition is not None:
        query = query.where(condition)
    with search_tokens.updating_tokens(contact_id):
        done = db.session.execute(query.values(**values).returning(Contact.id)).first()
    if done is None:
        return False
    actor = current_actor()
    db.session.execute(
        insert(ConsentChange).values(
            tenant_id=tenant_id,
            id=new_id("wish"),
            contact_id=contact_id,
            kind=kind,
            source=source,
            author="" if actor.kind == "system" else actor.name,
            at=at,
        )
    )
    return True
