"""Guests change their mind: they replace the items of an order, or ask the staff.

Until the kitchen begins, the guest's new cart replaces the items at once. Afterwards, and for an
order that is paid, the staff see a request and decide.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from core.clock import now
from core.db import db
from core.values.text import normalize_text
from restaurant.chat_texts import chat_text
from restaurant.menus.pricing import PricedItem
from restaurant.models import Order, OrderItem, Site
from restaurant.orders import changes as order_changes
from restaurant.orders import hold_reasons
from restaurant.orders import items as order_items
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.cards import order_buttons
from restaurant.orders.effects import Change, OrderUpdate, announce
from restaurant.orders.pace import capacity, holds, times

CANCEL, CHANGE = "cancel", "change"
LONGEST_WISH = 1000

ItemKey = tuple[str, tuple[str, ...], str]


def may_change(site: Site, order: Order) -> bool:
    """Like cancelling, but not after payment: the amount would have to be paid or refunded."""
    return order.paid_at is None and order_buttons.guest_may_cancel(site, order)


def replace_items(
    site: Site,
    order: Order,
    items: Sequence[PricedItem],
    *,
    due_at: datetime | None,
    notes: str,
) -> Order:
    """Void what the guest no longer wants and add what is new. The kitchen gets the difference.

    Raises NotOnMenu or SlotFull; the caller rolls back.
    """
    locked = order_lifecycle.lock_order(order)
    printed = locked.state == "sent_to_kitchen"
    _change_time(site, locked, items, due_at)
    locked.notes = notes
    known = order_queries.items_of(locked.id)
    wanted = _count(items)
    for item in known:
        _void_unwanted(site, locked, item, wanted)
    new = _still_wanted(items, wanted)
    if new:
        locked.batch += 1 if printed else 0
        order_items.add_items(locked, new, len(known))
    order_changes.recalculate(site, locked)
    order_lifecycle.record_change(locked, "replaced", reason=hold_reasons.CHANGED_BY_GUEST)
    every = order_queries.items_of(locked.id)
    if printed and new:
        order_notifications.items_added(site, locked, every)
    else:
        order_notifications.status_changed(site, locked, every)
    if locked.state == "scheduled":
        announce(Change.RESCHEDULED, OrderUpdate(site, locked, every))
    return locked


def request(site: Site, order: Order, what: str, wish: str = "") -> Order:
    """Show the guest's request to the staff. Repeating it changes nothing."""
    locked = order_lifecycle.lock_order(order)
    if locked.guest_request != what or wish:
        locked.guest_request, locked.guest_request_at = what, now()
        reason = hold_reasons.guest_asks(what, normalize_text(wish)[:LONGEST_WISH])
        order_lifecycle.record_change(locked, "request", reason=reason)
        order_notifications.status_changed(site, locked, order_queries.items_of(locked.id))
    return locked


def decline_request(site: Site, order: Order, *, shown_version: int | None = None) -> Order:
    """The staff keep the order as it is, and the guest is told."""
    locked = order_lifecycle.lock_version(order, shown_version)
    if locked.guest_request:
        locked.guest_request, locked.guest_request_at = "", None
        order_lifecycle.record_change(locked, "request", reason=hold_reasons.REQUEST_DECLINED)
        text = order_notifications.customer_text(locked, "request_declined")
        order_notifications.send_order_card(site, locked, text)
    return locked


def clear_request(update: OrderUpdate) -> None:
    """A cancelled or finished order has no open request."""
    if update.order.guest_request and update.order.ended_at is not None:
        update.order.guest_request, update.order.guest_request_at = "", None


def _change_time(
    site: Site, order: Order, items: Sequence[PricedItem], due_at: datetime | None
) -> None:
    capacity.release(order)
    place = times.reserve(site, order.order_type, items, due_at, refuse=True, count=not order.test)
    order.due_at, order.fires_at = place.due_at, place.fires_at
    order.slot_at, order.slot_load = place.slot_at, place.load


def _void_unwanted(site: Site, order: Order, item: OrderItem, wanted: Counter[ItemKey]) -> None:
    have, key = item.quantity - item.voided, _key_of_row(item)
    kept = min(have, wanted[key])
    wanted[key] -= kept
    if kept == have:
        return
    holds.return_voided(order, item, have - kept)
    item.voided += have - kept
    item.void_because = chat_text(site.languages[0], "changed_by_guest")
    db.session.flush()
    order_notifications.item_voided(
        site, order, order_queries.items_of(order.id), item, have - kept
    )


def _still_wanted(items: Sequence[PricedItem], wanted: Counter[ItemKey]) -> list[PricedItem]:
    new = []
    for item in items:
        count = min(item.quantity, wanted[_key(item)])
        if count > 0:
            wanted[_key(item)] -= count
            new.append(replace(item, quantity=count))
    return new


def _count(items: Sequence[PricedItem]) -> Counter[ItemKey]:
    found: Counter[ItemKey] = Counter()
    for item in items:
        found[_key(item)] += item.quantity
    return found


def _key(item: PricedItem) -> ItemKey:
    return item.item_id, tuple(sorted(one.name for one in item.options)), item.note


def _key_of_row(item: OrderItem) -> ItemKey:
    return item.item_id or "", tuple(sorted(one["name"] for one in item.options)), item.note
