"""Orders: made by programs too, read, moved, cancelled."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

from flask import Response, g
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field

from api.auth import key_may
from api.modes import of_mode, only_test
from api.once import once
from api.paging import PageQuery, page
from api.shapes import Moment
from api.v1 import v1
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import invalid
from core.money import json_number
from core.phone import BadPhone, check_phone
from messaging import contacts
from restaurant import carts, finding, orders, publishing, sites, tables, telling, whereabouts
from restaurant.availability import missing_now
from restaurant.loyalty import redeeming
from restaurant.models import Order, OrderLine, Site, Table
from restaurant.moves import ORDER_TYPES, PAYMENT_METHODS, STATES
from restaurant.pricing import Line, Shelf, Wish, add_up, price_lines
from restaurant.whereabouts import Spot

TAG = Tag(name="Orders")


class OrderPath(BaseModel):
    order_id: str = Field(
        max_length=40, description="Its number, ORD-20261115-0007, or our own id."
    )


class OrdersQuery(PageQuery):
    site_id: str | None = Field(None, max_length=40)
    status: str | None = Field(None, max_length=40)
    phone: str | None = Field(None, max_length=15)
    since: Moment | None = None
    until: Moment | None = None


class CustomerShape(BaseModel):
    phone: str = Field("", max_length=20, examples=["+905321112233"])
    name: str = Field("", max_length=120, examples=["Ayşe Kaya"])


class ItemShape(BaseModel):
    name: str
    quantity: int
    unit_price: float
    options: list[str]
    station: str
    stations: list[str]
    note: str


class DeliveryShape(BaseModel):
    fee: float
    zone: str = Field(description="Empty while nobody knows where the address lies.")
    latitude: float | None
    longitude: float | None
    route_url: str | None = Field(
        examples=["https://www.google.com/maps/dir/?api=1&destination=41.03,28.97"]
    )


class OrderShape(BaseModel):
    """Spec 2.4 and more."""

    order_id: str
    order_type: str
    table_number: str
    waiter_assigned: str
    customer: CustomerShape
    items: list[ItemShape]
    notes: str
    total_amount: float
    discount: float = Field(description="What coupons took off; the total is without it.")
    payment_method: str
    status: str
    id: str
    site: dict[str, str]
    currency: str
    address: str
    delivery: DeliveryShape | None = Field(description="Null unless it is a delivery.")
    paid: bool
    placed_at: str
    test: bool
    changed_at: str
    version: int
    sums: dict[str, Any]


class OrderPage(BaseModel):
    data: list[OrderShape]
    next: str | None


class ChangeShape(BaseModel):
    at: str
    what: str = Field(
        description="moved, added, voided, table, waiter, courier, location, problem, alarm.",
        examples=["moved"],
    )
    status: str = Field(description="The state it had then.", examples=["preparing"])
    by: str = Field(examples=["Mehmet Demir"])
    because: str


class ChangePage(BaseModel):
    data: list[ChangeShape]
    next: None


class WishIn(BaseModel):
    item_id: str = Field(max_length=40)
    quantity: int = Field(1, ge=1, le=99)
    options: list[str] = Field(default_factory=list, max_length=60, description="Option ids.")
    note: str = Field("", max_length=200)


class NewOrder(BaseModel):
    site_id: str = Field(max_length=40)
    order_type: str = Field("dine_in", examples=list(ORDER_TYPES))
    payment_method: str = Field("pos_at_table", examples=list(PAYMENT_METHODS))
    table_number: str = Field("", max_length=12)
    customer: CustomerShape = Field(default_factory=lambda: CustomerShape(phone="", name=""))
    items: list[WishIn] = Field(min_length=1, max_length=60)
    notes: str = Field("", max_length=500)
    coupon: str = Field("", max_length=40, description="A coupon's code: used up by this order.")
    address: str = Field("", max_length=300, description="Of a delivery, in words.")
    latitude: float | None = Field(
        None, ge=-90, le=90, description="Of a delivery: its zone makes the fee.", examples=[41.03]
    )
    longitude: float | None = Field(None, ge=-180, le=180, examples=[28.97])
    zone_id: str = Field(
        "", max_length=40, description="The delivery zone, where no coordinates are known."
    )


class Move(BaseModel):
    status: Literal[STATES] = Field(examples=["preparing"])  # type: ignore[valid-type]
    version: int | None = Field(None, description="Refuse when somebody changed it meanwhile.")


class Cancel(BaseModel):
    reason: str = Field(max_length=200, examples=["Out of ingredients"])


@v1.get("/orders", tags=[TAG], summary="List orders", responses={200: OrderPage})
@key_may("orders", test_keys=True)
def list_orders(query: OrdersQuery) -> dict[str, Any]:
    wanted = finding.Filters(
        site_id=query.site_id,
        state=query.status,
        phone=query.phone,
        since=query.since,
        until=query.until,
        test=only_test(),
    )
    with tenant_scope(g.tenant_id):
        rows = finding.listed(wanted, query.after, query.limit + 1)
        lines = finding.lines_of([order.id for order in rows])
        names = {site.id: site.name for site in sites.every()}
    return page(
        rows,
        query,
        lambda order: order.id,
        lambda order: order_json(order, lines[order.id], names.get(order.site_id, "")),
    )


@v1.post("/orders", tags=[TAG], summary="Make an order", responses={201: OrderShape})
@key_may("orders", test_keys=True)
def make_order(body: NewOrder) -> Response:
    """Priced by the published menu. It goes to the kitchen at once."""
    with once() as attempt:
        if attempt.answer is not None:
            return attempt.answer
        site = sites.get(body.site_id)
        version = publishing.published(site.menu_id or "")
        if version is None:
            raise invalid("site_id", "no_menu", "This restaurant has no published menu.")
        table = _table(site.id, body)
        wishes = [Wish(w.item_id, w.quantity, tuple(w.options), w.note) for w in body.items]
        shelf = Shelf(version.content, missing_now(site, version.content))
        lines = price_lines(shelf, wishes, site.languages[0])
        where = _where(site, body, lines)
        phone = _phone(body.customer.phone)
        contact_id = contacts.find(phone) if phone else None
        test = g.caller.test
        coupon, discount = redeeming.apply(site, body.coupon, lines, contact_id, use_up=not test)
        terms = carts.terms_of(site, lines, delivery_fee=where.fee)
        terms = replace(terms, discount=discount)
        sums = add_up(lines, terms)
        order = orders.make(
            site,
            orders.Draft(
                order_type=_among("order_type", body.order_type, ORDER_TYPES),
                payment_method=_among("payment_method", body.payment_method, PAYMENT_METHODS),
                lines=lines,
                sums=sums.as_json(),
                total=sums.total,
                language=site.languages[0],
                source="api",
                table_id=table.id if table else None,
                table_number=table.number if table else "",
                contact_id=contact_id,
                customer_phone=phone,
                customer_name=body.customer.name,
                notes=body.notes,
                address=where.as_json(),
                test=test,
            ),
        )
        if coupon is not None:
            coupon.order_id = order.id
        return attempt.keep(order_json(order, orders.lines_of(order.id), site.name), 201)


@v1.get("/orders/<order_id>", tags=[TAG], summary="One order", responses={200: OrderShape})
@key_may("orders", test_keys=True)
def read_order(path: OrderPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return _whole(of_mode(orders.get(path.order_id)))


@v1.get(
    "/orders/<order_id>/changes",
    tags=[TAG],
    summary="What happened to an order",
    responses={200: ChangePage},
)
@key_may("orders", test_keys=True)
def order_changes(path: OrderPath) -> dict[str, Any]:
    """Every move with its who and when, oldest first."""
    with tenant_scope(g.tenant_id):
        rows = orders.changes_of(of_mode(orders.get(path.order_id)).id)
    data = [
        {
            "at": rfc3339(one.at),
            "what": one.what,
            "status": one.state,
            "by": one.by,
            "because": one.because,
        }
        for one in rows
    ]
    return {"data": data, "next": None}


@v1.post(
    "/orders/<order_id>/status",
    tags=[TAG],
    summary="Move an order on",
    responses={200: OrderShape},
)
@key_may("orders", test_keys=True)
def move_order(path: OrderPath, body: Move) -> Response:
    with once() as attempt:
        if attempt.answer is not None:
            return attempt.answer
        order = of_mode(orders.get(path.order_id))
        site = sites.of_order(order)
        return attempt.keep(_whole(orders.move(site, order, body.status, seen=body.version)))


@v1.post(
    "/orders/<order_id>/cancel",
    tags=[TAG],
    summary="Cancel an order",
    responses={200: OrderShape},
)
@key_may("orders", test_keys=True)
def cancel_order(path: OrderPath, body: Cancel) -> Response:
    with once() as attempt:
        if attempt.answer is not None:
            return attempt.answer
        order = of_mode(orders.get(path.order_id))
        return attempt.keep(_whole(orders.cancel(sites.of_order(order), order, body.reason)))


def order_json(order: Order, lines: list[OrderLine], site_name: str) -> dict[str, Any]:
    return {
        **telling.order_facts(order, lines, site_name),
        "changed_at": rfc3339(order.changed_at),
        "version": order.version,
        "sums": _numbers(order.sums),
    }


def _whole(order: Order) -> dict[str, Any]:
    return order_json(order, orders.lines_of(order.id), sites.of_order(order).name)


def _numbers(sums: dict[str, Any]) -> dict[str, Any]:
    plain = {name: json_number(Decimal(value)) for name, value in sums.items() if name != "taxes"}
    taxes = [
        {"percent": json_number(Decimal(percent)), "amount": json_number(Decimal(amount))}
        for percent, amount in sums.get("taxes", [])
    ]
    return {**plain, "taxes": taxes}


def _where(site: Site, body: NewOrder, lines: list[Line]) -> Spot:
    if body.order_type != "delivery":
        return Spot(body.address)
    place = whereabouts.given(body.latitude, body.longitude)
    subtotal = sum((line.amount for line in lines), Decimal(0))
    return whereabouts.spot(site, body.address, place, subtotal, zone_id=body.zone_id)


def _table(site_id: str, body: NewOrder) -> Table | None:
    if not body.table_number:
        return None
    table = tables.by_number(site_id, body.table_number)
    if table is None:
        raise invalid("table_number", "unknown_table", "There is no such table here.")
    return table


def _among(field: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise invalid(field, "invalid_choice", "It is one of {known}.", known=", ".join(known))
    return value


def _phone(phone: str) -> str:
    digits = phone.removeprefix("+")
    if not digits:
        return ""
    try:
        return check_phone(digits)
    except BadPhone as error:
        raise invalid("customer.phone", "invalid_phone", str(error)) from error
