"""The running bill of a tab: items, who ordered them, what is paid, reserved and open.

The bill is computed from orders, recorded payments and shares; nothing of it is stored twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.values.money import quantize
from restaurant.models import Order, PaymentLink, Tab, TabItem, TabShare, TabShareItem
from restaurant.orders import queries as order_queries

ZERO = Decimal(0)
PENDING_STATES = frozenset({"awaiting_confirmation", "awaiting_payment"})
OFF_BILL_STATES = PENDING_STATES | {"cancelled", "refunded"}
# The states in which a payment link can be paid: its share is reserved.
RESERVED_LINK_STATES = frozenset({"making", "open", "failed"})


@dataclass
class Share:
    row: TabShare
    link: PaymentLink
    items: list[TabShareItem] = field(default_factory=list)

    @property
    def state(self) -> str:
        """paid, reserved (being paid) or released"""
        if self.row.paid_at is not None:
            return "paid"
        return "reserved" if self.link.state in RESERVED_LINK_STATES else "released"

    @property
    def net(self) -> Decimal:
        """The part of the bill that it pays."""
        return self.row.amount - self.row.surplus


@dataclass
class BillItem:
    order: Order
    item: Any
    """A row with the columns of `OrderItem`."""
    quantity: int
    """Without voided pieces."""
    pieces: tuple[Decimal, ...]
    """What each piece adds to the bill, with its part of discount, service charge and tax."""
    guest_id: str | None = None
    guest: str = ""
    paid: int = 0
    reserved: int = 0

    @property
    def amount(self) -> Decimal:
        return sum(self.pieces, ZERO)

    @property
    def is_paid(self) -> bool:
        return self.quantity > 0 and (self.order.open_amount <= 0 or self.paid >= self.quantity)

    @property
    def state(self) -> str:
        """paid, reserved or open"""
        if self.is_paid:
            return "paid"
        return "open" if self.free else "reserved"

    @property
    def free(self) -> int:
        """Pieces that nobody has paid or is paying."""
        return 0 if self.is_paid else max(0, self.quantity - self.paid - self.reserved)

    def price_of(self, quantity: int) -> Decimal:
        """Of the next free pieces."""
        first = self.paid + self.reserved
        return sum(self.pieces[first : first + quantity], ZERO)


@dataclass
class Bill:
    tab: Tab
    orders: list[Order]
    """All orders of the tab, oldest first."""
    items: list[BillItem]
    shares: list[Share]
    """Oldest first."""

    @property
    def currency(self) -> str:
        return self.orders[0].currency if self.orders else ""

    @property
    def on_bill(self) -> list[Order]:
        return [order for order in self.orders if order.state not in OFF_BILL_STATES]

    @property
    def pending(self) -> list[Order]:
        """Orders that wait for confirmation, or for their own payment."""
        return [order for order in self.orders if order.state in PENDING_STATES]

    @property
    def total(self) -> Decimal:
        return sum((order.total for order in self.on_bill), ZERO)

    @property
    def paid_elsewhere(self) -> Decimal:
        """Recorded by the staff, or paid with the link of an order. What was recorded above the
        total of an order does not count: the staff give it back."""
        return sum((_paid_elsewhere(order) for order in self.on_bill), ZERO)

    @property
    def paid(self) -> Decimal:
        return self.paid_elsewhere + sum((one.net for one in self.with_state("paid")), ZERO)

    @property
    def reserved(self) -> Decimal:
        return sum((one.row.amount for one in self.with_state("reserved")), ZERO)

    @property
    def open(self) -> Decimal:
        return max(ZERO, self.total - self.paid)

    @property
    def free(self) -> Decimal:
        """What a further guest can pay now."""
        return max(ZERO, self.open - self.reserved)

    @property
    def to_give_back(self) -> Decimal:
        """Taken by the staff above the total of an order, for example for a voided item."""
        return sum(
            (
                max(ZERO, order.taken - order.total)
                for order in self.on_bill
                if not _paid_by_own_link(order)
            ),
            ZERO,
        )

    def with_state(self, state: str) -> list[Share]:
        return [share for share in self.shares if share.state == state]

    def item(self, order_id: str, position: int) -> BillItem | None:
        for one in self.items:
            if (one.order.id, one.item.position) == (order_id, position):
                return one
        return None


def load_bill(tab: Tab) -> Bill:
    """Current rows, whatever the session has read before."""
    fresh = {"populate_existing": True}
    query = select(Order).where(Order.tenant_id == current_tenant_id(), Order.tab_id == tab.id)
    orders = list(
        db.session.scalars(query.order_by(Order.placed_at, Order.id).execution_options(**fresh))
    )
    shares = _shares(tab)
    items = order_queries.items_of_orders([order.id for order in orders])
    guests = _guests([order.id for order in orders])
    lines = []
    for order in orders:
        if order.state in OFF_BILL_STATES:
            continue
        pieces = allocate(order.total, items[order.id], order.currency)
        for item in items[order.id]:
            guest = guests.get((order.id, item.position))
            left = item.quantity - item.voided
            if left > 0:
                lines.append(
                    BillItem(
                        order,
                        item,
                        left,
                        pieces[item.position],
                        guest.guest_id if guest else None,
                        guest.guest if guest else "",
                    )
                )
    bill = Bill(tab, orders, lines, shares)
    _count_pieces(bill)
    return bill


def allocate(total: Decimal, items: Sequence[Any], currency: str) -> dict[int, tuple[Decimal, ...]]:
    """The part of an order's total for each piece, by position. The parts add up to the total."""
    pieces = [
        (item.position, Decimal(item.unit_price))
        for item in items
        for _ in range(item.quantity - item.voided)
    ]
    whole = sum((price for _, price in pieces), ZERO)
    found: dict[int, list[Decimal]] = {item.position: [] for item in items}
    reached, given = ZERO, ZERO
    for number, (position, price) in enumerate(pieces, 1):
        reached += price
        part = total * reached / whole if whole else total * number / len(pieces)
        until = total if number == len(pieces) else quantize(part, currency)
        found[position].append(until - given)
        given = until
    return {position: tuple(parts) for position, parts in found.items()}


