"""Numbers of events: readers, the worker and the sweep may assign them at the same time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import text

from core.clock import frozen, now
from core.db import db, tenant_scope
from jobs.webhooks import worker as deliveries_job
from tests.webhooks.receivers import add_endpoint, deliveries_of, wait_until
from tests.webhooks.transactions import in_context, open_transaction
from webhooks.delivery import fanout
from webhooks.events import publish_webhook_event
from webhooks.feed import event_feed

READERS, EVENTS = 4, 60
BLOCKED = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def publish(tenant_id, count=1):
    with tenant_scope(tenant_id):
        events = [publish_webhook_event("messages.sent", {"data": {"n": n}}) for n in range(count)]
        db.session.flush()
        return [event.id for event in events]


def read(tenant_id, after=0, limit=1000):
    with tenant_scope(tenant_id):
        return event_feed(after, limit)


def numbers(feed):
    return [one["sequence"] for one in feed]


@pytest.fixture
def blocked(superuser_connection):
    """Whether a connection waits for a lock."""
    superuser_connection.autocommit = True

    def look():
        with superuser_connection.cursor() as cursor:
            cursor.execute(BLOCKED)
            return cursor.fetchone()[0]

    return look


def test_a_reader_sees_new_events_at_once_and_in_order(restaurant):
    ids = publish(restaurant.tenant_id, 5)
    feed = read(restaurant.tenant_id)
    assert ([one["event_id"] for one in feed], numbers(feed)) == (ids, [1, 2, 3, 4, 5])
    [last] = publish(restaurant.tenant_id)
    [seen] = read(restaurant.tenant_id, after=5)
    assert (seen["event_id"], seen["sequence"]) == (last, 6)


def test_a_page_larger_than_a_batch_is_complete(restaurant, monkeypatch):
    monkeypatch.setattr(fanout, "BATCH_SIZE", 3)
    publish(restaurant.tenant_id, 10)
    assert numbers(read(restaurant.tenant_id, limit=8)) == list(range(1, 9))
    assert numbers(read(restaurant.tenant_id, after=8)) == [9, 10]


def test_a_reader_with_nothing_to_number_locks_nothing(app, restaurant):
    publish(restaurant.tenant_id, 2)
    read(restaurant.tenant_id)
    with open_transaction(app, restaurant, fanout.lock_feed), restaurant.scope():
        db.session.execute(text("SET LOCAL lock_timeout = '200ms'"))
        assert numbers(event_feed(0, 10)) == [1, 2]


def test_a_reader_that_waited_for_another_one_sees_its_events(app, restaurant, blocked):
    """Both began before the events had numbers."""
    publish(restaurant.tenant_id, 3)
    with ThreadPoolExecutor(1) as pool:
        with open_transaction(app, restaurant, fanout.number_events):
            second = pool.submit(in_context, app, read, restaurant.tenant_id)
            assert wait_until(blocked), "the second reader waits for the feed"
        assert numbers(second.result()) == [1, 2, 3]


def run_at_once(app, *works):
    start = Barrier(len(works))

    def run(work):
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        running = [pool.submit(in_context, app, run, work) for work in works]
        return [one.result() for one in running]


def read_to_end(tenant_id):
    """As a program does that polls the feed while events are published."""
    seen = []
    while len(seen) < EVENTS:
        seen += read(tenant_id, after=seen[-1]["sequence"] if seen else 0, limit=7)
    return seen


def publish_slowly(tenant_id):
    return [event_id for _ in range(EVENTS) for event_id in publish(tenant_id)]


def test_concurrent_readers_see_every_event_once_without_a_gap(app, restaurant):
    tenant_id = restaurant.tenant_id
    readers = [lambda: read_to_end(tenant_id)] * READERS
    ids, *feeds = run_at_once(app, lambda: publish_slowly(tenant_id), *readers)
    for feed in feeds:
        assert numbers(feed) == list(range(1, EVENTS + 1))
        assert sorted(one["event_id"] for one in feed) == sorted(ids)
    assert all(feed == feeds[0] for feed in feeds), "a number never changes"


def test_readers_the_worker_and_the_sweep_create_each_delivery_once(
    app, restaurant, receive, run_jobs
):
    server = receive()
    add_endpoint(restaurant, server.url, "messages.sent")
    tenant_id = restaurant.tenant_id
    ids, feed, *_ = run_at_once(
        app,
        lambda: publish_slowly(tenant_id),
        lambda: read_to_end(tenant_id),
        lambda: [deliveries_job.drain() for _ in range(5)],
        lambda: [deliveries_job.find_lost_work() for _ in range(5)],
    )
    deliveries_job.find_lost_work()
    run_jobs()
    assert numbers(feed) == list(range(1, EVENTS + 1))
    assert sorted(one.event_id for one in deliveries_of(restaurant)) == sorted(ids)
    assert wait_until(lambda: len(server.requests) >= EVENTS)
    assert sorted({one["event_id"] for one in server.bodies}) == sorted(ids)


def test_events_that_are_deleted_had_a_number(restaurant, settings, monkeypatch):
    """A reader notices that they are missing."""
    monkeypatch.setattr(fanout.number_events, "__defaults__", (1,))
    publish(restaurant.tenant_id, 3)
    with frozen(now() + timedelta(days=settings.event_days, hours=1)):
        deliveries_job.delete_old_events()
    publish(restaurant.tenant_id)
    assert numbers(read(restaurant.tenant_id)) == [4]
