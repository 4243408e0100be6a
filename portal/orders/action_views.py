"""Staff actions on an order: change its state, undo, assign, cancel, record a payment."""

from collections.abc import Callable
from typing import Any

from flask import flash, g, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, Invalid, NotFound
from core.ids import BadId
from portal.orders.views import orders_pages, waiters
from portal.web.auth import member_may, next_path
from portal.web.forms import submitted_text
from portal.web.i18n import error_message
from restaurant import customers
from restaurant.chat import shared_locations
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.delivery import zones
from restaurant.models import Order, Site, order_states
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.pace import guest_changes
from restaurant.orders.printing import print_jobs
from restaurant.payments import cashier, till
from restaurant.sites import sites, tables
from tenants import audit

ORDER = "/orders/<order_id>"
Act = Callable[[Site, Order], object]


@orders_pages.post(f"{ORDER}/move")
@member_may("orders.manage")
def move(order_id: str) -> Any:
    """Change the order's state. Refused if its version differs from the one on the page."""
    to = request.form.get("to", "")

    def moved(site: Site, order: Order) -> None:
        if to not in order_states.STATES or to in ("cancelled", "refunded"):
            raise Invalid("invalid_choice", "The order cannot be moved to this status.")
        was = order.state
        order_lifecycle.change_state(site, order, to, shown_version=_shown_version())
        if was != to:
            audit.record("orders.moved", order.number, was=was, now=order.state)

    return _apply(order_id, moved)


@orders_pages.post(f"{ORDER}/request")
@member_may("orders.manage")
def decline_request(order_id: str) -> Any:
    """The order stays as it is, and the guest is told."""

    def declined(site: Site, order: Order) -> None:
        guest_changes.decline_request(site, order, shown_version=_shown_version())

    return _apply(order_id, declined)


@orders_pages.post(f"{ORDER}/kitchen")
@member_may("orders.manage")
def kitchen(order_id: str) -> Any:
    """An action on the kitchen display: items of one station, or of all stations."""
    to, station = request.form.get("to", ""), request.form.get("station", "")[:40]

    def tapped(site: Site, order: Order) -> str:
        was = order.state
        if to == "undo":
            kitchen_display.undo(site, order, station)
        elif to == "recall":
            kitchen_display.recall_item(site, order, station, _number("position"))
        elif to == "fire":
            kitchen_display.fire_course(site, order, _number("course"))
        elif to in kitchen_display.TAPS:
            batch, position = _number("batch"), _number("position")
            kitchen_display.tap(site, order, station, to, batch, position=position)
        else:
            raise Invalid("invalid_choice", "The order cannot be moved to this status.")
        if was != order.state:
            audit.record("orders.moved", order.number, was=was, now=order.state)
        was_notified = (
            was == "ready" and "ready" in site.told_states and customers.can_be_notified(order)
        )
        if not was_notified or order.state == was:
            return ""
        return str(
            gettext(
                "The order is back in the kitchen. The guest was already notified that it is ready."
            )
        )

    return _apply(order_id, tapped)


