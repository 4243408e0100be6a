"""Orders: create, read, change their state and cancel them."""

from decimal import Decimal
from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.key_mode import check_mode, test_filter
from api.paging import page
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.schemas.restaurant.orders import (
    Cancel,
    ChangePage,
    Move,
    NewOrder,
    OrderPage,
    OrderPath,
    OrderShape,
    OrdersQuery,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import Conflict, invalid
from core.values.money import json_number
from core.values.phone import BadPhone, check_phone
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Order, OrderItem, Table
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import placing
from restaurant.orders import queries as order_queries
from restaurant.orders import rules as order_rules
from restaurant.orders.hold_reasons import order_reasons_text
from restaurant.orders.placing import OrderRequest
from restaurant.sites import sites, tables

TAG = Tag(name="Orders")


@v1.get("/orders", tags=[TAG], summary="List orders", responses={200: OrderPage})
@key_may("orders", test_keys=True)
def list_orders(query: OrdersQuery) -> dict[str, Any]:
    filters = order_queries.OrderFilters(
        site_id=query.site_id,
        state=query.status,
        phone=query.phone,
        since=query.since,
        until=query.until,
        test=test_filter(),
    )
    with tenant_scope(g.tenant_id):
        rows = order_queries.listed(filters, query.after, query.limit + 1)
        items = order_queries.items_of_orders([order.id for order in rows])
        names = {site.id: site.name for site in sites.list_including_closed()}
    return page(
        rows,
        query,
        lambda order: order.id,
        lambda order: order_json(order, items[order.id], names.get(order.site_id, "")),
    )


@v1.post(
    "/orders",
    tags=[TAG],
    summary="Make an order",
    responses={201: OrderShape, 409: ErrorBody},
)
@key_may("orders", test_keys=True)
@idempotent
def make_order(body: NewOrder) -> JsonAnswer:
    """Priced by the published menu. It goes to the kitchen at once, or waits for its payment or
    its time. 409 `slot_full` has the next free times in `next_times`.
    """
    site = sites.get(body.site_id)
    usual = order_rules.DEFAULT_PAYMENT.get(body.order_type, "")
    order = placing.place_order(
        site,
        OrderRequest(
            items=[
                RequestedItem(w.item_id, w.quantity, tuple(w.options), w.note) for w in body.items
            ],
            order_type=body.order_type,
            payment_method=body.payment_method or usual,
            source="api",
            table=_table(site.id, body),
            address=body.address,
            latitude=body.latitude,
            longitude=body.longitude,
            zone_id=body.zone_id,
            phone=_phone(body.customer.phone),
            name=body.customer.name,
            notes=body.notes,
            coupon=body.coupon,
            due_at=body.due_at,
            test=g.caller.test,
        ),
    )
    return order_json(order, order_queries.items_of(order.id), site.name), 201


@v1.get("/orders/<order_id>", tags=[TAG], summary="One order", responses={200: OrderShape})
@key_may("orders", test_keys=True)
def read_order(path: OrderPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return whole_order_json(check_mode(order_queries.get(path.order_id)))


@v1.get(
    "/orders/<order_id>/changes",
    tags=[TAG],
    summary="List the events of an order",
    responses={200: ChangePage},
)
@key_may("orders", test_keys=True)
def order_changes(path: OrderPath) -> dict[str, Any]:
    """Every change with its author and time, oldest first."""
    with tenant_scope(g.tenant_id):
        rows = order_queries.changes_of(check_mode(order_queries.get(path.order_id)).id)
    data = [
        {
            "at": rfc3339(one.at),
            "what": one.what,
            "status": one.state,
            "by": one.by,
            "because": order_reasons_text(one.because),
        }
        for one in rows
    ]
    return {"data": data, "next": None}


@v1.post(
    "/orders/<order_id>/status",
    tags=[TAG],
    summary="Change the status of an order",
    responses={200: OrderShape},
)
@key_may("orders", test_keys=True)
@idempotent
def move_order(path: OrderPath, body: Move) -> JsonAnswer:
    order = check_mode(order_queries.get(path.order_id))
    return whole_order_json(change_order(order, body))


@v1.post(
    "/orders/<order_id>/cancel",
    tags=[TAG],
    summary="Cancel an order",
    responses={200: OrderShape},
)
@key_may("orders", test_keys=True)
@idempotent
def cancel_order(path: OrderPath, body: Cancel) -> JsonAnswer:
    order = check_mode(order_queries.get(path.order_id))
    return whole_order_json(order_lifecycle.cancel(sites.of_order(order), order, body.reason))


def order_json(order: Order, items: list[OrderItem], site_name: str) -> dict[str, Any]:
    return {
        **order_notifications.order_facts(order, items, site_name),
        "changed_at": rfc3339(order.changed_at),
        "version": order.version,
        "sums": _numbers(order.sums),
    }


def whole_order_json(order: Order) -> dict[str, Any]:
    return order_json(order, order_queries.items_of(order.id), sites.of_order(order).name)


def _numbers(sums: dict[str, Any]) -> dict[str, Any]:
    plain = {name: json_number(Decimal(value)) for name, value in sums.items() if name != "taxes"}
    taxes = [
        {"percent": json_number(Decimal(percent)), "amount": json_number(Decimal(amount))}
        for percent, amount in sums.get("taxes", [])
    ]
    return {**plain, "taxes": taxes}


def change_order(order: Order, body: Move) -> Order:
    """Apply the rules of the portal: a cancellation needs a reason, and only a refund refunds."""
    if order.state == body.status:
        return order
    if body.status == "refunded":
        raise Conflict(
            "refund_needed",
            "To refund an order, refund its payment: POST /payments/{id}/refunds.",
        )
    site = sites.of_order(order)
    if body.status == "cancelled":
        return order_lifecycle.cancel(site, order, body.reason, shown_version=body.version)
    return order_lifecycle.change_state(site, order, body.status, shown_version=body.version)


def _table(site_id: str, body: NewOrder) -> Table | None:
    if not body.table_number:
        return None
    table = tables.by_number(site_id, body.table_number)
    if table is None:
        raise invalid("table_number", "unknown_table", "This table does not exist here.")
    return table


def _phone(phone: str) -> str:
    digits = phone.removeprefix("+")
    if not digits:
        return ""
    try:
        return check_phone(digits)
    except BadPhone as error:
        raise invalid("customer.phone", "invalid_phone", str(error)) from error
