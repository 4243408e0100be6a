"""Queues tickets and bills for an order, in the transaction that changes the order."""

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict
from printing import printers, spool
from printing.models import Printer, PrintJob
from printing.spool import NewPrintJob
from restaurant.models import Order, OrderItem, PaymentLink, Site, Tab, Table, WaiterCall
from restaurant.orders import card_payments
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen.code_urls import ticket_url
from restaurant.orders.printing import bills, kitchen_tickets
from restaurant.orders.printing.kitchen_tickets import StationTicket, TicketUrl
from restaurant.sites import stations
from restaurant.tabs import addresses as tab_addresses

DOUBLE_CLICK_SECONDS = 10
TicketBuilder = Callable[[Mapping[str, str]], list[StationTicket]]


def queue_order_tickets(site: Site, order: Order, items: Sequence[OrderItem]) -> None:
    _queue_tickets(
        site,
        order,
        "order",
        lambda names: kitchen_tickets.order_tickets(
            site, order, items, names, _ticket_codes(site, order)
        ),
        "1",
    )


def queue_addition_tickets(site: Site, order: Order, items: Sequence[OrderItem]) -> None:
    mark = str(order.batch)
    _queue_tickets(
        site,
        order,
        "addition",
        lambda names: kitchen_tickets.addition_tickets(
            site, order, items, names, _ticket_codes(site, order)
        ),
        mark,
    )


def queue_course_tickets(site: Site, order: Order, items: Sequence[OrderItem], course: int) -> None:
    """Tickets of a course that is fired now."""
    _queue_tickets(
        site,
        order,
        "course",
        lambda names: kitchen_tickets.course_tickets(
            site, order, items, course, names, _ticket_codes(site, order)
        ),
        str(course) if order.batch == 1 else f"{course}.{order.batch}",
    )


def queue_void_tickets(site: Site, order: Order, item: OrderItem, quantity: int) -> None:
    if kitchen_progress.is_held(item) or not _was_printed(order):
        return
    mark = f"{item.position}.{item.voided}"
    _queue_tickets(
        site,
        order,
        "void",
        lambda names: kitchen_tickets.void_tickets(site, order, item, quantity, names),
        mark,
    )


def queue_table_change_tickets(
    site: Site, order: Order, items: Sequence[OrderItem], was: str
) -> None:
    if _was_printed(order):
        _queue_tickets(
            site,
            order,
            "moved",
            lambda names: kitchen_tickets.table_change_tickets(
                site, order, _with_kitchen(items), was, names
            ),
            str(order.version),
        )


def queue_cancellation_tickets(
    site: Site, order: Order, items: Sequence[OrderItem], because: str
) -> None:
    """Only if tickets of this order were printed before."""
    if _was_printed(order):
        _queue_tickets(
            site,
            order,
            "cancelled",
            lambda names: kitchen_tickets.cancellation_tickets(
                site, order, _with_kitchen(items), because, names
            ),
            "1",
        )


