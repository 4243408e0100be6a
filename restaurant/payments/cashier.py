"""Payments by staff: record or undo one, change the payment method, settle a table."""

from collections.abc import Sequence
from decimal import Decimal

from core.db import db
from core.errors import Conflict, Invalid, invalid
from core.values.money import BadMoney, format_money, parse_money
from core.values.text import one_line
from restaurant.loyalty import ledger
from restaurant.models import Order, Site, TillPayment
from restaurant.models.order_states import PAYMENT_METHODS
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.effects import Change, OrderUpdate, announce
from restaurant.orders.printing import print_jobs
from restaurant.payments import links as payment_links
from restaurant.payments import till
from tenants import audit

ZERO = Decimal(0)
UNPAYABLE_STATES = frozenset({"cancelled", "refunded"})
_METHODS_BY_ORDER_TYPE = {
    "dine_in": ("pos_at_table", "cash"),
    "takeaway": ("cash", "pos_at_table"),
    "delivery": ("cash", "card_at_door"),
}


def record_payment(
    site: Site,
    order: Order,
    method: str,
    amount: str | Decimal = "",
    tip: str | Decimal = "",
    *,
    shown_version: int | None = None,
) -> TillPayment:
    """For the whole open amount or a part. Raises Conflict if the order has changed meanwhile."""
    if method not in till.METHODS:
        raise invalid("method", "invalid_choice", "Choose cash or card.")
    locked = order_lifecycle.lock_version(order, shown_version)
    if locked.state in UNPAYABLE_STATES:
        raise Conflict("order_closed", "There is nothing to pay for a cancelled order.")
    if locked.payment_method == "card_link" and locked.paid_at is None:
        raise Conflict("paid_online", "This order is paid online. Change its payment method first.")
    owed = locked.open_amount
    if owed <= 0:
        raise Conflict("already_paid", "This order is already paid.")
    paid = parse_amount("amount", amount, locked.currency) if str(amount).strip() else owed
    if not 0 < paid <= owed:
        raise invalid(
            "amount",
            "invalid_amount",
            "Only {open} is left to pay. Record anything above that as a tip.",
            open=format_money(owed, locked.currency, locked.language),
        )
    extra = parse_amount("tip", tip, locked.currency) if str(tip).strip() else ZERO
    payment = till.record_payment(site, locked, method, paid, extra)
    audit.record(
        "orders.payment_recorded", locked.number, amount=str(paid), tip=str(extra), method=method
    )
    _notify(site, locked, f"+{_formatted(locked, paid)}")
    return payment


def undo_payment(site: Site, payment: TillPayment, because: str) -> Order:
    """Undo a payment recorded by mistake. The row stays, with the actor and the reason."""
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Enter a reason for undoing the payment.")
    locked = order_lifecycle.lock_order(order_queries.get(payment.order_id))
    db.session.refresh(payment)
    if payment.undone_at is not None:
        raise Conflict("payment_undone", "This payment was already undone.")
    till.undo_payment(locked, payment, because)
    audit.record(
        "orders.payment_undone", locked.number, amount=str(payment.amount), because=because
    )
    _notify(site, locked, f"−{_formatted(locked, payment.amount)}: {because}")
    return locked


def payment_methods_for(order: Order) -> tuple[str, ...]:
    """The payment methods that an order can be changed to."""
    if order.state in UNPAYABLE_STATES or (order.payment_method == "card_link" and order.paid_at):
        return ()
    return tuple(
        way for way in _METHODS_BY_ORDER_TYPE[order.order_type] if way != order.payment_method
    )


def change_payment_method(
    site: Site, order: Order, way: str, *, shown_version: int | None = None
) -> Order:
    """Change to cash or card at the table. An order that waited for online payment continues."""
    if way not in PAYMENT_METHODS or way == "card_link":
        raise invalid("payment_method", "invalid_choice", "Choose cash or card at the table.")
    locked = order_lifecycle.lock_version(order, shown_version)
    if locked.payment_method == way:
        return locked
    if way not in payment_methods_for(locked):
        raise Conflict("way_fixed", "The payment method of this order can no longer be changed.")
    was, locked.payment_method = locked.payment_method, way
    if was == "card_link":
        payment_links.on_payment_method_changed(locked)
    order_lifecycle.update_paid_state(locked)
    audit.record("orders.payment_method_changed", locked.number, was=was, now=way)
    order_lifecycle.record_change(locked, "payment", because=f"{was} → {way}")
    if locked.state == "awaiting_payment":
        return order_lifecycle.change_state(site, locked, "sent_to_kitchen")
    order_notifications.status_changed(site, locked, order_queries.items_of(locked.id))
    return locked


def settle_table(
    site: Site, table_id: str, method: str, shown_amount: Decimal
) -> Sequence[TillPayment]:
    """Pay everything open at a table. Raises Conflict if the amount is not what was shown."""
    owing = [
        order for order in print_jobs.orders_on_bill(site.id, table_id) if order.open_amount > 0
    ]
    if not owing:
        raise Conflict("already_paid", "There is nothing to pay at this table.")
    if sum(order.open_amount for order in owing) != shown_amount:
        raise Conflict(
            "order_changed", "The bill for this table has changed. Check it and try again."
        )
    return [record_payment(site, order, method) for order in owing]


def _notify(site: Site, order: Order, text: str) -> None:
    order_lifecycle.record_change(order, "payment", because=text)
    items = order_queries.items_of(order.id)
    order_notifications.payment_changed(site, order, items)
    if order.paid_at is not None:
        ledger.update_for_order(site, order)
    announce(Change.TILL, OrderUpdate(site, order, items))


def _formatted(order: Order, amount: Decimal) -> str:
    return format_money(amount, order.currency, order.language)


def parse_amount(field: str, given: str | Decimal, currency: str) -> Decimal:
    try:
        amount = parse_money(str(given).strip(), currency)
    except BadMoney as error:
        raise invalid(field, "invalid_amount", str(error)) from error
    if not 0 <= amount < payment_links.MAX_AMOUNT:
        raise invalid(field, "invalid_amount", "The amount must be greater than zero.")
    return amount
