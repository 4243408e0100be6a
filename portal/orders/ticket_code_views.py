"""The code on a kitchen ticket: opening it shows the ticket, a button marks it ready.

A signed-in person with the right may use it, or a device that was connected to the station.
"""

from typing import Any

from flask import (
    Blueprint,
    current_app,
    flash,
    g,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext
from flask_login import current_user
from markupsafe import Markup

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from core.values import qr_codes
from portal.web.auth import client_ip, may, member_may, open_to_all
from portal.web.i18n import error_message
from restaurant.models import Order, Station, order_states
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen import ticket_codes
from restaurant.orders.kitchen.ticket_codes import Scanner, TicketCode
from restaurant.sites import sites, stations
from tenants import audit
from tenants.audit import Actor, acting_as, current_actor

ticket_code_pages = Blueprint("ticket_codes", __name__)

COOKIE = "station_scanner"


@ticket_code_pages.get("/k/<token>")
@open_to_all
def ticket(token: str) -> Any:
    """Show the ticket. Nothing changes."""
    code = ticket_codes.read_code(token)
    if code is None:
        return render_template("orders/ticket_code.html", why="expired"), 404
    member = _member_for(code)
    with tenant_scope(code.tenant_id):
        if member is None and _scanner_for(code) is None:
            return _refused_page()
        order = _order(code)
        items = ticket_codes.items_on_ticket(code, order_queries.items_of(order.id))
        progress = kitchen_progress.progress_of([order.id])[order.id]
        ready = (
            order.state not in order_states.IN_THE_KITCHEN
            or progress.of_all(items, code.station) == kitchen_progress.READY
        )
    return render_template(
        "orders/ticket_code.html",
        why="",
        token=token,
        order=order,
        items=items,
        ready=ready or not items,
    )


@ticket_code_pages.post("/k/<token>")
@open_to_all
def mark_ready(token: str) -> Any:
    """Mark the ticket ready. A second scan changes nothing."""
    by_script = request.headers.get("X-Part") == "act"
    code = ticket_codes.read_code(token)
    if code is None:
        sentence = gettext("This code has expired.")
        return (jsonify(error=sentence), 404) if by_script else (_expired_page(), 404)
    member = _member_for(code)
    try:
        with tenant_scope(code.tenant_id):
            actor = member or _scanner_for(code)
            if actor is None:
                sentence = gettext("You may not mark this ticket ready.")
                return (jsonify(error=sentence), 403) if by_script else _refused_page()
            with acting_as(actor):
                order = _order(code)
                was = order.state
                order = ticket_codes.mark_ready(sites.of_order(order), order, code)
                if was != order.state:
                    audit.record("orders.moved", order.number, was=was, now=order.state)
    except NotFound:
        raise
    except DomainError as error:
        if by_script:
            return jsonify(error=error_message(error)), error.status
        flash(error_message(error), "error")
        return redirect(url_for("ticket_codes.ticket", token=token), 303)
    if by_script:
        return jsonify(note=gettext("%(number)s: ticket ready.", number=order.number))
    return redirect(url_for("ticket_codes.ticket", token=token), 303)


@ticket_code_pages.get("/k/station/<token>")
@open_to_all
def connect_page(token: str) -> Any:
    """Ask whether this device scans tickets of the station."""
    scanner = ticket_codes.read_scanner(token)
    station = _station(scanner) if scanner else None
    if station is None:
        return _expired_page(), 404
    return render_template("orders/station_scanner.html", station=station, token=token)


@ticket_code_pages.post("/k/station/<token>")
@open_to_all
def connect(token: str) -> Any:
    scanner = ticket_codes.read_scanner(token)
    station = _station(scanner) if scanner else None
    if station is None:
        return _expired_page(), 404
    answer = make_response(
        render_template("orders/station_scanner.html", station=station, token="")
    )
    answer.set_cookie(
        COOKIE,
        token,
        max_age=ticket_codes.SCANNER_LIFETIME,
        path="/k/",
        httponly=True,
        samesite="Lax",  # the camera's app opens the code's address
        secure=current_app.extensions["comanda"].https,
    )
    return answer


@ticket_code_pages.get("/restaurants/<site_id>/stations/<code>/scanner")
@member_may("restaurant.manage")
def scanner(site_id: str, code: str) -> Any:
    """The link that connects a device to a station, also as a code."""
    with tenant_scope(g.tenant_id):
        site, station = _known_station(site_id, code)
        url = ticket_codes.scanner_url(site, station)
    return render_template(
        "restaurants/scanner.html",
        site=site,
        station=station,
        url=url,
        qr=Markup(qr_codes.svg(url, correction="low", border=2)),  # noqa: S704 - holds numbers alone
    )


@ticket_code_pages.post("/restaurants/<site_id>/stations/<code>/scanner")
@member_may("restaurant.manage")
def revoke_scanners(site_id: str, code: str) -> Any:
    with tenant_scope(g.tenant_id):
        site, station = _known_station(site_id, code)
        stations.revoke_scanners(site, station)
    flash(gettext("All scanners of this station were disconnected."), "success")
    return redirect(url_for("ticket_codes.scanner", site_id=site_id, code=code))


def _known_station(site_id: str, code: str) -> Any:
    site = sites.get(site_id)
    station = stations.find(site, code)
    if station is None:
        raise NotFound()
    return site, station


def _order(code: TicketCode) -> Order:
    return order_queries.get(code.order_id)


def _member_for(code: TicketCode) -> Actor | None:
    """The signed-in member, if they may mark tickets of this business ready."""
    if not current_user.is_authenticated or g.get("tenant_id") != code.tenant_id:
        return None
    return current_actor() if may("orders.manage") else None


def _scanner_for(code: TicketCode) -> Actor | None:
    """The device, if it is connected to the ticket's station. In the scope of the tenant."""
    scanner = ticket_codes.read_scanner(request.cookies.get(COOKIE, ""))
    if scanner is None or scanner.tenant_id != code.tenant_id:
        return None
    station = ticket_codes.station_of_scanner(scanner)
    if station is None or scanner.station != code.station:
        return None
    if _order(code).site_id != scanner.site_id:
        return None
    return Actor("scanner", f"{scanner.site_id}.{station.code}", station.name, client_ip())


def _station(scanner: Scanner) -> Station | None:
    with tenant_scope(scanner.tenant_id):
        return ticket_codes.station_of_scanner(scanner)


def _refused_page() -> Any:
    why = "not_allowed" if current_user.is_authenticated else "signed_out"
    return render_template("orders/ticket_code.html", why=why), 403


def _expired_page() -> str:
    return render_template("orders/ticket_code.html", why="expired")
