"""Read held messages: the page of approvals, the count in the navigation, and the API."""

from collections.abc import Sequence

from sqlalchemy import func, literal_column, select

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import NotFound
from core.ids import BadId, to_uuid
from messaging.models import HeldMessage

MOST_COUNTED = 100
WAITING = (HeldMessage.tenant_id == THIS_TENANT, HeldMessage.state == "held")
# How many messages wait for a decision, counted up to MOST_COUNTED.
WAITING_COUNT = (
    select(func.count())
    .select_from(
        select(HeldMessage.id).where(*WAITING).limit(literal_column(str(MOST_COUNTED))).subquery()
    )
    .scalar_subquery()
)


def waiting_count() -> int:
    return int(db.session.scalar(select(WAITING_COUNT)) or 0)


def list_waiting(limit: int = 100) -> list[HeldMessage]:
    """The ones that expire first come first."""
    rows = db.session.scalars(
        select(HeldMessage)
        .where(*WAITING, HeldMessage.expires_at > now())
        .order_by(HeldMessage.expires_at, HeldMessage.id)
        .limit(limit)
    )
    return list(rows)


def list_decided(after: str | None, limit: int) -> list[HeldMessage]:
    """Newest first."""
    query = select(HeldMessage).where(
        HeldMessage.tenant_id == current_tenant_id(), HeldMessage.state != "held"
    )
    if after:
        query = query.where(HeldMessage.id < after)
    return list(db.session.scalars(query.order_by(HeldMessage.id.desc()).limit(limit)))


def list_held(
    line_ids: frozenset[int] | None, after: str | None, limit: int
) -> Sequence[HeldMessage]:
    """For the API: the ones that wait, newest first, of these lines."""
    query = select(HeldMessage).where(*WAITING)
    if line_ids is not None:
        query = query.where(HeldMessage.line_id.in_(sorted(line_ids)))
    if after:
        query = query.where(HeldMessage.id < after)
    return list(db.session.scalars(query.order_by(HeldMessage.id.desc()).limit(limit)))


def find(message_id: str, line_ids: frozenset[int] | None) -> HeldMessage:
    """A held message of these lines, whatever was decided about it. Raises NotFound."""
    try:
        to_uuid("msg", message_id)
    except BadId:
        raise NotFound() from None
    found = db.session.get(HeldMessage, (current_tenant_id(), message_id))
    if found is None or (line_ids is not None and found.line_id not in line_ids):
        raise NotFound()
    return found
