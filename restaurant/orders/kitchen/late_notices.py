"""Tells the guest once that an order takes longer than promised."""

from datetime import datetime

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import NotFound
from core.queue import lanes
from restaurant import customers
from restaurant.chat_texts import chat_text
from restaurant.models import Order, OrderItem, Site, order_states
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import late_schedule
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen import promise as kitchen_promise
from restaurant.sites import sites

LATE = "late"
"""In `Site.told_states`: guests get this message."""
BATCH = 100


def send_due_notices(moment: datetime) -> list[Order]:
    """Tell the guests of all orders that should be ready now and are not. Schedules the next run.

    Returns the orders whose guests were told.
    """
    told = [order for order in _late_orders(moment) if _tell_guest(order, moment)]
    following = _next_promise(moment)
    if following is not None:
        lanes.mark_later(late_schedule.LANE, current_tenant_id(), following)
    return told


def _tell_guest(order: Order, moment: datetime) -> bool:
    try:
        site = sites.get(order.site_id)
    except NotFound:
        return False
    if LATE not in site.told_states or not customers.can_be_notified(order):
        return False
    locked = order_lifecycle.lock_order(order)
    if locked.state not in order_states.IN_THE_KITCHEN or locked.late_told_at is not None:
        return False
    left = _unfinished(locked)
    if not left:
        return False
    locked.late_told_at = moment
    order_lifecycle.record_change(locked, LATE)
    order_notifications.send_order_card(site, locked, _text(site, locked, left))
    return True


def _text(site: Site, order: Order, left: list[OrderItem]) -> str:
    minutes = kitchen_promise.minutes_left(site, left)
    name = order.customer_name.split(" ")[0]
    return chat_text(order.language, LATE, name=name, order=order.number, minutes=minutes)


def _unfinished(order: Order) -> list[OrderItem]:
    """Items that the kitchen has and has not finished; a course that waits is not late."""
    items = kitchen_progress.remaining_items(order_queries.items_of(order.id))
    progress = kitchen_progress.progress_of([order.id])[order.id]
    return [
        item
        for item in items
        if not kitchen_progress.is_held(item) and progress.of(item) != kitchen_progress.READY
    ]


def _late_orders(moment: datetime) -> list[Order]:
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.ended_at.is_(None),
        Order.promised_at <= moment,
        Order.late_told_at.is_(None),
        Order.state.in_(order_states.IN_THE_KITCHEN),
    )
    return list(db.session.scalars(query.order_by(Order.promised_at).limit(BATCH)))


def _next_promise(moment: datetime) -> datetime | None:
    query = select(Order.promised_at).where(
        Order.tenant_id == current_tenant_id(),
        Order.ended_at.is_(None),
        Order.promised_at > moment,
        Order.late_told_at.is_(None),
    )
    return db.session.scalar(query.order_by(Order.promised_at).limit(1))
