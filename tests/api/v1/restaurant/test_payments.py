"""Payment links, payments and refunds by API."""

import pytest

from tests.restaurant.fake_provider import open_till


@pytest.fixture
def till(restaurant, monkeypatch):
    return open_till(restaurant, monkeypatch)


@pytest.fixture
def ask(app, till):
    client, headers = app.test_client(), till.bistro.business.bearer

    def call(method, path, body=None, **more):
        return client.open(f"/api/v1{path}", method=method, json=body, headers={**headers, **more})

    return call


def test_a_link_of_its_own_from_making_to_cancelling(till, ask):
    body = {"site_id": till.bistro.site_id, "amount": 250.5, "description": "Deposit"}
    made = ask("POST", "/payment-links", body, **{"Idempotency-Key": "one"})
    again = ask("POST", "/payment-links", body, **{"Idempotency-Key": "one"})
    assert (made.status_code, made.json["id"]) == (201, again.json["id"])
    assert (made.json["status"], made.json["amount"], made.json["url"]) == ("making", 250.5, "")
    till.works()
    link = ask("GET", f"/payment-links/{made.json['id']}").json
    assert link["status"] == "open"
    assert link["url"].startswith("https://")
    assert [one["id"] for one in ask("GET", "/payment-links?status=open").json["data"]] == [
        link["id"]
    ]
    assert ask("POST", f"/payment-links/{link['id']}/renew", {}).json["status"] == "making"
    till.works()
    assert ask("POST", f"/payment-links/{link['id']}/cancel", {}).json["status"] == "cancelled"


def test_an_order_is_paid_and_a_part_given_back(app, till, ask):
    cart = till.cart()
    order = till.bistro.orders_by_chat(cart.text)
    till.works()
    same = ask("POST", "/payment-links", {"order_id": order.number}).json
    assert (same["reference"], same["order_id"]) == (cart.code, order.number)
    till.paper.pays(till.session_of(cart.code))
    till.posts(app.test_client(), till.event(till.session_of(cart.code)))
    till.works()
    (payment,) = ask("GET", f"/orders/{order.number}/payments").json["data"]
    assert (payment["status"], payment["amount"], payment["refunds"]) == ("accepted", 765, [])
    refund = ask("POST", f"/payments/{payment['id']}/refunds", {"amount": 65, "reason": "cold"})
    assert (refund.status_code, refund.json["status"]) == (201, "waiting")
    till.works()
    (payment,) = ask("GET", f"/orders/{order.number}/payments").json["data"]
    assert (payment["refunded_amount"], payment["refunds"][0]["status"]) == (65, "done")
    refused = ask("POST", f"/payments/{payment['id']}/refunds", {"amount": 701, "reason": "x"})
    assert (refused.status_code, refused.json["code"]) == (422, "too_much")


def test_what_cannot_be_a_link_is_refused_with_a_message(till, ask):
    cash = till.bistro.cart(order_type="takeaway", payment_method="cash", table="")
    for body, code in (
        ({}, "what_for"),
        ({"cart_code": "BCDF-2345"}, "unknown_code"),
        ({"cart_code": cash.code}, "not_by_card"),
        ({"site_id": till.bistro.site_id, "amount": 1.005, "description": "x"}, "invalid_amount"),
        ({"site_id": till.bistro.site_id, "amount": 5}, "description_missing"),
    ):
        answer = ask("POST", "/payment-links", body)
        assert (answer.status_code, answer.json["code"]) == (422, code), answer.json
