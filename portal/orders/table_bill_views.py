"""The bill of a table for the staff: what each guest paid, and cash or card for the rest."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, Invalid, NotFound
from core.ids import BadId
from portal.orders.board_views import board_pages
from portal.web.auth import member_may
from portal.web.i18n import error_message
from printing import printers
from restaurant.models import Site, Tab, Table
from restaurant.orders import queries as order_queries
from restaurant.orders.printing import bills, print_jobs
from restaurant.payments import cashier, tab_shares, tab_till
from restaurant.sites import sites, tables
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import guests as tab_guests
from restaurant.tabs import moving, sessions
from tenants import audit


@board_pages.get("/orders/board/<site_id>/tables/<table_id>/bill")
@member_may("orders.view")
def table_bill(site_id: str, table_id: str) -> Any:
    """All open orders of a table on one bill, with the shares of its tab."""
    with tenant_scope(g.tenant_id):
        site, table = sites.get(site_id), _table(site_id, table_id)
        open_orders = print_jobs.orders_on_bill(site.id, table.id)
        items = order_queries.items_of_orders([order.id for order in open_orders])
        both = bills.combine_totals(open_orders)
        printable = bool(printers.for_bills(site.id))
        tab = _open_tab(table)
        bill = tab_bill.load_bill(tab) if tab else None
        guests = [one for one in tab_guests.of_tab(tab.id) if one.state == "joined"] if tab else []
        others = [one for one in tables.listed(site.id) if one.id != table.id] if tab else []
    return render_template(
        "board/bill.html",
        site=site,
        table=table,
        tabs=[(order, items[order.id]) for order in open_orders],
        both=both,
        printable=printable,
        tab=tab,
        bill=bill,
        guests=guests,
        payers=_payers(bill) if bill else 0,
        whose=_whose(bill) if bill else {},
        others=others,
    )


@board_pages.post("/orders/board/<site_id>/tables/<table_id>/bill")
@member_may("orders.manage")
def settle_table(site_id: str, table_id: str) -> Any:
    """Print the bill, record a payment, release a payment under way, close or move the tab."""
    act = request.form.get("act", "")
    back = url_for("board.table_bill", site_id=site_id, table_id=table_id)
    try:
        with tenant_scope(g.tenant_id):
            site, table = sites.get(site_id), _table(site_id, table_id)
            tab = _open_tab(table)
            done = _ACTIONS.get(act, _take)(site, table, tab)
            if act == "move":
                back = url_for(
                    "board.table_bill", site_id=site_id, table_id=request.form.get("to", "")
                )
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(back)
    flash(done, "success")
    return redirect(back)


def _print(site: Site, table: Table, _tab: Tab | None) -> str:
    if print_jobs.print_table_bill(site, table):
        audit.record("orders.table_bill_printed", table.number)
    return str(gettext("The bill was sent to the printer."))


def _take(site: Site, table: Table, tab: Tab | None) -> str:
    """Cash or card: a part, or all that nobody is paying online."""
    method, seen = request.form.get("act", ""), _money(request.form.get("seen", ""))
    amount, tip = request.form.get("amount", "")[:20], request.form.get("tip", "")[:20]
    if tab is None:
        cashier.settle_table(site, table.id, method, seen)
        return str(gettext("Payment recorded."))
    tab_till.take_payment(
        site, tab, method, amount, tip, shown_amount=None if amount.strip() else seen
    )
    if sessions.get(tab.id).state == "settled":
        return str(gettext("Payment recorded. The table is settled."))
    return str(gettext("Payment recorded."))


def _release(site: Site, _table: Table, tab: Tab | None) -> str:
    if tab is not None:
        tab_shares.release(site, tab, request.form.get("share", "")[:40])
    return str(gettext("The payment was cancelled. The amount is open again."))


def _close(site: Site, _table: Table, tab: Tab | None) -> str:
    if tab is not None:
        tab_till.close_tab(site, tab)
    return str(gettext("The tab is closed. The next guests start a new one."))


def _move(site: Site, _table: Table, tab: Tab | None) -> str:
    to = _table_of(site.id, request.form.get("to", "")[:40])
    if tab is None or to is None:
        raise Invalid("table_missing", "Choose a table.")
    moving.move_tab(site, tab, to)
    return str(gettext("The guests and their bill are now at table %(number)s.", number=to.number))


_ACTIONS: dict[str, Callable[[Site, Table, Tab | None], str]] = {
    "print": _print,
    "release": _release,
    "close": _close,
    "move": _move,
}


def _payers(bill: tab_bill.Bill) -> int:
    return len({share.row.guest_id or share.row.id for share in bill.with_state("paid")})


def _whose(bill: tab_bill.Bill) -> dict[tuple[str, int], tab_bill.BillItem]:
    """Who ordered a line, and how many of its pieces are paid."""
    return {(line.order.id, line.item.position): line for line in bill.items}


def _open_tab(table: Table) -> Tab | None:
    """Of guests; if there is none, of a test."""
    return sessions.find_open(table.id, test=False) or sessions.find_open(table.id, test=True)


def _table(site_id: str, table_id: str) -> Table:
    found = _table_of(site_id, table_id)
    if found is None:
        raise NotFound()
    return found


def _table_of(site_id: str, table_id: str) -> Table | None:
    try:
        table = tables.get(table_id)
    except (BadId, NotFound):
        return None
    return table if table.site_id == site_id else None


def _money(given: str) -> Decimal:
    try:
        amount = Decimal(given[:20])
    except InvalidOperation:
        return Decimal(0)
    return amount if amount.is_finite() else Decimal(0)
