"""Sites, tables, menus and orders by API."""

import pytest

from core.clock import now, zone
from restaurant.orders import queries as order_queries
from tests.restaurant.bistro import open_bistro

API = "/api/v1"
NAMES = {"tr": {"name": "Çorba"}, "en": {"name": "Soup"}}


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def call(client, restaurant):
    def calls(method, path, body=None, key=None, business=restaurant):
        headers = {**business.bearer, **({"Idempotency-Key": key} if key else {})}
        return client.open(f"{API}{path}", method=method, json=body, headers=headers)

    return calls


def order_body(bistro, **more):
    return {
        "site_id": bistro.site_id,
        "table_number": "12",
        "customer": {"phone": "+905321112233", "name": "Ayşe Kaya"},
        "items": [{"item_id": bistro.items["Ayran"], "quantity": 2}],
        **more,
    }


def test_a_restaurant_from_nothing_to_its_first_order(call):
    site = call(
        "POST",
        "/sites",
        {
            "name": "Köşe",
            "slug": "kose-bistro",
            "prefix": "KOS",
            "currency": "TRY",
            "time_zone": "Europe/Istanbul",
            "country": "TR",
            "languages": ["tr", "en"],
        },
    )
    assert site.status_code == 201, site.json
    site_id = site.json["id"]
    made = call("POST", "/tables", {"site_id": site_id, "numbers": "1-3"})
    assert [table["number"] for table in made.json["data"]] == ["1", "2", "3"]
    menu = call(
        "POST", "/menus", {"name": "Menü", "currency": "TRY", "languages": ["tr", "en"]}
    ).json
    category = call("POST", f"/menus/{menu['id']}/categories", {"texts": NAMES}).json
    assert "id" in category, category
    item = call(
        "POST",
        f"/menus/{menu['id']}/items",
        {"category_id": category["id"], "texts": NAMES, "price": "95.50"},
    )
    assert item.status_code == 201, item.json
    assert call("POST", f"/menus/{menu['id']}/publish").status_code == 200
    assert call("PATCH", f"/sites/{site_id}", {"menu_id": menu["id"]}).json["takes_orders"] is True
    order = call(
        "POST",
        "/orders",
        {
            "site_id": site_id,
            "table_number": "2",
            "items": [{"item_id": item.json["id"], "quantity": 2}],
        },
    )
    assert order.status_code == 201, order.json
    assert order.json["order_id"].startswith("KOS-")
    assert (order.json["total_amount"], order.json["status"]) == (191.0, "sent_to_kitchen")
    assert call("GET", f"/orders/{order.json['order_id']}").json == order.json


def test_an_order_is_made_once_for_a_key(call, bistro):
    first = call("POST", "/orders", order_body(bistro), key="cash-desk-1")
    again = call("POST", "/orders", order_body(bistro), key="cash-desk-1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json == first.json
    assert len(call("GET", "/orders").json["data"]) == 1


def test_orders_are_moved_and_cancelled(call, bistro):
    order = call("POST", "/orders", order_body(bistro)).json
    path = f"/orders/{order['order_id']}"
    moved = call("POST", f"{path}/status", {"status": "preparing", "version": order["version"]})
    assert moved.json["status"] == "preparing"
    late = call("POST", f"{path}/status", {"status": "ready", "version": order["version"]})
    assert (late.status_code, late.json["code"]) == (409, "order_changed")
    wrong = call("POST", f"{path}/status", {"status": "out_for_delivery"})
    assert (wrong.status_code, wrong.json["code"]) == (409, "wrong_move")
    gone = call("POST", f"{path}/cancel", {"reason": "Kitchen closed"})
    assert gone.json["status"] == "cancelled"
    listed = call("GET", "/orders?status=cancelled").json["data"]
    assert [one["order_id"] for one in listed] == [order["order_id"]]


def test_the_changes_of_an_order_are_reported(call, bistro):
    order = call("POST", "/orders", order_body(bistro)).json
    call("POST", f"/orders/{order['order_id']}/status", {"status": "ready"})
    changes = call("GET", f"/orders/{order['order_id']}/changes").json["data"]
    assert [(one["what"], one["status"]) for one in changes] == [
        ("moved", "sent_to_kitchen"),
        ("moved", "ready"),
    ]
    assert all(one["by"] and one["at"] for one in changes)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"table_number": "99"}, "unknown_table"),
        ({"order_type": "banquet"}, "invalid_choice"),
        ({"customer": {"phone": "12", "name": ""}}, "invalid_phone"),
        ({"items": [{"item_id": "itm_00000000000000000000000000"}]}, "not_on_menu"),
        ({"items": []}, None),
    ],
)
def test_what_cannot_be_ordered_is_refused(call, bistro, more, code):
    answer = call("POST", "/orders", order_body(bistro, **more))
    assert answer.status_code == 422, answer.json
    if code:
        assert answer.json["code"] == code
    assert call("GET", "/orders").json["data"] == []


