"""Creates orders and changes their state. Every change is recorded with its actor and time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid
from core.ids import new_id
from core.logs import logger
from core.values.reasons import encode_other
from core.values.text import one_line
from restaurant.menus.pricing import PricedItem
from restaurant.models import Order, OrderChange, OrderNumberCounter, Site, order_states
from restaurant.orders import hold_reasons
from restaurant.orders import items as order_items
from restaurant.orders import notifications as order_notifications
from restaurant.orders.effects import Change, OrderUpdate, announce
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.pace import times as order_times
from restaurant.orders.queries import get, items_of, lock_tab
from restaurant.sites import hours, sites
from tenants import audit

log = logger(__name__)

# The state that its items get when the whole order changes its state.
ITEM_STATE_FOR = {"preparing": kitchen_progress.STARTED, "ready": kitchen_progress.READY}


@dataclass(frozen=True)
class OrderDraft:
    """An order to be created: from a cart, by the staff, or through the API."""

    order_type: str
    payment_method: str
    items: Sequence[PricedItem]
    sums: dict[str, Any]
    total: Decimal
    language: str
    source: str
    table_id: str | None = None
    table_number: str = ""
    waiter: str = ""
    waiter_id: str | None = None
    contact_id: str | None = None
    customer_phone: str = ""
    customer_name: str = ""
    notes: str = ""
    staff_note: str = ""
    needs_confirmation: bool = False
    line_id: int | None = None
    message_id: str | None = None
    cart_id: str | None = None
    address: dict[str, Any] = field(default_factory=dict)
    test: bool = False
    due_at: datetime | None = None
    """None: as soon as possible."""


def create_order(site: Site, draft: OrderDraft) -> Order:
    """Create the order with the next number of the day.

    It goes to the kitchen at once unless it is for later, or needs confirmation or an online
    payment first. Raises SlotFull or NotOnMenu if the kitchen or the stock has too little left.
    """
    day = hours.business_day(site.day_starts, site.time_zone, now())
    place = order_times.reserve(
        site,
        draft.order_type,
        draft.items,
        draft.due_at,
        refuse=draft.source != "staff",
        count=not draft.test,
    )
    order = new_order(site, draft, day, _next_number(site, day, test=draft.test))
    order.due_at, order.fires_at = place.due_at, place.fires_at
    order.slot_at, order.slot_load = place.slot_at, place.load
    order.state = (
        "awaiting_confirmation" if draft.needs_confirmation else _state_once_confirmed(order)
    )
    db.session.add(order)
    db.session.flush()
    order_items.add_items(order, draft.items, 0)
    record_change(order, "moved", reason=draft.staff_note)
    announce(Change.PLACED, OrderUpdate(site, order, items_of(order.id)))
    return order


def new_order(site: Site, draft: OrderDraft, day: date, sequence: int) -> Order:
    """Build the row of an order that goes to the kitchen now; it is not added to the session."""
    moment = now()
    return Order(
        tenant_id=current_tenant_id(),
        id=new_id("ord"),
        number=f"{'TEST-' if draft.test else ''}{site.prefix}-{day:%Y%m%d}-{sequence:04d}",
        site_id=site.id,
        business_day=day,
        sequence=sequence,
        state="sent_to_kitchen",
        order_type=draft.order_type,
        payment_method=draft.payment_method,
        table_id=draft.table_id,
        table_number=draft.table_number,
        waiter_id=draft.waiter_id,
        waiter=draft.waiter,
        contact_id=draft.contact_id,
        customer_phone=draft.customer_phone,
        customer_name=draft.customer_name,
        language=draft.language,
        notes=draft.notes,
        staff_note=draft.staff_note,
        currency=site.currency,
        sums=draft.sums,
        total=draft.total,
        source=draft.source,
        line_id=draft.line_id,
        message_id=draft.message_id,
        cart_id=draft.cart_id,
        address=draft.address,
        test=draft.test,
        taken=Decimal(0),
        paid_online=Decimal(0),
        placed_at=moment,
        changed_at=moment,
    )


def change_state(
    site: Site,
    order: Order,
    to: str,
    *,
    because: str = "",
    reason: str = "",
    shown_version: int | None = None,
    whole: bool = True,
    notify: bool = True,
) -> Order:
    """Idempotent. Raises Conflict if the order has changed since it was shown.

    Without `notify`, the caller tells the customer. With `whole`, all items are started or
    finished with the order. Without it, the stations have already recorded the
    progress of each item (`restaurant.orders.kitchen.display`).
    """
    if order.state == to:
        return order
    locked = lock_version(order, shown_version)
    if (locked.state, to) in order_states.PAYMENT_TRANSITIONS and is_payment_due(locked):
        raise Invalid("not_paid", "This order is waiting for payment.")
    if not order_states.can_become(locked.state, to, locked.order_type):
        raise invalid_transition(locked, to)
    if locked.state in order_states.UNACCEPTED and to in ("sent_to_kitchen", "scheduled"):
        to = _state_once_confirmed(locked)
    return _apply_state(
        site, locked, to, because=because, reason=reason, whole=whole, notify=notify
    )


def _state_once_confirmed(order: Order) -> str:
    """An order is paid first, if it must be, and then waits for its time."""
    if is_payment_due(order):
        return "awaiting_payment"
    later = order.fires_at is not None and order.fires_at > now()
    return "scheduled" if later else "sent_to_kitchen"


def invalid_transition(order: Order, to: str) -> Conflict:
    return Conflict(
        "wrong_move",
        "Order {number} is {state} and cannot be changed to {to}.",
        number=order.number,
        state=order.state,
        to=to,
    )


def return_to_kitchen(site: Site, order: Order, to: str) -> Order:
    """Reverse a state change when a tap on the kitchen display is undone. The row is locked."""
    was, order.state = order.state, to
    record_change(order, "recalled" if was == "ready" else "moved")
    order_notifications.status_changed(site, order, items_of(order.id))
    return order


def cancel(site: Site, order: Order, because: str, *, shown_version: int | None = None) -> Order:
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Enter a reason for cancelling the order.")
    return change_state(site, order, "cancelled", because=because, shown_version=shown_version)


def is_payment_due(order: Order) -> bool:
    """True if the order must be paid online before it goes to the kitchen, and is unpaid."""
    return order.payment_method == "card_link" and order.paid_at is None and order.total > 0


def mark_paid(site: Site, order: Order) -> Order:
    """Call it only after a verified success event.

    It changes the version, so a tap on the order as it was shown unpaid raises Conflict.
    """
    locked = lock_order(order)
    locked.paid_at = locked.paid_at or now()
    if locked.state == "awaiting_payment":
        return _apply_state(site, locked, _state_once_confirmed(locked), reason=hold_reasons.PAID)
    announce(Change.PAID, OrderUpdate(site, locked, items_of(locked.id)))
    return locked


def update_paid_state(order: Order) -> None:
    """For payments at the till and from the tab: an order is paid if its whole total is. Added
    items make it unpaid again."""
    if order.payment_method == "card_link":
        return  # only the provider can confirm an online payment
    paid = order.taken + order.paid_online
    if paid and paid >= order.total:
        order.paid_at = order.paid_at or now()
    else:
        order.paid_at = None


def send_paid_to_kitchen() -> int:
    """Safety net for paid orders that are still in `awaiting_payment`. Normally there are none."""
    query = select(Order.id).where(
        Order.tenant_id == current_tenant_id(),
        Order.state == "awaiting_payment",
        Order.paid_at.is_not(None),
    )
    found = list(db.session.scalars(query.limit(100)))
    for order_id in found:
        locked = lock_order(get(order_id))
        if locked.state == "awaiting_payment" and locked.paid_at is not None:
            log.warning("paid order sent to kitchen late", order=locked.number)
            to = _state_once_confirmed(locked)
            _apply_state(sites.of_order(locked), locked, to, reason=hold_reasons.PAID)
    return len(found)


def _apply_state(
    site: Site,
    locked: Order,
    to: str,
    *,
    because: str = "",
    reason: str = "",
    whole: bool = True,
    notify: bool = True,
) -> Order:
    """The order's row is locked, and the move is allowed."""
    notify = notify and not (to == "ready" and _was_recalled(locked))
    if locked.state == "scheduled" and to == "sent_to_kitchen" and locked.fires_at is not None:
        locked.fires_at = min(locked.fires_at, now())  # the staff may send it earlier
    locked.state = to
    if to in order_states.END_STATES or to == "delivered":
        locked.ended_at = locked.ended_at or now()
    record_change(locked, "moved", because=because, reason=reason)
    items = items_of(locked.id)
    if whole and to in ITEM_STATE_FOR:
        kitchen_progress.mark_items(locked, items, ITEM_STATE_FOR[to])
    announce(
        Change.STATE,
        OrderUpdate(site, locked, items, because=because, notify_customer=notify),
    )
    return locked


