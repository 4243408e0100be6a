"""The ledger: quoted, settled and refunded amounts.

Entries are only added; the cost of a message is their sum.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import func, insert, select, text, update

from core.clock import now, zone
from core.db import current_tenant_id, db
from core.ids import new_id, to_uuid
from core.sql.partitions import id_at
from messaging.costs.rates import LineOfKind, tenant_rates
from messaging.costs.usage import UsageTally
from messaging.models import LedgerEntry, Message
from tenants.plans import quota

ZERO = Decimal(0)
# An entry's id and its `at` are created one after the other, so they are close in time.
MAX_CLOCK_DIFFERENCE = timedelta(hours=1)

SUM_ENTRIES = text("""
SELECT category, sum(amount_usd) FROM ledger_entries
 WHERE tenant_id = :tenant_id AND message_id = :id GROUP BY category
""")


@dataclass(frozen=True)
class ChargedMessage:
    """The fields of a message that the ledger needs."""

    id: str
    line_id: int
    country: str
    category: str
    quoted_usd: Decimal
    test: bool
    created_at: datetime
    free_reason: str | None = None
    """Why the network does not bill it, as far as receipts have reported."""


@dataclass(frozen=True)
class ReportedPricing:
    """What a receipt reports about the price of a message."""

    category: str
    billable: bool
    type: str = ""
    """regular, free_customer_service or free_entry_point; empty if the receipt has none"""


def charge(message: ChargedMessage, tally: UsageTally) -> Decimal:
    """Charge the quoted price, because the network accepted the message. Returns the price.

    A later receipt may settle another price.
    """
    if message.test:
        return ZERO
    _add_entry(message, "quote", message.category, message.quoted_usd, tally)
    _write_cost(message.id, message.quoted_usd)
    return message.quoted_usd


def settle_price(
    message: ChargedMessage, reported: ReportedPricing, tally: UsageTally, line_kind: str = "cloud"
) -> Decimal | None:
    """Settle the price that the network reports, and return it.

    Returns None for an unknown category; the quote then stands. A repeated report changes nothing.
    A category other than the quoted one moves the whole amount to it.
    """
    if message.test:
        return ZERO
    line, rates = LineOfKind(line_kind, message.line_id), tenant_rates()
    category = reported.category
    price = rates.settle(line, message.country, category, reported.billable, message.created_at)
    if price is None:
        return None
    reason = rates.free_reason(
        line_kind, category, reported.billable, reported.type, message.created_at
    )
    _set_free_reason(message, reason, tally)
    so_far = entries_by_category(message.id)
    change = price - sum(so_far.values(), ZERO)
    if so_far == {category: price}:
        return price
    for name in sorted({*so_far, category}):
        amount = (price if name == category else ZERO) - so_far.get(name, ZERO)
        if amount:
            _add_entry(message, "settle", name, amount, tally)
    if change:
        quota.release(0, -change, message.created_at)
    _write_cost(message.id, price)
    return price


def refund(message: ChargedMessage, tally: UsageTally) -> None:
    """Refund a message that was not delivered: its cost and its quota."""
    if message.test:
        return
    _set_free_reason(message, None, tally)
    so_far = entries_by_category(message.id)
    for category, amount in sorted(so_far.items()):
        if amount:
            _add_entry(message, "refund", category, -amount, tally)
    charged = sum(so_far.values(), ZERO) if so_far else message.quoted_usd
    quota.release(1, charged, message.created_at)
    _write_cost(message.id, ZERO)


def charge_again(message: ChargedMessage, tally: UsageTally) -> Decimal:
    """Charge a message again that failed, was refunded, and was delivered after all."""
    if message.test:
        return ZERO
    if message.quoted_usd:
        _add_entry(message, "settle", message.category, message.quoted_usd, tally)
    quota.release(-1, -message.quoted_usd, message.created_at)
    _write_cost(message.id, message.quoted_usd)
    return message.quoted_usd


def message_cost(message_id: str) -> Decimal:
    return sum(entries_by_category(message_id).values(), ZERO)


def entries_by_category(message_id: str) -> dict[str, Decimal]:
    """Return the sum of a message's entries by category."""
    rows = db.session.execute(
        SUM_ENTRIES, {"tenant_id": current_tenant_id(), "id": str(to_uuid("msg", message_id))}
    )
    return {row[0]: row[1] for row in rows}


def day_sums(day: date) -> dict[tuple[int, str, str], Decimal]:
    """Return the sums of a day (UTC) by line, country and category."""
    begins = datetime(day.year, day.month, day.day, tzinfo=zone("UTC"))
    ends = begins + timedelta(days=1)
    rows = db.session.execute(
        select(
            LedgerEntry.line_id,
            LedgerEntry.country,
            LedgerEntry.category,
            func.sum(LedgerEntry.amount_usd),
        )
        .where(
            LedgerEntry.tenant_id == current_tenant_id(),
            # The primary key is in order of time, so only a part of the ledger is read.
            LedgerEntry.id >= UUID(id_at(begins - MAX_CLOCK_DIFFERENCE)),
            LedgerEntry.id < UUID(id_at(ends + MAX_CLOCK_DIFFERENCE)),
            LedgerEntry.at >= begins,
            LedgerEntry.at < ends,
        )
        .group_by(LedgerEntry.line_id, LedgerEntry.country, LedgerEntry.category)
    )
    return {(line_id, country, category): amount for line_id, country, category, amount in rows}


def _add_entry(
    message: ChargedMessage, kind: str, category: str, amount: Decimal, tally: UsageTally
) -> None:
    entry: Mapping[str, Any] = {
        "tenant_id": current_tenant_id(),
        "id": new_id("led"),
        "at": now(),
        "message_id": message.id,
        "kind": kind,
        "line_id": message.line_id,
        "country": message.country,
        "category": category,
        "amount_usd": amount,
    }
    db.session.execute(insert(LedgerEntry).values(entry))
    tally.add(message.line_id, message.country, category, cost=amount)


def _set_free_reason(message: ChargedMessage, reason: str | None, tally: UsageTally) -> None:
    """Store why a message is free, and count it under that reason and no longer under another.

    Its category is counted as it was sent, because a receipt may report another one each time.
    """
    if reason == message.free_reason:
        return
    day, line_id = message.created_at.date(), message.line_id
    if message.free_reason:
        tally.add_free(day, line_id, message.category, message.free_reason, -1)
    if reason:
        tally.add_free(day, line_id, message.category, reason, 1)
    db.session.execute(
        update(Message)
        .where(Message.tenant_id == current_tenant_id(), Message.id == message.id)
        .values(free_reason=reason)
    )


def _write_cost(message_id: str, cost: Decimal) -> None:
    db.session.execute(
        update(Message)
        .where(Message.tenant_id == current_tenant_id(), Message.id == message_id)
        .values(cost_usd=cost)
    )
