"""Look up messages and their timelines, and cancel messages that are still waiting."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, select, text

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, NotFound
from core.ids import BadId, from_uuid, to_uuid
from core.sql.partitions import id_at
from messaging.messages import causes
from messaging.messages.states import PENDING_STATES
from messaging.messages.timeline import record_state_changes
from messaging.models import Message, MessageChange, NetworkId
from tenants.plans import quota

FIRST_DAY = datetime(1970, 1, 2, tzinfo=UTC)
CLOCK_SKEW = timedelta(minutes=5)
MAX_RECEIPT_DELAY = timedelta(days=8)  # a network repeats a failed delivery for a week
TIMESTAMP_PREFIX_LENGTH = len("chg_") + 10  # the timestamp part of an id; the rest is random
FIND_WAITING = text("""
SELECT id FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND state IN ('scheduled', 'queued')
   AND (CAST(:category AS text) IS NULL OR category = :category)
""")
CANCEL_MESSAGES = text("""
UPDATE messages SET state = 'cancelled', due_at = NULL, changed_at = :now
 WHERE tenant_id = :tenant_id AND id = :id AND state IN ('scheduled', 'queued')
RETURNING id, line_id, phone, reference, network_id, quoted_usd, state, test, created_at
""")


@dataclass(frozen=True)
class MessageFilters:
    phone: str | None = None
    line_id: int | None = None
    line_ids: frozenset[int] | None = None
    """Only these lines; None means all."""
    state: str | None = None
    direction: str | None = None
    reference: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def get(name: str, line_ids: frozenset[int] | None = None) -> Message:
    """Get a message by our id or by the network's.

    Raises NotFound, also when `line_ids` is given and the message is of another line.
    """
    if "\0" in name:
        raise NotFound()
    tenant_id = current_tenant_id()
    message_id: str | None
    try:
        to_uuid("msg", name)
        message_id = name
    except BadId:
        if "\0" in name:  # PostgreSQL cannot store or compare a NUL
            raise NotFound() from None
        message_id = db.session.scalar(
            select(NetworkId.message_id).where(
                NetworkId.tenant_id == tenant_id, NetworkId.network_id == name
            )
        )
    found = db.session.get(Message, (tenant_id, message_id)) if message_id else None
    if found is None or (line_ids is not None and found.line_id not in line_ids):
        raise NotFound()
    return found


MESSAGES = (
    select(Message)
    .where(Message.tenant_id == THIS_TENANT)
    .order_by(Message.id.desc())
    .limit(bindparam("most"))
    .execution_options(plan_once=True)
)
MESSAGE_ROWS = MESSAGES.with_only_columns(
    Message.id,
    Message.direction,
    Message.kind,
    Message.phone,
    Message.text,
    Message.state,
    Message.test,
    Message.line_id,
    Message.reference,
    Message.cost_usd,
    Message.created_at,
)
LATEST_FAILURES = (
    select(
        Message.id,
        Message.phone,
        Message.error_reason.label("error_reason"),
        Message.created_at,
    )
    .where(Message.tenant_id == THIS_TENANT, Message.state == "failed")
    .order_by(Message.id.desc())
    .limit(bindparam("most"))
)


def latest_failures(most: int) -> Sequence[Any]:
    """Id, phone, reason and time, read through the index of failed messages."""
    return read_rows(LATEST_FAILURES, {"most": most})


def list_messages(filters: MessageFilters, after: str | None, limit: int) -> list[Message]:
    """List messages, newest first."""
    return list(db.session.scalars(_filtered(MESSAGES, filters, after), {"most": limit}))


def list_rows(filters: MessageFilters, after: str | None, limit: int) -> Sequence[Any]:
    """The same messages, with the columns that a list of them shows."""
    return read_rows(_filtered(MESSAGE_ROWS, filters, after), {"most": limit})


def _filtered(
    query: Select[*tuple[Any, ...]], filters: MessageFilters, after: str | None
) -> Select[*tuple[Any, ...]]:
    """Each filter is also expressed as a condition that an index covers, so that a rare match is
    found without reading every newer message.
    """
    conditions = {
        Message.phone: filters.phone,
        Message.line_id: filters.line_id,
        Message.state: filters.state,
        Message.direction: filters.direction,
        Message.reference: filters.reference,
    }
    for column, value in conditions.items():
        if value is not None:
            query = query.where(column == value)
    if filters.line_ids is not None:
        query = query.where(Message.line_id.in_(sorted(filters.line_ids)))
    if filters.state in PENDING_STATES:
        query = query.where(Message.due_at.is_not(None))
    if filters.state == "received":
        query = query.where(Message.direction == "in")
    if filters.since is not None:
        since = min(filters.since, datetime.now(UTC)) - CLOCK_SKEW
        query = query.where(Message.created_at >= filters.since, Message.id >= _id_at(since))
    if filters.until is not None:
        # An id is made when a message reaches us; a customer may have written it days before.
        until = min(filters.until, datetime.now(UTC)) + MAX_RECEIPT_DELAY
        query = query.where(Message.created_at < filters.until, Message.id < _id_at(until))
    if after:
        query = query.where(Message.id < after)
    return query


def _id_at(moment: datetime) -> str:
    return from_uuid("msg", UUID(id_at(max(moment, FIRST_DAY))))


def timeline(message_id: str) -> list[MessageChange]:
    """Return the changes in the order in which we recorded them.

    The network's times are in whole seconds and would not order them.
    """
    found = db.session.scalars(
        select(MessageChange).where(
            MessageChange.tenant_id == current_tenant_id(),
            MessageChange.message_id == message_id,
        )
    )
    return sorted(found, key=lambda one: (one.id[:TIMESTAMP_PREFIX_LENGTH], one.at, one.id))


def cancel_message(message_id: str, line_ids: frozenset[int] | None = None) -> Message:
    """Cancel a message that has not been sent yet.

    The conditional update decides, not the state read before. Raises Conflict if it is too late.
    """
    message, moment = get(message_id, line_ids), now()
    rows = db.session.execute(
        CANCEL_MESSAGES,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("msg", message.id)),
            "now": moment,
        },
    ).all()
    if not rows:
        raise Conflict(
            "conflict", "The message can no longer be cancelled. It was already sent or has ended."
        )
    record_state_changes(rows, moment, [causes.CANCELLED])
    if not message.test:
        quota.release(1, message.quoted_usd, message.created_at)
    db.session.refresh(message)
    return message


def cancel_waiting_messages(phones: list[str], category: str | None = None) -> int:
    """Cancel all waiting messages to these numbers, and return how many were cancelled.

    Used when contacts are erased or opt out.
    """
    params = {"tenant_id": current_tenant_id(), "phones": phones, "category": category}
    waiting = db.session.execute(FIND_WAITING, params)
    called_off = 0
    for row in waiting.all():
        with contextlib.suppress(Conflict):  # it was sent in the meantime
            cancel_message(from_uuid("msg", row.id))
            called_off += 1
    return called_off
