"""Counts of what needs attention, read in one statement."""

from datetime import timedelta
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, bindparam, func, select

from core.clock import now
from core.db import THIS_TENANT, read_rows
from core.sql.partitions import id_at
from messaging.models import Message
from portal.web.auth import may
from printing.models import PrintJob
from restaurant.feedback import questions as feedback_questions
from restaurant.models import Order, Refund, Trip
from restaurant.payments import payments
from webhooks.inbound import hook_log

MOST_COUNTED = 100
UNSETTLED_AFTER = timedelta(hours=1)  # receipts settle most messages within minutes
TWO_WEEKS, RECENT_JOBS = timedelta(days=14), timedelta(days=2)

UNSETTLED_MESSAGES = select(Message.id).where(
    Message.tenant_id == THIS_TENANT,
    Message.state == "unknown",
    Message.id >= bindparam("unsettled_since"),
    Message.id < bindparam("unsettled_until"),
)
ORDERS_NOT_ACCEPTED = select(Order.id).where(
    Order.tenant_id == THIS_TENANT,
    Order.ended_at.is_(None),
    Order.state == "awaiting_confirmation",
    Order.alarmed_at.is_not(None),
)
DELIVERIES_WITH_PROBLEM = select(Trip.order_id).where(
    Trip.tenant_id == THIS_TENANT, Trip.ended_at.is_(None), Trip.problem != ""
)
REFUNDS_WITH_PROBLEM = select(Refund.id).where(
    Refund.tenant_id == THIS_TENANT,
    Refund.state.in_(("failed", "unknown")),
    Refund.at > bindparam("refunds_since"),
)
RECENT_PRINT_JOBS = select(PrintJob.id).where(
    PrintJob.tenant_id == THIS_TENANT, PrintJob.id >= bindparam("jobs_since")
)

# What is counted, and the right that a person needs to see it.
COUNTABLE: dict[str, tuple[str, Select[Any]]] = {
    "hooks": ("lines.view", hook_log.PARKED_HOOKS),
    "unsettled": ("messages.view", UNSETTLED_MESSAGES),
    "orders": ("orders.view", ORDERS_NOT_ACCEPTED),
    "deliveries": ("orders.view", DELIVERIES_WITH_PROBLEM),
    "unhappy": ("orders.view", feedback_questions.UNHAPPY_GUESTS),
    "reviews": ("payments.view", payments.PAYMENTS_IN_REVIEW),
    "refunds": ("payments.view", REFUNDS_WITH_PROBLEM),
    "lost": (
        "printing.view",
        RECENT_PRINT_JOBS.where(PrintJob.state == "failed", PrintJob.told.is_(False)),
    ),
    "unsure": ("printing.view", RECENT_PRINT_JOBS.where(PrintJob.state == "unconfirmed")),
}


def count_what_needs_attention() -> dict[str, int]:
    """Up to MOST_COUNTED of each kind that the person may see."""
    visible = tuple(name for name, (right, _) in COUNTABLE.items() if may(right))
    if not visible:
        return {}
    moment = now()
    limits = {
        "unsettled_since": UUID(id_at(moment - TWO_WEEKS)),
        "unsettled_until": UUID(id_at(moment - UNSETTLED_AFTER)),
        "refunds_since": moment - TWO_WEEKS,
        "jobs_since": UUID(id_at(moment - RECENT_JOBS)),
    }
    (row,) = read_rows(_count_each(visible), limits)
    return dict(zip(visible, row, strict=True))


@cache
def _count_each(names: tuple[str, ...]) -> Select[Any]:
    """One statement for each combination of rights."""
    return select(
        *(
            select(func.count())
            .select_from(COUNTABLE[name][1].limit(MOST_COUNTED).subquery())
            .scalar_subquery()
            .label(name)
            for name in names
        )
    )
