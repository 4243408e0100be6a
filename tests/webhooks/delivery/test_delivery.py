"""Webhook deliveries: signed, retried until they arrive, in order, independent of each other."""

import asyncio
import gzip
from datetime import timedelta

import pytest
from flask import current_app
from standardwebhooks import Webhook, WebhookVerificationError

from core.clock import advance, frozen, now, parse_rfc3339
from core.db import db, global_scope
from jobs import maintenance
from jobs.webhooks import worker as deliveries_job
from jobs.webhooks.poster import webhook_poster_of
from tenants import people
from tests.core.http.servers import Server, replies_with
from tests.webhooks.receivers import LOCAL, add_endpoint, attempts_of, deliveries_of, wait_until
from webhooks import endpoints
from webhooks import queries as webhook_queries
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import fanout
from webhooks.delivery import retention as webhook_retention
from webhooks.delivery import settle as webhook_settle
from webhooks.delivery.post import AttemptResult
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.delivery.retry_policy import RETRY_SECONDS
from webhooks.endpoints import EndpointFields
from webhooks.events import publish_webhook_event
from webhooks.feed import event_feed
from webhooks.models import Endpoint


def publish(business, kind="messages.sent", count=1):
    with business.scope():
        events = [
            publish_webhook_event(kind, {"instance_id": 7, "data": {"n": n}}) for n in range(count)
        ]
        db.session.flush()
        return [event.id for event in events]


def shown(attempt):
    return DELIVERY_REASONS.english(attempt.error)


def endpoint_of(business, endpoint):
    with business.scope():
        return db.session.get(Endpoint, (business.tenant_id, endpoint.id))


def test_an_event_arrives_signed_and_numbered(restaurant, receive, run_jobs):
    server = receive()
    endpoint = add_endpoint(restaurant, server.url)
    [event_id] = publish(restaurant)
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


def late_receipt(business, seconds=20):
    """An event that the network dates before the endpoint was made."""
    with business.scope():
        event = publish_webhook_event("messages.delivered", {"data": {}})
        event.occurred_at = now() - timedelta(seconds=seconds)
        db.session.flush()
        return event.id


def test_an_event_dated_before_the_endpoint_was_made_arrives(restaurant, receive, run_jobs):
    server = receive()
    publish(restaurant)  # published before: not for this endpoint
    endpoint = add_endpoint(restaurant, server.url)
    event_id = late_receipt(restaurant)
    run_jobs()
    assert [one["event_id"] for one in server.bodies] == [event_id]
    with restaurant.scope():
        endpoints.set_enabled(endpoint.id, False)
        endpoints.set_enabled(endpoint.id, True)
    again = late_receipt(restaurant)
    run_jobs()
    assert [one["event_id"] for one in server.bodies] == [event_id, again]


def test_a_replay_finds_what_was_published_in_its_range(restaurant, receive, run_jobs):
    server = receive()
    endpoint = add_endpoint(restaurant, server.url, "messages.read")
    late_receipt(restaurant, 120)
    run_jobs()
    with restaurant.scope():
        endpoints.change(endpoint.id, EndpointFields(events=["*"]), LOCAL)
    since = now() - timedelta(seconds=60)
    with restaurant.scope():
        params = webhook_queries.ReplayRange(since, now() + timedelta(seconds=5), missed=True)
        assert webhook_queries.replay_events(endpoint.id, params) == 1


def test_numbers_rise_without_a_gap_whoever_listens(restaurant, receive, run_jobs):
    server = receive()
    add_endpoint(restaurant, server.url, "messages.read")
    publish(restaurant, "messages.sent", 3)
    publish(restaurant, "messages.read", 2)
    run_jobs()
    publish(restaurant, "messages.read", 2)
    run_jobs()
    assert [one["sequence"] for one in server.bodies] == [4, 5, 6, 7]
    assert {one["event"] for one in server.bodies} == {"messages.read"}


def test_a_failure_is_repeated_on_the_list_of_waits(restaurant, receive, run_jobs):
    server = receive(500)
    add_endpoint(restaurant, server.url)
    waits = []
    with frozen() as moment:
        publish(restaurant)
        run_jobs()
        for _ in RETRY_SECONDS:
            [delivery] = deliveries_of(restaurant)
            assert delivery.state == "waiting"
            waits.append((delivery.due_at - now()).total_seconds())
            advance(max(delivery.due_at - now(), timedelta(minutes=13)))  # past any rest
            maintenance.sweep()
            run_jobs()
        assert now() > moment
    [delivery] = deliveries_of(restaurant)
    assert (delivery.state, delivery.due_at, len(server.requests)) == ("failed", None, 10)
    assert len({headers["webhook-id"] for headers, _ in server.requests}) == 1
    for wait, meant in zip(waits, RETRY_SECONDS, strict=True):
        assert 0.79 * meant <= wait <= 1.21 * meant
    assert [a.number for a in attempts_of(restaurant)] == list(range(1, 11))
    assert shown(attempts_of(restaurant)[0]) == "The endpoint answered 500."


