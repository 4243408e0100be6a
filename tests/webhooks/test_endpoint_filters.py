"""Endpoints with filters, headers of their own, and order per conversation."""

from datetime import timedelta

import pytest
from sqlalchemy import text, update

from core.clock import frozen, now
from core.db import db
from core.errors import Invalid
from tests.line_factory import make_line
from tests.webhooks.receivers import LOCAL, Receiver, deliveries_of
from webhooks import endpoints
from webhooks.custom_headers import HIDDEN, clean_headers, parse_headers
from webhooks.endpoints import EndpointFields
from webhooks.events import publish_webhook_event, wake_delivery_worker
from webhooks.filters import (
    Condition,
    EventFilter,
    clean_conditions,
    conversation_of,
    format_conditions,
    parse_conditions,
)
from webhooks.models import WebhookDelivery
from webhooks.queries import ReplayRange, replay_events

HOOKS = "/api/v1/webhooks"


@pytest.fixture
def server():
    made = Receiver()
    yield made
    made.close()


def add(business, server, **fields):
    with business.scope():
        given = EndpointFields(url=server.url, events=["*"], **fields)
        return endpoints.register(given, LOCAL)


def write(business, *bodies, kind="messages.upsert"):
    with business.scope():
        for body in bodies:
            publish_webhook_event(kind, body)
        db.session.flush()


def message(n, sender="905321110001", line=1, type="text"):  # noqa: A002 - the field's name
    return {"instance_id": line, "data": {"n": n, "from": sender, "type": type}}


def numbers(server):
    return [body["data"]["n"] for body in server.bodies]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (("data.type", "==", "text"), True),
        (("data.type", "==", "image"), False),
        (("data.type", "in", ["image", "text"]), True),
        (("total", ">", 500), True),
        (("total", ">", 600), False),
        (("total", "==", 520.0), True),
        (("paid", "==", True), True),
        (("paid", "==", 1), False),
        (("paid", ">", 0), False),
        (("table", "==", None), True),
        (("missing", "==", None), False),
        (("data.type.deeper", "==", "x"), False),
        (("name", ">", "Ada"), True),
        (("name", ">", 5), False),
    ],
)
def test_conditions(condition, holds):
    body = {"data": {"type": "text"}, "total": 520, "paid": True, "table": None, "name": "Zoe"}
    assert Condition(*condition).holds(body) is holds


def test_conditions_are_written_as_text_and_read_again():
    text = 'data.type in text, image\ntotal_amount > 500\npaid == true\ntable_number == "12"'
    stored = parse_conditions(text)
    assert [one["value"] for one in stored] == [["text", "image"], 500, True, "12"]
    assert parse_conditions(format_conditions(stored)) == stored
    assert format_conditions(stored) == text


@pytest.mark.parametrize(
    "text", ["data.type", "data.type != x", "== x", "a..b == x", "a in ,", "x" * 300 + " == 1"]
)
def test_wrong_conditions_are_refused(text):
    with pytest.raises(Invalid, match=r"filter|field|list"):
        parse_conditions(text)


def test_limits_of_conditions():
    one = {"field": "a", "op": "==", "value": 1}
    assert len(clean_conditions([one] * 10)) == 10
    for wrong in ([one] * 11, [{**one, "value": {}}], [{**one, "op": ">", "value": True}]):
        with pytest.raises(Invalid):
            clean_conditions(wrong)


def test_conversations():
    assert conversation_of(message(1)) == "1:905321110001"
    assert conversation_of({"instance_id": 1, "data": {"to": "90"}}) == "1:90"
    assert conversation_of({"order_id": "M-1"}) == "order:M-1"
    assert conversation_of({"data": {"percent": 80}}) is None


def test_events_of_other_lines_are_left_out():
    chosen = EventFilter.of([7], [])
    assert chosen.accepts({"instance_id": 7})
    assert not chosen.accepts({"instance_id": 8})
    assert chosen.accepts({"order_id": "M-1"})


def test_only_matching_events_are_delivered(restaurant, server, run_jobs):
    endpoint = add(
        restaurant,
        server,
        line_ids=[1],
        filters=[{"field": "data.type", "op": "==", "value": "text"}],
    )
    write(restaurant, message(1), message(2, type="image"), message(3, line=2), message(4))
    run_jobs()
    assert numbers(server) == [1, 4]
    with restaurant.scope():
        hour = timedelta(hours=1)
        assert replay_events(endpoint.id, ReplayRange(now() - hour, now() + hour)) == 2


def test_a_change_of_filters_holds_for_later_events(restaurant, server, run_jobs):
    endpoint = add(restaurant, server)
    write(restaurant, message(1))
    with restaurant.scope():
        filters = [{"field": "data.n", "op": ">", "value": 2}]
        endpoints.change(endpoint.id, EndpointFields(filters=filters), LOCAL)
    write(restaurant, message(2), message(3))
    run_jobs()
    assert numbers(server) == [1, 3]


