"""Cloud lines by API: checked with the network, added, renewed, deleted."""

import pytest

from core.db import db
from messaging.lines import repository as line_repository
from messaging.models import Line
from tenants import audit
from tests.line_factory import make_line
from tests.portal.network_api_server import GOOD_TOKEN, graph_server

NUMBER, ACCOUNT = "106540352242922", "102290129340398"
FIELDS = {
    "kind": "cloud",
    "name": "Front desk",
    "phone": "905321112200",
    "phone_number_id": NUMBER,
    "account_id": ACCOUNT,
    "token": GOOD_TOKEN,
    "app_secret": "0123456789abcdef",
}


@pytest.fixture
def graph(app, monkeypatch):
    with graph_server() as running:
        monkeypatch.setattr(app.extensions["comanda"], "cloud_base_url", running.url)
        running.numbers[NUMBER] = {"status": "CONNECTED", "quality_rating": "GREEN"}
        running.accounts[ACCOUNT] = [{"whatsapp_business_api_data": {"id": "1"}}]
        yield running


def call(client, key, method, path, body=None, **headers):
    given = {"Authorization": f"Bearer {key}", **headers}
    return client.open(f"/api/v1{path}", method=method, json=body, headers=given)


def add(client, key, headers=None, **other):
    return call(client, key, "POST", "/instances", FIELDS | other, **(headers or {}))


def stored(business, line_id):
    with business.scope():
        return db.session.get(Line, (business.tenant_id, line_id))


def test_a_cloud_line_is_added_with_what_its_webhook_needs(client, restaurant, graph):
    answer = add(client, restaurant.key)
    assert answer.status_code == 201, answer.json
    made = answer.json
    assert (made["kind"], made["state"], made["is_default"]) == ("cloud", "connected", True)
    assert made["problems"] == []
    line = stored(restaurant, made["id"])
    assert made["webhook"]["callback_url"].endswith(f"/hooks/cloud/{line.hook_token}")
    assert made["webhook"]["verify_token"] == line.verify_token
    assert answer.headers["Location"].endswith(f"/instances/{line.id}")
    assert (line.token, line.app_secret) == (GOOD_TOKEN, FIELDS["app_secret"])
    shown = answer.get_data(as_text=True)
    assert GOOD_TOKEN not in shown
    assert FIELDS["app_secret"] not in shown


def test_the_network_can_verify_the_webhook_with_the_answer(client, restaurant, graph):
    webhook = add(client, restaurant.key).json["webhook"]
    path = "/hooks" + webhook["callback_url"].partition("/hooks")[2]
    asked = {"hub.mode": "subscribe", "hub.challenge": "1158201444"}
    right = client.get(path, query_string=asked | {"hub.verify_token": webhook["verify_token"]})
    assert (right.status_code, right.get_data(as_text=True)) == (200, "1158201444")
    wrong = client.get(path, query_string=asked | {"hub.verify_token": "wrong"})
    assert wrong.status_code == 403


@pytest.mark.parametrize(
    ("other", "code", "field"),
    [
        ({"token": "EAAGexpired"}, "token_expired", "token"),
        ({"phone_number_id": "999999999"}, "wrong_phone_number_id", "phone_number_id"),
        ({"phone": "0532"}, "invalid_phone", "phone"),
        ({"token": None}, "missing_parameter", "token"),
        ({"phone_number_id": "letters"}, "invalid_parameter", "phone_number_id"),
    ],
)
def test_a_line_that_could_not_send_is_refused_in_words(
    client, restaurant, graph, other, code, field
):
    answer = add(client, restaurant.key, **other)
    assert (answer.status_code, answer.json["code"]) == (422, code), answer.json
    assert answer.json["errors"][0]["field"] == field
    assert len(answer.json["message"]) > 10
    with restaurant.scope():
        assert line_repository.list_lines() == []


def test_a_number_with_warnings_is_added_and_says_them(client, restaurant, graph):
    graph.numbers[NUMBER] = {"status": "CONNECTED", "quality_rating": "RED"}
    made = add(client, restaurant.key)
    assert made.status_code == 201
    assert [one["code"] for one in made.json["problems"]] == ["quality_low"]


