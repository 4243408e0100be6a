"""Orders: made once, moved by one table, every move with its who and when."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from core import news
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound
from core.ids import new_id
from core.logs import logger
from core.texts import one_line
from restaurant import (
    alarms,
    hours,
    kitchen_items,
    legs,
    moves,
    order_lines,
    payment_links,
    sites,
    telling,
)
from restaurant.loyalty import book, coupons
from restaurant.models import Order, OrderChange, OrderDay, OrderLine, Site
from restaurant.pricing import Line
from tenants import audit

log = logger(__name__)

GIVEN_BACK = "The coupon can be used again."
# What a move of the whole order says of each of its items.
MARKS = {"preparing": kitchen_items.STARTED, "ready": kitchen_items.READY}


@dataclass(frozen=True)
class Draft:
    """An order about to be made: from a cart, by the staff, or by a program."""

    order_type: str
    payment_method: str
    lines: Sequence[Line]
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
    needs_tap: bool = False
    line_id: int | None = None
    message_id: str | None = None
    cart_id: str | None = None
    address: dict[str, Any] = field(default_factory=dict)
    test: bool = False


def make(site: Site, draft: Draft) -> Order:
    """With the next number of the day. To the kitchen at once, unless a tap or a payment is due."""
    moment = now()
    state = "sent_to_kitchen"
    if draft.needs_tap:
        state = "awaiting_confirmation"
    elif draft.payment_method == "card_link" and draft.total > 0:
        state = "awaiting_payment"
    day = hours.business_day(site.day_starts, site.time_zone, moment)
    order = written(site, draft, day, _next_number(site, day, test=draft.test))
    order.state = state
    db.session.add(order)
    db.session.flush()
    order_lines.add_lines(order, draft.lines, 0)
    note(order, "moved", because=draft.staff_note)
    if state == "awaiting_confirmation":
        alarms.set_for(site, order)
    if state == "awaiting_payment":
        payment_links.for_order(site, order)
    if state == "sent_to_kitchen":
        telling.fired(site, order, lines_of(order.id))
    return order


def written(site: Site, draft: Draft, day: date, sequence: int) -> Order:
    """The row of an order that goes to the kitchen now; nothing is stored yet."""
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
        placed_at=moment,
        changed_at=moment,
    )


def get(number: str) -> Order:
    """By its number, as everybody calls it, or by our own id."""
    if "\0" in number:
        raise NotFound()
    query = select(Order).where(Order.tenant_id == current_tenant_id())
    query = query.where(Order.id == number if number.startswith("ord_") else Order.number == number)
    order = db.session.scalars(query).first()
    if order is None:
        raise NotFound()
    return order


def lines_of(order_id: str) -> list[OrderLine]:
    query = select(OrderLine).where(
        OrderLine.tenant_id == current_tenant_id(), OrderLine.order_id == order_id
    )
    return list(db.session.scalars(query.order_by(OrderLine.position)))


def changes_of(order_id: str) -> list[OrderChange]:
    query = select(OrderChange).where(
        OrderChange.tenant_id == current_tenant_id(), OrderChange.order_id == order_id
    )
    return list(db.session.scalars(query.order_by(OrderChange.id)))


def move(
    site: Site,
    order: Order,
    to: str,
    *,
    because: str = "",
    seen: int | None = None,
    whole: bool = True,
) -> Order:
    """Idempotent. Raises Conflict if the order has changed since it was shown.

    With `whole` all items are started or finished with the order; without it the stations have
    said how far each item is (`restaurant.kitchen_display`).
    """
    if order.state == to:
        return order
    held = hold(order, seen)
    if (held.state, to) == moves.BY_PAYMENT and due(held):
        raise Invalid("not_paid", "This order waits for its payment.")
    if not moves.may_move(held.state, to, held.order_type):
        raise wrong_move(held, to)
    if held.state == "awaiting_confirmation" and to == "sent_to_kitchen" and due(held):
        to = "awaiting_payment"
    return _moved(site, held, to, because=because, whole=whole)


def wrong_move(order: Order, to: str) -> Conflict:
    return Conflict(
        "wrong_move",
        "Order {number} is {state} and cannot become {to}.",
        number=order.number,
        state=order.state,
        to=to,
    )


def recall(site: Site, order: Order, to: str) -> Order:
    """Back to the kitchen: a tap on the kitchen display was undone. The order's row is locked."""
    was, order.state = order.state, to
    note(order, "recalled" if was == "ready" else "moved")
    telling.updated(site, order, lines_of(order.id))
    return order


def cancel(site: Site, order: Order, because: str, *, seen: int | None = None) -> Order:
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Say why the order is cancelled.")
    return move(site, order, "cancelled", because=because, seen=seen)


def due(order: Order) -> bool:
    """It has to be paid online before the kitchen hears of it, and is not yet."""
    return order.payment_method == "card_link" and order.paid_at is None and order.total > 0