def _was_recalled(order: Order) -> bool:
    """The order was ready before and nothing was added since: the guest was already notified."""
    query = select(OrderChange.what).where(
        OrderChange.tenant_id == order.tenant_id,
        OrderChange.order_id == order.id,
        OrderChange.what.in_(("recalled", "added")),
    )
    return db.session.scalar(query.order_by(OrderChange.id.desc()).limit(1)) == "recalled"


def lock_version(order: Order, shown_version: int | None) -> Order:
    """Lock the row. Raises Conflict if its version is not the one the person saw."""
    version = order.version if shown_version is None else shown_version
    lock_tab(order.id)
    won = db.session.execute(
        update(Order)
        .where(
            Order.tenant_id == current_tenant_id(), Order.id == order.id, Order.version == version
        )
        .values(version=Order.version + 1, changed_at=now())
        .returning(Order.version)
    ).first()
    if won is None:
        raise _conflict(order)
    db.session.refresh(order)
    return order


def lock_order(order: Order) -> Order:
    """Lock and reload the row, for a change that does not depend on what a person saw."""
    lock_tab(order.id)
    query = select(Order).where(Order.tenant_id == current_tenant_id(), Order.id == order.id)
    fresh = query.with_for_update().execution_options(populate_existing=True)
    locked = db.session.scalars(fresh).one()
    touch(locked)
    return locked


