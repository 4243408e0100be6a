"""Tables' tabs: read them, record payments at the till, move and close them."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.key_mode import check_mode, test_filter
from api.paging import page
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.schemas.restaurant.tabs import (
    TabMove,
    TabPage,
    TabPath,
    TabPaymentIn,
    TabShape,
    TabsQuery,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import invalid
from core.values.money import json_number
from restaurant.models import Tab
from restaurant.payments import tab_till
from restaurant.sites import sites, tables
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import events as tab_events
from restaurant.tabs import moving, sessions

TAG = Tag(name="Tabs")


@v1.get("/tabs", tags=[TAG], summary="List tabs", responses={200: TabPage})
@key_may("orders", test_keys=True)
def list_tabs(query: TabsQuery) -> dict[str, Any]:
    """Newest first. The bill of each is in `GET /tabs/{tab_id}`."""
    with tenant_scope(g.tenant_id):
        rows = sessions.listed(
            query.site_id, query.status, query.after, query.limit + 1, test=test_filter()
        )
    return page(rows, query, lambda tab: tab.id, _row_json)


@v1.get("/tabs/<tab_id>", tags=[TAG], summary="One tab", responses={200: TabShape})
@key_may("orders", test_keys=True)
def read_tab(path: TabPath) -> dict[str, Any]:
    """The bill with its items and shares."""
    with tenant_scope(g.tenant_id):
        return _tab_json(_tab(path))


@v1.post(
    "/tabs/<tab_id>/payments",
    tags=[TAG],
    summary="Record a payment at the till",
    responses={201: TabShape, 409: ErrorBody},
)
@key_may("orders", test_keys=True)
@idempotent
def record_tab_payment(path: TabPath, body: TabPaymentIn) -> JsonAnswer:
    """Cash or card for the rest of the bill, or for a part. The tab is settled when all is paid."""
    tab = _tab(path)
    tab_till.take_payment(
        sites.get(tab.site_id), tab, body.method, _text(body.amount), _text(body.tip)
    )
    return _tab_json(tab), 201


@v1.post(
    "/tabs/<tab_id>/move",
    tags=[TAG],
    summary="Move it to another table",
    responses={200: TabShape, 409: ErrorBody},
)
@key_may("orders", test_keys=True)
@idempotent
def move_tab(path: TabPath, body: TabMove) -> JsonAnswer:
    """With all its orders and guests. If the other table has an open tab, both become one."""
    tab = _tab(path)
    site = sites.get(tab.site_id)
    table = tables.by_number(site.id, body.table_number)
    if table is None:
        raise invalid("table_number", "unknown_table", "This table does not exist here.")
    return _tab_json(moving.move_tab(site, tab, table)), 200


@v1.post("/tabs/<tab_id>/close", tags=[TAG], summary="Close it", responses={200: TabShape})
@key_may("orders", test_keys=True)
@idempotent
def close_tab(path: TabPath) -> JsonAnswer:
    """The guests left or paid elsewhere. Payments under way are cancelled."""
    tab = _tab(path)
    return _tab_json(tab_till.close_tab(sites.get(tab.site_id), tab)), 200


def _tab(path: TabPath) -> Tab:
    return check_mode(sessions.get(path.tab_id))


def _text(amount: float | None) -> str:
    return "" if amount is None else str(amount)


def _row_json(tab: Tab) -> dict[str, Any]:
    return {
        "id": tab.id,
        "status": tab.state,
        "site_id": tab.site_id,
        "table_number": tab.table_number,
        "opened_at": rfc3339(tab.opened_at),
        "ended_at": rfc3339(tab.ended_at) if tab.ended_at else None,
        "test": tab.test,
    }


def _tab_json(tab: Tab) -> dict[str, Any]:
    site = sites.get_including_closed(tab.site_id)
    bill = tab_bill.load_bill(tab)
    return {
        **tab_events.tab_body(site.currency, site.name, bill),
        "items": [
            {
                "order_id": line.order.number,
                "name": line.item.name,
                "quantity": line.quantity,
                "amount": json_number(line.amount),
                "guest": line.guest,
                "status": line.state,
            }
            for line in bill.items
        ],
    }
