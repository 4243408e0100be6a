"""The rules for placing an order apply equally to diners, chat, staff and API callers."""

import re
from pathlib import Path

import pytest

from core.errors import Invalid
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import placing, staff_orders
from restaurant.orders import rules as order_rules
from restaurant.orders.staff_orders import StaffOrder
from restaurant.sites import sites, tables
from tests.api.v1.restaurant.test_sites_menus_orders import bistro, call, order_body  # noqa: F401 (fixtures)

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("kind", "payment", "table", "code"),
    [
        ("dine_in", "pos_at_table", False, "table_missing"),
        ("delivery", "pos_at_table", False, "payment_method_closed"),
        ("takeaway", "pos_at_table", True, "payment_method_closed"),
        ("takeaway", "card_at_door", False, "payment_method_closed"),
        ("banquet", "cash", False, "invalid_choice"),
        ("takeaway", "shells", False, "invalid_choice"),
    ],
)
def test_what_does_not_go_together_is_refused(kind, payment, table, code):
    with pytest.raises(Invalid) as refusal:
        order_rules.check_combination(kind, payment, has_table=table)
    assert refusal.value.code == code


def test_every_order_is_made_through_one_function():
    """Only the demo's past orders and the benchmarks write orders directly."""
    callers = {
        str(path.relative_to(ROOT))
        for folder in ("api", "jobs", "portal", "restaurant")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"lifecycle\.create_order\(", path.read_text())
    }
    assert callers == {"restaurant/orders/placing.py"}


@pytest.mark.parametrize(
    ("more", "code", "field"),
    [
        ({"table_number": ""}, "table_missing", "table_number"),
        ({"table_number": "99"}, "unknown_table", "table_number"),
        (
            {"order_type": "delivery", "payment_method": "pos_at_table", "address": "Moda 1"},
            "payment_method_closed",
            "payment_method",
        ),
        (
            {"order_type": "takeaway", "table_number": "", "payment_method": "card_at_door"},
            "payment_method_closed",
            "payment_method",
        ),
        (
            {"order_type": "takeaway", "table_number": "", "payment_method": "card_link"},
            "payment_method_closed",
            "payment_method",
        ),
    ],
)
def test_an_api_order_follows_the_rules_of_the_others(call, bistro, more, code, field):  # noqa: F811
    answer = call("POST", "/orders", order_body(bistro, **more))
    assert (answer.status_code, answer.json["code"]) == (422, code), answer.json
    assert [fault["field"] for fault in answer.json["errors"]] == [field]
    assert call("GET", "/orders").json["data"] == []


def test_the_usual_payment_follows_the_kind_of_order(call, bistro):  # noqa: F811
    for more, payment in (
        ({}, "pos_at_table"),
        ({"order_type": "takeaway", "table_number": ""}, "cash"),
    ):
        made = call("POST", "/orders", order_body(bistro, **more))
        assert (made.status_code, made.json["payment_method"]) == (201, payment), made.json


def test_the_staff_follows_the_same_rules(bistro):  # noqa: F811
    items = [RequestedItem(bistro.items["Ayran"], 1)]
    with bistro.scope():
        site = sites.get(bistro.site_id)
        with pytest.raises(Invalid, match="Choose a table"):
            staff_orders.place_staff_order(site, StaffOrder(items))
        with pytest.raises(Invalid, match="card on delivery"):
            staff_orders.place_staff_order(site, StaffOrder(items, "takeaway", "card_at_door"))
        table = tables.by_number(site.id, "12")
        order = staff_orders.place_staff_order(site, StaffOrder(items, table_id=table.id))
        assert (order.table_number, order.source) == ("12", "staff")
        assert placing.current_menu(site)[0]["categories"]


def test_an_api_call_cannot_make_an_order_refunded(call, bistro):  # noqa: F811
    order = call("POST", "/orders", order_body(bistro)).json
    path = f"/orders/{order['order_id']}"
    call("POST", f"{path}/cancel", {"reason": "Kitchen closed"})
    answer = call("POST", f"{path}/status", {"status": "refunded"})
    assert (answer.status_code, answer.json["code"]) == (409, "refund_needed")
    assert call("GET", path).json["status"] == "cancelled"


def test_an_api_call_cancels_only_with_a_reason(call, bistro):  # noqa: F811
    order = call("POST", "/orders", order_body(bistro)).json
    path = f"/orders/{order['order_id']}"
    for act, body in (
        ("status", {"status": "cancelled"}),
        ("status", {"status": "cancelled", "reason": "  "}),
        ("cancel", {"reason": " "}),
        ("cancel", {}),
    ):
        assert call("POST", f"{path}/{act}", body).status_code == 422, (act, body)
    done = call("POST", f"{path}/status", {"status": "cancelled", "reason": "Guest left"})
    assert done.json["status"] == "cancelled"
    changes = call("GET", f"{path}/changes").json["data"]
    assert changes[-1]["because"] == "Guest left"
    again = call("POST", f"{path}/status", {"status": "cancelled"})
    assert (again.status_code, again.json["status"]) == (200, "cancelled")


def test_a_cart_with_nul_is_refused_as_json(client, bistro):  # noqa: F811
    line = {"item": bistro.items["Ayran"], "quantity": 1, "note": "a\u0000b"}
    body = {"lines": [line], "notes": "a\u0000b", "table": "12"}
    with bistro.scope():
        slug = sites.get(bistro.site_id).slug
    answer = client.post(f"/r/{slug}/cart", json=body)
    assert (answer.status_code, answer.mimetype) == (422, "application/json")


def test_the_api_address_of_a_menu_leads_to_the_page(client, bistro, call):  # noqa: F811
    host = {"Host": "menu.placing.example"}
    assert call("PATCH", f"/sites/{bistro.site_id}", {"host": host["Host"]}).status_code == 200
    with bistro.scope():
        sites.confirm_host(bistro.site())
    moved = client.get("/api/v1/menu?table=12", headers=host)
    assert (moved.status_code, moved.headers["Location"]) == (302, "/menu?table=12")
    assert client.get(moved.headers["Location"], headers=host).status_code == 200
    bare = client.get("/", headers=host)
    assert (bare.status_code, bare.headers["Location"]) == (302, "/menu")
    ours = client.get("/api/v1/menu?table=12")
    assert (ours.status_code, ours.json["code"]) == (404, "not_found")
    assert "/signin" in client.get("/").headers["Location"]
