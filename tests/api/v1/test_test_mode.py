"""Test mode in the API: separate lines, numbers, coupons, points and payment links.

tests/architecture/tenancy/test_test_mode.py checks all routes; this file checks single calls.
"""

from datetime import timedelta

import pytest

from core.clock import now, rfc3339
from messaging.contacts import identities as contact_identities
from messaging.lines import repository as line_repository
from restaurant.loyalty import coupons
from restaurant.payments import link_queries, provider_events
from tests.line_factory import make_line
from tests.messaging.message_factory import sent_message
from tests.restaurant.bistro import GUEST, open_bistro
from tests.restaurant.fake_provider import open_till
from tests.restaurant.loyalty_club import Club

API = "/api/v1"
SOON = {"phone": "905321112233", "message": "Your table is ready"}


@pytest.fixture
def lines(restaurant):
    """The live default line and the test line."""
    live = make_line(restaurant)
    return live, make_line(restaurant, default=False, test=True)


@pytest.fixture
def call(client):
    def calls(method, path, body=None, *, key, **headers):
        headers = {"Authorization": f"Bearer {key}", "Prefer": "respond-async", **headers}
        return client.open(f"{API}{path}", method=method, json=body, headers=headers)

    return calls


def test_the_same_idempotency_key_in_both_modes_sends_twice(call, restaurant, lines):
    """Reusing test idempotency keys in live mode must not drop live messages."""
    once = {"Idempotency-Key": "order-184-ready"}
    test = call("POST", "/messages/send", SOON, key=restaurant.test_key, **once)
    live = call("POST", "/messages/send", SOON, key=restaurant.key, **once)
    assert (test.status_code, test.json["test"]) == (202, True)
    assert (live.status_code, live.json["test"]) == (202, False)
    assert "Idempotent-Replayed" not in live.headers
    assert test.json["id"] != live.json["id"]
    for key, first in ((restaurant.test_key, test), (restaurant.key, live)):
        again = call("POST", "/messages/send", SOON, key=key, **once)
        assert again.headers["Idempotent-Replayed"] == "true"
        assert again.json["id"] == first.json["id"]


def test_the_same_idempotency_key_in_both_modes_makes_two_orders(call, restaurant):
    bistro = open_bistro(restaurant)
    once = {"Idempotency-Key": "table-12"}
    test = call("POST", "/orders", order_body(bistro), key=restaurant.test_key, **once)
    live = call("POST", "/orders", order_body(bistro), key=restaurant.key, **once)
    assert (test.json["test"], live.json["test"]) == (True, False)


def test_a_test_key_must_name_a_line_of_its_own_account(call, restaurant, shop, lines):
    theirs = make_line(shop)
    for line_id in (999_999, theirs.id):
        answer = call(
            "POST", "/messages/send", {**SOON, "instance_id": line_id}, key=restaurant.test_key
        )
        assert (answer.status_code, answer.json["code"]) == (422, "unknown_instance")
    for line in lines:
        answer = call(
            "POST", "/messages/send", {**SOON, "instance_id": line.id}, key=restaurant.test_key
        )
        assert (answer.status_code, answer.json["test"]) == (202, True)
        assert answer.json["instance_id"] == lines[1].id


def test_test_orders_are_numbered_apart(call, restaurant):
    """They take no number from the live series."""
    bistro = open_bistro(restaurant)
    keys = (restaurant.key, restaurant.test_key, restaurant.test_key, restaurant.key)
    made = [call("POST", "/orders", order_body(bistro), key=key).json["order_id"] for key in keys]
    assert [one.rpartition("-")[2] for one in made] == ["0001", "0001", "0002", "0002"]
    assert [one.startswith("TEST-") for one in made] == [False, True, True, False]
    read = call("GET", f"/orders/{made[1]}", key=restaurant.test_key)
    assert read.json["order_id"] == made[1]


def test_a_test_order_earns_no_points_and_uses_up_no_coupon(call, restaurant):
    club = Club(open_bistro(restaurant))
    club.counts()
    with club.scope():
        contact_identities.find_or_create(GUEST, "", "Ayşe", now())
    coupon = club.coupon()
    body = order_body(club.bistro, coupon=coupon.code)
    order = call("POST", "/orders", body, key=restaurant.test_key)
    assert (order.status_code, order.json["discount"] > 0) == (201, True), order.json
    path = f"/orders/{order.json['order_id']}/status"
    for status in ("preparing", "ready", "served", "closed"):
        moved = call("POST", path, {"status": status}, key=restaurant.test_key)
        assert moved.status_code == 200, moved.json
    assert club.balance() == 0
    with club.scope():
        assert coupons.by_code(coupon.code).state == "open"
    live = call("POST", "/orders", body, key=restaurant.key)
    assert live.status_code == 201, "the coupon is still there for a live order"