def _conflict(order: Order) -> Conflict:
    """Names the person who made the last change."""
    latest = db.session.scalars(
        select(OrderChange.by)
        .where(OrderChange.tenant_id == current_tenant_id(), OrderChange.order_id == order.id)
        .order_by(OrderChange.id.desc())
        .limit(1)
    ).first()
    if not latest:
        return Conflict("order_changed", "Someone else changed this order. Check it and try again.")
    return Conflict(
        "order_changed", "{who} changed this order. Check it and try again.", who=latest
    )


def touch(order: Order) -> None:
    order.version += 1
    order.changed_at = now()


def record_change(order: Order, what: str, *, because: str = "", reason: str = "") -> None:
    """`because` is free text; a `reason` of hold_reasons.py is stored instead of it."""
    db.session.add(
        OrderChange(
            tenant_id=order.tenant_id,
            order_id=order.id,
            what=what,
            state=order.state,
            by=audit.current_actor().name,
            because=reason or encode_other(because),
        )
    )
    publish_live_update(order)


def publish_live_update(order: Order) -> None:
    """Makes open order boards reload."""
    live_updates.publish_update(
        "orders.changed", id=order.id, site=order.site_id, state=order.state
    )


def _next_number(site: Site, day: date, *, test: bool) -> int:
    """The next number of the site's business day, without gaps. Test orders have their own
    sequence."""
    column = OrderNumberCounter.last_test if test else OrderNumberCounter.last
    counts = {"last": 0 if test else 1, "last_test": 1 if test else 0}
    made = insert(OrderNumberCounter).values(
        tenant_id=current_tenant_id(), site_id=site.id, business_day=day, **counts
    )
    statement = made.on_conflict_do_update(
        index_elements=[
            OrderNumberCounter.tenant_id,
            OrderNumberCounter.site_id,
            OrderNumberCounter.business_day,
        ],
        set_={column.key: column + 1},
    ).returning(column)
    return int(db.session.scalars(statement).one())
