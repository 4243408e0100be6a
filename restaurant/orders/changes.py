"""Changes to an open order: added and voided items, another table, another waiter."""

from collections.abc import Sequence
from decimal import Decimal

from core.errors import Conflict, Invalid, NotFound
from core.values.text import one_line
from restaurant.loyalty import redemption
from restaurant.menus.pricing import PricedItem, PricingTerms, calculate_totals
from restaurant.models import Order, Site, order_states
from restaurant.orders import items as order_items
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders import waiter_calls
from restaurant.orders.effects import Change, OrderUpdate, announce
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.pace import holds as order_holds
from tenants import audit


def add_items(site: Site, order: Order, items: Sequence[PricedItem], *, reason: str = "") -> Order:
    """More for an open table: the kitchen gets only what is new."""
    if order.state not in order_states.ACCEPTS_MORE_ITEMS or order.payment_method == "card_link":
        raise Conflict("order_closed", "Items can no longer be added to this order.")
    locked = order_lifecycle.lock_version(order, None)
    if locked.state not in order_states.IN_THE_KITCHEN:  # the order was ready or further
        kitchen_progress.mark_items(
            locked, order_queries.items_of(locked.id), kitchen_progress.READY
        )
    locked.batch += 1
    order_items.add_items(locked, items, len(order_queries.items_of(locked.id)))
    recalculate(site, locked)
    order_lifecycle.record_change(locked, "added", reason=reason)
    if locked.state != "sent_to_kitchen":
        locked.state = "sent_to_kitchen"
        order_lifecycle.record_change(locked, "moved", reason=reason)
    order_notifications.items_added(site, locked, order_queries.items_of(locked.id))
    return locked


def void_item(
    site: Site,
    order: Order,
    position: int,
    quantity: int,
    because: str,
    *,
    shown_version: int | None = None,
) -> Order:
    """Void some pieces of a line, with a reason, and notify the kitchen."""
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Enter a reason for removing this item.")
    if order.state in order_states.END_STATES:
        raise Conflict("order_closed", "This order is closed.")
    locked = order_lifecycle.lock_version(order, shown_version)
    items = order_queries.items_of(locked.id)
    item = next((one for one in items if one.position == position), None)
    if item is None:
        raise NotFound()
    if not 1 <= quantity <= item.quantity - item.voided:
        raise Invalid("invalid_quantity", "The order does not have that many left.")
    order_holds.return_voided(locked, item, quantity)
    item.voided += quantity
    item.void_because = because
    recalculate(site, locked)
    order_lifecycle.record_change(locked, "voided", because=f"{quantity} × {item.name}: {because}")
    audit.record("orders.voided", locked.number, line=item.name, quantity=quantity, because=because)
    order_notifications.item_voided(site, locked, items, item, quantity)
    return _finish_if_rest_is_void(site, locked)


def _finish_if_rest_is_void(site: Site, order: Order) -> Order:
    """Mark the order as ready if only voided items were not made yet."""
    if order.state not in order_states.IN_THE_KITCHEN:
        return order
    progress = kitchen_progress.progress_of([order.id])[order.id]
    if progress.of_all(order_queries.items_of(order.id)) != kitchen_progress.READY:
        return order
    return order_lifecycle.change_state(site, order, "ready", whole=False)


def assign_waiter(
    site: Site, order: Order, waiter_id: str | None, name: str, *, shown_version: int | None = None
) -> Order:
    locked = order_lifecycle.lock_version(order, shown_version)
    locked.waiter_id, locked.waiter = waiter_id, one_line(name, 80)
    order_lifecycle.record_change(locked, "waiter", because=locked.waiter)
    order_notifications.status_changed(site, locked, order_queries.items_of(locked.id))
    return locked


def change_table(
    site: Site, order: Order, table_id: str, number: str, *, shown_version: int | None = None
) -> Order:
    locked = order_lifecycle.lock_version(order, shown_version)
    if locked.order_type != "dine_in" or locked.state in order_states.END_STATES:
        raise Conflict("order_closed", "Only an open dine-in order can be moved to another table.")
    left, was = locked.table_id, locked.table_number
    locked.table_id, locked.table_number = table_id, number
    order_lifecycle.record_change(locked, "table", because=f"{was} → {number}")
    order_notifications.table_changed(site, locked, order_queries.items_of(locked.id), was)
    waiter_calls.move_with_order(site.id, left, table_id, number)
    announce(Change.TABLE, OrderUpdate(site, locked, order_queries.items_of(locked.id)))
    return locked


def recalculate(site: Site, order: Order) -> None:
    """Recalculate the totals. Tip and fee stay; the coupon's discount is calculated again."""
    items = order_queries.items_of(order.id)
    priced_items = [
        order_items.to_priced_item(item) for item in items if item.quantity > item.voided
    ]
    terms = PricingTerms(
        currency=order.currency,
        tax_included=site.tax_included,
        service_percent=site.service_for(order.order_type),
        discount=redemption.current_discount(order, priced_items),
        delivery_fee=Decimal(order.sums.get("delivery_fee", "0")),
        tip=Decimal(order.sums.get("tip", "0")) if priced_items else Decimal(0),
    )
    sums = calculate_totals(priced_items, terms)
    order.sums, order.total = sums.as_json(), sums.total
    order_lifecycle.update_paid_state(order)
    announce(Change.REPRICED, OrderUpdate(site, order, items))