def test_sold_out_and_paused(call, bistro):
    ayran = bistro.items["Ayran"]
    path = f"/sites/{bistro.site_id}"
    assert call("POST", f"{path}/sold-out", {"id": ayran}).status_code == 200
    refused = call("POST", "/orders", order_body(bistro))
    assert (refused.status_code, refused.json["code"]) == (422, "sold_out")
    call("POST", f"{path}/sold-out", {"id": ayran, "sold_out": False})
    assert call("POST", "/orders", order_body(bistro)).status_code == 201
    paused = call("POST", f"{path}/pause", {"until": "2020-01-01T00:00:00Z"})
    assert (paused.status_code, paused.json["code"]) == (422, "invalid_time")


def test_special_days_are_set_read_and_checked(call, bistro):
    path = f"/sites/{bistro.site_id}"
    assert call("GET", path).json["special_days"] == []
    today = now().astimezone(zone("Europe/Istanbul")).date().isoformat()
    changed = call("PATCH", path, {"special_days": [{"starts_on": today, "name": "Tatil"}]})
    assert changed.json["special_days"] == [
        {"starts_on": today, "ends_on": today, "hours": [], "name": "Tatil"}
    ]
    assert changed.json["takes_orders"] is False
    assert call("PATCH", path, {"name": "Other"}).json["special_days"] != []
    refused = call("PATCH", path, {"special_days": [{"starts_on": "tomorrow"}]})
    assert (refused.status_code, refused.json["code"]) == (422, "invalid_special_days")
    assert call("PATCH", path, {"special_days": []}).json["takes_orders"] is True


def test_nothing_of_another_tenants_is_there(call, bistro, shop):
    order = call("POST", "/orders", order_body(bistro)).json
    for method, path, body in (
        ("GET", f"/orders/{order['order_id']}", None),
        ("GET", f"/orders/{order['id']}", None),
        ("GET", f"/orders/{order['id']}/changes", None),
        ("POST", f"/orders/{order['id']}/status", {"status": "ready"}),
        ("POST", f"/orders/{order['id']}/cancel", {"reason": "Spite"}),
        ("GET", f"/sites/{bistro.site_id}", None),
        ("PATCH", f"/sites/{bistro.site_id}", {"name": "Taken"}),
        ("GET", f"/menus/{bistro.menu_id}", None),
        ("POST", "/orders", order_body(bistro)),
    ):
        assert call(method, path, body, business=shop).status_code == 404, (method, path)
    with bistro.scope():
        assert order_queries.get(order["order_id"]).state == "sent_to_kitchen"


def test_a_key_needs_the_scope(client, restaurant, bistro):
    headers = {"Authorization": f"Bearer {restaurant.makes_key('messages:send')}"}
    for path in ("/orders", "/sites", "/menus"):
        answer = client.get(f"{API}{path}", headers=headers)
        assert answer.status_code == 403, path


def test_other_names_of_a_dish_are_set_read_and_removed(call, bistro):
    item = bistro.items["Ayran"]
    path = f"/menus/{bistro.menu_id}/items/{item}"
    names = ["yayık", "  köpüklü   ayran "]
    changed = call("PATCH", path, {"synonyms": names})
    assert changed.status_code == 200, changed.json
    assert changed.json["synonyms"] == ["yayık", "köpüklü ayran"]
    assert call("PATCH", path, {"price": "50"}).json["synonyms"] == ["yayık", "köpüklü ayran"]
    assert call("PATCH", path, {"synonyms": []}).json["synonyms"] == []
    assert call("PATCH", path, {"synonyms": [f"name {n}" for n in range(21)]}).status_code == 422
