"""Events that no endpoint subscribes to wake no worker, and no delivery is lost by that."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event as sql_event
from sqlalchemy import text
from sqlalchemy.engine import Engine

from core.db import db, global_scope, notify_workers
from core.lookups import Lookup
from core.queue import listeners as listener_cache
from core.queue import wakeups
from core.queue.wakeups import WakeUp, queue_named
from jobs.webhooks import worker as deliveries_job
from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.messages.sending.after_commit import AfterCommitOutbox
from tests.line_factory import make_line
from tests.messaging.messages.test_message_lifecycle import accept, claim, settle
from tests.webhooks.receivers import LOCAL, add_endpoint, deliveries_of
from tests.webhooks.transactions import in_context, open_transaction
from webhooks import endpoints, listeners
from webhooks.delivery import fanout
from webhooks.endpoints import EndpointFields
from webhooks.events import publish_webhook_event, wake_delivery_worker
from webhooks.feed import event_feed

JOB = "jobs.webhooks.worker.drain"
NOWHERE = "http://127.0.0.1:9/hook"


@pytest.fixture
def woken(redis):
    """The tenants that a worker was woken for since the last call."""

    def look():
        tenants = {int(one) for one in redis.smembers(wakeups.TENANT_SETS[JOB])}
        queue_named("deliveries", redis).empty()
        redis.delete(wakeups.TENANT_SETS[JOB], wakeups.WAKEUP_LISTS[JOB], WakeUp(JOB).mark)
        return tenants

    return look


@pytest.fixture
def known(app, redis, woken):
    """What a running worker does first: from now on, wake-ups are limited to subscriptions."""

    def refresh():
        with app.app_context():
            listeners.refresh_listeners()
        assert redis.hexists(listener_cache.LISTENER_HASHES[JOB], listener_cache.COMPLETE)
        woken()

    return refresh


@pytest.fixture
def statements():
    """How often each kind of statement about webhooks ran."""
    seen = Counter()

    def note(_connection, _cursor, statement, *_):
        if "UPDATE events SET sequence" in statement:
            seen["numbered"] += 1
        if "INSERT INTO deliveries" in statement:
            seen["fanned out"] += 1
        if "event_feeds" in statement:
            seen["feed"] += 1

    sql_event.listen(Engine, "before_cursor_execute", note)
    yield seen
    sql_event.remove(Engine, "before_cursor_execute", note)


def publish(business, kind="messages.sent", count=1):
    with business.scope():
        for n in range(count):
            publish_webhook_event(kind, {"data": {"n": n}})


def unnumbered(business):
    with business.scope():
        return db.session.scalar(
            text("SELECT count(*) FROM events WHERE tenant_id = :t AND sequence IS NULL"),
            {"t": business.tenant_id},
        )


def test_a_send_wakes_no_worker_when_nobody_listens(restaurant, woken, known, statements):
    line = make_line(restaurant)
    for number in range(5):
        accept(restaurant, line, phone=f"90532111223{number}")
    sent = [(one, SendAccepted(f"wamid.{one.uuid}")) for one in claim(restaurant)]
    known()
    for one in sent:
        settle(restaurant, [one])
    assert (woken(), unnumbered(restaurant)) == (set(), 5)
    assert not statements


def test_a_refused_message_wakes_no_worker_when_nobody_listens(restaurant, woken, known):
    line = make_line(restaurant)
    refused = SendRefused("bad_number", "No such number.")
    known()
    accept(restaurant, line)
    [one] = claim(restaurant)
    settle(restaurant, [(one, refused)])
    assert woken() == set()
    add_endpoint(restaurant, NOWHERE, "messages.failed")
    known()
    accept(restaurant, line, phone="905321112234")
    [one] = claim(restaurant)
    settle(restaurant, [(one, refused)])
    assert woken() == {restaurant.tenant_id}


def publish_sent(*tenant_ids):
    outbox = AfterCommitOutbox()
    for tenant_id in tenant_ids:
        outbox.add_live_updates(tenant_id, [{"kind": "messages.changed", "id": "msg_1"}])
    outbox.send()


def test_the_wake_ups_of_sends_follow_the_subscriptions(restaurant, shop, known, woken):
    add_endpoint(shop, NOWHERE, "messages.sent")
    known()
    publish_sent(restaurant.tenant_id)
    assert woken() == set()
    publish_sent(restaurant.tenant_id, shop.tenant_id)
    assert woken() == {shop.tenant_id}


def test_only_the_types_that_an_endpoint_subscribes_to_wake_a_worker(restaurant, woken, known):
    add_endpoint(restaurant, NOWHERE, "messages.read", "messages.failed")
    known()
    publish(restaurant, "messages.sent")
    with restaurant.scope():
        wake_delivery_worker("messages.failed_twice")
    assert woken() == set()
    publish(restaurant, "messages.read")
    assert woken() == {restaurant.tenant_id}


def test_an_endpoint_for_all_events_is_woken_for_each(restaurant, woken, known):
    add_endpoint(restaurant, NOWHERE, "messages.read")
    add_endpoint(restaurant, NOWHERE, "*")
    known()
    publish(restaurant, "printing.job_failed")
    assert woken() == {restaurant.tenant_id}


def test_without_the_cache_every_event_wakes_a_worker(restaurant, redis, woken):
    redis.flushdb()
    publish(restaurant)
    assert woken() == {restaurant.tenant_id}


def test_the_first_worker_fills_the_cache_and_then_it_is_quiet(restaurant, redis, woken, run_jobs):
    redis.flushdb()
    publish(restaurant)
    run_jobs()
    woken()
    publish(restaurant)
    assert woken() == set()


def test_a_wake_up_without_types_is_always_sent(restaurant, woken, known):
    """For a resend, a replay or a test event."""
    known()
    with global_scope():
        notify_workers(JOB, restaurant.tenant_id)
    assert woken() == {restaurant.tenant_id}


@pytest.mark.parametrize("count", [1, 40])
def test_what_waits_is_numbered_and_fanned_out_in_one_batch(
    restaurant, receive, run_jobs, statements, count
):
    server = receive()
    add_endpoint(restaurant, server.url, "messages.read")
    run_jobs()
    statements.clear()
    publish(restaurant, "messages.sent", count)
    publish(restaurant, "messages.read", count)
    run_jobs()
    numbers = sorted(one["sequence"] for one in server.bodies)
    assert numbers == list(range(count + 1, 2 * count + 1))
    assert statements["fanned out"] == 1


def test_events_for_nobody_are_numbered_by_the_sweep(restaurant, receive, run_jobs):
    server = receive()
    add_endpoint(restaurant, server.url, "messages.read")
    run_jobs()
    publish(restaurant, "messages.sent", 3)
    run_jobs()
    assert unnumbered(restaurant) == 3
    deliveries_job.find_lost_work()
    run_jobs()
    assert (unnumbered(restaurant), server.requests) == (0, [])


def test_a_lane_is_not_worked_again_for_events_for_nobody(restaurant):
    """They may be published after the lane has numbered its events and before it is released."""
    add_endpoint(restaurant, NOWHERE, "messages.read")
    publish(restaurant, "messages.sent")
    with restaurant.scope():
        assert not fanout.has_events_to_fan_out()
        publish_webhook_event("messages.read", {"data": {}})
        db.session.flush()
        assert fanout.has_events_to_fan_out()
        fanout.number_events()
        assert not fanout.has_events_to_fan_out()


def test_a_large_backlog_is_numbered_in_one_turn(restaurant, receive, run_jobs, monkeypatch):
    server = receive()
    monkeypatch.setattr("webhooks.delivery.fanout.BATCH_SIZE", 4)
    monkeypatch.setattr("webhooks.delivery.fanout.number_events.__defaults__", (4,))
    add_endpoint(restaurant, server.url, "messages.read")
    publish(restaurant, "messages.sent", 9)
    publish(restaurant, "messages.read")
    run_jobs()
    assert [one["sequence"] for one in server.bodies] == [10]


def test_an_event_before_the_endpoint_commits_arrives(app, restaurant, receive, run_jobs, known):
    """The event's own wake-up is not sent: when it is committed, nobody listens yet."""
    server = receive()
    known()

    def register():
        endpoints.register(EndpointFields(server.url, ["messages.sent"]), LOCAL)

    with open_transaction(app, restaurant, register):
        publish(restaurant)
    run_jobs()
    assert [one["sequence"] for one in server.bodies] == [1]


