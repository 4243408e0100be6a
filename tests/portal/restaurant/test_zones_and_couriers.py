"""Zones, couriers, the delivery board and the courier's list, without scripts."""

import re
from decimal import Decimal

import pytest

from core.clock import frozen, now
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.couriers import trips as courier_trips
from restaurant.delivery import zones
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tests.factories import Browser
from tests.portal.page_reader import text_of
from tests.restaurant.bistro import open_bistro

SHAPE = "41.04, 28.98\n41.04, 29.01\n41.06, 29.01\n41.06, 28.98"
GEOJSON = (
    '{"type": "Feature", "geometry": {"type": "Polygon", "coordinates":'
    " [[[28.98, 41.04], [29.01, 41.04], [29.01, 41.06], [28.98, 41.04]]]}}"
)


@pytest.fixture
def bistro(app, restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def manager(browser, restaurant):
    return browser.signs_in(restaurant.hires("manager"))


@pytest.fixture
def road(bistro):
    """A restaurant with zones and couriers, and a ready order nearby."""
    bistro.ids = bistro.delivers()
    order = bistro.delivery(latitude=41.03, longitude=28.97)
    bistro.ready = bistro.changes_state(order, "ready")
    return bistro


def test_zones_from_nothing(manager, bistro):
    path = f"/restaurants/{bistro.site_id}/delivery"
    page = text_of(manager.get(path))
    assert "Where is the restaurant?" in page
    circle = {"name": "Yakın", "kind": "radius", "radius": "2,5", "fee": "12,50", "minimum": "100"}
    refused = manager.post(f"{path}/zones/new", **circle)
    assert refused.status_code == 422
    assert "s location first. Circular zones are drawn around it." in refused.get_data(as_text=True)
    wrong = manager.post(path, position="Taksim")
    assert (wrong.status_code, "latitude and longitude" in wrong.get_data(as_text=True)) == (
        422,
        True,
    )
    assert manager.post(path, position="(41.0284, 28.9737)").status_code == 302
    assert manager.post(f"{path}/zones/new", **circle).status_code == 302
    drawn = {"name": "Sahil", "kind": "polygon", "corners": SHAPE, "fee": "20"}
    assert manager.post(f"{path}/zones/new", **drawn).status_code == 302
    pasted = {**drawn, "name": "Kıyı", "corners": GEOJSON}
    assert manager.post(f"{path}/zones/new", **pasted).status_code == 302
    with bistro.scope():
        found = {zone.name: zone for zone in zones.listed(bistro.site_id)}
    assert (found["Yakın"].radius_m, found["Yakın"].fee) == (2500, Decimal("12.500"))
    assert len(found["Kıyı"].corners) == 3
    page = text_of(manager.get(path))
    assert "Sahil" in page
    assert "<polygon" in manager.get(path).get_data(as_text=True)
    zone = f"/restaurants/zones/{found['Sahil'].id}"
    assert "41.06, 28.98" in manager.get(zone).get_data(as_text=True)
    assert manager.post(zone, **{**drawn, "fee": "25"}).status_code == 302
    assert manager.post(f"{zone}/remove").status_code == 302
    with bistro.scope():
        assert {one.name for one in zones.listed(bistro.site_id)} == {"Yakın", "Kıyı"}


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"kind": "radius", "radius": "0.05"}, "between 0.1 and 100 km"),
        ({"kind": "radius", "radius": "x"}, "between 0.1 and 100 km"),
        ({"kind": "polygon", "corners": "41,28"}, "at least three corners"),
        ({"kind": "polygon", "corners": "41, 28\n41, 29\nhere"}, "latitude and longitude"),
        (
            {"kind": "polygon", "corners": "41 28\n41 28.1\n41 28.2"},
            "The zone is too small. Its corners are almost on one line.",
        ),
        ({"kind": "polygon", "corners": "41 28\n41.1 28.1\n41.1 28\n41 28.1"}, "crosses itself"),
        ({"kind": "polygon", "corners": "91 28\n41 28.1\n41 28.2"}, "from -90 to 90"),
        ({"kind": "polygon", "corners": "1 1\n9 9\n1 9"}, "too large"),
        (
            {"kind": "polygon", "corners": "{nonsense"},
            "This looks like GeoJSON but is not valid JSON.",
        ),
        ({"kind": "polygon", "corners": '{"type": "Point"}'}, "one polygon without holes"),
        ({"fee": "free"}, "a dot before the decimals"),
        ({"fee": "-1"}, "a dot before the decimals"),
        ({"minimum": "1.999"}, "a dot before the decimals"),
        ({"name": " "}, "Enter a name for the zone."),
    ],
)
def test_a_wrong_zone_is_told_what_is_wrong_and_not_kept(manager, road, more, sentence):
    fields = {"name": "Z", "kind": "radius", "radius": "1", "fee": "1", "minimum": "", **more}
    answer = manager.post(f"/restaurants/{road.site_id}/delivery/zones/new", **fields)
    assert answer.status_code == 422
    assert sentence in answer.get_data(as_text=True)
    with road.scope():
        assert len(zones.listed(road.site_id)) == 3


