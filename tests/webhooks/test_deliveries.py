"""Events on their way: signed, repeated until they arrive, in order, and nobody waits for others."""

from datetime import timedelta

import pytest
from standardwebhooks import Webhook

from core.clock import advance, frozen, now, parse_rfc3339
from core.db import db
from jobs import housekeeping
from webhooks import endpoints
from webhooks.models import Endpoint
from webhooks.publishing import publish
from webhooks.settling import WAITS
from tests.webhooks.endpoint_cast import add_endpoint, attempts_of, deliveries_of, until


def tell(business, kind="messages.sent", count=1):
    with business.scope():
        events = [publish(kind, {"instance_id": 7, "data": {"n": n}}) for n in range(count)]
        db.session.flush()
        return [event.id for event in events]


def endpoint_of(business, endpoint):
    with business.scope():
        return db.session.get(Endpoint, (business.tenant_id, endpoint.id))


def test_an_event_arrives_signed_and_numbered(restaurant, receive, run_jobs):
    server = receive()
    endpoint = add_endpoint(restaurant, server.url)
    [event_id] = tell(restaurant)
    run_jobs()
    [(headers, body)] = server.requests
    seen = Webhook(endpoint.secret).verify(body, headers)
    assert headers["webhook-id"] == event_id == seen["event_id"]
    assert headers["content-type"] == "application/json"
    assert seen["event"] == "messages.sent"
    assert (seen["instance_id"], seen["data"], seen["sequence"]) == (7, {"n": 0}, 1)
    assert abs(parse_rfc3339(seen["occurred_at"]) - now()) < timedelta(seconds=20)
    [delivery], [attempt] = deliveries_of(restaurant), attempts_of(restaurant)
    assert (delivery.state, delivery.status, delivery.due_at) == ("delivered", 200, None)
    assert (attempt.status, attempt.answer, attempt.error) == (200, "fine", None)
    assert attempt.signature == headers["webhook-signature"]


def test_numbers_rise_without_a_gap_whoever_listens(restaurant, receive, run_jobs):
    server = receive()
    add_endpoint(restaurant, server.url, "messages.read")
    tell(restaurant, "messages.sent", 3)
    tell(restaurant, "messages.read", 2)
    run_jobs()
    tell(restaurant, "messages.read", 2)
    run_jobs()
    assert [one["sequence"] for one in server.bodies] == [4, 5, 6, 7]
    assert {one["event"] for one in server.bodies} == {"messages.read"}


def test_a_failure_is_repeated_on_the_list_of_waits(restaurant, receive, run_jobs):
    server = receive(500)
    add_endpoint(restaurant, server.url)
    waits = []
    with frozen() as moment:
        tell(restaurant)
        run_jobs()
        for _ in WAITS:
            [delivery] = deliveries_of(restaurant)
            assert delivery.state == "waiting"
            waits.append((delivery.due_at - now()).total_seconds())
            advance(max(delivery.due_at - now(), timedelta(minutes=13)))  # past any rest
            housekeeping.sweep()
            run_jobs()
        assert now() > moment
    [delivery] = deliveries_of(restaurant)
    assert (delivery.state, delivery.due_at, len(server.requests)) == ("failed", None, 10)
    assert len({headers["webhook-id"] for headers, _ in server.requests}) == 1
    for wait, meant in zip(waits, WAITS, strict=True):
        assert 0.79 * meant <= wait <= 1.21 * meant
    assert [a.number for a in attempts_of(restaurant)] == list(range(1, 11))
    assert attempts_of(restaurant)[0].error == "The endpoint answered 500."