def _count_pieces(bill: Bill) -> None:
    for share in bill.shares:
        if share.state == "released":
            continue
        for part in share.items:
            line = bill.item(part.order_id, part.position)
            if line is None:
                continue
            if share.state == "paid":
                line.paid += part.quantity
            else:
                line.reserved += part.quantity


def _paid_by_own_link(order: Order) -> bool:
    return order.payment_method == "card_link" and order.paid_at is not None


def _paid_elsewhere(order: Order) -> Decimal:
    return order.total if _paid_by_own_link(order) else min(order.taken, order.total)


def _shares(tab: Tab) -> list[Share]:
    query = (
        select(TabShare, PaymentLink)
        .join(
            PaymentLink,
            (PaymentLink.tenant_id == TabShare.tenant_id) & (PaymentLink.id == TabShare.link_id),
        )
        .where(
            TabShare.tenant_id == current_tenant_id(),
            PaymentLink.tenant_id == current_tenant_id(),
            TabShare.tab_id == tab.id,
        )
        .order_by(TabShare.id)
        .execution_options(populate_existing=True)
    )
    shares = [Share(row, link) for row, link in db.session.execute(query)]
    if not shares:
        return []
    by_id = {share.row.id: share for share in shares}
    parts = select(TabShareItem).where(
        TabShareItem.tenant_id == current_tenant_id(), TabShareItem.share_id.in_(by_id)
    )
    for part in db.session.scalars(parts.execution_options(populate_existing=True)):
        by_id[part.share_id].items.append(part)
    return shares


def _guests(order_ids: list[str]) -> dict[tuple[str, int], TabItem]:
    if not order_ids:
        return {}
    query = select(TabItem).where(
        TabItem.tenant_id == current_tenant_id(), TabItem.order_id.in_(order_ids)
    )
    return {(row.order_id, row.position): row for row in db.session.scalars(query)}
