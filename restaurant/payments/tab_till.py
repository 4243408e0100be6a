"""The staff take cash or card for a table's tab: the rest of the bill, or a part of it."""

from decimal import Decimal

from core.errors import Conflict, invalid
from core.values.money import format_money
from restaurant.models import Site, Tab, TillPayment
from restaurant.payments import cashier, till
from restaurant.payments import links as payment_links
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import sessions
from restaurant.tabs.bill import ZERO
from tenants import audit


def take_payment(
    site: Site,
    tab: Tab,
    method: str,
    amount: str = "",
    tip: str = "",
    *,
    shown_amount: Decimal | None = None,
) -> list[TillPayment]:
    """Without an amount: everything that nobody is paying online. Raises Conflict if that is not
    what was shown. The amount is divided among the orders, oldest first."""
    if method not in till.METHODS:
        raise invalid("method", "invalid_choice", "Choose cash or card.")
    locked = sessions.lock(tab.id)
    bill = tab_bill.load_bill(locked)
    if not bill.open:
        raise Conflict("already_paid", "There is nothing to pay at this table.")
    if not bill.free:
        raise Conflict(
            "being_paid", "Guests are paying the rest online. Release their payment first."
        )
    if shown_amount is not None and shown_amount != bill.free:
        raise Conflict(
            "order_changed", "The bill for this table has changed. Check it and try again."
        )
    wanted = cashier.parse_amount("amount", amount, site.currency) if amount.strip() else bill.free
    if not 0 < wanted <= bill.free:
        raise invalid(
            "amount",
            "invalid_amount",
            "Only {open} is left to pay. Record anything above that as a tip.",
            open=format_money(bill.free, site.currency, site.languages[0]),
        )
    taken: list[TillPayment] = []
    left = wanted
    for order in bill.on_bill:
        part = min(left, max(ZERO, order.open_amount))
        if part > 0:
            taken.append(cashier.record_payment(site, order, method, part, "" if taken else tip))
            left -= part
    return taken


def close_tab(site: Site, tab: Tab) -> Tab:
    """The guests left, or paid in another way. Payments that are under way are cancelled; one that
    still arrives goes to the refund review."""
    locked = sessions.lock(tab.id)
    if locked.ended_at is None:
        for share in tab_bill.load_bill(locked).with_state("reserved"):
            payment_links.close_for_tab(share.link)
        sessions.end(site, locked, "closed")
        audit.record("tabs.closed", locked.table_number, tab_id=locked.id)
    return locked
