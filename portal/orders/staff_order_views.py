"""Orders entered by staff, item by item from the published menu."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import get_locale, gettext
from flask_login import current_user

from core.clock import zone
from core.db import tenant_scope
from core.errors import DomainError, NotFound, invalid
from core.values.money import format_money
from core.values.text import one_line
from portal.orders.views import orders_pages
from portal.web.auth import member_may
from portal.web.i18n import error_message
from restaurant.chat_texts import time_text
from restaurant.delivery import zones
from restaurant.menus.pricing import MAX_ITEMS, RequestedItem, text_in
from restaurant.models import Order, Site
from restaurant.orders import placing, staff_orders
from restaurant.orders import queries as order_queries
from restaurant.orders.pace import times as order_times
from restaurant.orders.staff_orders import StaffOrder
from restaurant.sites import sites, tables
from tenants import audit, team


@orders_pages.route("/orders/new", methods=["GET", "POST"])
@member_may("orders.manage")
def new() -> Any:
    with tenant_scope(g.tenant_id):
        known = sites.listed()
    if not known:
        return redirect(url_for("board.index"))
    site_id = request.values.get("site", "")
    site = next((one for one in known if one.id == site_id), known[0])
    fault = ""
    if request.method == "POST":
        try:
            with tenant_scope(g.tenant_id):
                order = staff_orders.place_staff_order(sites.get(site.id), _staff_order(site))
                audit.record("orders.taken", order.number, total=str(order.total))
            flash(_placed_text(site, order), "success")
            return redirect(url_for("orders.order", order_id=order.number))
        except NotFound:
            raise
        except DomainError as error:
            fault = error_message(error)
    with tenant_scope(g.tenant_id):
        seats, menu = tables.listed(site.id), _menu(site)
        known_zones = zones.listed(site.id)
    page = render_template(
        "orders/staff_order.html",
        site=site,
        sites=known,
        order=None,
        tables=seats,
        zones=known_zones,
        takes_later=bool(order_times.days_ahead(site)),
        fault=fault,
        typed=_submitted_values(),
        **menu,
    )
    return page, 422 if fault else 200


@orders_pages.route("/orders/<order_id>/add", methods=["GET", "POST"])
@member_may("orders.manage")
def add(order_id: str) -> Any:
    fault = ""
    with tenant_scope(g.tenant_id):
        order = order_queries.get(order_id)
        site = sites.of_order(order)
    if request.method == "POST":
        try:
            with tenant_scope(g.tenant_id):
                held = order_queries.get(order_id)
                staff_orders.add_items(sites.of_order(held), held, _requested_items())
                audit.record("orders.added_to", held.number, total=str(held.total))
            flash(gettext("New items were sent to the kitchen."), "success")
            return redirect(url_for("orders.order", order_id=order.number))
        except NotFound:
            raise
        except DomainError as error:
            fault = error_message(error)
    with tenant_scope(g.tenant_id):
        menu = _menu(site)
    page = render_template(
        "orders/staff_order.html",
        site=site,
        sites=[site],
        order=order,
        tables=[],
        fault=fault,
        typed=_submitted_values(),
        **menu,
    )
    return page, 422 if fault else 200


def _menu(site: Site) -> dict[str, Any]:
    """The published menu in the restaurant's own language, for the template."""
    try:
        content, missing = placing.current_menu(site)
    except DomainError:
        return {"categories": []}
    languages = content["languages"]
    language = site.languages[0]

    def named(thing: dict[str, Any]) -> str:
        return text_in(thing["texts"], language, languages)

    groups = {
        group_id: {
            "id": group_id,
            "name": named(group),
            "one": group["least"] == 1 and group["most"] == 1,
            "least": group["least"],
            "most": group["most"],
            "options": [
                {
                    "id": option["id"],
                    "name": named(option),
                    "price": _extra(option["price"], site),
                    "preset": option["preset"],
                }
                for option in group["options"]
                if option["id"] not in missing
            ],
        }
        for group_id, group in content["groups"].items()
    }
    return {
        "categories": [
            {
                "id": category["id"],
                "name": named(category),
                "items": [
                    {
                        "id": item["id"],
                        "name": named(item),
                        "price": item["price"],
                        "missing": item["id"] in missing,
                        "groups": [groups[one] for one in item["groups"] if one in groups],
                    }
                    for item in category["items"]
                ],
            }
            for category in content["categories"]
        ]
    }


def _extra(price: str, site: Site) -> str:
    amount = Decimal(price)
    return f"+{format_money(amount, site.currency, site.languages[0])}" if amount else ""


def _placed_text(site: Site, order: Order) -> str:
    if order.state == "scheduled" and order.fires_at is not None:
        time = time_text(order.fires_at, site.time_zone, str(get_locale()))
        text = gettext(
            "Order %(number)s will be sent to the kitchen at %(time)s.",
            number=order.number,
            time=time,
        )
        return str(text)
    return str(gettext("Order %(number)s was sent to the kitchen.", number=order.number))


def _due_at(site: Site) -> datetime | None:
    """The time on the restaurant's clock; None: as soon as possible."""
    typed = request.form.get("due_at", "").strip()
    if not typed:
        return None
    try:
        local = datetime.fromisoformat(typed[:20]).replace(tzinfo=zone(site.time_zone))
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise invalid("due_at", "invalid_time", "Enter a date and a time.") from None


def _staff_order(site: Site) -> StaffOrder:
    form = request.form
    with_waiter = team.find_by_person(current_user.id)
    return StaffOrder(
        items=_requested_items(),
        order_type=form.get("order_type", ""),
        payment_method=form.get("payment_method", ""),
        table_id=form.get("table_id", "")[:40],
        address=form.get("address", "")[:1000].replace("\0", ""),
        zone_id=form.get("zone_id", "")[:40],
        phone=form.get("phone", "")[:40],
        name=one_line(form.get("name", "")[:400], 120),
        notes=form.get("notes", "")[:2000].replace("\0", ""),
        coupon=form.get("coupon", "")[:80],
        due_at=_due_at(site),
        waiter_id=with_waiter.id if with_waiter else None,
        waiter=current_user.name,
    )


def _requested_items() -> list[RequestedItem]:
    """Fields are named q.<item>.<copy>, o.<item>.<copy> (options) and n.<item>.<copy> (note)."""
    found = []
    for name, value in request.form.items():
        if not name.startswith("q.") or not (value.isascii() and value.isdigit()):
            continue
        quantity, item = int(value[:6]), name.removeprefix("q.")
        if not quantity:
            continue
        options = [one for one in request.form.getlist(f"o.{item}") if one]
        for group in (key for key in request.form if key.startswith(f"g.{item}.")):
            options += [one for one in request.form.getlist(group) if one]
        note = one_line(request.form.get(f"n.{item}", "")[:400], 200)
        found.append(
            RequestedItem(item.partition(".")[0], quantity, tuple(dict.fromkeys(options)), note)
        )
    return found[: MAX_ITEMS + 1]


def _submitted_values() -> dict[str, list[str]]:
    """The submitted fields, to fill the form again after an error."""
    return {name: request.form.getlist(name) for name in request.form}
