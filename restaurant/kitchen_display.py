"""The taps of a kitchen display. Each station starts and finishes its own items; the order follows.

The order is `preparing` when the first item is started and `ready` when the last one is made.
"""

from core.errors import Conflict, NotFound
from restaurant import kitchen_items, moves, orders
from restaurant.kitchen_items import READY, STARTED, WAITING, Progress
from restaurant.models import Order, Site

TAPS = {"preparing": STARTED, "ready": READY}
ORDER_STATE = {WAITING: "sent_to_kitchen", STARTED: "preparing", READY: "ready"}
UNDOABLE = moves.IN_THE_KITCHEN | {"ready"}


def tap(site: Site, order: Order, station: str, to: str, batch: int) -> Order:
    """Start or finish what the station was shown: its lines up to this batch. Idempotent.

    Without a station it is a display of all stations.
    What was added after the display was drawn stays waiting: nobody has seen it.
    """
    held = orders.lock(order)
    if held.state not in moves.IN_THE_KITCHEN:
        if held.state == to:
            return held
        raise orders.wrong_move(held, to)
    lines = orders.lines_of(held.id)
    shown = [line for line in lines if line.batch <= batch]
    if not kitchen_items.left(shown, station):
        raise NotFound()
    progress = kitchen_items.mark(held, shown, TAPS[to], station)
    return _follow(site, held, progress)


def undo(site: Site, order: Order, station: str = "") -> Order:
    """Take back the last tap of a station, or of any station. An order that was ready is not."""
    held = orders.lock(order)
    if held.state not in UNDOABLE:
        raise Conflict("order_closed", "Order {number} has left the kitchen.", number=held.number)
    progress = kitchen_items.progress_of([held.id])[held.id]
    if not kitchen_items.take_back(progress, station):
        raise Conflict("nothing_to_undo", "There is no tap to take back.")
    return _follow(site, held, progress)


def _follow(site: Site, order: Order, progress: Progress) -> Order:
    made = progress.of_all(orders.lines_of(order.id))
    to = ORDER_STATE[made]
    if to == order.state:
        orders.tell(order)
        return order
    if order.state == "ready" or to == "sent_to_kitchen":
        return orders.recall(site, order, to)
    return orders.move(site, order, to, whole=False)
