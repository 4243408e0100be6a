"""Restaurants: settings, tables, stations, and sold-out items."""

from decimal import Decimal
from typing import Any

from flask import Response, current_app, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ErrorBody, OfSite, SitePath
from api.v1 import v1
from api.v1.schemas.restaurant.sites import (
    NewSite,
    NewStation,
    NewTables,
    Pause,
    SiteFields,
    SitePage,
    SiteShape,
    SoldOutIn,
    SoldOutShape,
    StationPage,
    StationShape,
    StockIn,
    StockShape,
    TablePage,
    TablePath,
    TableShape,
    TimesQuery,
    TimesShape,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import invalid
from core.settings import Settings
from restaurant.menus import availability, stock
from restaurant.models import Site, Station, Table
from restaurant.models.order_states import ORDER_TYPES
from restaurant.orders.pace import times
from restaurant.orders.pace.minutes import minutes_to_make
from restaurant.sites import sites, stations, tables

SITES, TABLES, STATIONS = Tag(name="Sites"), Tag(name="Tables"), Tag(name="Stations")


@v1.get("/sites", tags=[SITES], summary="List restaurants", responses={200: SitePage})
@key_may("menus", test_keys=True)
def list_sites() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [site_json(site) for site in sites.listed()], "next": None}


@v1.post(
    "/sites",
    tags=[SITES],
    summary="Add a restaurant",
    responses={201: SiteShape, 409: ErrorBody},
)
@key_may("menus")
@idempotent
def open_site(body: NewSite) -> JsonAnswer:
    site = sites.open_site(
        body.name,
        slug=body.slug,
        prefix=body.prefix,
        currency=body.currency,
        time_zone=body.time_zone,
        country=body.country,
        languages=body.languages,
    )
    return site_json(site), 201


