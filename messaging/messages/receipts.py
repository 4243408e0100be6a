"""The network's receipts for sent messages. They may arrive early, late, twice and in any order.

A receipt moves a message forward by the table of state transitions or does nothing, so that the
final state does not depend on the order of arrival.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause, text

from core.clock import now
from core.db import current_tenant_id, db, savepoint
from core.ids import BadId, from_uuid, to_uuid
from messaging.costs import ledger as message_ledger
from messaging.costs.ledger import ChargedMessage, ReportedPricing
from messaging.costs.usage import UsageTally
from messaging.lines import direct_send
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import Receipt
from messaging.lines.drivers.cloud.errors import DIRECT_SEND_UNAVAILABLE
from messaging.messages import causes, fallback
from messaging.messages.states import can_transition, states_before
from messaging.messages.timeline import record_state_changes
from messaging.models import Line

STATE_RANKS = {"sent": 1, "delivered": 2, "read": 3}
UNSENT_STATES = frozenset({"scheduled", "queued"})
IN_FLIGHT_STATES = frozenset({"sending", "unknown"})
UNDELIVERED_STATES = frozenset({"failed", "expired", "cancelled"})

FIND_MESSAGE_ID = text(
    "SELECT message_id FROM network_ids WHERE tenant_id = :tenant_id AND network_id = :network_id"
)
REGISTER_NETWORK_ID = text("""
INSERT INTO network_ids (tenant_id, network_id, message_id)
VALUES (:tenant_id, :network_id, :message_id) ON CONFLICT DO NOTHING
""")
MESSAGE_ROW = """
SELECT id, line_id, state, phone, reference, network_id, country, category, quoted_usd, cost_usd,
       test, created_at, content -> 'gone_ids', content -> 'fallback', content -> 'own_line',
       free_reason, content ->> 'sent_from',
       (SELECT max(c.at) FROM message_changes AS c
         WHERE c.tenant_id = :tenant_id AND c.message_id = :id)
  FROM messages
 WHERE tenant_id = :tenant_id AND id = :id AND line_id = :line_id AND direction = 'out'
   FOR UPDATE"""
LOCK = text(MESSAGE_ROW)
LOCK_IF_FREE = text(f"{MESSAGE_ROW} SKIP LOCKED")
UPDATE_STATE = text("""
UPDATE messages SET state = :state, due_at = NULL, changed_at = :now,
       network_id = coalesce(network_id, :network_id), error_code = :error_code,
       error_text = :error_text
 WHERE tenant_id = :tenant_id AND id = :id AND state = ANY(:may_become) RETURNING id
""")


class ReceiptTooEarly(Exception):
    """Raised when no message matches the receipt yet; the worker may not have settled it yet."""


class NeedsOwnTransaction(Exception):
    """Raised when the receipt has to be written in a transaction that holds no other locks.

    A worker that settles its messages writes the network ids first, then the messages. A
    transaction that holds a message and waits for such an id would deadlock with that worker.
    """


class _NoFallback(Exception):
    """Raised to roll back the refund of a message that has no fallback."""


@dataclass(frozen=True)
class _LockedMessage:
    """The columns of LOCK, in their order."""

    id: UUID
    line_id: int
    state: str
    phone: str
    reference: str | None
    network_id: str | None
    country: str
    category: str
    quoted_usd: Decimal
    cost_usd: Decimal
    test: bool
    created_at: datetime
    gone_ids: list[str] | None
    fallback: dict[str, Any] | None
    own_line: int | None
    free_reason: str | None
    sent_from: str | None
    """Set for a message that we did not send: it is neither counted nor paid for here."""
    last_at: datetime | None
    """When it last changed."""

    @property
    def charged(self) -> ChargedMessage:
        return ChargedMessage(
            id=from_uuid("msg", self.id),
            line_id=self.line_id,
            country=self.country,
            category=self.category,
            quoted_usd=self.quoted_usd,
            test=self.test,
            created_at=self.created_at,
            free_reason=self.free_reason,
        )


def receive_receipt(line: Line, receipt: Receipt, tally: UsageTally, *, alone: bool = True) -> bool:
    """Apply a receipt. Returns True if the message moved to another state.

    `alone` means that this transaction holds no lock that others wait for. Without it, a receipt
    that would have to wait raises NeedsOwnTransaction before anything is written. Raises
    ReceiptTooEarly if the message does not exist or has not been sent.
    """
    if receipt.state not in (*STATE_RANKS, "failed"):
        return False
    message = _lock_alone(line, receipt) if alone else _lock_in_batch(line, receipt)
    if message is None:
        raise ReceiptTooEarly("no message of ours has this id yet")
    if receipt.network_id in (message.gone_ids or ()):
        return False  # for an earlier send; a fallback has replaced it since
    if message.state in UNSENT_STATES:
        raise ReceiptTooEarly(f"the message is {message.state} with us")
    if _try_fallback(line, message, receipt, tally):
        return True
    moved = can_transition(message.state, receipt.state) and _update_state(message, receipt)
    if message.sent_from:
        if moved:
            _publish_change(message, receipt, Decimal(0))
        return moved
    cost = _settle_cost(line, message, receipt, moved, tally)
    if moved:
        _publish_change(message, receipt, cost)
        _count_usage(message, receipt.state, tally)
    return moved


def _lock_alone(line: Line, receipt: Receipt) -> _LockedMessage | None:
    """Find and lock the message by the network's id, else by our own, which is echoed."""
    message_id = _known_message_id(receipt)
    own_id = _own_message_id(receipt.our_id)
    if message_id is None and own_id is not None:
        db.session.execute(
            REGISTER_NETWORK_ID, {**_register_network_id(receipt), "message_id": str(own_id)}
        )
        message_id = _known_message_id(receipt)
    return _lock_message(LOCK, line, message_id) if message_id else None