def test_couriers_come_and_go(manager, bistro):
    path = f"/restaurants/{bistro.site_id}/couriers"
    assert "No couriers yet" in text_of(manager.get(path))
    person = {"name": "Hakan Usta", "phone": "+90 532 111 70 01", "language": "tr"}
    assert manager.post(path, **person).status_code == 302
    again = manager.post(path, **person)
    assert "already a courier" in again.get_data(as_text=True)
    assert manager.post(path, **{**person, "phone": "12"}).status_code == 422
    with bistro.scope():
        (courier,) = couriers.listed(bistro.site_id)
    page = f"/restaurants/couriers/{courier.id}"
    link = re.search(r'value="http[^"]+(/courier/[^"]+)"', manager.get(page).get_data(as_text=True))
    guest = Browser(manager.client.application.test_client())
    assert guest.get(link[1]).status_code == 200
    assert manager.post(page, **{**person, "name": "Hakan U."}).status_code == 302  # not active
    assert guest.get(link[1]).status_code == 404
    assert manager.post(f"{page}/remove").status_code == 302
    assert manager.get(page).status_code == 404


def test_the_road_on_the_board(manager, road):
    board = f"/orders/board/{road.site_id}?view=delivery"
    page = manager.get(board).get_data(as_text=True)
    assert "No courier yet" in page
    assert 'class="pin pin-waiting"' in page
    assert "₺795.00 in cash" in page
    given = manager.post(
        f"/orders/{road.ready.number}/courier",
        courier=road.ids["Hakan Usta"],
        seen=road.ready.version,
        next=board,
    )
    assert given.location == board
    page = manager.get(board).get_data(as_text=True)
    assert 'class="pin pin-given"' in page
    with road.scope():
        order = order_queries.get(road.ready.number)
        courier_dispatch.record_step(road.site(), order, "picked_up")
        courier_dispatch.record_step(
            road.site(), order, "problem", kind="no_answer", note="Zil bozuk"
        )
    page = manager.get(board).get_data(as_text=True)
    assert "pin-trouble" in page
    assert "Zil bozuk" in page
    late = manager.client.post(
        f"/orders/{road.ready.number}/courier",
        data={"csrf_token": manager.token, "courier": road.ids["Emine Yol"], "seen": 1},
        headers={"X-Part": "act"},
    )
    assert late.status_code == 409


def test_an_orders_page_shows_who_brings_it_and_where(manager, road):
    page = f"/orders/{road.ready.number}"
    assert "destination=41.03,28.97" in manager.get(page).get_data(as_text=True)
    manager.post(f"{page}/courier", courier=road.ids["Emine Yol"])
    shown = manager.get(page).get_data(as_text=True)
    assert "Emine Yol" in shown
    assert "Assigned to a courier" in shown
    manager.post(f"{page}/zone", zone=road.ids["Uzak"])
    with road.scope():
        assert order_queries.get(road.ready.number).total == Decimal("840.5")
    assert "Choose a courier" in manager.post(
        f"{page}/courier", follow=True, courier="cou_x"
    ).get_data(as_text=True)


def test_a_delivery_is_written_down_by_the_staff(manager, road):
    fields = {
        "site": road.site_id,
        "order_type": "delivery",
        "payment_method": "card_at_door",
        "address": "Lüleci Hendek 3",
        "zone_id": road.ids["Yakın"],
        "phone": "905321112244",
        f"q.{road.items['Hamburger']}.0": "1",
    }
    missing = manager.post("/orders/new", **{**fields, "address": ""})
    assert missing.status_code == 422
    made = manager.post("/orders/new", **fields)
    with road.scope():
        order = order_queries.get(made.location.rpartition("/")[2])
    assert (order.total, order.payment_method) == (Decimal(390), "card_at_door")


# The courier's list


@pytest.fixture
def rider(app, road):
    with road.scope():
        courier_dispatch.assign(
            road.site(), order_queries.get(road.ready.number), couriers.get(road.ids["Hakan Usta"])
        )
        road.link = (
            "/courier/"
            + couriers.link_url(couriers.get(road.ids["Hakan Usta"]))[0].rpartition("/")[2]
        )
    return Browser(app.test_client())