def test_an_unreachable_network_leaves_the_line_disconnected(client, app, restaurant, monkeypatch):
    monkeypatch.setattr(app.extensions["comanda"], "cloud_base_url", "http://127.0.0.1:1")
    made = add(client, restaurant.key).json
    assert (made["state"], made["is_default"]) == ("disconnected", False)
    assert [one["code"] for one in made["problems"]] == ["network_unreachable"]


def test_a_check_connects_it_later_and_names_a_missing_webhook(client, restaurant, graph):
    made = add(client, restaurant.key).json
    graph.accounts[ACCOUNT] = []
    found = call(client, restaurant.key, "POST", f"/instances/{made['id']}/check").json
    assert {one["code"] for one in found["problems"]} == {"webhook_not_subscribed"}
    assert found["webhook"] == made["webhook"]
    graph.numbers.clear()
    gone = call(client, restaurant.key, "POST", f"/instances/{made['id']}/check").json
    assert gone["state"] == "restricted"
    assert gone["problems"][0]["code"] == "wrong_phone_number_id"


def test_a_repeat_with_the_same_idempotency_key_adds_one_line(client, restaurant, graph):
    first = add(client, restaurant.key, {"Idempotency-Key": "line-1"})
    asked = len(graph.asked)
    second = add(client, restaurant.key, {"Idempotency-Key": "line-1"})
    assert second.json == first.json
    assert second.headers["Idempotent-Replayed"] == "true"
    assert len(graph.asked) == asked
    with restaurant.scope():
        assert len(line_repository.list_lines()) == 1


def test_a_new_token_is_checked_before_it_replaces_the_old_one(client, restaurant, graph):
    line_id = add(client, restaurant.key).json["id"]
    path = f"/instances/{line_id}"
    bad = call(client, restaurant.key, "PATCH", path, {"token": "EAAGexpired"})
    assert (bad.status_code, bad.json["code"]) == (422, "token_expired")
    assert stored(restaurant, line_id).token == GOOD_TOKEN
    good = call(
        client,
        restaurant.key,
        "PATCH",
        path,
        {"token": GOOD_TOKEN, "app_secret": "new", "name": "Bar"},
    )
    assert (good.status_code, good.json["name"]) == (200, "Bar")
    assert stored(restaurant, line_id).app_secret == "new"
    with restaurant.scope():
        assert "lines.access_renewed" in [one.act for one in audit.entries(limit=20)]


def test_a_line_is_turned_off_and_deleted(client, restaurant, graph):
    line_id = add(client, restaurant.key).json["id"]
    path = f"/instances/{line_id}"
    off = call(client, restaurant.key, "PATCH", path, {"enabled": False})
    assert off.json["enabled"] is False
    assert call(client, restaurant.key, "DELETE", path).status_code == 204
    assert call(client, restaurant.key, "GET", path).status_code == 404
    assert call(client, restaurant.key, "DELETE", path).status_code == 404
    gone = stored(restaurant, line_id)
    assert (gone.token, gone.app_secret) == (None, None)


def test_scopes_modes_and_tenants(client, restaurant, shop, graph):
    scopeless = add(client, restaurant.makes_key("messages:send"))
    assert (scopeless.status_code, scopeless.json["code"]) == (403, "missing_scope")
    test = add(client, restaurant.makes_key("lines", mode="test"))
    assert (test.status_code, test.json["code"]) == (403, "live_key_required")
    line = make_line(restaurant)
    narrow = add(client, restaurant.makes_key("lines", line_ids=[line.id]))
    assert (narrow.status_code, narrow.json["code"]) == (403, "line_not_allowed")
    for method, path in (
        ("DELETE", f"/instances/{line.id}"),
        ("PATCH", f"/instances/{line.id}"),
        ("POST", f"/instances/{line.id}/check"),
    ):
        answer = call(
            client, shop.key, method, path, {"name": "Mine"} if method == "PATCH" else None
        )
        assert answer.status_code == 404, (method, path)
    assert graph.asked == []
