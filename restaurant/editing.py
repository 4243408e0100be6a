"""Changes to an open order: more of it, less of it, another table, another waiter."""

from collections.abc import Sequence
from decimal import Decimal

from core.errors import Conflict, Invalid, NotFound
from core.texts import one_line
from restaurant import (
    calls,
    kitchen_items,
    moves,
    order_lines,
    orders,
    payment_links,
    telling,
    till,
)
from restaurant.loyalty import book, redeeming
from restaurant.models import Order, Site
from restaurant.pricing import Line, Terms, add_up
from tenants import audit


def add(site: Site, order: Order, lines: Sequence[Line], *, because: str = "") -> Order:
    """More for an open table: the kitchen gets only what is new."""
    if order.state not in moves.ADDABLE or order.payment_method == "card_link":
        raise Conflict("order_closed", "Nothing can be added to this order any more.")
    held = orders.hold(order, None)
    if held.state not in moves.IN_THE_KITCHEN:  # the whole order was marked as made
        kitchen_items.mark(held, orders.lines_of(held.id), kitchen_items.READY)
    held.batch += 1
    order_lines.add_lines(held, lines, len(orders.lines_of(held.id)))
    reckon(site, held)
    orders.note(held, "added", because=because)
    if held.state != "sent_to_kitchen":
        held.state = "sent_to_kitchen"
        orders.note(held, "moved", because=because)
    telling.added(site, held, orders.lines_of(held.id))
    return held


def void(
    site: Site, order: Order, position: int, quantity: int, because: str, *, seen: int | None = None
) -> Order:
    """Take back some of a line, with the reason; the kitchen is told."""
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Say why this is taken back.")
    if order.state in moves.ENDS:
        raise Conflict("order_closed", "This order is closed.")
    held = orders.hold(order, seen)
    lines = orders.lines_of(held.id)
    line = next((one for one in lines if one.position == position), None)
    if line is None:
        raise NotFound()
    if not 1 <= quantity <= line.quantity - line.voided:
        raise Invalid("invalid_quantity", "There are not so many of it left on the order.")
    line.voided += quantity
    line.void_because = because
    reckon(site, held)
    orders.note(held, "voided", because=f"{quantity} × {line.name}: {because}")
    audit.record("orders.voided", held.number, line=line.name, quantity=quantity, because=because)
    telling.voided(site, held, lines, line, quantity)
    return _finish_rest(site, held)


def _finish_rest(site: Site, order: Order) -> Order:
    """The order is ready when the only items not made yet were voided."""
    if order.state not in moves.IN_THE_KITCHEN:
        return order
    progress = kitchen_items.progress_of([order.id])[order.id]
    if progress.of_all(orders.lines_of(order.id)) != kitchen_items.READY:
        return order
    return orders.move(site, order, "ready", whole=False)


def assign_waiter(
    site: Site, order: Order, waiter_id: str | None, name: str, *, seen: int | None = None
) -> Order:
    held = orders.hold(order, seen)
    held.waiter_id, held.waiter = waiter_id, one_line(name, 80)
    orders.note(held, "waiter", because=held.waiter)
    telling.updated(site, held, orders.lines_of(held.id))
    return held


def move_table(
    site: Site, order: Order, table_id: str, number: str, *, seen: int | None = None
) -> Order:
    held = orders.hold(order, seen)
    if held.order_type != "dine_in" or held.state in moves.ENDS:
        raise Conflict("order_closed", "Only an open order at a table can move to another one.")
    left, was = held.table_id, held.table_number
    held.table_id, held.table_number = table_id, number
    orders.note(held, "table", because=f"{was} → {number}")
    telling.moved_table(site, held, orders.lines_of(held.id), was)
    calls.follow_order(site.id, left, table_id, number)
    return held


def reckon(site: Site, order: Order) -> None:
    """The sums again, with the tip and the fee as they were, and what the coupon still gives."""
    lines = [
        order_lines.as_priced(line)
        for line in orders.lines_of(order.id)
        if line.quantity > line.voided
    ]
    terms = Terms(
        currency=order.currency,
        tax_included=site.tax_included,
        service_percent=site.service_for(order.order_type),
        discount=redeeming.discount_now(order, lines),
        delivery_fee=Decimal(order.sums.get("delivery_fee", "0")),
        tip=Decimal(order.sums.get("tip", "0")) if lines else Decimal(0),
    )
    sums = add_up(lines, terms)
    order.sums, order.total = sums.as_json(), sums.total
    till.follow(order)
    payment_links.order_repriced(order)
    book.follow(site, order, repriced=True)
