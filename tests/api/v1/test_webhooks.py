"""Webhooks by API: register, change, test, rotate, replay, and a feed without gaps."""

from datetime import timedelta

import pytest
from standardwebhooks import Webhook

from core.clock import now, rfc3339
from core.db import db
from tests.webhooks.receivers import Receiver, deliveries_of
from webhooks.events import publish_webhook_event

HOOKS = "/api/v1/webhooks"


@pytest.fixture
def api(app, restaurant):
    client = app.test_client()

    def call(method, path, body=None, key=None, **headers):
        bearer = {"Authorization": f"Bearer {key or restaurant.key}"}
        return client.open(path, method=method, json=body, headers={**bearer, **headers})

    return call


@pytest.fixture
def server():
    made = Receiver()
    yield made
    made.close()


def publish(business, count=1, kind="messages.upsert"):
    with business.scope():
        events = [
            publish_webhook_event(kind, {"instance_id": 1, "data": {"n": n}}) for n in range(count)
        ]
        db.session.flush()
        return [event.id for event in events]


def register(api, server, *events):
    answer = api("POST", HOOKS, {"url": server.url, "events": list(events) or ["*"]})
    assert answer.status_code == 201, answer.json
    return answer.json


def test_the_secret_is_shown_once_and_signs(api, restaurant, server, run_jobs):
    made = register(api, server, "messages.upsert")
    assert {"id", "url", "events", "secret"} <= set(made)
    assert (made["url"], made["events"]) == (server.url, ["messages.upsert"])
    assert made["secret"].startswith("whsec_")
    for answer in (api("GET", HOOKS), api("GET", f"{HOOKS}/{made['id']}")):
        assert made["secret"] not in answer.get_data(as_text=True)
    publish(restaurant)
    run_jobs()
    [(headers, body)] = server.requests
    assert Webhook(made["secret"]).verify(body, headers)["sequence"] == 1


def test_a_repeat_with_the_same_key_registers_once_and_stores_no_secret(
    api, restaurant, server, superuser_connection
):
    body = {"url": server.url, "events": ["*"]}
    first, second = (api("POST", HOOKS, body, **{"Idempotency-Key": "one"}) for _ in range(2))
    assert second.headers["Idempotent-Replayed"] == "true"
    assert first.json == second.json
    assert len(api("GET", HOOKS).json["data"]) == 1
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT body FROM idempotency_keys WHERE tenant_id = %s", [restaurant.tenant_id]
        )
        assert "whsec_" not in str(cursor.fetchall())
        cursor.execute("SELECT secret FROM endpoints WHERE tenant_id = %s", [restaurant.tenant_id])
        assert "whsec_" not in str(cursor.fetchall())


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"events": ["*"]}, "url"),
        ({"url": "ftp://example.com/", "events": ["*"]}, "url"),
        ({"url": "http://10.0.0.1/", "events": ["*"]}, "url"),
        ({"url": "http://169.254.169.254/latest", "events": ["*"]}, "url"),
        ({"url": "https://example.com:8080/", "events": ["*"]}, "url"),
        ({"url": "https://example.com/", "events": []}, "events"),
        ({"url": "https://example.com/", "events": ["messages.everything"]}, "events"),
        ({"url": "https://example.com/", "events": "*"}, "events"),
    ],
)
def test_what_cannot_be_called_or_chosen_is_refused_with_a_sentence(api, body, field):
    answer = api("POST", HOOKS, body)
    assert answer.status_code == 422, answer.json
    assert answer.json["errors"][0]["field"] == field
    assert answer.json["message"]
    assert api("GET", HOOKS).json["data"] == []


def test_an_endpoint_is_changed_switched_off_and_removed(api, restaurant, server, run_jobs):
    made = register(api, server)
    path = f"{HOOKS}/{made['id']}"
    changed = api("PATCH", path, {"events": ["messages.read"], "descripton": "typo"})
    assert changed.json["events"] == ["messages.read"]
    assert changed.json["warnings"] == ["unknown field ignored: descripton"]
    off = api("PATCH", path, {"enabled": False})
    assert (off.json["enabled"], off.json["health"]) == (False, "off")
    publish(restaurant, kind="messages.read")
    run_jobs()
    assert server.requests == []
    assert api("POST", f"{path}/test").status_code == 409
    assert api("PATCH", path, {"enabled": True}).json["health"] == "new"
    assert api("DELETE", path).status_code == 204
    assert api("GET", path).status_code == 404


def test_a_test_event_goes_to_that_endpoint_alone(api, restaurant, server, run_jobs):
    other = Receiver()
    made = register(api, server, "messages.read")
    register(api, other, "*")
    answer = api("POST", f"{HOOKS}/{made['id']}/test")
    assert answer.status_code == 202
    run_jobs()
    [body] = server.bodies
    assert (body["event"], other.requests) == ("webhooks.test", [])
    read = api("GET", answer.headers["Location"]).json
    assert (read["state"], read["status"], read["cause"]) == ("delivered", 200, "test")
    assert [one["status"] for one in read["tries"]] == [200]
    assert read["body"] == body
    other.close()