def test_own_headers_are_sent_and_stored_encrypted(app, restaurant, server, run_jobs):
    endpoint = add(restaurant, server, headers={"X-Token": "s3cret", "Authorization": "Basic x"})
    write(restaurant, message(1))
    run_jobs()
    headers, _ = server.requests[0]
    assert (headers["x-token"], headers["authorization"]) == ("s3cret", "Basic x")
    with restaurant.scope():
        raw = db.session.scalar(
            text("SELECT headers FROM endpoints WHERE tenant_id = :tenant_id"),
            {"tenant_id": restaurant.tenant_id},
        )
    assert "s3cret" not in raw
    assert endpoint.headers is not None


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "x"},
        {"webhook-signature": "x"},
        {"Content-Type": "x"},
        {"bad name": "x"},
        {"X-A": "line\r\nbreak"},
        {"X-A": ""},
        {"X-A": "ü"},
        {"X-A": "1", "x-a": "2"},
        {f"X-{n}": "x" for n in range(11)},
    ],
)
def test_wrong_headers_are_refused(headers):
    with pytest.raises(Invalid):
        clean_headers(headers)


def test_a_hidden_value_is_kept():
    text = f"X-Token: {HIDDEN}\nX-New: two"
    assert parse_headers(text, {"X-Token": "one"}) == {"X-Token": "one", "X-New": "two"}
    for wrong in ("no colon", f"X-Unknown: {HIDDEN}", "X-A: 1\nX-A: 2"):
        with pytest.raises(Invalid):
            parse_headers(wrong, {})


def test_a_failed_event_holds_back_later_ones_of_its_conversation(restaurant, server, run_jobs):
    add(restaurant, server, ordered=True)
    server.answers = [500, 200]
    write(restaurant, message(1), message(2), message(3, sender="905321110002"), message(4))
    run_jobs()
    assert sorted(numbers(server)) == [1, 3]
    states = {one.sequence: one.state for one in deliveries_of(restaurant)}
    assert states == {1: "waiting", 2: "waiting", 3: "delivered", 4: "waiting"}
    with frozen(now() + timedelta(seconds=30)):
        for _ in range(3):
            with restaurant.scope():
                wake_delivery_worker()
            run_jobs()
    assert numbers(server)[2:] == [1, 2, 4]


def test_many_events_of_one_conversation_arrive_in_order(restaurant, server, run_jobs):
    add(restaurant, server, ordered=True)
    people = [f"90532111{n:04d}" for n in range(5)]
    write(restaurant, *(message(n, sender=people[n % 5]) for n in range(60)))
    for _ in range(15):
        run_jobs()
    by_person = {person: [] for person in people}
    for body in server.bodies:
        by_person[body["data"]["from"]].append(body["data"]["n"])
    for n, person in enumerate(people):
        assert by_person[person] == list(range(n, 60, 5))


def test_an_event_that_is_given_up_holds_back_no_others(restaurant, server, run_jobs):
    add(restaurant, server, ordered=True)
    server.answers = [500, 200]
    write(restaurant, message(1), message(2))
    run_jobs()
    assert numbers(server) == [1]
    with restaurant.scope():
        db.session.execute(
            update(WebhookDelivery)
            .where(WebhookDelivery.tenant_id == restaurant.tenant_id, WebhookDelivery.sequence == 1)
            .values(state="failed", due_at=None)
        )
        wake_delivery_worker()
    run_jobs()
    assert numbers(server) == [1, 2]


def test_by_api(app, restaurant, server):
    line = make_line(restaurant)
    client = app.test_client()

    def call(method, path, body=None):
        return client.open(path, method=method, json=body, headers=restaurant.bearer)

    made = call(
        "POST",
        HOOKS,
        {
            "url": server.url,
            "events": ["*"],
            "instance_ids": [line.id],
            "filters": [{"field": "data.type", "op": "in", "value": ["text"]}],
            "headers": {"X-Token": "s3cret"},
            "ordered": True,
        },
    )
    assert made.status_code == 201, made.json
    assert "s3cret" not in made.get_data(as_text=True)
    path = f"{HOOKS}/{made.json['id']}"
    shown = call("GET", path).json
    assert (shown["instance_ids"], shown["header_names"], shown["ordered"]) == (
        [line.id],
        ["X-Token"],
        True,
    )
    assert shown["filters"] == [{"field": "data.type", "op": "in", "value": ["text"]}]
    changed = call("PATCH", path, {"instance_ids": [], "headers": {}, "ordered": False}).json
    assert (changed["instance_ids"], changed["header_names"], changed["ordered"]) == ([], [], False)
    assert changed["filters"] == shown["filters"]
    for wrong, code in (
        ({"instance_ids": [999]}, "unknown_instance"),
        ({"headers": {"Host": "x"}}, "invalid_header"),
        ({"filters": [{"field": "a b", "op": "==", "value": 1}]}, "invalid_filter"),
    ):
        answer = call("PATCH", path, wrong)
        assert (answer.status_code, answer.json["code"]) == (422, code), answer.json