def test_an_event_that_commits_after_the_endpoint_arrives(
    app, restaurant, receive, run_jobs, known, redis
):
    """A worker has already looked for events when this one is committed."""
    server = receive()
    known()
    with restaurant.scope():
        endpoints.register(EndpointFields(server.url, ["messages.sent"]), LOCAL)
    with open_transaction(
        app, restaurant, lambda: publish_webhook_event("messages.sent", {"data": {}})
    ):
        run_jobs()
        assert server.requests == []
    run_jobs()
    assert [one["sequence"] for one in server.bodies] == [1]


def test_an_event_before_the_endpoint_is_numbered_but_not_sent(restaurant, receive, run_jobs):
    server = receive()
    publish(restaurant)
    add_endpoint(restaurant, server.url)
    publish(restaurant)
    run_jobs()
    assert [one["sequence"] for one in server.bodies] == [2]


def test_a_new_type_applies_only_to_later_events(restaurant, receive, run_jobs, known):
    server = receive()
    endpoint = add_endpoint(restaurant, server.url, "messages.read")
    run_jobs()
    known()
    publish(restaurant, "messages.sent", 2)
    publish(restaurant, "messages.read")
    with restaurant.scope():
        fields = EndpointFields(events=["messages.read", "messages.sent"])
        endpoints.change(endpoint.id, fields, LOCAL)
    publish(restaurant, "messages.sent")
    run_jobs()
    assert [(one["event"], one["sequence"]) for one in server.bodies] == [
        ("messages.read", 3),
        ("messages.sent", 4),
    ]


