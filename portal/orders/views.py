"""Orders: the list, and the page of one order."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from flask import Blueprint, Flask, g, render_template, url_for
from flask_babel import get_locale, gettext

from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from core.ids import BadId, to_uuid
from core.values.money import quantize
from messaging.contacts import cards as contact_cards
from messaging.inbox import conversations as inbox_conversations
from messaging.messages import queries as message_queries
from portal.maps.local_map import Dot, Map, draw_map
from portal.web.auth import may, member_may
from portal.web.csv_files import csv_response
from portal.web.forms import text_in_url
from portal.web.paging import PAGE, cursor_in_url, page_of
from printing import printers
from printing import queries as reading_prints
from printing.printers import PrinterSummary
from restaurant.chat_texts import time_text
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.delivery import addresses, zones
from restaurant.feedback import questions as feedback_questions
from restaurant.loyalty import coupon_codes, coupons
from restaurant.models import Order, OrderItem, Site, Station, order_states
from restaurant.orders import queries as order_queries
from restaurant.orders.hold_reasons import order_reasons_text
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.printing import station_coverage
from restaurant.orders.queries import OrderFilters
from restaurant.payments import cashier, link_queries, payments, refunds, till
from restaurant.sites import sites, stations, tables
from tenants import team
from tenants.rights import role_may

orders_pages = Blueprint("orders", __name__)

BATCH = 500
SHORTEST_PHONE = 7
COLUMNS = (
    *("order_id", "site", "placed_at", "type", "table", "status", "customer", "phone", "items"),
    *("total", "currency", "payment_method", "waiter", "source", "notes"),
)


@orders_pages.get("/orders")
@member_may("orders.view")
def index() -> Any:
    filters: dict[str, Any] = _filters_in_url()
    with tenant_scope(g.tenant_id):
        found = order_queries.list_rows(_filters(filters), cursor_in_url(), PAGE + 1)
        page = page_of(found, "orders.index", filters, PAGE)
        known = sites.list_including_closed()
    return render_template(
        "orders/index.html",
        orders=page.rows,
        sites={site.id: site for site in known},
        open_sites=[site for site in known if site.closed_at is None],
        states=order_states.STATES,
        filters=filters,
        csv_url=url_for("orders.export", **filters),
        **page.urls,
    )


@orders_pages.get("/orders.csv")
@member_may("orders.view")
def export() -> Any:
    tenant_id, filters = g.tenant_id, _filters(_filters_in_url())

    def rows() -> Iterator[Sequence[str]]:
        after = None
        with tenant_scope(tenant_id):
            names = {site.id: site.name for site in sites.list_including_closed()}
        while True:
            with tenant_scope(tenant_id):
                found = order_queries.listed(filters, after, BATCH)
                lines = order_queries.items_of_orders([order.id for order in found])
            for order in found:
                items = "; ".join(
                    f"{item.quantity - item.voided} × {item.name}"
                    for item in lines[order.id]
                    if item.quantity > item.voided
                )
                yield _cells(order, names.get(order.site_id, ""), items)
            if len(found) < BATCH:
                return
            after = found[-1].id

    return csv_response("orders", COLUMNS, rows())


@orders_pages.get("/orders/<order_id>")
@member_may("orders.view")
def order(order_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = order_queries.get(order_id)
        site = sites.of_order(known)
        open_now = known.state not in order_states.END_STATES
        seats = tables.listed(site.id) if open_now and known.order_type == "dine_in" else []
        progress = kitchen_progress.progress_of([known.id])[known.id]
        items = order_queries.items_of(known.id)
        all_printers = printers.summaries()
        site_printers = [
            one for one in all_printers.values() if one.site_id == site.id and not one.removed_at
        ]
        facts = {
            "lines": items,
            "progress": progress,
            "undoable": known.state in kitchen_display.UNDOABLE and progress.last_tap() is not None,
            "changes": order_queries.changes_of(known.id),
            "feedback": feedback_questions.of_order(known.id)
            if known.state in feedback_questions.COMPLETED
            else None,
            "tables": seats,
            "ride": courier_dispatch.trip_of_order(known),
            "riders": couriers.listed(site.id, active=True) if _deliveries_of(known) else [],
            "zones": zones.listed(site.id) if _needs_delivery_fee(known) else [],
            "place": addresses.location_of(known.address),
            "map": _map(site, known),
            "waiters": waiters() if may("orders.manage") else [],
            "contact_url": _contact(known),
            "talk_url": _conversation(known),
            "message_url": _message(known),
            "slips": reading_prints.of_order(known.id) if may("printing.view") else [],
            "printers": all_printers if may("printing.view") else {},
            "bills": bool(printers.bill_printers(site_printers)),
            "unprinted": _unprinted(known, items, site_printers) if open_now else [],
            "taken": till.of_order(known.id),
            "ways": cashier.payment_methods_for(known),
            "coupons": [
                (one, coupon_codes.format_code(one.code)) for one in coupons.of_order(known.id)
            ],
            **_money(known),
        }
    unpaid = known.state == "awaiting_payment"
    return render_template(
        "orders/order.html",
        order=known,
        site=site,
        step=None if unpaid else order_states.next_step(known.state, known.order_type),
        others=_other_states(known),
        addable=known.state in order_states.ACCEPTS_MORE_ITEMS
        and known.payment_method != "card_link",
        open_now=open_now,
        **facts,
    )


def _unprinted(
    order: Order, items: list[OrderItem], site_printers: list[PrinterSummary]
) -> list[Station]:
    """The order's stations that have no printer."""
    bare = station_coverage.stations_without_printer(stations.listed(order.site_id), site_printers)
    return station_coverage.stations_of_items(bare, items)


