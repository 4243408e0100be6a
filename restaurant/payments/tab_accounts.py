"""Keeps a tab, its orders and its shares in agreement after every change.

Called with the tab's row locked. Money that the bill no longer needs is a surplus of its share, and
the payment goes to the refund review.
"""

from decimal import Decimal

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.values.money import format_money, quantize
from restaurant.loyalty import ledger
from restaurant.models import Order, Payment, Site, Tab, order_states
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.effects import OrderUpdate
from restaurant.payments import links as payment_links
from restaurant.payments.payment_events import publish_event
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import events as tab_events
from restaurant.tabs import sessions
from restaurant.tabs.bill import ZERO, Bill, Share


def follow_order(update: OrderUpdate) -> None:
    """An order of the tab was changed, paid, voided or cancelled."""
    if update.order.tab_id is None:
        return
    tab = sessions.lock(update.order.tab_id)
    reconcile(update.site, tab)
    _close_if_orders_ended(update.site, tab)


def reconcile(site: Site, tab: Tab) -> Bill:
    db.session.flush()
    bill = tab_bill.load_bill(tab)
    _return_voided_pieces(bill)
    _return_excess(bill)
    for share in bill.with_state("paid"):
        _review_surplus(share)
    _release_what_does_not_fit(bill)
    _pay_orders(site, bill)
    db.session.flush()
    bill = tab_bill.load_bill(tab)
    _settle_or_reopen(site, bill)
    return bill


def _return_voided_pieces(bill: Bill) -> None:
    """A guest paid for a piece that was voided later: the latest payer gets it back."""
    left: dict[tuple[str, int], int] = {}
    for line in bill.items:
        left[line.order.id, line.item.position] = line.quantity
    for share in bill.with_state("paid"):
        for part in share.items:
            key = (part.order_id, part.position)
            over = part.quantity - max(0, left.get(key, 0))
            left[key] = left.get(key, 0) - part.quantity
            if over <= 0:
                continue
            back = quantize(part.amount * over / part.quantity, share.link.currency)
            part.quantity -= over
            part.amount -= back
            share.row.surplus += min(back, share.net)
            if not part.quantity:
                db.session.delete(part)


def _return_excess(bill: Bill) -> None:
    """More was paid than the bill has: the latest payers get the difference back."""
    excess = bill.paid - bill.total
    for share in reversed(bill.with_state("paid")):
        back = min(excess, share.net)
        if back > 0:
            share.row.surplus += back
            excess -= back


def _review_surplus(share: Share) -> None:
    if not share.row.surplus:
        return
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.link_id == share.link.id,
        Payment.state.in_(("accepted", "review", "kept")),
        (Payment.why == "") | (Payment.why == "surplus"),
        Payment.surplus < share.row.surplus,
    )
    for payment in db.session.scalars(
        query.with_for_update().execution_options(populate_existing=True)
    ):
        payment.surplus = share.row.surplus
        payment.state, payment.why = "review", "surplus"
        publish_event("restaurant.payment_review", payment)


def _release_what_does_not_fit(bill: Bill) -> None:
    """A reserved share is released if its pieces or its amount are no longer open."""
    room = bill.total - bill.paid
    taken: dict[tuple[str, int], int] = {}
    for share in bill.with_state("reserved"):
        fits = share.row.amount <= room
        for part in share.items:
            line = bill.item(part.order_id, part.position)
            key = (part.order_id, part.position)
            used = taken.get(key, 0) + part.quantity
            fits = fits and line is not None and used <= line.quantity - _paid_pieces(bill, key)
        if not fits:
            payment_links.close_for_tab(share.link)
            continue
        room -= share.row.amount
        for part in share.items:
            key = (part.order_id, part.position)
            taken[key] = taken.get(key, 0) + part.quantity


def _paid_pieces(bill: Bill, key: tuple[str, int]) -> int:
    return sum(
        part.quantity
        for share in bill.with_state("paid")
        for part in share.items
        if (part.order_id, part.position) == key
    )


def _pay_orders(site: Site, bill: Bill) -> None:
    """Divide what was paid online among the orders: first to those with the paid items."""
    needs = {
        order.id: max(ZERO, order.total - order.taken)
        for order in bill.on_bill
        if order.payment_method != "card_link" or order.paid_at is None
    }
    given = dict.fromkeys((order.id for order in bill.orders), ZERO)
    rest = ZERO
    for share in bill.with_state("paid"):
        left = share.net
        for part in share.items:
            left -= _give(needs, given, part.order_id, min(left, part.amount))
        rest += left
    for order_id in needs:
        rest -= _give(needs, given, order_id, rest)
    for order in sorted(bill.orders, key=lambda one: one.id):
        if order.paid_online != given[order.id]:
            _change_paid_online(site, order, given[order.id])


def _give(
    needs: dict[str, Decimal], given: dict[str, Decimal], order_id: str, most: Decimal
) -> Decimal:
    amount = max(ZERO, min(most, needs.get(order_id, ZERO)))
    if amount:
        needs[order_id] -= amount
        given[order_id] += amount
    return amount


def _change_paid_online(site: Site, order: Order, amount: Decimal) -> None:
    locked = order_lifecycle.lock_order(order)
    difference = amount - locked.paid_online
    locked.paid_online = amount
    order_lifecycle.update_paid_state(locked)
    sign = "+" if difference > 0 else "−"
    text = f"{sign}{format_money(abs(difference), locked.currency, locked.language)}"
    order_lifecycle.record_change(locked, "payment", because=text)
    order_notifications.payment_changed(site, locked, order_queries.items_of(locked.id))
    if locked.paid_at is not None:
        ledger.update_for_order(site, locked)


def _settle_or_reopen(site: Site, bill: Bill) -> None:
    tab = bill.tab
    paid = bool(bill.on_bill) and bill.total > 0 and not bill.open and not bill.pending
    if tab.state == "open" and paid:
        sessions.end(site, tab, "settled")
        return
    if tab.state == "settled" and bill.open:
        if sessions.find_open(tab.table_id, test=tab.test) is not None:
            return  # other guests sit there now; the order shows what is open
        tab.state, tab.ended_at = "open", None
    tab_events.touch(tab)
    tab_events.publish("restaurant.tab_updated", site, bill)


def _close_if_orders_ended(site: Site, tab: Tab) -> None:
    """The staff closed all orders of the table, for example after a payment at another till."""
    if tab.ended_at is not None:
        return
    bill = tab_bill.load_bill(tab)
    over = all(order.state in order_states.END_STATES for order in bill.orders)
    if bill.on_bill and over and not bill.with_state("reserved"):
        sessions.end(site, tab, "closed")


def accept_share(site: Site, share_tab: Tab, share: Share) -> None:
    """The provider confirmed the payment of a share. The tab and the link are locked."""
    share.row.paid_at = now()
    reconcile(site, share_tab)