def test_rotation_without_a_body_overlaps_a_day(api, restaurant, server):
    made = register(api, server)
    rotated = api("POST", f"{HOOKS}/{made['id']}/rotate")
    assert rotated.status_code == 200, rotated.json
    assert rotated.json["secret"] not in ("", made["secret"])
    assert rotated.json["old_secret_until"] > rfc3339(now() + timedelta(hours=23))
    at_once = api("POST", f"{HOOKS}/{made['id']}/rotate", {"overlap_hours": 0})
    assert at_once.json["old_secret_until"] is None
    assert api("POST", f"{HOOKS}/{made['id']}/rotate", {"overlap_hours": 169}).status_code == 422


def test_deliveries_are_listed_filtered_and_sent_again(api, restaurant, server, run_jobs):
    made = register(api, server)
    publish(restaurant, 3)
    publish(restaurant, 1, "messages.read")
    run_jobs()
    first = api("GET", f"{HOOKS}/deliveries?limit=3").json
    assert [one["sequence"] for one in first["data"]] == [4, 3, 2]
    second = api("GET", f"{HOOKS}/deliveries?limit=3&after={first['next']}").json
    assert ([one["sequence"] for one in second["data"]], second["next"]) == ([1], None)
    for query, count in (
        ("event=messages.read", 1),
        (f"endpoint_id={made['id']}", 4),
        ("state=failed", 0),
        (f"event_id={first['data'][0]['event_id']}", 1),
        ("since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z", 0),
    ):
        assert len(api("GET", f"{HOOKS}/deliveries?{query}").json["data"]) == count, query
    again = api("POST", f"{HOOKS}/deliveries/{first['data'][0]['id']}/retry")
    assert (again.status_code, again.json["state"]) == (202, "waiting")
    run_jobs()
    assert [body["sequence"] for body in server.bodies] == [1, 2, 3, 4, 4]
    assert len({h["webhook-id"] for h, _ in server.requests}) == 4


def test_a_time_range_is_replayed(api, restaurant, server, run_jobs):
    began = now()
    publish(restaurant, 2)
    made = register(api, server)
    publish(restaurant, 2)
    run_jobs()
    assert [body["sequence"] for body in server.bodies] == [3, 4]
    fields = {"since": rfc3339(began), "endpoint_id": made["id"]}
    missed = api("POST", f"{HOOKS}/replay", {**fields, "only_missed": True})
    assert (missed.status_code, missed.json) == (202, {"replayed": 2})
    run_jobs()
    assert [body["sequence"] for body in server.bodies] == [3, 4, 1, 2]
    assert api("POST", f"{HOOKS}/replay", fields).json == {"replayed": 4}
    nothing = {"since": rfc3339(began - timedelta(days=2)), "until": rfc3339(began)}
    assert api("POST", f"{HOOKS}/replay", nothing).json == {"replayed": 0}
    assert api("POST", f"{HOOKS}/replay", {**fields, "endpoint_id": "ep_x"}).status_code == 422
    assert {one.cause for one in deliveries_of(restaurant)} == {"event", "replay"}


def test_the_feed_has_no_gap_and_needs_no_endpoint(api, restaurant, run_jobs):
    ids = publish(restaurant, 5)
    run_jobs()
    seen, after = [], 0
    while True:
        page = api("GET", f"/api/v1/events?after={after}&limit=2").json
        seen += page["data"]
        if page["next"] is None:
            break
        after = page["next"]
    assert [one["sequence"] for one in seen] == [1, 2, 3, 4, 5]
    assert [one["event_id"] for one in seen] == ids
    assert seen[0]["event"] == "messages.upsert"
    assert api("GET", "/api/v1/events?after=5").json == {
        "data": [],
        "next": None,
        "last_sequence": 5,
    }
    assert api("GET", "/api/v1/events?after=-1").status_code == 422


def test_scopes_and_lines_hold(api, restaurant):
    without = restaurant.makes_key("messages:send")
    held = restaurant.makes_key("webhooks", line_ids=[1])
    for key, code in ((without, "missing_scope"), (held, "line_not_allowed")):
        for path in (HOOKS, "/api/v1/events", f"{HOOKS}/deliveries"):
            answer = api("GET", path, key=key)
            assert (answer.status_code, answer.json["code"]) == (403, code)


def test_a_key_for_some_lines_gets_no_stored_answer(api, restaurant, server):
    body, once = {"url": server.url, "events": ["*"]}, {"Idempotency-Key": "one"}
    assert api("POST", HOOKS, body, **once).status_code == 201
    held = restaurant.makes_key("webhooks", line_ids=[1])
    answer = api("POST", HOOKS, body, key=held, **once)
    assert (answer.status_code, answer.json["code"]) == (403, "line_not_allowed")
    assert "whsec_" not in answer.get_data(as_text=True)
