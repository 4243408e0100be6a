"""Schemas of restaurants, tables and stations."""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, Field

from api.schemas import Moment
from core.openapi.example_ids import sample_id


class TablePath(BaseModel):
    table_id: str = Field(max_length=40)


class SpecialDay(BaseModel):
    """A date, or several consecutive ones, with other hours than the weekday."""

    starts_on: str = Field(
        max_length=10, examples=["2026-12-31"], description="First day, as YYYY-MM-DD."
    )
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
    """Only given fields are changed."""

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
    service_percent: Decimal | None = Field(
        None, ge=0, le=50, description="Only 0 is allowed for sites in Turkey."
    )
    service_order_types: list[str] | None = Field(
        None,
        description="The order types that the service charge is added to.",
        examples=[["dine_in"]],
    )
    tip_percents: list[int] | None = Field(None, max_length=6)
    told_states: list[str] | None = None
    accept_minutes: int | None = Field(None, ge=1, le=120)
    guest_cancel_minutes: int | None = Field(None, ge=0, le=60)
    preparation_minutes: int | None = Field(None, ge=1, le=240)
    delivery_minutes: int | None = Field(None, ge=0, le=240)
    later_days: int | None = Field(None, ge=0, le=14)
    slot_orders: int | None = Field(None, ge=1, le=500)
    slot_minutes: dict[str, int] | None = Field(None, examples=[{"kitchen": 60}])
    slot_order_types: list[str] | None = Field(None, examples=[["takeaway", "delivery"]])
    kitchen_warn_minutes: int | None = Field(None, ge=1, le=120)
    kitchen_late_minutes: int | None = Field(None, ge=1, le=240)
    prints_ticket_codes: bool | None = None
    shows_promise: bool | None = None
    feedback_minutes: int | None = Field(None, ge=0, le=1440)
    review_url: str | None = Field(None, max_length=500)
    orders_in_words: bool | None = None
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
    applied_service_percent: float = Field(
        description="What guests pay: 0 in Turkey, where service, table and cover charges are not"
        " allowed since 30 January 2026."
    )
    service_order_types: list[str]
    tip_percents: list[int]
    told_states: list[str]
    accept_minutes: int
    guest_cancel_minutes: int
    preparation_minutes: int
    delivery_minutes: int
    later_days: int
    slot_orders: int | None
    slot_minutes: dict[str, int]
    slot_order_types: list[str]
    kitchen_warn_minutes: int
    kitchen_late_minutes: int
    prints_ticket_codes: bool
    shows_promise: bool
    feedback_minutes: int
    review_url: str
    orders_in_words: bool
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
    until: Moment | None = Field(None, description="Empty: until you change it.")


class SoldOutShape(BaseModel):
    data: list[dict[str, Any]]
    next: None


class StockIn(BaseModel):
    item_id: str = Field(max_length=40, examples=[sample_id("item_id")])
    left: int | None = Field(
        None, ge=0, le=9999, description="Pieces left. Empty: the item is no longer counted."
    )


class StockRow(BaseModel):
    item_id: str
    left: int = Field(description="Pieces left. Orders count it down; 0 is sold out.")


class StockShape(BaseModel):
    data: list[StockRow]
    next: None


class TimesQuery(BaseModel):
    order_type: str = Field(
        "takeaway", max_length=20, description="`dine_in`, `takeaway` or `delivery`."
    )


class TimesShape(BaseModel):
    now: bool = Field(description="Whether the kitchen has room for an order at once.")
    minutes: int = Field(description="Minutes until such an order would be ready.")
    data: list[str] = Field(
        description="Free times for orders for later, RFC 3339.",
        examples=[["2026-11-15T16:30:00Z"]],
    )
    next: None


class TableShape(BaseModel):
    id: str
    site_id: str
    area_id: str | None
    number: str
    seats: int
    url: str = Field(
        description="The printed code. It proves that a guest is at the table: keep it secret."
    )


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
