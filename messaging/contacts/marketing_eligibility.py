"""Which contacts may get marketing, and why not; used by campaigns and automatic messages.

Order and payment messages are not checked here. Each excluded contact has one reason, the most
important one.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, case, exists, literal, select, update

from core.clock import now
from core.db import current_tenant_id, db
from core.sql.partitions import id_at
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Contact, Identity, Message

DELETED, BLOCKED, OPTED_OUT = "gone", "blocked", "opted_out"
NO_PHONE, UNREACHABLE, RECENT = "no_phone", "unreachable", "recent"
REASONS = (DELETED, BLOCKED, OPTED_OUT, NO_PHONE, UNREACHABLE, RECENT)

MIN_INTERVAL = timedelta(days=1)
FAILURE_PERIOD = timedelta(days=90)
# The error code of a number that cannot be reached.
RECIPIENT_UNAVAILABLE = "recipient_unavailable"


def exclusion_reasons(
    contact_ids: Sequence[str],
    *,
    rest: timedelta | None = MIN_INTERVAL,
    line_kind: str | None = None,
) -> dict[str, str]:
    """Return the reasons of those contacts that may not get marketing now.

    Runs in the tenant's open transaction. `rest` is the minimum time since the last marketing
    message; None means no minimum. `line_kind`: of the line that will send.
    """
    if not contact_ids:
        return {}
    why = exclusion_expression(now(), rest, line_kind=line_kind)
    rows = db.session.execute(
        select(Contact.id, why.label("why")).where(
            Contact.tenant_id == current_tenant_id(), Contact.id.in_(list(contact_ids))
        )
    )
    found = {row.id: row.why for row in rows}
    named = {one: found.get(one, DELETED) for one in contact_ids}
    return {one: why for one, why in named.items() if why}


def record_marketing_sent(contact_ids: Sequence[str], at: datetime | None = None) -> None:
    """Record that they got marketing, which starts their minimum interval."""
    db.session.execute(
        update(Contact)
        .where(Contact.tenant_id == current_tenant_id(), Contact.id.in_(list(contact_ids)))
        .values(marketed_at=at or now())
        .execution_options(synchronize_session=False)
    )


def exclusion_expression(
    moment: datetime,
    rest: timedelta | None,
    *more: tuple[ColumnElement[bool], str],
    line_kind: str | None = None,
) -> ColumnElement[str]:
    """Return the reason as an SQL expression on a row of `contacts`; "" for eligible contacts.

    `more` are the caller's own reasons, which come last.
    """
    whens: list[tuple[ColumnElement[bool], str]] = [
        (Contact.blocked_at.is_not(None), BLOCKED),
        (Contact.opted_out_at.is_not(None), OPTED_OUT),
        (~_has_address(line_kind), NO_PHONE),
        (_unreachable(moment), UNREACHABLE),
    ]
    if rest is not None:
        whens.append((Contact.marketed_at > moment - rest, RECENT))
    whens += more
    return case(*((condition, literal(word)) for condition, word in whens), else_=literal(""))


def _has_address(line_kind: str | None) -> ColumnElement[bool]:
    """They have a phone, or an id that a line of this kind can send to; of any line if None."""
    drivers = DRIVERS.values() if line_kind is None else [DRIVERS[line_kind]]
    kinds = {kind for driver in drivers for kind in driver.address_kinds}
    return exists().where(
        Identity.tenant_id == current_tenant_id(),
        Identity.contact_id == Contact.id,
        Identity.kind.in_(sorted(kinds)),
    )


def _unreachable(moment: datetime) -> ColumnElement[bool]:
    """Their number failed permanently in the last 90 days, and they have not written since.

    The few failures are read once through their own index, not once per contact.
    """
    failed = (
        select(Identity.contact_id)
        .join(
            Message,
            and_(Message.phone == Identity.spelling, Message.tenant_id == current_tenant_id()),
        )
        .join(
            other := Contact.__table__.alias("failed_contacts"),
            and_(
                other.c.tenant_id == current_tenant_id(),
                other.c.id == Identity.contact_id,
            ),
        )
        .where(
            Identity.tenant_id == current_tenant_id(),
            Message.state == "failed",
            Message.error_code == RECIPIENT_UNAVAILABLE,
            Message.id > _from_time(moment - FAILURE_PERIOD),
            (other.c.last_seen_at.is_(None)) | (other.c.last_seen_at < Message.created_at),
        )
    )
    return Contact.id.in_(failed)


def _from_time(moment: datetime) -> ColumnElement[str]:
    return literal(UUID(id_at(moment)), Message.id.type)
