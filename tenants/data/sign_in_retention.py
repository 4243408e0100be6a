"""Delete old data about people who sign in. A nightly job calls each step.

The periods are documented for customers in docs/account.md.
"""

from datetime import timedelta

from sqlalchemy import delete, func, or_, select, text

from core.clock import now
from core.db import current_tenant_id, db
from core.mail import Mail
from core.sql.partitions import id_at
from tenants.models import (
    Membership,
    Person,
    PersonEvent,
    PersonToken,
    RecoveryCode,
    SignIn,
)
from tenants.signin import IDLE_TIMEOUT, MAX_SESSION_AGE

SIGN_IN_RETENTION = timedelta(days=30)  # after they ended
PERSON_EVENT_RETENTION = timedelta(days=365)
EMAIL_RETENTION = timedelta(days=30)  # after they were sent or given up
AUDIT_RETENTION = timedelta(days=730)
UNVERIFIED_RETENTION = timedelta(days=7)
BATCH_SIZE = 2_000
DROP_AUDIT = text("""
DELETE FROM audit_entries
 WHERE tenant_id = :tenant_id AND id IN (
       SELECT id FROM audit_entries
        WHERE tenant_id = :tenant_id AND id < CAST(:before AS uuid) AND at < :at
        ORDER BY id LIMIT :most)
RETURNING id
""")


def delete_old_sign_ins() -> int:
    """Delete sessions that expired or were ended. Call again while it returns BATCH_SIZE."""
    since = now() - SIGN_IN_RETENTION
    over = or_(
        SignIn.ended_at < since,
        SignIn.seen_at < since - IDLE_TIMEOUT,
        SignIn.created_at < since - MAX_SESSION_AGE,
    )
    some = select(SignIn.id).where(over).limit(BATCH_SIZE)
    deleted = delete(SignIn).where(SignIn.id.in_(some)).returning(SignIn.id)
    return len(db.session.execute(deleted).all())


def delete_old_person_events() -> int:
    """Delete old sign-in events, which contain addresses. Call again while it returns
    BATCH_SIZE.
    """
    some = (
        select(PersonEvent.id)
        .where(PersonEvent.at < now() - PERSON_EVENT_RETENTION)
        .limit(BATCH_SIZE)
    )
    deleted = delete(PersonEvent).where(PersonEvent.id.in_(some)).returning(PersonEvent.id)
    return len(db.session.execute(deleted).all())


def delete_old_emails() -> int:
    """Delete old e-mails that are no longer queued. Call again while it returns BATCH_SIZE."""
    old = select(Mail.id).where(Mail.due_at.is_(None), Mail.created_at < now() - EMAIL_RETENTION)
    deleted = delete(Mail).where(Mail.id.in_(old.limit(BATCH_SIZE))).returning(Mail.id)
    return len(db.session.execute(deleted).all())


def delete_old_audit_entries() -> int:
    """In the tenant's transaction. Call again while it returns BATCH_SIZE."""
    at = now() - AUDIT_RETENTION
    names = {"tenant_id": current_tenant_id(), "before": id_at(at), "at": at, "most": BATCH_SIZE}
    return len(db.session.execute(DROP_AUDIT, names).all())


def unverified_people() -> list[str]:
    """People who signed up and never confirmed their address, so they never could sign in."""
    query = (
        select(Person.id)
        .where(Person.verified_at.is_(None), Person.created_at < now() - UNVERIFIED_RETENTION)
        .order_by(Person.created_at)
        .limit(BATCH_SIZE)
    )
    return list(db.session.scalars(query))


def tenants_with_no_one_else(person_id: str) -> list[int]:
    """Tenants of which this person is the only member."""
    own_tenants = select(Membership.tenant_id).where(Membership.person_id == person_id)
    alone = (
        select(Membership.tenant_id)
        .where(Membership.tenant_id.in_(own_tenants))
        .group_by(Membership.tenant_id)
        .having(func.count() == 1)
    )
    return list(db.session.scalars(alone))


def delete_unverified_person(person_id: str) -> bool:
    """False if the person has confirmed the address in the meantime, or belongs to a tenant."""
    person = db.session.scalar(
        select(Person).where(Person.id == person_id, Person.verified_at.is_(None)).with_for_update()
    )
    member = select(Membership.tenant_id).where(Membership.person_id == person_id).limit(1)
    if person is None or db.session.scalar(member) is not None:
        return False
    for table in (PersonToken, PersonEvent, RecoveryCode, SignIn):
        db.session.execute(delete(table).where(table.person_id == person_id))
    db.session.delete(person)
    return True
