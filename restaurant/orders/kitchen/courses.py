"""Courses of an order at a table: which items the kitchen makes now, and which wait.

Items without a course, and the lowest course, are made at once. A further course waits until the
staff fire it (`restaurant.orders.kitchen.display.fire_course`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from restaurant.models import Order, OrderItem, order_states
from restaurant.orders.kitchen import progress as kitchen_progress


@dataclass(frozen=True)
class HeldCourse:
    course: int
    items: Sequence[OrderItem]


def fire_new_items(
    order: Order, items: Sequence[OrderItem], new: Sequence[OrderItem]
) -> list[OrderItem]:
    """Fire the new items that do not wait for a later course. Returns them.

    `items` are all items of the order. The order's row is locked or new.
    """
    new_items = kitchen_progress.remaining_items(new)
    before = [item for item in items if item not in new_items and not _waits(item)]
    reached = max((item.course for item in before), default=0)
    if not before or _all_made(order, before):
        reached = max(reached, lowest_course(new_items))
    return fire_items(order, [item for item in new_items if item.course <= reached])


def lowest_course(items: Sequence[OrderItem]) -> int:
    """The course that a new order begins with; 0 if no item has one."""
    return min((item.course for item in items if item.course), default=0)


def fire_items(order: Order, items: Sequence[OrderItem]) -> list[OrderItem]:
    """Record that the kitchen has these items now. Returns those that it did not have yet."""
    fired = [item for item in items if item.fired_at is None]
    if fired:
        moment, load = now(), orders_ahead(order)
        for item in fired:
            item.fired_at, item.fired_load = moment, load
        db.session.flush()
    return fired


def next_course(items: Sequence[OrderItem]) -> HeldCourse | None:
    """The next course that waits, of all stations; None if there is none."""
    held = [item for item in kitchen_progress.remaining_items(items) if _waits(item)]
    if not held:
        return None
    course = min(item.course for item in held)
    return HeldCourse(course, [item for item in held if item.course == course])


def orders_ahead(order: Order) -> int:
    """How many other orders of the restaurant are in the kitchen."""
    return orders_in_kitchen(order.site_id, but=order.id)


def orders_in_kitchen(site_id: str, *, but: str | None = None) -> int:
    query = select(func.count()).where(
        Order.tenant_id == current_tenant_id(),
        Order.site_id == site_id,
        Order.ended_at.is_(None),
        Order.state.in_(order_states.IN_THE_KITCHEN),
    )
    if but is not None:
        query = query.where(Order.id != but)
    return min(db.session.scalar(query) or 0, 32_000)


def _waits(item: OrderItem) -> bool:
    return kitchen_progress.is_held(item)


def _all_made(order: Order, items: Sequence[OrderItem]) -> bool:
    progress = kitchen_progress.progress_of([order.id])[order.id]
    left = kitchen_progress.remaining_items(items)
    return not left or progress.of_all(left) == kitchen_progress.READY