@orders_pages.route(f"{ORDER}/cancel", methods=["GET", "POST"])
@member_may("orders.manage")
def cancel(order_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = order_queries.get(order_id)
    if request.method == "GET":
        return render_template("orders/cancel.html", order=known, because="", fault="")
    because = submitted_text("because", 1000)
    try:
        with tenant_scope(g.tenant_id):
            order = order_queries.get(order_id)
            was = order.state
            order_lifecycle.cancel(
                sites.of_order(order), order, because, shown_version=_shown_version()
            )
            if was != "cancelled":
                audit.record("orders.cancelled", order.number, because=because[:200])
    except Invalid as error:
        page = render_template(
            "orders/cancel.html", order=known, because=because, fault=error_message(error)
        )
        return page, error.status
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(url_for("orders.order", order_id=known.number))
    flash(gettext("Order %(number)s cancelled.", number=known.number), "success")
    return redirect(next_path(url_for("orders.order", order_id=known.number)))


@orders_pages.post(f"{ORDER}/void")
@member_may("orders.manage")
def void(order_id: str) -> Any:
    position, quantity = _number("position"), _number("quantity")
    because = submitted_text("because", 1000)
    return _apply(
        order_id,
        lambda site, order: order_changes.void_item(
            site, order, position, quantity, because, shown_version=_shown_version()
        ),
        done=gettext("Items removed. The kitchen has been notified."),
    )


@orders_pages.post(f"{ORDER}/waiter")
@member_may("orders.manage")
def waiter(order_id: str) -> Any:
    waiter_id = request.form.get("waiter", "")[:40]

    def assigned(site: Site, order: Order) -> None:
        chosen = next((one for one in waiters() if one.id == waiter_id), None)
        if waiter_id and chosen is None:
            raise Invalid("invalid_choice", "Choose a team member.")
        name, was = chosen.name if chosen else "", order.waiter
        order_changes.assign_waiter(
            site, order, chosen.id if chosen else None, name, shown_version=_shown_version()
        )
        audit.record("orders.waiter_changed", order.number, was=was, now=name)

    return _apply(order_id, assigned, done=gettext("Saved."))


@orders_pages.post(f"{ORDER}/courier")
@member_may("orders.manage")
def courier(order_id: str) -> Any:
    """Assign the order to a courier; without a choice, unassign it."""
    courier_id = request.form.get("courier", "")[:40]

    def given(site: Site, order: Order) -> str:
        chosen = next((one for one in couriers.listed(site.id) if one.id == courier_id), None)
        if courier_id and chosen is None:
            raise Invalid("unknown_courier", "Choose a courier of this restaurant.")
        ride = courier_dispatch.trip_of_order(order)
        was = ride.courier.name if ride else ""
        trip = courier_dispatch.assign(site, order, chosen, shown_version=_shown_version())
        now_with = chosen.name if chosen else ""
        audit.record("orders.courier_changed", order.number, was=was, now=now_with)
        if trip is None or trip.told:
            return ""
        return str(
            gettext(
                "The message to the courier may not arrive. Share the link on "
                "the courier's page with them."
            )
        )

    return _apply(order_id, given, done=gettext("Saved."))


@orders_pages.post(f"{ORDER}/zone")
@member_may("orders.manage")
def zone(order_id: str) -> Any:
    """Set the delivery zone and fee of an order whose customer did not share a location."""
    zone_id = request.form.get("zone", "")[:40]

    def priced(site: Site, order: Order) -> None:
        known = {one.id: one for one in zones.listed(site.id)}
        chosen, was = known.get(zone_id), known.get(order.address.get("zone", ""))
        if chosen is None:
            raise Invalid("unknown_zone", "Choose a delivery zone of this restaurant.")
        before = {"zone": was.name if was else "", "fee": order.sums.get("delivery_fee", "")}
        shared_locations.choose_zone(site, order, chosen, shown_version=_shown_version())
        audit.record_change(
            "orders.zone_changed",
            order.number,
            before,
            {"zone": chosen.name, "fee": str(chosen.fee)},
            shown=frozenset({"zone", "fee"}),
        )

    return _apply(order_id, priced, done=gettext("Delivery fee added to the order."))


@orders_pages.post(f"{ORDER}/table")
@member_may("orders.manage")
def table(order_id: str) -> Any:
    table_id = request.form.get("table", "")[:40]

    def seated(site: Site, order: Order) -> None:
        chosen = next((one for one in tables.listed(site.id) if one.id == table_id), None)
        if chosen is None:
            raise Invalid("table_missing", "Choose a table.")
        if chosen.id == order.table_id:
            return
        was = order.table_number
        order_changes.change_table(
            site, order, chosen.id, chosen.number, shown_version=_shown_version()
        )
        audit.record("orders.table_changed", order.number, was=was, now=chosen.number)

    return _apply(order_id, seated, done=gettext("Order moved to another table."))


@orders_pages.post(f"{ORDER}/bill")
@member_may("orders.manage")
def bill(order_id: str) -> Any:
    def printed(site: Site, order: Order) -> None:
        if print_jobs.print_bill(site, order, order_queries.items_of(order.id)):
            audit.record("orders.bill_printed", order.number)

    return _apply(order_id, printed, done=gettext("The bill was sent to the printer."))


@orders_pages.post(f"{ORDER}/payments")
@member_may("orders.manage")
def record_payment(order_id: str) -> Any:
    """Record a cash or card payment at the table: the whole open amount, or part of it."""
    method = request.form.get("method", "")
    amount, tip = request.form.get("amount", "")[:20], request.form.get("tip", "")[:20]

    def recorded(site: Site, order: Order) -> None:
        cashier.record_payment(site, order, method, amount, tip, shown_version=_shown_version())

    return _apply(order_id, recorded, done=gettext("Payment recorded."))


@orders_pages.post(f"{ORDER}/payments/<till_payment_id>/undo")
@member_may("orders.manage")
def undo_payment(order_id: str, till_payment_id: str) -> Any:
    because = submitted_text("because", 1000)

    def undone(site: Site, order: Order) -> None:
        try:
            payment = till.get(till_payment_id)
        except BadId:
            raise NotFound() from None
        if payment.order_id != order.id:
            raise NotFound()
        cashier.undo_payment(site, payment, because)

    return _apply(order_id, undone, done=gettext("Payment undone."))


@orders_pages.post(f"{ORDER}/way-to-pay")
@member_may("orders.manage")
def way_to_pay(order_id: str) -> Any:
    way = request.form.get("way", "")[:40]
    return _apply(
        order_id,
        lambda site, order: cashier.change_payment_method(
            site, order, way, shown_version=_shown_version()
        ),
        done=gettext("Payment method changed."),
    )


def _apply(order_id: str, act: Act, done: str = "") -> Any:
    """Run the action; answer a script with JSON, a form with a redirect to its page."""
    by_script = request.headers.get("X-Part") == "act"
    try:
        with tenant_scope(g.tenant_id):
            order = order_queries.get(order_id)
            back = url_for("orders.order", order_id=order.number)
            note = act(sites.of_order(order), order)
            state = order.state
    except NotFound:
        raise
    except DomainError as error:
        if by_script:
            return jsonify(error=error_message(error)), error.status
        flash(error_message(error), "error")
        return redirect(next_path(back))
    text = note if isinstance(note, str) else ""
    if by_script:
        return jsonify(state=state, note=text)
    if text or done:
        flash(text or done, "info" if text else "success")
    return redirect(next_path(back))


def _shown_version() -> int | None:
    return _number("seen") or None


def _number(name: str) -> int:
    given = request.form.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 9 else 0
