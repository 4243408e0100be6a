"""Loyalty by API: programmes, balances, rewards, coupons."""

import pytest

from tests.api.v1.restaurant.test_sites_menus_orders import API, order_body
from tests.restaurant.bistro import GUEST
from tests.restaurant.loyalty_club import OTHER, open_club


@pytest.fixture
def club(restaurant):
    return open_club(restaurant)


@pytest.fixture
def call(client, restaurant):
    def calls(method, path, body=None, key=None):
        headers = {**restaurant.bearer, **({"Idempotency-Key": key} if key else {})}
        return client.open(f"{API}{path}", method=method, json=body, headers=headers)

    return calls


TEN = {"name": "Ten percent", "kind": "percent", "value": "10", "cost": 50}


def test_from_a_programme_to_a_coupon_that_is_used_once(call, club):
    path = f"/loyalty/programmes/{club.bistro.site_id}"
    assert call("PUT", path, {"kind": "points", "amount": "10"}).json["amount"] == 10
    assert len(call("GET", "/loyalty/programmes").json["data"]) == 1
    club.serves(club.bistro.order())
    guest = club.guest()
    found = call("GET", f"/loyalty/members?site_id={club.bistro.site_id}&phone={GUEST}")
    assert [(one["contact_id"], one["balance"]) for one in found.json["data"]] == [(guest, 76)]
    body = {"site_id": club.bistro.site_id, "amount": 4, "reason": "forgotten"}
    for _ in range(2):
        done = call("POST", f"/loyalty/members/{guest}/correct", body, key="once")
        assert done.json["balance"] == 80
    reward = call("POST", "/loyalty/rewards", TEN).json
    swap = {"site_id": club.bistro.site_id, "reward_id": reward["id"]}
    coupon = call("POST", f"/loyalty/members/{guest}/exchange", swap)
    assert coupon.status_code == 201, coupon.json
    poor = call("POST", f"/loyalty/members/{guest}/exchange", swap)
    assert (poor.status_code, poor.json["code"]) == (409, "balance_too_low")
    member = call("GET", f"/loyalty/members/{guest}").json
    assert member["balances"][0]["balance"] == 30
    assert [one["kind"] for one in member["entries"]] == ["exchanged", "corrected", "earned"]
    code = coupon.json["code"]
    customer = {"phone": f"+{GUEST}"}
    order = call("POST", "/orders", order_body(club.bistro, coupon=code.lower(), customer=customer))
    assert order.status_code == 201, order.json
    assert order.json["discount"] > 0
    used = call("GET", f"/loyalty/coupons/{code}").json
    assert (used["status"], used["order_id"]) == ("used", order.json["id"])
    again = call("POST", "/orders", order_body(club.bistro, coupon=code, customer=customer))
    assert (again.status_code, again.json["code"]) == (422, "coupon_used")
    late = call("POST", f"/loyalty/coupons/{used['id']}/cancel", {"reason": "no"})
    assert late.status_code == 409


def test_members_go_over_their_pages(call, club):
    club.counts(amount="10")
    club.serves(club.bistro.order())
    club.serves(club.bistro.order(phone=OTHER, table="3"))
    here = f"/loyalty/members?site_id={club.bistro.site_id}&limit=1"
    first = call("GET", here).json
    rest = call("GET", f"{here}&after={first['next']}").json
    found = [page["data"][0]["contact_id"] for page in (first, rest)]
    assert (set(found), rest["next"]) == ({club.guest(), club.guest(OTHER)}, None)


def test_coupons_are_given_listed_and_cancelled(call, club):
    reward = call("POST", "/loyalty/rewards", TEN).json
    club.bistro.orders_by_chat("merhaba")
    mine = call("POST", "/loyalty/coupons", {"reward_id": reward["id"], "phone": GUEST}).json
    assert mine["contact_id"] == club.guest()
    call("POST", "/loyalty/coupons", {"reward_id": reward["id"], "valid_days": 3})
    first = call("GET", "/loyalty/coupons?limit=1").json
    rest = call("GET", f"/loyalty/coupons?limit=1&after={first['next']}").json
    assert rest["data"][0]["id"] == mine["id"]
    gone = call("POST", f"/loyalty/coupons/{mine['id']}/cancel", {"reason": "typo"})
    assert gone.json["status"] == "cancelled"
    assert len(call("GET", "/loyalty/coupons?status=open").json["data"]) == 1
    changed = call("PUT", f"/loyalty/rewards/{reward['id']}", {**TEN, "value": "20"})
    assert changed.json["value"] == 20
    assert call("GET", f"/loyalty/coupons/{mine['id']}").json["terms"]["value"] == "10.000"
    assert call("DELETE", f"/loyalty/rewards/{reward['id']}").status_code == 204
    over = call("POST", "/loyalty/coupons", {"reward_id": reward["id"]})
    assert over.status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "percent", "value": "101"}, "value"),
        ({"kind": "amount", "value": "0"}, "value"),
        ({"kind": "item"}, "item_id"),
        ({"kind": "percent", "value": "5", "site_ids": ["sit_0"]}, "site_ids"),
        ({"kind": "percent", "value": "5", "currency": "XXQ"}, "currency"),
    ],
)
def test_a_reward_that_makes_no_sense_is_refused(call, club, body, field):
    answer = call("POST", "/loyalty/rewards", {"name": "x", **body})
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, field)
