"""Sends orders for later to the kitchen when their time has come.

The orders' rows are the schedule: a lost wake-up or a killed worker delays an order until the next
sweep. Each order is sent in its own transaction, and never twice.
"""

from datetime import datetime, timedelta

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.logs import logger
from core.queue import lanes
from restaurant.models import Order
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.effects import OrderUpdate
from restaurant.sites import sites

LANE = "order_firing"
AT_ONCE = 50
AGAIN_AFTER = timedelta(seconds=10)  # an order for later is at most 30 seconds late

log = logger(__name__)


def schedule_firing(update: OrderUpdate) -> None:
    order = update.order
    if order.state == "scheduled" and order.fires_at is not None:
        lanes.mark_later(LANE, order.tenant_id, order.fires_at)


def due_orders(moment: datetime) -> list[str]:
    """The ids of orders whose time has come, the first ones first."""
    due = select(Order.id).where(
        Order.tenant_id == current_tenant_id(),
        Order.state == "scheduled",
        Order.fires_at <= moment,
    )
    return list(db.session.scalars(due.order_by(Order.fires_at).limit(AT_ONCE)))


def fire(order_id: str, moment: datetime) -> bool:
    """Send the order to the kitchen. False: it was sent, changed or cancelled meanwhile."""
    order = order_lifecycle.lock_order(order_queries.get(order_id))
    due_at = order.fires_at
    if order.state != "scheduled" or due_at is None or due_at > moment:
        return False
    order_lifecycle.change_state(sites.of_order(order), order, "sent_to_kitchen")
    late = (moment - due_at).total_seconds()
    log.info("scheduled order sent", order=order.number, seconds_late=round(late, 1))
    return True


def schedule_next() -> None:
    """Mark the next order, also one that could not be sent."""
    query = select(Order.fires_at).where(
        Order.tenant_id == current_tenant_id(), Order.state == "scheduled"
    )
    next_at = db.session.scalar(query.order_by(Order.fires_at).limit(1))
    if next_at is not None:
        lanes.mark_later(LANE, current_tenant_id(), max(next_at, now() + AGAIN_AFTER))