def test_a_redirect_is_a_failure_and_is_not_followed(restaurant, receive, run_jobs):
    inside = receive()
    server = receive((302, {"Location": inside.url}))
    add_endpoint(restaurant, server.url)
    publish(restaurant)
    run_jobs()
    [attempt] = attempts_of(restaurant)
    assert shown(attempt) == "The endpoint answered 302, a redirect; those are not followed."
    assert attempt.headers["location"] == inside.url
    assert (len(server.requests), len(inside.requests)) == (1, 0)


def test_gone_switches_the_endpoint_off_at_once(restaurant, receive, run_jobs, mailbox):
    server = receive(410)
    endpoint = add_endpoint(restaurant, server.url)
    publish(restaurant, count=3)
    run_jobs()
    publish(restaurant)
    run_jobs()
    known = endpoint_of(restaurant, endpoint)
    assert (known.enabled, known.disabled_because) == (False, "gone")
    assert {one.state for one in deliveries_of(restaurant)} == {"cancelled"}
    assert len(deliveries_of(restaurant)) == 3
    assert mailbox(restaurant) == ["A webhook endpoint was turned off"]


def test_the_email_is_in_the_readers_language(restaurant, receive, run_jobs, mailbox):
    with global_scope():
        people.find(restaurant.owner.email).locale = "tr"
    add_endpoint(restaurant, receive(410).url)
    publish(restaurant)
    run_jobs()
    assert mailbox(restaurant) == ["Bir webhook adresi kapatıldı"]


@pytest.mark.parametrize(("said", "low", "high"), [("90", 89, 91), ("999999", 3599, 3601)])
def test_retry_after_is_honoured_within_bounds(restaurant, receive, run_jobs, said, low, high):
    server = receive((429, {"Retry-After": said}))
    endpoint = add_endpoint(restaurant, server.url)
    with frozen():
        publish(restaurant)
        run_jobs()
        [delivery] = deliveries_of(restaurant)
        assert low <= (delivery.due_at - now()).total_seconds() <= high
        publish(restaurant)
        run_jobs()
        assert len(server.requests) == 1, "the others wait as well"
        assert endpoint_of(restaurant, endpoint).rests_until > now()


def test_five_failures_in_a_row_and_it_is_left_in_peace(restaurant, receive, run_jobs):
    server = receive(500)
    endpoint = add_endpoint(restaurant, server.url)
    with frozen():
        publish(restaurant, count=40)
        run_jobs()
        tried = len(server.requests)
        assert 5 <= tried <= 5 + 8, "those under way when the fifth failed, and no more"
        known = endpoint_of(restaurant, endpoint)
        assert (endpoints.state_of(known), known.failures) == ("failing", tried)
        rest = (known.rests_until - now()).total_seconds()
        assert 24 <= rest <= 36
        untried = [
            one for one in deliveries_of(restaurant) if one.state == "waiting" and not one.attempt
        ]
        assert len(untried) == 40 - tried

        server.answers = [200]
        advance(rest + 1)
        maintenance.sweep()
        run_jobs()
        assert len(server.requests) >= tried + 1
    wait_until(lambda: {one.state for one in deliveries_of(restaurant)} == {"delivered"}, 1)
    assert endpoints.state_of(endpoint_of(restaurant, endpoint)) == "well"


def test_a_slow_endpoint_delays_no_other(restaurant, receive, run_jobs):
    slow, quick = receive(), receive()
    slow.pause = 1.5
    add_endpoint(restaurant, slow.url)
    add_endpoint(restaurant, quick.url)
    publish(restaurant, count=20)
    run_jobs()
    assert len(quick.requests) == 20, "the job does not wait for the slow one"
    states = [one.state for one in deliveries_of(restaurant)]
    assert states.count("delivered") == 20
    wait_until(lambda: {one.state for one in deliveries_of(restaurant)} == {"delivered"}, 15)
    assert len(slow.requests) == 20


def test_emails_after_one_and_three_days_and_disabled_after_five(
    restaurant, receive, run_jobs, mailbox
):
    server = receive(503)
    endpoint = add_endpoint(restaurant, server.url)
    with frozen():
        for hour in range(0, 126, 6):
            publish(restaurant)
            run_jobs()
            emails = mailbox(restaurant)
            expected = (hour >= 24) + (hour >= 72) + (hour >= 120)
            assert len(emails) == expected, hour
            advance(timedelta(hours=6))
            maintenance.sweep()
            run_jobs()
    known = endpoint_of(restaurant, endpoint)
    assert (known.enabled, known.disabled_because) == (False, "failing")
    assert emails == [
        "A webhook endpoint has been failing for a day",
        "A webhook endpoint has been failing for three days",
        "A webhook endpoint was turned off",
    ]


