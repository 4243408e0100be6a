"""Restaurants: their settings, tables, stations, and what is sold out."""

from decimal import Decimal
from typing import Any

from flask import Response, current_app, g
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ErrorBody, Moment, OfSite, SitePath
from api.v1 import v1
from core.clock import rfc3339
from core.db import tenant_scope
from core.openapi.example_ids import sample_id
from core.settings import Settings
from restaurant.menus import availability
from restaurant.models import Site, Station, Table
from restaurant.sites import sites, stations, tables

SITES, TABLES, STATIONS = Tag(name="Sites"), Tag(name="Tables"), Tag(name="Stations")


class TablePath(BaseModel):
    table_id: str = Field(max_length=40)


class SpecialDay(BaseModel):
    """A date, or several in a row, with other hours than the weekday has."""

    starts_on: str = Field(max_length=10, examples=["2026-12-31"])
    ends_on: str = Field(
        "", max_length=10, description="The last day. Empty: one day.", examples=["2027-01-01"]
    )
    hours: list[list[str]] = Field(
        default_factory=list,
        max_length=6,
        description="Spans as in `hours`. Empty: closed.",
        examples=[[["12:00", "16:00"]]],
    )
    name: str = Field("", max_length=60, description="Shown to guests.", examples=["New Year"])


class SiteFields(BaseModel):
    """Only what is given is changed."""

    name: str | None = Field(None, max_length=200)
    host: str | None = Field(None, max_length=253)
    prefix: str | None = Field(None, max_length=12, examples=["ORD"])
    currency: str | None = Field(None, max_length=3, examples=["TRY"])
    time_zone: str | None = Field(None, max_length=64, examples=["Europe/Istanbul"])
    country: str | None = Field(None, max_length=2, examples=["TR"])
    languages: list[str] | None = Field(None, max_length=12, examples=[["tr", "en"]])
    address: str | None = Field(None, max_length=400)
    phone: str | None = Field(None, max_length=32)
    latitude: Decimal | None = Field(None, ge=-90, le=90)
    longitude: Decimal | None = Field(None, ge=-180, le=180)
    line_id: int | None = Field(None, ge=1, le=2**31 - 1)
    hours: dict[str, list[list[str]]] | None = Field(
        None,
        description="By weekday, 0 (Monday) to 6; a span may go past midnight.",
        examples=[{"4": [["18:00", "02:00"]]}],
    )
    special_days: list[SpecialDay] | None = Field(
        None,
        max_length=60,
        description="All special days: holidays, and days with other hours.",
    )
    day_starts: str | None = Field(None, examples=["04:00"])
    order_types: list[str] | None = Field(None, examples=[["dine_in", "takeaway"]])
    payment_methods: list[str] | None = Field(None, examples=[["pos_at_table", "cash"]])
    tax_included: bool | None = None
    service_percent: Decimal | None = Field(None, ge=0, le=50)
    service_order_types: list[str] | None = Field(
        None,
        description="The order types that the service charge is added to.",
        examples=[["dine_in"]],
    )
    tip_percents: list[int] | None = Field(None, max_length=6)
    told_states: list[str] | None = None
    accept_minutes: int | None = Field(None, ge=1, le=120)
    manager_phone: str | None = Field(None, max_length=32)
    tone: str | None = Field(None, max_length=7)
    menu_id: str | None = Field(None, max_length=40)


class NewSite(BaseModel):
    name: str = Field(max_length=200, examples=["Lemar Bistro"])
    slug: str = Field(max_length=40, examples=["lemar"], description="In the menu's address.")
    prefix: str = Field(max_length=12, examples=["ORD"], description="Begins each order's id.")
    currency: str = Field(max_length=3, examples=["TRY"])
    time_zone: str = Field(max_length=64, examples=["Europe/Istanbul"])
    country: str = Field(max_length=2, examples=["TR"])
    languages: list[str] = Field(max_length=12, examples=[["tr", "en"]])


class SiteShape(BaseModel):
    id: str
    name: str
    slug: str
    host: str
    host_pending: str = Field("", description="Waits for the operator before it is served.")
    prefix: str
    currency: str
    time_zone: str
    country: str
    languages: list[str]
    address: str
    phone: str
    latitude: float | None
    longitude: float | None
    line_id: int | None
    hours: dict[str, Any]
    special_days: list[SpecialDay]
    day_starts: str
    order_types: list[str]
    payment_methods: list[str]
    tax_included: bool
    service_percent: float
    service_order_types: list[str]
    tip_percents: list[int]
    told_states: list[str]
    accept_minutes: int
    manager_phone: str
    tone: str
    menu_id: str | None
    menu_url: str
    takes_orders: bool
    paused_until: str | None
    created_at: str


