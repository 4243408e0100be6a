"""Idempotency keys in the API."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tenants import audit, idempotency

PATH = "/api/v1/tried/orders"


def post(client, business, body, key="order-1", **headers):
    sent = {**business.bearer, **headers}
    if key is not None:
        sent["Idempotency-Key"] = key
    return client.post(PATH, json=body, headers=sent)


def done(business):
    with business.scope():
        return len(audit.entries(act="tried.order", limit=200))


def test_a_repeat_gets_the_same_answer_and_does_nothing(tried, restaurant):
    first = post(tried, restaurant, {"what": "mantı", "n": 2})
    again = post(tried, restaurant, {"n": 2, "what": "mantı"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.get_data() == again.get_data()
    assert again.headers["Location"] == first.headers["Location"]
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert done(restaurant) == 1


def test_without_a_key_each_is_a_new_one(tried, restaurant):
    for _ in range(2):
        assert post(tried, restaurant, {"what": "mantı"}, key=None).status_code == 201
    assert done(restaurant) == 2


def test_a_key_may_be_quoted(tried, restaurant):
    post(tried, restaurant, {}, key='"quoted-1"')
    assert "Idempotent-Replayed" in post(tried, restaurant, {}, key="quoted-1").headers


@pytest.mark.parametrize("key", ["", '""', "x" * 256, "tab\there"])
def test_a_key_that_is_none_is_refused(tried, restaurant, key):
    answer = post(tried, restaurant, {}, key=key)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_idempotency_key")
    assert done(restaurant) == 0


def test_the_longest_key_is_taken(tried, restaurant):
    assert post(tried, restaurant, {}, key="x" * 255).status_code == 201


def test_another_body_under_the_same_key_is_refused(tried, restaurant):
    post(tried, restaurant, {"what": "mantı"})
    answer = post(tried, restaurant, {"what": "pide"})
    assert (answer.status_code, answer.json["code"]) == (422, "idempotency_mismatch")
    assert done(restaurant) == 1


def test_another_path_under_the_same_key_is_refused(tried_app, tried, restaurant):
    from api.idempotency import fingerprint

    prints = set()
    for path, method in ((PATH, "POST"), ("/api/v1/other", "POST"), (PATH, "PUT")):
        with tried_app.test_request_context(path, method=method, json={"a": 1}):
            prints.add(fingerprint())
    assert len(prints) == 3


def test_while_the_first_is_at_work_a_repeat_is_409(tried, restaurant):
    from api.idempotency import fingerprint

    with tried.application.test_request_context(PATH, method="POST", json={"what": "x"}):
        same = fingerprint()
    with restaurant.scope():
        assert idempotency.begin("order-1", same) is None
    answer = post(tried, restaurant, {"what": "x"})
    assert (answer.status_code, answer.json["code"]) == (409, "idempotency_in_flight")
    assert done(restaurant) == 0


@pytest.mark.parametrize(("then", "status"), [("crash", 500), ("later", 503), ("refuse", 422)])
def test_a_failure_leaves_neither_the_change_nor_the_key(tried, restaurant, then, status):
    answer = post(tried, restaurant, {"then": then})
    assert answer.status_code == status
    assert done(restaurant) == 0
    again = post(tried, restaurant, {"what": "another body"})
    assert (again.status_code, done(restaurant)) == (201, 1)


def test_many_at_once_with_one_key_do_it_once(tried_app, restaurant):
    def send(_):
        return post(tried_app.test_client(), restaurant, {"what": "mantı", "seconds": 0.1})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(8)))
    assert done(restaurant) == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    bodies = {answer.get_data() for answer in answers if answer.status_code == 201}
    assert len(bodies) == 1
    firsts = [a for a in answers if a.status_code == 201 and "Idempotent-Replayed" not in a.headers]
    assert len(firsts) == 1


def test_tenants_do_not_share_keys(tried, restaurant, shop):
    post(tried, restaurant, {"what": "the restaurant's"})
    answer = post(tried, shop, {"what": "the shop's"})
    assert answer.json == {"did": {"what": "the shop's"}}
    assert "Idempotent-Replayed" not in answer.headers


def test_a_repeat_is_still_limited_and_authenticated(tried, restaurant):
    from tenants import api_keys

    post(tried, restaurant, {})
    with restaurant.scope():
        api_keys.revoke(restaurant.key_id)
    from tenants import accounts

    accounts.drop_tenant_cache(restaurant.tenant_id)
    assert post(tried, restaurant, {}).status_code == 401
