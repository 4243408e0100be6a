"""Zones, couriers and assignments by API."""

from decimal import Decimal

import pytest

from restaurant.orders import queries as order_queries
from tests.api.v1.restaurant.test_sites_menus_orders import API, order_body
from tests.restaurant.bistro import open_bistro

HOME = {"latitude": 41.03, "longitude": 28.97}


@pytest.fixture
def bistro(restaurant):
    made = open_bistro(restaurant)
    made.ids = made.delivers()
    return made


@pytest.fixture
def call(client, restaurant):
    def calls(method, path, body=None, key=None):
        headers = {**restaurant.bearer, **({"Idempotency-Key": key} if key else {})}
        return client.open(f"{API}{path}", method=method, json=body, headers=headers)

    return calls


def delivery(bistro, **more):
    items = [{"item_id": bistro.items["Hamburger"], "quantity": 1}]
    return order_body(
        bistro, order_type="delivery", payment_method="cash", table_number="",
        items=items, **{"address": "Galip Dede 15", **HOME, **more},
    )  # fmt: skip


def test_zones_are_added_found_changed_and_removed(call, bistro):
    new = {"site_id": bistro.site_id, "name": "Sahil", "fee": "12.50", "minimum": "80"}
    square = [[41.0, 28.9], [41.0, 28.91], [41.01, 28.91], [41.01, 28.9]]
    made = call("POST", "/delivery-zones", {**new, "kind": "polygon", "corners": square})
    assert made.status_code == 201, made.json
    assert (made.json["fee"], made.json["corners"], made.json["radius_m"]) == (12.5, square, None)
    place = f"site_id={bistro.site_id}&latitude=41.005&longitude=28.905"
    found = call("GET", f"/delivery-zones/find?{place}").json
    assert found["zone"]["name"] == "Sahil"
    assert found["route_url"].endswith("destination=41.005,28.905")
    path = f"/delivery-zones/{made.json['id']}"
    assert call("PATCH", path, {"fee": "15"}).json["fee"] == 15
    moved = call("PATCH", path, {"kind": "radius", "radius_m": 700})
    assert (moved.json["kind"], moved.json["corners"]) == ("radius", [])
    assert call("GET", f"/delivery-zones/find?{place}").json["zone"] is None
    assert call("DELETE", path).status_code == 204
    names = [
        one["name"] for one in call("GET", f"/delivery-zones?site_id={bistro.site_id}").json["data"]
    ]
    assert names == ["Beşiktaş", "Yakın", "Uzak"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"kind": "polygon"}, "invalid_corners"),
        ({"kind": "polygon", "corners": [[1, 1], [2], [3, 3]]}, "invalid_corners"),
        ({"kind": "polygon", "corners": [[1, 1], [95, 2], [3, 3]]}, "invalid_place"),
        ({"fee": "1.234", "radius_m": 500}, "invalid_amount"),
        ({}, "invalid_radius"),
    ],
)
def test_a_wrong_zone_is_refused(call, bistro, more, code):
    answer = call(
        "POST", "/delivery-zones", {"site_id": bistro.site_id, "name": "Z", "fee": "1", **more}
    )
    assert (answer.status_code, answer.json["code"]) == (422, code)


def test_an_order_is_priced_given_and_brought(call, bistro):
    order = call("POST", "/orders", delivery(bistro)).json
    assert (order["total_amount"], order["sums"]["delivery_fee"]) == (390, 30)
    assert order["delivery"] == {
        "fee": 30, "zone": "Yakın", **HOME,
        "route_url": "https://www.google.com/maps/dir/?api=1&destination=41.03,28.97",
    }  # fmt: skip
    path = f"/orders/{order['order_id']}"
    assert call("POST", f"{path}/delivery", {"status": "picked_up"}).json["code"] == "no_courier"
    given = call("POST", f"{path}/courier", {"courier_id": bistro.ids["Hakan Usta"]}, key="give-1")
    assert given.json["courier"]["name"] == "Hakan Usta"
    assert given.json["collect"] == {"by": "cash", "amount": 390}
    result = call("POST", f"{path}/delivery", {"status": "problem", "problem": "no_answer"})
    assert result.json["courier"]["problem"] == "no_answer"
    assert (
        call("POST", f"{path}/delivery", {"status": "picked_up"}).json["status"]
        == "out_for_delivery"
    )
    done = call("POST", f"{path}/delivery", {"status": "delivered"}).json
    assert (done["status"], done["courier"]["collected"]) == ("delivered", 390)
    assert call("GET", f"{path}/delivery").json == done
    late = call("POST", f"{path}/courier", {"courier_id": None})
    assert (late.status_code, late.json["code"]) == (409, "not_to_courier")


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"latitude": 42}, "outside_zones"),
        ({"address": "", "latitude": None, "longitude": None}, "address_missing"),
        ({"latitude": None, "longitude": None, "zone_id": "zon_x"}, "unknown_zone"),
        ({"latitude": 41.03, "longitude": 29.03}, "below_minimum"),
        ({"longitude": None}, "invalid_place"),
    ],
)
def test_a_delivery_that_cannot_be_is_refused(call, bistro, more, code):
    answer = call("POST", "/orders", delivery(bistro, **more))
    assert (answer.status_code, answer.json["code"]) == (422, code)
    assert call("GET", "/orders").json["data"] == []


def test_an_address_is_put_on_the_map_later(call, bistro):
    order = bistro.delivery()
    answer = call("POST", f"/orders/{order.number}/location", HOME)
    assert (answer.json["status"], answer.json["total_amount"]) == ("sent_to_kitchen", 795)
    with bistro.scope():
        assert order_queries.get(order.number).total == Decimal(795)


def test_couriers_by_a_program(call, bistro):
    person = {"site_id": bistro.site_id, "name": "Ali Tez", "phone": "+905321117009"}
    made = call("POST", "/couriers", person)
    assert (made.status_code, made.json["language"]) == (201, "tr")
    assert call("POST", "/couriers", person).json["code"] == "courier_known"
    path = f"/couriers/{made.json['id']}"
    link = call("POST", f"{path}/link").json
    assert "/courier/" in link["url"]
    assert call("PATCH", path, {"active": False}).json["active"] is False
    assert call("POST", f"{path}/link").status_code == 409
    assert call("GET", path).json["name"] == "Ali Tez"
    assert call("DELETE", path).status_code == 204
    assert call("GET", path).status_code == 404
    assert len(call("GET", f"/couriers?site_id={bistro.site_id}").json["data"]) == 2