class SitePage(BaseModel):
    data: list[SiteShape]
    next: None


class Pause(BaseModel):
    until: Moment | None = Field(None, description="RFC 3339; empty takes orders again.")


class SoldOutIn(BaseModel):
    id: str = Field(
        max_length=40,
        description="An item (itm_…) or an option (opt_…).",
        examples=[sample_id("item_id")],
    )
    sold_out: bool = True
    until: Moment | None = Field(None, description="Empty: until you say otherwise.")


class SoldOutShape(BaseModel):
    data: list[dict[str, Any]]
    next: None


class TableShape(BaseModel):
    id: str
    site_id: str
    area_id: str | None
    number: str
    seats: int
    url: str = Field(description="What the printed code says. It proves a seat: keep it private.")


class TablePage(BaseModel):
    data: list[TableShape]
    next: None


class NewTables(BaseModel):
    site_id: str = Field(max_length=40)
    numbers: str = Field(max_length=2000, examples=["1-20", "T1-T8, Terrace"])
    area_id: str | None = Field(None, max_length=40)
    seats: int = Field(4, ge=1, le=99)


class StationShape(BaseModel):
    site_id: str
    code: str = Field(
        examples=["kitchen"],
        description="The station's code, such as `bar`. Items and printers name it.",
    )
    name: str


class StationPage(BaseModel):
    data: list[StationShape]
    next: None


class NewStation(BaseModel):
    site_id: str = Field(max_length=40)
    code: str = Field(
        max_length=24,
        examples=["grill"],
        description="The station's code, such as `bar`. Items and printers name it.",
    )
    name: str = Field(max_length=80, examples=["Grill"])


@v1.get("/sites", tags=[SITES], summary="List restaurants", responses={200: SitePage})
@key_may("menus", test_keys=True)
def list_sites() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [site_json(site) for site in sites.listed()], "next": None}


@v1.post(
    "/sites",
    tags=[SITES],
    summary="Open a restaurant",
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


@v1.get("/sites/<site_id>", tags=[SITES], summary="One restaurant", responses={200: SiteShape})
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
    summary="Stop taking orders for a while, or take them again",
    responses={200: SiteShape},
)
@key_may("orders")
@idempotent
def pause_site(path: SitePath, body: Pause) -> JsonAnswer:
    return site_json(sites.pause(path.site_id, body.until))


@v1.get(
    "/sites/<site_id>/sold-out",
    tags=[SITES],
    summary="What is sold out now",
    responses={200: SoldOutShape},
)
@key_may("menus", test_keys=True)
def list_sold_out(path: SitePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return _sold_out(sites.get(path.site_id))


@v1.post(
    "/sites/<site_id>/sold-out",
    tags=[SITES],
    summary="Say that something is sold out, or is there again",
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
    return _sold_out(site)


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
    summary="A new code; the printed one stops proving a seat",
    responses={200: TableShape},
)
@key_may("menus")
@idempotent
def rotate_table(path: TablePath) -> JsonAnswer:
    table = tables.rotate_token(path.table_id)
    return table_json(sites.get(table.site_id), table)


@v1.delete("/tables/<table_id>", tags=[TABLES], summary="Remove a table", responses={204: None})
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
        "accept_minutes", "tone", "menu_id",
    )  # fmt: skip
    lists = ("languages", "order_types", "payment_methods", "tip_percents", "told_states")
    return {
        **{name: getattr(site, name) for name in plain},
        **{name: list(getattr(site, name)) for name in lists},
        "manager_phone": "" if g.caller.test else site.manager_phone,
        "latitude": _degrees(site.latitude),
        "longitude": _degrees(site.longitude),
        "service_percent": float(site.service_percent),
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


def _sold_out(site: Site) -> dict[str, Any]:
    gone = availability.sold_out_now(site.id)
    rows = [
        {"id": thing, "until": rfc3339(until) if until else None} for thing, until in gone.items()
    ]
    return {"data": rows, "next": None}


def _degrees(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