def test_a_payment_link_of_test_mode_is_sent_by_the_test_line(call, restaurant, monkeypatch):
    """Also if the site has a live line."""
    till = open_till(restaurant, monkeypatch)
    test_line = make_line(restaurant, default=False, test=True)
    body = {
        "site_id": till.bistro.site_id,
        "amount": 25,
        "description": "Deposit",
        "phone": GUEST,
        "send": True,
    }
    made = call("POST", "/payment-links", body, key=restaurant.test_key)
    assert (made.status_code, made.json["test"]) == (201, True)
    with till.bistro.scope():
        link = link_queries.get(made.json["id"])
        link.state, link.url = "open", "https://paper.example/bill"
        provider_events.send_link(link)
    sent = call("GET", f"/messages?phone={GUEST}", key=restaurant.key).json["data"]
    assert [(one["instance_id"], one["test"]) for one in sent] == [(test_line.id, True)]


def test_a_test_key_asks_for_no_payment_of_a_cart(call, restaurant, monkeypatch):
    till = open_till(restaurant, monkeypatch)
    code = till.cart().code
    answer = call("POST", "/payment-links", {"cart_code": code}, key=restaurant.test_key)
    assert (answer.status_code, answer.json["code"]) == (403, "live_key_required")


def order_body(bistro, **more):
    return {
        "site_id": bistro.site_id,
        "table_number": "12",
        "customer": {"phone": f"+{GUEST}", "name": "Ayşe Kaya"},
        "items": [{"item_id": bistro.items["Ayran"], "quantity": 2}],
        **more,
    }


@pytest.fixture
def two_lines(restaurant):
    """Line A, line B, and a key restricted to line A."""
    mine = make_line(restaurant)
    other = make_line(restaurant, default=False)
    held = restaurant.makes_key(line_ids=[mine.id])
    with restaurant.scope():
        ours, _ = sent_message(line_repository.get(mine.id), text="Of line A")
        theirs, network_id = sent_message(line_repository.get(other.id), text="Of line B")
    return held, mine, other, ours, theirs, network_id


def test_a_key_held_to_a_line_reads_lists_and_cancels_only_its_messages(
    app, call, restaurant, two_lines
):
    held, _, other, ours, theirs, network_id = two_lines
    listed = call("GET", "/messages", key=held).json["data"]
    assert [one["id"] for one in listed] == [ours]
    assert call("GET", f"/messages?instance_id={other.id}", key=held).json["data"] == []
    assert call("GET", f"/messages/{ours}", key=held).status_code == 200
    assert call("GET", f"/messages/{ours}/timeline", key=held).status_code == 200
    for name in (theirs, network_id):
        assert call("GET", f"/messages/{name}", key=held).status_code == 404
        assert call("GET", f"/messages/{name}/timeline", key=held).status_code == 404
        assert call("POST", f"/messages/{name}/cancel", {}, key=held).status_code == 404
    waits = {**SOON, "instance_id": other.id, "scheduled_at": in_an_hour()}
    scheduled = call("POST", "/messages/send", waits, key=restaurant.key).json
    assert call("POST", f"/messages/{scheduled['id']}/cancel", {}, key=held).status_code == 404
    again = call("GET", f"/messages/{scheduled['id']}", key=restaurant.key).json
    assert again["status_code"] == "scheduled"


def test_no_route_shows_a_held_key_a_message_of_another_line(app, call, two_lines):
    """Every route that lists or reads, with the other line's ids."""
    held, _, other, _, theirs, _ = two_lines
    seen = 0
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("v1.") or "GET" not in rule.methods:
            continue
        values = dict.fromkeys(rule.arguments, 1)
        values |= {"message_id": theirs, "instance_id": other.id}
        path = rule.build({name: values[name] for name in rule.arguments}, append_unknown=False)[1]
        answer = call("GET", path.removeprefix(API), key=held)
        assert "Of line B" not in answer.get_data(as_text=True), path
        seen += answer.status_code == 200
    assert seen > 10


def in_an_hour():
    return rfc3339(now() + timedelta(hours=1))