def test_a_courier_brings_an_order_with_two_taps(rider, road):
    answer = rider.get(road.link)
    page = answer.get_data(as_text=True)
    for words in ("Galip Dede Cd. 15", "Ayşe Kaya", "₺795,00", "Nakit", "tel:+905321112233",
                  "maps/dir/?api=1&amp;destination=41.03,28.97", "wa.me/905321112233"):  # fmt: skip
        assert words in page, words
    assert "<script" not in page
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    tap = {"order": road.ready.id, "act": "picked_up"}
    assert rider.client.post(road.link, data=tap).status_code == 303
    assert "Teslim ettim" in rider.get(road.link).get_data(as_text=True)
    rider.client.post(road.link, data={**tap, "act": "delivered"})
    with road.scope():
        assert order_queries.get(road.ready.number).state == "delivered"
        assert courier_trips.trip_of(road.ready.id).collected == Decimal(795)
        (last,) = [c for c in order_queries.changes_of(road.ready.id) if c.state == "delivered"]
    assert last.by == "Hakan Usta"
    assert "Teslim edilecek nakit: ₺795,00" in rider.get(road.link).get_data(as_text=True)


def test_a_problem_needs_a_description(rider, road):
    tap = {"order": road.ready.id, "act": "problem", "kind": "other"}
    answer = rider.client.post(road.link, data=tap)
    assert answer.status_code == 422
    assert "Sorunu kısaca yazın." in answer.get_data(as_text=True)
    assert rider.client.post(road.link, data={**tap, "note": "Lastik patladı"}).status_code == 303
    assert "Bildirildi" in rider.get(road.link).get_data(as_text=True)


def test_a_courier_moves_nobody_elses_order(rider, road):
    other = road.delivery(phone="905321110044", latitude=41.03, longitude=28.97)
    for tap in (
        {"order": other.id, "act": "delivered"},
        {"order": "ord_nonsense", "act": "delivered"},
        {"order": road.ready.id, "act": "closed"},
        {},
    ):
        assert rider.client.post(road.link, data=tap).status_code in (404, 409, 422), tap
    with road.scope():
        assert order_queries.get(other.number).state == "sent_to_kitchen"
        assert order_queries.get(road.ready.number).state == "ready"


def test_a_link_that_expired_shows_nothing(rider, road):
    with frozen(now().replace(year=now().year + 1)):
        answer = rider.get(road.link)
    assert answer.status_code == 404
    assert "Galip" not in answer.get_data(as_text=True)
    with road.scope():
        couriers.remove(couriers.get(road.ids["Hakan Usta"]))
    tap = {"order": road.ready.id, "act": "delivered"}
    assert rider.client.post(road.link, data=tap).status_code == 404
    with road.scope():
        assert order_queries.get(road.ready.number).state == "ready"


# The diner's page


def test_a_diner_learns_the_fee_before_ordering(client, road):
    base = f"/r/lemar-{road.business.tenant_id}"

    def ask(latitude, longitude, lang="en"):
        place = {"latitude": latitude, "longitude": longitude}
        return client.post(f"{base}/zone?lang={lang}", json=place)

    near = ask(41.03, 28.97)
    assert near.json["fee"] == "30.000"
    assert "₺30.00" in near.json["message"]
    assert "₺200.00" in near.json["message"]
    far = ask(42, 28.97, "tr")
    assert (far.status_code, "teslimat yapamıyoruz" in far.json["message"]) == (422, True)
    assert ask(120, 0).status_code == 422
    cart = {
        "lines": [{"item": road.items["Ayran"], "quantity": 1}],
        "order_type": "delivery",
        "payment_method": "cash",
        "language": "en",
    }
    said = client.post(f"{base}/cart?lang=en", json=cart).json
    assert (said["code"], "address" in said["message"]) == ("address_missing", True)
    small = client.post(
        f"{base}/cart?lang=en", json={**cart, "latitude": 41.03, "longitude": 28.97}
    ).json
    assert (small["code"], "₺200.00" in small["message"]) == ("below_minimum", True)
    cart["lines"][0]["quantity"] = 10
    sent = client.post(
        f"{base}/cart?lang=en", json={**cart, "latitude": 41.03, "longitude": 28.97}
    ).json
    assert Decimal(sent["total"]) == Decimal(480)
    page = client.get(f"{base}/menu?lang=en")
    assert "Delivery costs ₺30.00 or more" in page.get_data(as_text=True)
    assert "geolocation=(self)" in page.headers["Permissions-Policy"]


def test_without_zones_delivery_is_free_everywhere(client, bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"order_types": ["delivery"], "payment_methods": ["cash"]})
    place = {"latitude": 0, "longitude": 0}
    answer = client.post(f"/r/lemar-{bistro.business.tenant_id}/zone?lang=en", json=place)
    assert (answer.status_code, answer.json["fee"]) == (200, "0")
