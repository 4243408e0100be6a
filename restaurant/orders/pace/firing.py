"""Sends orders for later to the kitchen when their time has come.

The orders' rows are the schedule: a lost wake-up or a killed worker delays an order until the next
sweep. Several workers never send the same order twice.
"""

from datetime import datetime

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.logs import logger
from core.queue import lanes
from restaurant.models import Order
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders.effects import OrderUpdate
from restaurant.sites import sites

LANE = "order_firing"
AT_ONCE = 50

log = logger(__name__)


def schedule_firing(update: OrderUpdate) -> None:
    order = update.order
    if order.state == "scheduled" and order.fires_at is not None:
        lanes.mark_later(LANE, order.tenant_id, order.fires_at)


def fire_due(moment: datetime) -> list[Order]:
    """Send every order whose time has come, and schedule the next run."""
    query = select(Order).where(Order.tenant_id == current_tenant_id(), Order.state == "scheduled")
    due = query.where(Order.fires_at <= moment).order_by(Order.fires_at).limit(AT_ONCE)
    fired = []
    for order in db.session.scalars(due.with_for_update(skip_locked=True)):
        site = sites.of_order(order)
        fired.append(order_lifecycle.change_state(site, order, "sent_to_kitchen"))
        late = (moment - order.fires_at).total_seconds() if order.fires_at else 0
        log.info("scheduled order sent", order=order.number, seconds_late=round(late, 1))
    following = query.with_only_columns(Order.fires_at).order_by(Order.fires_at).limit(1)
    if next_at := db.session.scalar(following):
        lanes.mark_later(LANE, current_tenant_id(), next_at)
    return fired
