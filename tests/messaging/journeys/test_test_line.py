"""A developer tries a journey on the test line: everything it makes is of test mode."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core import clock
from core.db import db
from jobs import journeys as journeys_job
from messaging import simulated_clock
from messaging.contacts import cards, identities
from messaging.inbox import conversations, replies
from messaging.inbox.replies import Reply
from messaging.journeys import queries
from messaging.lines import repository as line_repository
from messaging.models import Message
from restaurant.orders import queries as order_queries
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import AYSE, MENU, publish, runs, sent, taps, writes
from tests.messaging.templates.test_templates import network_template, store
from tests.restaurant.bistro import open_bistro
from webhooks.models import Event

TAGS = [
    {"id": "tag", "kind": "tag", "tag": "vip"},
    {"id": "wait", "kind": "wait", "minutes": 60},
    {"id": "if", "kind": "if", "what": "tag", "value": "vip", "then": "yes", "otherwise": "no"},
    {"id": "yes", "kind": "say", "text": "You are a VIP.", "next": "end"},
    {"id": "no", "kind": "say", "text": "You are not a VIP."},
    {"id": "end", "kind": "end"},
]
VIP = {"when": {"kind": "keyword", "words": ["vip"]}, "steps": TAGS}


@pytest.fixture
def line(app, shop, redis):
    return make_line(shop)


@pytest.fixture
def test_line(shop, line):
    with shop.scope():
        return line_repository.add_cloud_line(
            "Test line",
            "905550000001",
            f"20{shop.tenant_id}",
            "token",
            "app-secret",
            network="simulator",
            default=True,
            test=True,
        )


def made(shop):
    with shop.scope():
        query = select(Message.test).where(
            Message.tenant_id == shop.tenant_id, Message.direction == "out"
        )
        return list(db.session.scalars(query.order_by(Message.id)))


def journey_events(shop):
    """The type and the mode of each event of journeys."""
    with shop.scope():
        query = select(Event.type, Event.body).where(
            Event.tenant_id == shop.tenant_id, Event.type.like("journeys.%")
        )
        rows = db.session.execute(query.order_by(Event.id))
        return [(row.type, row.body["data"].get("test")) for row in rows]


def test_a_run_on_the_test_line_is_of_test_mode(shop, line, test_line):
    publish(shop, MENU)
    writes(shop, test_line, "menu")
    taps(shop, test_line, "Hours")
    assert sent(shop) == ["How can we help?", "We are open from 9 to 22."]
    (run,) = runs(shop)
    assert (run.test, run.line_id, run.state) == (True, test_line.id, "completed")
    assert made(shop) == [True, True]
    assert journey_events(shop) == [("journeys.started", True), ("journeys.completed", True)]
    with shop.scope():
        assert queries.count_by_state([run.journey_id]) == {}
        assert queries.list_runs(test=False, after=None, limit=9) == []


def test_a_journey_of_another_line_can_be_tried(shop, line, test_line):
    publish(shop, {**MENU, "line_id": line.id})
    writes(shop, test_line, "menu")
    assert sent(shop) == ["How can we help?"]


def test_live_runs_stay_live_and_are_separate(shop, line, test_line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    writes(shop, test_line, "menu")
    assert [run.test for run in runs(shop)] == [False, True]
    assert made(shop) == [False, True]
    with shop.scope():
        talks = conversations.conversations_of_contact(identities.find_by_address(AYSE))
        (talk,) = (one for one in talks if one.line_id == test_line.id)
        replies.send_reply(talk, Reply("once-1", "I am here"))
    assert [run.state for run in runs(shop)] == ["running", "stopped"]
    taps(shop, line, "Hours")
    assert sent(shop)[-1] == "We are open from 9 to 22."
    assert journey_events(shop)[-1] == ("journeys.completed", None)


def test_the_test_clock_continues_a_run_and_the_contact_is_not_changed(app, shop, line, test_line):
    publish(shop, VIP)
    writes(shop, line, "vip", phone="905339998877")
    writes(shop, test_line, "vip")
    with shop.scope():
        assert cards.get(identities.find_by_address(AYSE)).contact.tags == []
        simulated_clock.advance(timedelta(minutes=61))
    with app.app_context():
        journeys_job.drain()
        journeys_job.drain()
    assert sent(shop) == ["You are a VIP."]
    assert [(run.test, run.state) for run in runs(shop)] == [
        (False, "running"),
        (True, "completed"),
    ]
    with shop.scope():
        assert cards.get(identities.find_by_address(AYSE)).contact.tags == []
        live = cards.get(identities.find_by_address("905339998877")).contact
        assert live.tags == ["vip"]


def test_a_test_order_starts_a_run_on_the_test_line(app, restaurant, redis):
    bistro = open_bistro(restaurant, test=True)
    body = {"type": "BODY", "text": "News: {{1}}"}
    store(restaurant, bistro.line, network_template("news", components=[body]))
    step = {"id": "a", "kind": "template", "name": "news", "language": "en"}
    steps = [{**step, "parameters": ["{{order.number}}"]}, {"id": "b", "kind": "end"}]
    when = {"kind": "order_state", "states": ["preparing"]}
    publish(restaurant, {"when": when, "steps": steps})
    order = bistro.order()
    with restaurant.scope():
        assert order_queries.get(order.number).test
    bistro.changes_state(order, "preparing")
    with app.app_context():
        journeys_job.drain()
    (run,) = runs(restaurant)
    assert (run.test, run.state) == (True, "completed")
    assert sent(restaurant)[-1] == f"News: {order.number}"
    assert all(made(restaurant))


def api(client, shop, method, path, key, body=None):
    return client.open(
        f"/api/v1{path}", method=method, json=body, headers={"Authorization": f"Bearer {key}"}
    )


def test_a_test_key_starts_and_reads_runs_on_the_test_line(app, shop, client, line, test_line):
    journey_id = publish(shop, MENU)
    writes(shop, line, "menu")
    writes(shop, test_line, "hello")
    with shop.scope():
        contact_id = identities.find_by_address(AYSE)
    (live,) = runs(shop)
    path = f"/journeys/{journey_id}/runs"
    answer = api(client, shop, "POST", path, shop.test_key, {"contact_id": contact_id})
    assert (answer.status_code, answer.json["test"]) == (201, True)
    assert answer.json["instance_id"] == test_line.id
    with app.app_context():
        journeys_job.drain()
    run_id = answer.json["id"]
    assert made(shop) == [False, True]
    for key, found in ((shop.test_key, [run_id]), (shop.key, [live.id])):
        listed = api(client, shop, "GET", path, key).json["data"]
        assert [one["id"] for one in listed] == found
    assert api(client, shop, "GET", f"/journey-runs/{live.id}", shop.test_key).status_code == 404
    stop = api(client, shop, "POST", f"/journey-runs/{live.id}/stop", shop.test_key)
    assert stop.status_code == 404
    stop = api(client, shop, "POST", f"/journey-runs/{run_id}/stop", shop.test_key)
    assert (stop.status_code, stop.json["state"]) == (200, "stopped")
    assert [run.state for run in runs(shop)] == ["running", "stopped"]


def test_waiting_times_of_live_runs_do_not_move_with_the_test_clock(app, shop, line, test_line):
    publish(shop, VIP)
    with clock.frozen():
        writes(shop, line, "vip")
        (before,) = runs(shop)
        with shop.scope():
            simulated_clock.advance(timedelta(days=1))
        (after,) = runs(shop)
    assert before.due_at == after.due_at