def test_an_answer_is_kept_up_to_2_kb_and_never_unpacked(restaurant, run_jobs):
    bomb = gzip.compress(b"\0" * 50_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    with Server(replies_with(head + bomb)) as server:
        add_endpoint(restaurant, f"http://127.0.0.1:{server.port}/")
        publish(restaurant)
        run_jobs()
        sent = server.requests[0][1]
    [attempt] = attempts_of(restaurant)
    assert (attempt.status, attempt.error) == (200, None)
    assert 0 < len(attempt.answer) <= 2048
    assert sent["accept-encoding"] == "identity"


def test_what_happened_before_or_while_off_is_not_brought(restaurant, receive, run_jobs):
    server = receive()
    with frozen():
        publish(restaurant)
        advance(1)
        endpoint = add_endpoint(restaurant, server.url)
        with restaurant.scope():
            endpoints.set_enabled(endpoint.id, False)
        advance(1)
        publish(restaurant)
        advance(1)
        with restaurant.scope():
            endpoints.set_enabled(endpoint.id, True)
        [event_id] = publish(restaurant)
        run_jobs()
    assert [one["event_id"] for one in server.bodies] == [event_id]
    assert server.bodies[0]["sequence"] == 3


def test_a_rotated_secret_signs_beside_the_old_one(restaurant, receive, run_jobs):
    server = receive(500, 200)
    endpoint = add_endpoint(restaurant, server.url)
    old = endpoint.secret
    publish(restaurant)
    run_jobs()
    with restaurant.scope():
        new = endpoints.rotate_secret(endpoint.id).secret
    assert wait_until(lambda: (run_jobs(), len(server.requests) == 2)[1], 30)
    (first, body), (second, again) = server.requests
    Webhook(old).verify(body, first)
    Webhook(old).verify(again, second)
    Webhook(new).verify(again, second)
    assert (len(first["webhook-signature"].split()), len(second["webhook-signature"].split())) == (
        1,
        2,
    )
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(body, first)


def test_after_the_overlap_only_the_new_one_signs(restaurant, receive, run_jobs):
    server = receive()
    endpoint = add_endpoint(restaurant, server.url)
    with frozen(now() - timedelta(hours=25)), restaurant.scope():
        endpoints.rotate_secret(endpoint.id)
    publish(restaurant)
    run_jobs()
    assert len(server.requests[0][0]["webhook-signature"].split()) == 1


def test_a_lost_wakeup_is_found_by_the_clock(restaurant, receive, run_jobs, redis):
    server = receive()
    add_endpoint(restaurant, server.url)
    publish(restaurant)
    redis.flushdb()
    run_jobs()
    assert server.requests == []
    assert deliveries_job.find_lost_work() >= 1
    run_jobs()
    assert len(server.requests) == 1


def test_a_worker_that_died_leaves_its_deliveries_to_others(restaurant, receive, run_jobs):
    server = receive()
    endpoint = add_endpoint(restaurant, server.url)
    with frozen():
        publish(restaurant, count=3)
        with restaurant.scope():
            fanout.number_events()
            [batch] = webhook_claim.claim_batches(100, 75.0)
        run_jobs()
        assert server.requests == []
        advance(76)
        deliveries_job.find_lost_work()
        run_jobs()
        assert len(server.requests) == 3
        late = [(one, posted()) for one in batch.claimed]
        with restaurant.scope():
            webhook_settle.settle_batch(batch, late, [], finished=True)
    assert {one.state for one in deliveries_of(restaurant)} == {"delivered"}, (
        "the late word is void"
    )
    assert endpoint_of(restaurant, endpoint).busy_until is None


def posted():
    return AttemptResult(now(), 10, 500, "The endpoint answered 500.")


def test_old_ones_are_forgotten(app, restaurant, receive, run_jobs, monkeypatch):
    server = receive()
    add_endpoint(restaurant, server.url)
    publish(restaurant, count=3)
    run_jobs()
    with restaurant.scope():
        assert webhook_retention.delete_before(now() - timedelta(days=1)) == 0
        assert webhook_retention.delete_before(now() + timedelta(days=1)) == 9
    assert deliveries_of(restaurant) == attempts_of(restaurant) == []
    with restaurant.scope():
        assert event_feed(0, 10) == []
    publish(restaurant)
    run_jobs()
    assert server.bodies[-1]["sequence"] == 4, "numbers go on"


def test_attempts_in_flight_are_bounded_in_a_process(restaurant, receive, run_jobs, monkeypatch):
    """Memory is bounded by attempts in flight, however many endpoints hang."""
    running, most = 0, 0

    async def slow(*_):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        return AttemptResult(now(), 20, 200, None)

    monkeypatch.setattr("jobs.webhooks.poster.webhook_post.post_delivery", slow)
    monkeypatch.setattr(webhook_poster_of(current_app), "attempts", asyncio.Semaphore(3))
    for _ in range(3):
        add_endpoint(restaurant, receive().url)
    publish(restaurant, count=10)
    run_jobs()
    assert wait_until(lambda: {one.state for one in deliveries_of(restaurant)} == {"delivered"})
    assert len(deliveries_of(restaurant)) == 30
    assert 1 < most <= 3