@v1.get("/sites/<site_id>", tags=[SITES], summary="Get a restaurant", responses={200: SiteShape})
@key_may("menus", test_keys=True)
def read_site(path: SitePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return site_json(sites.get(path.site_id))


@v1.patch(
    "/sites/<site_id>",
    tags=[SITES],
    summary="Change it",
    responses={200: SiteShape, 409: ErrorBody},
)
@key_may("menus")
def change_site(path: SitePath, body: SiteFields) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return site_json(sites.change(path.site_id, body.model_dump(exclude_unset=True)))


@v1.post(
    "/sites/<site_id>/pause",
    tags=[SITES],
    summary="Pause or resume orders",
    responses={200: SiteShape},
)
@key_may("orders")
@idempotent
def pause_site(path: SitePath, body: Pause) -> JsonAnswer:
    return site_json(sites.pause(path.site_id, body.until))


@v1.get(
    "/sites/<site_id>/sold-out",
    tags=[SITES],
    summary="List sold-out items",
    responses={200: SoldOutShape},
)
@key_may("menus", test_keys=True)
def list_sold_out(path: SitePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return sold_out_json(sites.get(path.site_id))


@v1.post(
    "/sites/<site_id>/sold-out",
    tags=[SITES],
    summary="Mark an item as sold out or available",
    responses={200: SoldOutShape},
)
@key_may("menus")
@idempotent
def sell_out(path: SitePath, body: SoldOutIn) -> JsonAnswer:
    site = sites.get(path.site_id)
    if body.sold_out:
        availability.mark_sold_out(site, body.id, body.until)
    else:
        availability.mark_available(site, body.id)
    return sold_out_json(site)


@v1.get(
    "/sites/<site_id>/stock",
    tags=[SITES],
    summary="List the items that are counted",
    responses={200: StockShape},
)
@key_may("menus", test_keys=True)
def list_stock(path: SitePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return _stock(sites.get(path.site_id))


@v1.post(
    "/sites/<site_id>/stock",
    tags=[SITES],
    summary="Enter how many pieces of an item are left",
    responses={200: StockShape},
)
@key_may("menus")
@idempotent
def count_stock(path: SitePath, body: StockIn) -> JsonAnswer:
    """Orders count it down, and a cancelled order returns its pieces. At 0 it is sold out."""
    site = sites.get(path.site_id)
    stock.set_left(site, body.item_id, body.left)
    return _stock(site)


@v1.get(
    "/sites/<site_id>/times",
    tags=[SITES],
    summary="List free times for orders",
    responses={200: TimesShape},
)
@key_may("orders", test_keys=True)
def list_times(path: SitePath, query: TimesQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        site = sites.get(path.site_id)
        if query.order_type not in ORDER_TYPES:
            raise invalid("order_type", "invalid_choice", "Choose one of the available values.")
        return {
            "now": not sites.why_no_orders_now(site) and times.free_now(site, query.order_type),
            "minutes": minutes_to_make(site, query.order_type),
            "data": [rfc3339(at) for at in times.free_times(site, query.order_type)],
            "next": None,
        }


@v1.get("/tables", tags=[TABLES], summary="A restaurant's tables", responses={200: TablePage})
@key_may("menus", test_keys=True)
def list_tables(query: OfSite) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        site = sites.get(query.site_id)
        return {"data": [table_json(site, one) for one in tables.listed(site.id)], "next": None}


@v1.post("/tables", tags=[TABLES], summary="Add tables", responses={201: TablePage})
@key_may("menus")
@idempotent
def add_tables(body: NewTables) -> JsonAnswer:
    site = sites.get(body.site_id)
    made = tables.add_tables(site, body.numbers, area_id=body.area_id, seats=body.seats)
    return {"data": [table_json(site, one) for one in made], "next": None}, 201


@v1.post(
    "/tables/<table_id>/rotate",
    tags=[TABLES],
    summary="Replace a table's code",
    responses={200: TableShape},
)
@key_may("menus")
@idempotent
def rotate_table(path: TablePath) -> JsonAnswer:
    table = tables.rotate_token(path.table_id)
    return table_json(sites.get(table.site_id), table)


@v1.delete("/tables/<table_id>", tags=[TABLES], summary="Delete a table", responses={204: None})
@key_may("menus")
def remove_table(path: TablePath) -> Response:
    with tenant_scope(g.tenant_id):
        tables.remove(path.table_id)
    return Response(status=204)


@v1.get("/stations", tags=[STATIONS], summary="Where items are made", responses={200: StationPage})
@key_may("menus", test_keys=True)
def list_stations(query: OfSite) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        site = sites.get(query.site_id)
        return {"data": [station_json(one) for one in stations.listed(site.id)], "next": None}


@v1.post("/stations", tags=[STATIONS], summary="Add a station", responses={201: StationShape})
@key_may("menus")
@idempotent
def add_station(body: NewStation) -> JsonAnswer:
    station = stations.add(sites.get(body.site_id), body.code, body.name)
    return station_json(station), 201


def site_json(site: Site) -> dict[str, Any]:
    settings: Settings = current_app.extensions["comanda"]
    plain = (
        "id", "name", "slug", "host", "host_pending", "prefix", "currency", "time_zone", "country",
        "address", "phone", "line_id", "hours", "special_days", "day_starts", "tax_included",
        "accept_minutes", "guest_cancel_minutes", "orders_in_words", "tone", "menu_id",
        "preparation_minutes",
        "delivery_minutes", "later_days", "slot_orders", "slot_minutes", "kitchen_warn_minutes",
        "kitchen_late_minutes", "prints_ticket_codes", "shows_promise", "feedback_minutes",
        "review_url",
    )  # fmt: skip
    lists = (
        "languages", "order_types", "payment_methods", "tip_percents", "told_states",
        "slot_order_types",
    )  # fmt: skip
    return {
        **{name: getattr(site, name) for name in plain},
        **{name: list(getattr(site, name)) for name in lists},
        "manager_phone": "" if g.caller.test else site.manager_phone,
        "latitude": _degrees(site.latitude),
        "longitude": _degrees(site.longitude),
        "service_percent": float(site.service_percent),
        "applied_service_percent": float(site.applied_service_percent),
        "service_order_types": list(site.service_order_types),
        "menu_url": tables.menu_url(settings.base_url, site, settings.menu_domain),
        "takes_orders": not sites.why_no_orders_now(site),
        "paused_until": rfc3339(site.paused_until) if site.paused_until else None,
        "created_at": rfc3339(site.created_at),
    }


def table_json(site: Site, table: Table) -> dict[str, Any]:
    settings: Settings = current_app.extensions["comanda"]
    return {
        "id": table.id,
        "site_id": table.site_id,
        "area_id": table.area_id,
        "number": table.number,
        "seats": table.seats,
        "url": tables.table_url(settings.base_url, site, table, settings.menu_domain),
    }


def station_json(station: Station) -> dict[str, Any]:
    return {"site_id": station.site_id, "code": station.code, "name": station.name}


def sold_out_json(site: Site) -> dict[str, Any]:
    sold_out_ids = availability.sold_out_now(site.id)
    rows = [
        {"id": thing, "until": rfc3339(until) if until else None}
        for thing, until in sold_out_ids.items()
    ]
    return {"data": rows, "next": None}


def _stock(site: Site) -> dict[str, Any]:
    counts = stock.left_counts(site.id)
    rows = [{"item_id": item_id, "left": left} for item_id, left in counts.items()]
    return {"data": rows, "next": None}


def _degrees(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