@pytest.mark.parametrize("back", [True, False])
def test_switching_an_endpoint_off_and_on_changes_the_wake_ups(restaurant, woken, known, back):
    endpoint = add_endpoint(restaurant, NOWHERE, "messages.sent")
    with restaurant.scope():
        endpoints.set_enabled(endpoint.id, False)
    known()
    if back:
        with restaurant.scope():
            endpoints.set_enabled(endpoint.id, True)
        known()
    publish(restaurant)
    assert woken() == ({restaurant.tenant_id} if back else set())


def test_a_cache_read_before_a_change_is_not_stored_after_it(restaurant, redis, woken):
    generation = listener_cache.listener_generation(JOB)
    add_endpoint(restaurant, NOWHERE, "messages.sent")
    assert woken() == {restaurant.tenant_id}
    assert not listener_cache.store_listeners(JOB, generation, {}, 60)
    publish(restaurant)
    assert woken() == {restaurant.tenant_id}


def test_an_endpoint_that_is_added_while_another_is_switched_off_is_known(
    app, restaurant, known, woken
):
    """A worker switches it off, and does not lock the feed for it."""
    endpoint = add_endpoint(restaurant, NOWHERE, "messages.read")
    add_endpoint(restaurant, NOWHERE, "messages.failed")

    def register():
        endpoints.register(EndpointFields(NOWHERE, ["messages.sent"]), LOCAL)

    def switch_off():
        with restaurant.scope():
            endpoints.switch_off(endpoints.get(endpoint.id), "gone")
            db.session.flush()
            listeners.update_listeners()

    with ThreadPoolExecutor(1) as pool:
        with open_transaction(app, restaurant, register):
            switching = pool.submit(in_context, app, switch_off)
            time.sleep(0.3)
            assert not switching.done(), "it waits for the other change"
        switching.result()
    with global_scope():
        row = db.session.get(Lookup, (listeners.LOOKUP, str(restaurant.tenant_id)))
        assert row.target == "messages.failed messages.sent"
    known()
    publish(restaurant)
    assert woken() == {restaurant.tenant_id}


def test_types_that_an_earlier_release_did_not_store_are_added_by_the_sweep(
    restaurant, superuser_connection, known, woken
):
    add_endpoint(restaurant, NOWHERE, "messages.read")
    with superuser_connection.cursor() as cursor:
        cursor.execute("UPDATE lookups SET target = '' WHERE kind = %s", [listeners.LOOKUP])
    superuser_connection.commit()
    known()
    publish(restaurant, "messages.sent")
    assert woken() == {restaurant.tenant_id}, "every type, because none is stored"
    deliveries_job.find_lost_work()
    known()
    publish(restaurant, "messages.sent")
    assert woken() == set()


def test_a_reader_of_the_feed_wakes_a_worker_only_for_deliveries(restaurant, woken, known):
    publish(restaurant)
    known()
    with restaurant.scope():
        assert [one["sequence"] for one in event_feed(0, 10)] == [1]
    assert woken() == set()
    add_endpoint(restaurant, NOWHERE, "messages.sent")
    publish(restaurant)
    known()
    with restaurant.scope():
        assert len(event_feed(0, 10)) == 2
    assert (woken(), len(deliveries_of(restaurant))) == ({restaurant.tenant_id}, 1)
