"""The courier's list. There is no sign-in: the secret link grants access."""

from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for

from core.db import tenant_scope
from core.errors import Conflict, DomainError
from core.values.money import format_money
from core.values.text import BadText, one_line
from portal.courier.texts import courier_languages, courier_text, error_text, page_functions
from portal.diner.menu_content import direction
from portal.web.auth import open_to_all
from restaurant import customers
from restaurant.chat_texts import chat_text
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.couriers import trips as courier_trips
from restaurant.couriers.couriers import CourierLink
from restaurant.couriers.dispatch import PROBLEMS, AssignedTrip
from restaurant.delivery import addresses
from restaurant.models import Courier, OrderItem, Site
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tenants import audit
from tenants.audit import Actor, acting_as

courier_pages = Blueprint("courier", __name__)

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)


@courier_pages.get("/courier/<token>")
@open_to_all
def listed(token: str) -> Response:
    who = couriers.read_link(token)
    if who is None:
        return _link_expired_page()
    with tenant_scope(who.tenant_id):
        courier = couriers.courier_of_link(who)
        return _page(courier, token) if courier else _link_expired_page()


@courier_pages.post("/courier/<token>")
@open_to_all
def act(token: str) -> Response:
    """Act on an order. A late or repeated request changes nothing; the list shows the state."""
    who = couriers.read_link(token)
    if who is None:
        return _link_expired_page()
    try:
        courier = _apply_step(who)
    except DomainError as error:
        with tenant_scope(who.tenant_id):
            courier = couriers.courier_of_link(who)
            return _page(courier, token, error) if courier else _link_expired_page()
    if courier is None:
        return _link_expired_page()
    return _without_referrer(make_response(redirect(url_for("courier.listed", token=token), 303)))


def _apply_step(who: CourierLink) -> Courier | None:
    with tenant_scope(who.tenant_id):
        courier = couriers.courier_of_link(who)
        if courier is None:
            return None
        by = Actor("courier", courier.id, courier.name, request.remote_addr or "")
        with acting_as(by):
            order = order_queries.get(_typed("order", 40))
            trip = courier_trips.trip_of(order.id)
            if trip is None or trip.courier_id != courier.id:
                raise Conflict("not_yours", "This order is no longer assigned to you.")
            was, to = order.state, _typed("act", 20)
            site = sites.of_order(order)
            order = courier_dispatch.record_step(
                site, order, to, kind=_typed("kind", 20), note=_typed("note", 200)
            )
            audit.record("orders.courier_said", order.number, said=to, was=was, now=order.state)
        return courier


def _page(courier: Courier, token: str, error: DomainError | None = None) -> Response:
    """Runs in the tenant's scope."""
    site = sites.get(courier.site_id)
    todo, done = courier_dispatch.trips_of_courier(courier)
    items = order_queries.items_of_orders([ride.order.id for ride in todo])
    cash = sum(ride.trip.collected or 0 for ride in done if ride.trip.collected_by == "cash")
    html = render_template(
        "courier/list.html",
        **page_functions(courier.language),
        language=courier.language,
        direction=direction(courier.language),
        courier=courier,
        site=site,
        stops=[_stop(site, courier, ride, items[ride.order.id]) for ride in todo],
        brought=len(done),
        cash=courier_text(
            courier.language,
            "cash_total",
            amount=format_money(cash, site.currency, courier.language),
        )
        if cash
        else "",
        problems=[(kind, chat_text(courier.language, f"problem_{kind}")) for kind in PROBLEMS],
        fault=error_text(courier.language, error.code) if error else "",
        token=token,
    )
    return _without_referrer(make_response(html, error.status if error else 200))


def _stop(
    site: Site, courier: Courier, ride: AssignedTrip, items: list[OrderItem]
) -> dict[str, Any]:
    order, language = ride.order, courier.language
    collected = courier_trips.amount_to_collect(order)
    where = addresses.location_of(order.address)
    hello = courier_text(language, "hello", site=site.name, order=order.number)
    phone = customers.phone_of(order)
    return {
        "order": order,
        "short": f"{order.sequence:04d}",
        "address": order.address.get("text") or (str(where) if where else ""),
        "route": where.route_url if where else "",
        "phone": phone,
        "chat": carts.chat_link(phone, hello) if phone else "",
        "items": [f"{one.quantity - one.voided}× {one.said or one.name}"
                  for one in items if one.quantity > one.voided],
        "way": collected.way,
        "amount": format_money(collected.amount, order.currency, language),
        "state": "riding" if order.state == "out_for_delivery"
        else "ready" if order.state == "ready" else "cooking",
        "problem": chat_text(language, f"problem_{ride.trip.problem}") if ride.trip.problem else "",
    }  # fmt: skip


def _link_expired_page() -> Response:
    language = request.accept_languages.best_match(sorted(courier_languages())) or "en"
    page = render_template(
        "courier/link_expired.html",
        **page_functions(language),
        language=language,
        direction=direction(language),
    )
    return _without_referrer(make_response(page, 404))


def _without_referrer(answer: Response) -> Response:
    """The URL is secret, so it must not reach a map or messenger as a referrer."""
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _typed(name: str, limit: int) -> str:
    try:
        return one_line(request.form.get(name, "")[: limit * 4].replace("\0", ""), limit)
    except BadText:
        return ""