def paid(site: Site, order: Order) -> Order:
    """Only after a verified success signal. A tap that saw the order unpaid comes too late."""
    held = lock(order)
    held.paid_at = held.paid_at or now()
    if held.state == "awaiting_payment":
        return _moved(site, held, "sent_to_kitchen", because="paid")
    book.follow(site, held)
    return held


def send_paid_to_kitchen() -> int:
    """Orders that are paid and still wait for their payment. There should be none."""
    query = select(Order.id).where(
        Order.tenant_id == current_tenant_id(),
        Order.state == "awaiting_payment",
        Order.paid_at.is_not(None),
    )
    found = list(db.session.scalars(query.limit(100)))
    for order_id in found:
        held = lock(get(order_id))
        if held.state == "awaiting_payment" and held.paid_at is not None:
            log.warning("paid order sent to kitchen late", order=held.number)
            _moved(sites.of_order(held), held, "sent_to_kitchen", because="paid")
    return len(found)


def _moved(site: Site, held: Order, to: str, *, because: str, whole: bool = True) -> Order:
    """The order's row is locked, and the move is allowed."""
    told_before = to == "ready" and _was_recalled(held)
    held.state = to
    if to in moves.ENDS or to == "delivered":
        held.ended_at = held.ended_at or now()
    note(held, "moved", because=because)
    lines = lines_of(held.id)
    if whole and to in MARKS:
        kitchen_items.mark(held, lines, MARKS[to])
    if to == "sent_to_kitchen":
        telling.fired(site, held, lines)
    elif to == "cancelled":
        payment_links.order_cancelled(held)
        telling.cancelled(site, held, lines, because)
    else:
        telling.updated(site, held, lines)
    if to == "awaiting_payment":
        payment_links.for_order(site, held)
    legs.follow(site, held, lines)
    if to == "cancelled":
        _give_back(held)
    book.follow(site, held)
    if not told_before:
        telling.tell_customer(site, held, because=because)
    return held


def _was_recalled(order: Order) -> bool:
    """It was ready before, and nothing was added since: the guest has been told."""
    query = select(OrderChange.what).where(
        OrderChange.tenant_id == order.tenant_id,
        OrderChange.order_id == order.id,
        OrderChange.what.in_(("recalled", "added")),
    )
    return db.session.scalar(query.order_by(OrderChange.id.desc()).limit(1)) == "recalled"


def _give_back(order: Order) -> None:
    for _ in coupons.give_back(order):
        note(order, "coupon", because=GIVEN_BACK)


def hold(order: Order, seen: int | None) -> Order:
    """The row, locked, at the version the person saw."""
    wanted = order.version if seen is None else seen
    won = db.session.execute(
        update(Order)
        .where(
            Order.tenant_id == current_tenant_id(), Order.id == order.id, Order.version == wanted
        )
        .values(version=Order.version + 1, changed_at=now())
        .returning(Order.version)
    ).first()
    if won is None:
        raise _changed(order)
    db.session.refresh(order)
    return order


def lock(order: Order) -> Order:
    """The row, locked, as it is now: for a change that does not depend on what a person saw."""
    query = select(Order).where(Order.tenant_id == current_tenant_id(), Order.id == order.id)
    fresh = query.with_for_update().execution_options(populate_existing=True)
    held = db.session.scalars(fresh).one()
    touch(held)
    return held


def _changed(order: Order) -> Conflict:
    """A late tap is told who was quicker."""
    latest = db.session.scalars(
        select(OrderChange.by)
        .where(OrderChange.tenant_id == current_tenant_id(), OrderChange.order_id == order.id)
        .order_by(OrderChange.id.desc())
        .limit(1)
    ).first()
    if not latest:
        return Conflict("order_changed", "Somebody changed this order meanwhile: look again.")
    return Conflict("order_changed", "{who} changed this order meanwhile: look again.", who=latest)


def touch(order: Order) -> None:
    order.version += 1
    order.changed_at = now()


def note(order: Order, what: str, *, because: str = "") -> None:
    db.session.add(
        OrderChange(
            tenant_id=order.tenant_id,
            order_id=order.id,
            what=what,
            state=order.state,
            by=audit.current_actor().name,
            because=because,
        )
    )
    tell(order)


def tell(order: Order) -> None:
    """Open boards look again."""
    news.tell("orders.changed", id=order.id, site=order.site_id, state=order.state)


def _next_number(site: Site, day: date, *, test: bool) -> int:
    """Orders of a site are numbered one after the other, without gaps. Test orders are counted
    separately."""
    column = OrderDay.last_test if test else OrderDay.last
    counts = {"last": 0 if test else 1, "last_test": 1 if test else 0}
    made = insert(OrderDay).values(
        tenant_id=current_tenant_id(), site_id=site.id, business_day=day, **counts
    )
    statement = made.on_conflict_do_update(
        index_elements=[OrderDay.tenant_id, OrderDay.site_id, OrderDay.business_day],
        set_={column.key: column + 1},
    ).returning(column)
    return int(db.session.scalars(statement).one())