def print_bill(
    site: Site, order: Order, items: Sequence[OrderItem], *, mark: str = ""
) -> list[str]:
    """Print on every bill printer. Raises Conflict if there is none.

    A second tap within DOUBLE_CLICK_SECONDS does not print again.
    """
    found = printers.for_bills(site.id)
    if not found:
        raise Conflict("no_bill_printer", "No printer in this restaurant is set up to print bills.")
    mark = mark or f"{order.version}.{int(now().timestamp()) // DOUBLE_CLICK_SECONDS}"
    document = bills.order_bill(site, order, items, pay_url=_pay_url(site, order))
    return spool.queue_jobs(
        NewPrintJob(
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


def print_table_bill(site: Site, table: Table, *, mark: str = "") -> list[str]:
    """One bill for all open orders of a table. A second tap within seconds prints nothing more."""
    found = printers.for_bills(site.id)
    if not found:
        raise Conflict("no_bill_printer", "No printer in this restaurant is set up to print bills.")
    open_orders = orders_on_bill(site.id, table.id)
    if not open_orders:
        raise Conflict("no_open_orders", "The bill for this table is empty.")
    items = order_queries.items_of_orders([order.id for order in open_orders])
    tabs = [(order, items[order.id]) for order in open_orders]
    tab = _open_tab(open_orders[-1])
    document = bills.table_bill(
        site,
        table.number,
        tabs,
        pay_url=_tab_url(site, tab),
        join_code=tab.join_code if tab else "",
    )
    versions = "-".join(str(order.version) for order in open_orders)
    mark = mark or f"{versions}.{int(now().timestamp()) // DOUBLE_CLICK_SECONDS}"
    return spool.queue_jobs(
        NewPrintJob(
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


def orders_on_bill(site_id: str, table_id: str) -> list[Order]:
    """The open orders of a table that belong on its bill, oldest first."""
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.site_id == site_id,
        Order.ended_at.is_(None),
        Order.table_id == table_id,
        Order.state.not_in(("awaiting_confirmation", "awaiting_payment", "scheduled")),
    )
    return list(db.session.scalars(query.order_by(Order.placed_at, Order.id)))


def print_requested_bill(site: Site, table: Table, call: WaiterCall) -> None:
    """Print the bill that a guest asked for, if the restaurant enabled this."""
    if not site.prints_bills or not printers.for_bills(site.id):
        return
    open_orders = orders_on_bill(site.id, table.id)
    if len(open_orders) == 1:
        (order,) = open_orders
        print_bill(site, order, order_queries.items_of_orders([order.id])[order.id], mark=call.id)
    elif open_orders:
        print_table_bill(site, table, mark=call.id)


def _open_tab(order: Order) -> Tab | None:
    tab = db.session.get(Tab, (order.tenant_id, order.tab_id)) if order.tab_id else None
    return tab if tab is not None and tab.ended_at is None else None


def _tab_url(site: Site, tab: Tab | None) -> str:
    """Where the guests see and pay the bill of their table."""
    if tab is None or not card_payments.has_provider(site, test=tab.test):
        return ""
    return tab_addresses.bill_url(tab)


def _pay_url(site: Site, order: Order) -> str:
    """The page on which this order can be paid by phone now; empty if there is none."""
    query = select(PaymentLink.url).where(
        PaymentLink.tenant_id == current_tenant_id(),
        PaymentLink.order_id == order.id,
        PaymentLink.state == "open",
        PaymentLink.expires_at > now(),
        PaymentLink.amount == order.total,
    )
    own = db.session.scalars(query.order_by(PaymentLink.id.desc()).limit(1)).first()
    return own or _tab_url(site, _open_tab(order))


def _queue_tickets(site: Site, order: Order, kind: str, make: TicketBuilder, mark: str) -> None:
    known = printers.listed(site.id)
    if any(printer.enabled and printer.stations for printer in known):
        tickets = make({station.code: station.name for station in stations.listed(site.id)})
        spool.queue_jobs(new_print_jobs(site, order, kind, tickets, mark, known))


def new_print_jobs(
    site: Site,
    order: Order,
    kind: str,
    tickets: Sequence[StationTicket],
    mark: str,
    known: Sequence[Printer],
) -> list[NewPrintJob]:
    """One print job for each copy on each enabled printer of the ticket's station."""
    return [
        NewPrintJob(
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


def _with_kitchen(items: Sequence[OrderItem]) -> list[OrderItem]:
    """Items whose tickets were printed: a course that waits has none."""
    return [item for item in items if not kitchen_progress.is_held(item)]


def _ticket_codes(site: Site, order: Order) -> TicketUrl | None:
    """The addresses of the codes on tickets; None if the restaurant prints no codes."""
    if not site.prints_ticket_codes:
        return None
    return lambda station, items: ticket_url(order, station, items)


def _was_printed(order: Order) -> bool:
    query = select(PrintJob.id).where(
        PrintJob.tenant_id == current_tenant_id(),
        PrintJob.order_id == order.id,
        PrintJob.kind == "order",
    )
    return db.session.execute(query.limit(1)).first() is not None