def _deliveries_of(order: Order) -> bool:
    return order.order_type == "delivery" and order.state in courier_dispatch.ASSIGNABLE_STATES


def _needs_delivery_fee(order: Order) -> bool:
    """Whether the delivery fee can still be set."""
    fixed = order.paid_at is not None or order.state == "awaiting_payment"
    return order.order_type == "delivery" and order.ended_at is None and not fixed


def _map(site: Site, order: Order) -> Map | None:
    where = addresses.location_of(order.address)
    if where is None:
        return None
    dot = Dot(where, str(order.sequence), order.number, "riding", label=order.customer_name)
    return draw_map(site, zones.listed(site.id), [dot], near=True)


def waiters() -> list[team.TeamMember]:
    return [one for one in team.members() if role_may(one.role, "orders.manage")]


def order_reasons(stored: str) -> str:
    """Reasons of an order in the reader's language; what a person wrote stays as it is."""
    return order_reasons_text(stored, gettext)


def due_time(at: datetime, time_zone: str) -> str:
    """The time of an order for later, as on the restaurant's clock."""
    return time_text(at, time_zone, str(get_locale()))


def setup_orders(app: Flask) -> None:
    app.add_template_filter(order_reasons, "order_reasons")
    app.add_template_filter(due_time, "due_time")
    app.add_template_filter(Decimal, "decimal")
    app.add_template_filter(amount_for_field, "plain_money")


def amount_for_field(amount: Decimal, currency: str) -> str:
    """The amount as the value of a form field."""
    return str(quantize(amount, currency))


def _other_states(order: Order) -> list[str]:
    """Other states that staff can choose; cancelling has its own confirmation page."""
    if order.state == "awaiting_payment":
        return []
    first = order_states.next_step(order.state, order.order_type)
    return [
        to
        for to in order_states.STATES
        if order_states.can_become(order.state, to, order.order_type)
        and to not in (first, "cancelled", "refunded", "awaiting_payment", "scheduled")
    ]


def _money(order: Order) -> dict[str, Any]:
    """The payment link and payments of an order; empty without the right to see payments."""
    if order.payment_method != "card_link" or not may("payments.view"):
        return {"pay_link": None, "payments": []}
    order_payments = payments.of_order(order.id)
    return {
        "pay_link": link_queries.of_order(order.id),
        "payments": order_payments,
        "refunds": refunds.of_payments([one.id for one in order_payments]),
        "left": {one.id: refunds.refundable_amount(one) for one in order_payments},
    }


def _contact(order: Order) -> str:
    if order.contact_id is None or not may("contacts.view"):
        return ""
    try:
        contact_cards.get(order.contact_id)
    except NotFound:
        return ""  # the contact was deleted
    return url_for("contact.page", contact_id=order.contact_id)


def _conversation(order: Order) -> str:
    if order.contact_id is None or not may("inbox.view"):
        return ""
    talks = inbox_conversations.conversations_of_contact(order.contact_id)
    return url_for("inbox.conversation", conversation_id=talks[0].id) if talks else ""


def _message(order: Order) -> str:
    if order.message_id is None or not may("messages.view"):
        return ""
    try:
        message_queries.get(order.message_id)
    except NotFound:
        return ""
    return url_for("messages.message", message_id=order.message_id)


def _filters_in_url() -> dict[str, str]:
    given = {name: text_in_url(name, 60) for name in ("q", "site", "state", "day")}
    if given["state"] not in order_states.STATES:
        given["state"] = ""
    if _day(given["day"]) is None:
        given["day"] = ""
    try:
        to_uuid("sit", given["site"])
    except BadId:
        given["site"] = ""
    return {name: value for name, value in given.items() if value}


def _filters(given: dict[str, Any]) -> OrderFilters:
    words = given.get("q", "")
    digits = "".join(char for char in words if char.isdigit())
    number = phone = table = None
    if "-" in words and not words.startswith("+"):
        number = words.upper()
    elif len(digits) >= SHORTEST_PHONE:
        phone = digits
    elif words:
        table = words
    return OrderFilters(
        site_id=given.get("site"),
        state=given.get("state"),
        phone=phone,
        number=number,
        table=table,
        day=_day(given.get("day", "")),
    )


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 2000 <= found.year <= 2200 else None


def _cells(order: Order, site: str, items: str) -> Sequence[str]:
    return (
        *(order.number, site, rfc3339(order.placed_at), order.order_type, order.table_number),
        *(
            order.state,
            order.customer_name,
            order.customer_phone,
            items,
            str(quantize(order.total, order.currency)),
        ),
        *(order.currency, order.payment_method, order.waiter, order.source, order.notes),
    )
