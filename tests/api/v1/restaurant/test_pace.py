"""Stock, times, orders for later and prices by occasion, by API."""

from datetime import UTC, datetime, timedelta

import pytest

from core.clock import frozen
from tests.restaurant.bistro import open_bistro

API = "/api/v1"
NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


@pytest.fixture
def bistro(restaurant):
    with frozen(NOON):
        yield open_bistro(restaurant, later_days=1, slot_orders=2)


@pytest.fixture
def call(client, restaurant):
    def calls(method, path, body=None):
        return client.open(f"{API}{path}", method=method, json=body, headers=restaurant.bearer)

    return calls


def order_body(bistro, item="Menemen", **more):
    return {
        "site_id": bistro.site_id,
        "order_type": "takeaway",
        "items": [{"item_id": bistro.items[item], "quantity": 2}],
        **more,
    }


def test_stock_is_counted_down_by_orders(call, bistro):
    path = f"/sites/{bistro.site_id}/stock"
    item = bistro.items["Menemen"]
    assert call("POST", path, {"item_id": item, "left": 3}).json["data"] == [
        {"item_id": item, "left": 3}
    ]
    assert call("POST", "/orders", order_body(bistro)).status_code == 201
    assert call("GET", path).json["data"] == [{"item_id": item, "left": 1}]
    refused = call("POST", "/orders", order_body(bistro))
    assert (refused.status_code, refused.json["code"]) == (422, "not_enough_left")
    assert call("POST", path, {"item_id": item}).json["data"] == []
    wrong = call("POST", path, {"item_id": "itm_01JD0000000000000000000000", "left": 3})
    assert wrong.status_code in (404, 422)


def test_an_order_for_later_has_its_time_and_status(call, bistro):
    due = (NOON + timedelta(hours=3)).isoformat()
    made = call("POST", "/orders", order_body(bistro, due_at=due))
    assert made.status_code == 201, made.json
    assert (made.json["status"], made.json["due_at"]) == ("scheduled", "2026-11-16T12:00:00Z")
    listed = call("GET", "/orders?status=scheduled").json["data"]
    assert [one["order_id"] for one in listed] == [made.json["order_id"]]
    sent = call("POST", f"/orders/{made.json['order_id']}/status", {"status": "sent_to_kitchen"})
    assert sent.json["status"] == "sent_to_kitchen"
    soon = call("POST", "/orders", order_body(bistro, due_at=NOON.isoformat()))
    assert (soon.status_code, soon.json["code"]) == (422, "too_soon")


def test_a_full_kitchen_answers_with_the_next_free_times(call, bistro):
    for _ in range(2):
        assert call("POST", "/orders", order_body(bistro)).status_code == 201
    full = call("POST", "/orders", order_body(bistro))
    assert (full.status_code, full.json["code"]) == (409, "slot_full")
    assert len(full.json["next_times"]) == 3
    found = call("GET", f"/sites/{bistro.site_id}/times?order_type=takeaway").json
    assert (found["now"], found["minutes"]) == (False, 20)
    assert found["data"][0] == "2026-11-16T09:30:00Z"


def test_settings_prices_and_happy_hours(call, bistro):
    changed = call(
        "PATCH", f"/sites/{bistro.site_id}", {"slot_minutes": {"kitchen": 40}, "later_days": 3}
    )
    assert (changed.json["slot_minutes"], changed.json["later_days"]) == ({"kitchen": 40}, 3)
    menu, item = bistro.menu_id, bistro.items["Ayran"]
    prices = {"takeaway": {"price": "40", "tax": "1"}}
    assert call("PATCH", f"/menus/{menu}/items/{item}", {"prices": prices}).json["prices"] == prices
    rule = {
        "texts": {"tr": {"name": "Mutlu saatler"}},
        "hours": {"0": [["11:00", "13:00"]]},
        "percent": "50",
        "items": [item],
    }
    stored = call("PUT", f"/menus/{menu}/happy-hours", {"data": [rule]})
    assert stored.status_code == 200, stored.json
    assert call("GET", f"/menus/{menu}").json["happy_hours"] == stored.json["data"]
    assert call("POST", f"/menus/{menu}/publish").status_code == 200
    order = call("POST", "/orders", order_body(bistro, "Ayran")).json
    (line,) = order["items"]
    assert (line["unit_price"], line["regular_price"], order["total_amount"]) == (20, 40, 40)
    assert order["sums"]["taxes"] == [{"percent": 1, "amount": 0.4}]
    wrong = call("PUT", f"/menus/{menu}/happy-hours", {"data": [{**rule, "percent": ""}]})
    assert wrong.status_code == 422
