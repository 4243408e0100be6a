"""Tickets for what happens to an order, queued in the transaction in which it happens."""

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict
from printing import printers, spool
from printing.models import Printer, PrintJob
from printing.spool import Sheet
from restaurant import bills, finding, receipts, stations
from restaurant.models import Order, OrderLine, PaymentLink, Site, Table, TableCall
from restaurant.receipts import Ticket

DOUBLE_CLICK_SECONDS = 10
Maker = Callable[[Mapping[str, str]], list[Ticket]]


def fired(site: Site, order: Order, lines: Sequence[OrderLine]) -> None:
    _queue(site, order, "order", lambda names: receipts.fired(site, order, lines, names), "1")


def added(site: Site, order: Order, lines: Sequence[OrderLine]) -> None:
    mark = str(order.batch)
    _queue(site, order, "addition", lambda names: receipts.added(site, order, lines, names), mark)


def voided(site: Site, order: Order, line: OrderLine, quantity: int) -> None:
    if not _was_printed(order):
        return
    mark = f"{line.position}.{line.voided}"
    _queue(
        site,
        order,
        "void",
        lambda names: receipts.voided(site, order, line, quantity, names),
        mark,
    )


def moved_table(site: Site, order: Order, lines: Sequence[OrderLine], was: str) -> None:
    if _was_printed(order):
        _queue(
            site,
            order,
            "moved",
            lambda names: receipts.moved(site, order, lines, was, names),
            str(order.version),
        )


def cancelled(site: Site, order: Order, lines: Sequence[OrderLine], because: str) -> None:
    """The kitchen learns of it where it had learned of the order."""
    if _was_printed(order):
        _queue(
            site,
            order,
            "cancelled",
            lambda names: receipts.cancelled(site, order, lines, because, names),
            "1",
        )


def bill(site: Site, order: Order, lines: Sequence[OrderLine], *, mark: str = "") -> list[str]:
    """On every printer for bills. A second tap within seconds is the same one."""
    found = printers.for_bills(site.id)
    if not found:
        raise Conflict("no_bill_printer", "No printer of this restaurant is set to print bills.")
    mark = mark or f"{order.version}.{int(now().timestamp()) // DOUBLE_CLICK_SECONDS}"
    document = bills.bill(site, order, lines, pay_url=_pay_url(order))
    return spool.put(
        Sheet(
            printer=printer,
            kind="bill",
            document=document,
            dedupe=f"{order.id}:bill:{mark}:{printer.id}",
            order_id=order.id,
            order_number=order.number,
            time_zone=site.time_zone,
        )
        for printer in found
    )


def table_bill(site: Site, table: Table, *, mark: str = "") -> list[str]:
    """One bill for all open orders of a table. A second tap within seconds is the same one."""
    found = printers.for_bills(site.id)
    if not found:
        raise Conflict("no_bill_printer", "No printer of this restaurant is set to print bills.")
    open_orders = on_bill(site.id, table.id)
    if not open_orders:
        raise Conflict("no_open_orders", "There is nothing on the bill of this table.")
    lines = finding.lines_of([order.id for order in open_orders])
    tabs = [(order, lines[order.id]) for order in open_orders]
    document = bills.of_table(site, table.number, tabs)
    versions = "-".join(str(order.version) for order in open_orders)
    mark = mark or f"{versions}.{int(now().timestamp()) // DOUBLE_CLICK_SECONDS}"
    return spool.put(
        Sheet(
            printer=printer,
            kind="bill",
            document=document,
            dedupe=f"{table.id}:bill:{open_orders[0].id}:{mark}:{printer.id}",
            order_id=open_orders[0].id,
            order_number=open_orders[0].number,
            time_zone=site.time_zone,
        )
        for printer in found
    )


def on_bill(site_id: str, table_id: str) -> list[Order]:
    """The open orders of a table that belong on its bill, the first first."""
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.site_id == site_id,
        Order.ended_at.is_(None),
        Order.table_id == table_id,
        Order.state.not_in(("awaiting_confirmation", "awaiting_payment")),
    )
    return list(db.session.scalars(query.order_by(Order.placed_at, Order.id)))


def bills_asked_for(site: Site, table: Table, call: TableCall) -> None:
    """A guest asked for the bill: it is printed, where the restaurant wants that."""
    if not site.prints_bills or not printers.for_bills(site.id):
        return
    open_orders = on_bill(site.id, table.id)
    if len(open_orders) == 1:
        (order,) = open_orders
        bill(site, order, finding.lines_of([order.id])[order.id], mark=call.id)
    elif open_orders:
        table_bill(site, table, mark=call.id)


def _pay_url(order: Order) -> str:
    """Where this order can be paid with the phone just now; empty when it cannot."""
    query = select(PaymentLink.url).where(
        PaymentLink.tenant_id == current_tenant_id(),
        PaymentLink.order_id == order.id,
        PaymentLink.state == "open",
        PaymentLink.expires_at > now(),
        PaymentLink.amount == order.total,
    )
    return db.session.scalars(query.order_by(PaymentLink.id.desc()).limit(1)).first() or ""


def _queue(site: Site, order: Order, kind: str, make: Maker, mark: str) -> None:
    known = printers.listed(site.id)
    if any(printer.enabled and printer.stations for printer in known):
        tickets = make({station.code: station.name for station in stations.listed(site.id)})
        spool.put(sheets(site, order, kind, tickets, mark, known))


def sheets(
    site: Site,
    order: Order,
    kind: str,
    tickets: Sequence[Ticket],
    mark: str,
    known: Sequence[Printer],
) -> list[Sheet]:
    """One for each copy on each printer of the ticket's station."""
    return [
        Sheet(
            printer=printer,
            kind=kind,
            document=ticket.document,
            dedupe=f"{order.id}:{kind}:{mark}:{ticket.station}:{printer.id}:{copy}",
            order_id=order.id,
            order_number=order.number,
            station=ticket.station,
            copy=copy,
            time_zone=site.time_zone,
        )
        for ticket in tickets
        for printer in known
        if printer.enabled and ticket.station in printer.stations
        for copy in range(1, printer.copies + 1)
    ]


def _was_printed(order: Order) -> bool:
    query = select(PrintJob.id).where(
        PrintJob.tenant_id == current_tenant_id(),
        PrintJob.order_id == order.id,
        PrintJob.kind == "order",
    )
    return db.session.execute(query.limit(1)).first() is not None
