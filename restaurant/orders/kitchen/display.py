"""Taps on a kitchen display: each station starts and finishes its items; the order follows.

The order is `preparing` when the first item is started and `ready` when the last one is made.
"""

from core.errors import Conflict, NotFound
from restaurant.models import Order, Site, order_states
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen.progress import READY, STARTED, WAITING, OrderProgress

TAPS = {"preparing": STARTED, "ready": READY}
ORDER_STATE = {WAITING: "sent_to_kitchen", STARTED: "preparing", READY: "ready"}
UNDOABLE = order_states.IN_THE_KITCHEN | {"ready"}


def tap(site: Site, order: Order, station: str, to: str, batch: int) -> Order:
    """Start or finish the station's lines up to this batch. Idempotent.

    An empty station means all stations. Items that were added after the display was drawn stay
    waiting: nobody has seen them.
    """
    locked = order_lifecycle.lock_order(order)
    if locked.state not in order_states.IN_THE_KITCHEN:
        if locked.state == to:
            return locked
        raise order_lifecycle.invalid_transition(locked, to)
    items = order_queries.items_of(locked.id)
    shown = [item for item in items if item.batch <= batch]
    if not kitchen_progress.remaining_items(shown, station):
        raise NotFound()
    progress = kitchen_progress.mark_items(locked, shown, TAPS[to], station)
    return _update_order(site, locked, progress)


def undo(site: Site, order: Order, station: str = "") -> Order:
    """Undo the last tap of a station, or of any station. A ready order returns to the kitchen."""
    locked = order_lifecycle.lock_order(order)
    if locked.state not in UNDOABLE:
        raise Conflict(
            "order_closed", "Order {number} has already left the kitchen.", number=locked.number
        )
    progress = kitchen_progress.progress_of([locked.id])[locked.id]
    if not kitchen_progress.undo_last_tap(progress, station):
        raise Conflict("nothing_to_undo", "There is nothing to undo.")
    return _update_order(site, locked, progress)


def _update_order(site: Site, order: Order, progress: OrderProgress) -> Order:
    made = progress.of_all(order_queries.items_of(order.id))
    to = ORDER_STATE[made]
    if to == order.state:
        order_lifecycle.publish_live_update(order)
        return order
    if order.state == "ready" or to == "sent_to_kitchen":
        return order_lifecycle.return_to_kitchen(site, order, to)
    return order_lifecycle.change_state(site, order, to, whole=False)