def _lock_in_batch(line: Line, receipt: Receipt) -> _LockedMessage | None:
    message_id = _known_message_id(receipt)
    if message_id is None:
        if _own_message_id(receipt.our_id) is not None:
            raise NeedsOwnTransaction
        return None
    message = _lock_message(LOCK_IF_FREE, line, message_id)
    if message is None:
        raise NeedsOwnTransaction
    return message


def _known_message_id(receipt: Receipt) -> UUID | None:
    return db.session.execute(FIND_MESSAGE_ID, _register_network_id(receipt)).scalar()


def _register_network_id(receipt: Receipt) -> dict[str, Any]:
    return {"tenant_id": current_tenant_id(), "network_id": receipt.network_id}


def _own_message_id(our_id: str) -> UUID | None:
    """Return our message id, or None. Other software on the same number may send any value here."""
    try:
        return to_uuid("msg", our_id)
    except BadId:
        return None


def _lock_message(statement: TextClause, line: Line, message_id: UUID) -> _LockedMessage | None:
    row = db.session.execute(
        statement,
        {"tenant_id": current_tenant_id(), "id": str(message_id), "line_id": line.id},
    ).first()
    return None if row is None else _LockedMessage(*row)


def _update_state(message: _LockedMessage, receipt: Receipt) -> bool:
    failed = receipt.state == "failed"
    moved = db.session.execute(
        UPDATE_STATE,
        {
            "tenant_id": current_tenant_id(),
            "id": str(message.id),
            "state": receipt.state,
            "may_become": states_before(receipt.state),
            "network_id": receipt.network_id,
            "error_code": (receipt.error_code or "undelivered") if failed else None,
            "error_text": receipt.error_reason if failed else None,
            "now": now(),
        },
    )
    return moved.first() is not None


def _try_fallback(line: Line, message: _LockedMessage, receipt: Receipt, tally: UsageTally) -> bool:
    """Queue the message by its fallback if the network refused it because the window is closed."""
    if receipt.state != "failed" or receipt.error_code not in fallback.CLOSED_CODES:
        return False
    if receipt.error_code == DIRECT_SEND_UNAVAILABLE:
        direct_send.record_refusal(line, receipt.error_reason)
    ways = message.fallback or message.own_line or line.direct_send == direct_send.ON
    if not ways or not can_transition(message.state, "failed"):
        return False
    own_tally = UsageTally()
    try:
        with savepoint():
            message_ledger.refund(message.charged, own_tally)
            whole = fallback.read_message(message.id)
            if not fallback.try_fallback_after_receipt(
                whole, receipt.network_id, line_repository.list_lines()
            ):
                raise _NoFallback
    except _NoFallback:
        return False
    tally.join(own_tally)
    return True


def _settle_cost(
    line: Line, message: _LockedMessage, receipt: Receipt, moved: bool, tally: UsageTally
) -> Decimal:
    """Settle and return the price of the message after this receipt."""
    state = receipt.state if moved else message.state
    if state in UNDELIVERED_STATES:
        if moved:
            message_ledger.refund(message.charged, tally)
        return Decimal(0)
    cost = message.cost_usd
    if moved and message.state in IN_FLIGHT_STATES:
        # The send response was lost or is late: this receipt proves that the network accepted the
        # message.
        cost = message_ledger.charge(message.charged, tally)
    elif moved and message.state == "failed":
        cost = message_ledger.charge_again(message.charged, tally)
    if receipt.category and receipt.billable is not None:
        reported = ReportedPricing(receipt.category, receipt.billable, receipt.pricing_type)
        price = message_ledger.settle_price(message.charged, reported, tally, line.kind)
        cost = cost if price is None else price
    return cost


def _publish_change(message: _LockedMessage, receipt: Receipt, cost: Decimal) -> None:
    at = min(datetime.fromtimestamp(receipt.at, UTC), now())
    if message.last_at is not None:  # receipts have whole seconds; the timeline must not go back
        at = max(at, message.last_at)
    published = _PublishedMessage(
        id=message.id,
        line_id=message.line_id,
        phone=message.phone,
        reference=message.reference,
        network_id=message.network_id or receipt.network_id,
        quoted_usd=cost,
        state=receipt.state,
        test=message.test,
        created_at=message.created_at,
    )
    cause = causes.RECEIPT
    if receipt.state == "failed":
        cause = receipt.error_reason or cause
        published = replace(
            published,
            error_code=receipt.error_code or "undelivered",
            error_reason=receipt.error_reason,
        )
    record_state_changes([published], at, [cause])


@dataclass(frozen=True)
class _PublishedMessage:
    """A message as the timeline and events need it; `quoted_usd` is its actual cost."""

    id: UUID
    line_id: int
    phone: str
    reference: str | None
    network_id: str
    quoted_usd: Decimal
    state: str
    test: bool
    created_at: datetime
    error_code: str | None = None
    error_reason: str | None = None


def _count_usage(message: _LockedMessage, state: str, tally: UsageTally) -> None:
    """Count the states that this receipt passes.

    A receipt that overtook another counts for both. A failed message was counted as sent before it
    failed.
    """
    before = 1 if message.state == "failed" else STATE_RANKS.get(message.state, 0)
    passed: dict[str, Any] = {
        name: 1 for name, rank in STATE_RANKS.items() if before < rank <= STATE_RANKS.get(state, 1)
    }
    if state == "failed":
        passed["failed"] = 1
    elif message.state == "failed":
        passed["failed"] = -1
    tally.add(message.line_id, message.country, message.category, **passed)
