"""What an open order holds: pieces of the countdown stock, and a share of a quarter of an hour.

Both are returned when the order is cancelled or its payment link expires, and taken again when the
order continues after all. The order's row is locked.
"""

from collections import Counter
from collections.abc import Sequence

from restaurant.menus import stock
from restaurant.models import Order, OrderItem, Site
from restaurant.orders import queries as order_queries
from restaurant.orders.effects import OrderUpdate
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.pace import capacity, times


def release_if_cancelled(update: OrderUpdate) -> None:
    if update.order.state == "cancelled":
        release(update.order, update.items)


def take_again_if_sent(update: OrderUpdate) -> None:
    """A payment that was in time counts, although its link was already closed."""
    if update.order.holds_released and update.order.state in ("sent_to_kitchen", "scheduled"):
        _take_again(update.site, update.order, update.items, refuse=False)


def release(order: Order, items: Sequence[OrderItem]) -> None:
    """Idempotent. What the kitchen has started is used up."""
    if order.holds_released:
        return
    order.holds_released = True
    capacity.release(order)
    if any(item.counted for item in items):
        progress = kitchen_progress.progress_of([order.id])[order.id]
        waiting = [item for item in items if progress.of(item) == kitchen_progress.WAITING]
        stock.put_back(order.site_id, _pieces(waiting), order.placed_at)


def return_voided(order: Order, item: OrderItem, quantity: int) -> None:
    """Return voided pieces of a line that the kitchen has not started."""
    if not item.counted or order.holds_released:
        return
    progress = kitchen_progress.progress_of([order.id])[order.id]
    if progress.of(item) == kitchen_progress.WAITING:
        pieces = {one: count * quantity // item.quantity for one, count in item.counted.items()}
        stock.put_back(order.site_id, pieces, order.placed_at)


def take_again(site: Site, order: Order) -> None:
    """Raises NotOnMenu or SlotFull if there is no longer enough for the order."""
    if order.holds_released:
        _take_again(site, order, order_queries.items_of(order.id), refuse=True)


def _take_again(site: Site, order: Order, items: Sequence[OrderItem], *, refuse: bool) -> None:
    stock.take_again(order.site_id, _pieces(items), all_or_nothing=refuse)
    place = times.reserve(site, order.order_type, items, order.due_at, refuse=refuse)
    order.slot_at, order.slot_load, order.holds_released = place.slot_at, place.load, False


def _pieces(items: Sequence[OrderItem]) -> Counter[str]:
    """The counted pieces that were not voided."""
    pieces: Counter[str] = Counter()
    for item in items:
        for item_id, count in item.counted.items():
            pieces[item_id] += count * (item.quantity - item.voided) // item.quantity
    return pieces
