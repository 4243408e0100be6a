"""Taps on a kitchen display: each station starts and finishes its items; the order follows.

The order is `preparing` when the first item is started and `ready` when the last one is made.
"""

from core.errors import Conflict, NotFound
from restaurant.models import Order, Site, order_states
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import courses as kitchen_courses
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen.progress import READY, STARTED, WAITING, OrderProgress

TAPS = {"preparing": STARTED, "ready": READY}
ORDER_STATE = {WAITING: "sent_to_kitchen", STARTED: "preparing", READY: "ready"}
UNDOABLE = order_states.IN_THE_KITCHEN | {"ready"}


def tap(site: Site, order: Order, station: str, to: str, batch: int, *, position: int = 0) -> Order:
    """Start or finish the station's lines up to this batch, or the line at `position`. Idempotent.

    An empty station means all stations. Items that were added after the display was drawn stay
    waiting: nobody has seen them. So do the courses that were not fired.
    """
    locked = order_lifecycle.lock_order(order)
    if locked.state not in order_states.IN_THE_KITCHEN:
        if locked.state == to:
            return locked
        raise order_lifecycle.invalid_transition(locked, to)
    items = order_queries.items_of(locked.id)
    shown = [item for item in items if item.batch <= batch and position in (0, item.position)]
    left = kitchen_progress.remaining_items(shown, station)
    if not left:
        raise NotFound()
    shown = [item for item in left if not kitchen_progress.is_held(item)]
    if not shown:
        raise Conflict("course_waiting", "This course has not been fired yet.")
    progress = kitchen_progress.mark_items(locked, shown, TAPS[to], station)
    return _update_order(site, locked, progress)


def finish_printed_item(site: Site, locked: Order, station: str, position: int) -> Order:
    """Finish a line whose ticket was scanned, at the ticket's station. The row is locked."""
    if locked.state not in order_states.IN_THE_KITCHEN:
        return locked
    items = [one for one in order_queries.items_of(locked.id) if one.position == position]
    progress = kitchen_progress.mark_items(locked, items, READY, station)
    return _update_order(site, locked, progress)


def fire_course(site: Site, order: Order, course: int) -> Order:
    """Send a course that waits to the kitchen; its tickets print now. Idempotent."""
    locked = order_lifecycle.lock_order(order)
    items = order_queries.items_of(locked.id)
    if locked.state not in order_states.IN_THE_KITCHEN:
        raise order_lifecycle.invalid_transition(locked, "preparing")
    of_course = [item for item in items if item.course == course]
    if not of_course:
        raise NotFound()
    held = [
        item
        for item in kitchen_progress.remaining_items(of_course)
        if kitchen_progress.is_held(item)
    ]
    if not held:
        return locked
    fired = kitchen_courses.fire_items(locked, held)
    order_lifecycle.record_change(locked, "fired", because=str(course))
    order_notifications.course_fired(site, locked, items, fired)
    return locked


def recall_item(site: Site, order: Order, station: str, position: int) -> Order:
    """A finished line is to be made again, or was finished by mistake. Idempotent."""
    locked = order_lifecycle.lock_order(order)
    if locked.state not in UNDOABLE:
        raise _left_the_kitchen(locked)
    items = order_queries.items_of(locked.id)
    item = next((one for one in items if one.position == position), None)
    if item is None:
        raise NotFound()
    progress = kitchen_progress.progress_of([locked.id])[locked.id]
    if not kitchen_progress.recall_item(progress, item, station):
        return locked
    return _update_order(site, locked, progress)


def undo(site: Site, order: Order, station: str = "") -> Order:
    """Undo the last tap of a station, or of any station. A ready order returns to the kitchen."""
    locked = order_lifecycle.lock_order(order)
    if locked.state not in UNDOABLE:
        raise _left_the_kitchen(locked)
    progress = kitchen_progress.progress_of([locked.id])[locked.id]
    if not kitchen_progress.undo_last_tap(progress, station):
        raise Conflict("nothing_to_undo", "There is nothing to undo.")
    return _update_order(site, locked, progress)


def _left_the_kitchen(order: Order) -> Conflict:
    return Conflict(
        "order_closed", "Order {number} has already left the kitchen.", number=order.number
    )


def _update_order(site: Site, order: Order, progress: OrderProgress) -> Order:
    made = progress.of_all(order_queries.items_of(order.id))
    to = ORDER_STATE[made]
    if to == order.state:
        order_lifecycle.publish_live_update(order)
        return order
    if order.state == "ready" or to == "sent_to_kitchen":
        return order_lifecycle.return_to_kitchen(site, order, to)
    return order_lifecycle.change_state(site, order, to, whole=False)
