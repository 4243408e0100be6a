"""The sweep finds work whose wake-up was lost; maintenance deletes expired data."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from core import mail
from core.clock import advance, frozen
from core.db import db, global_scope
from core.mail import Mail
from core.queue.lanes import Lane
from core.queue.wakeups import queue_named
from core.redis.client import connect_redis
from jobs import maintenance
from tenants import idempotency, people
from tests.factories import make_person


@pytest.fixture
def worker_queue(app, redis):
    with global_scope():
        db.session.execute(delete(Mail))
        db.session.execute(delete(Lane))
    redis.flushdb()
    return queue_named("default", redis)


def write():
    with global_scope():
        mail.queue_email("ada@example.com", "Hello", "Read me")


def sent():
    with global_scope():
        return [letter.state for letter in mail.recent_emails(None, 9)]


def test_with_nothing_due_the_sweep_is_silent(worker_queue):
    maintenance.sweep()
    assert worker_queue.count == 0


def test_wakeups_lost_with_redis_are_sent_by_the_sweep(worker_queue, redis, run_jobs):
    write()
    redis.flushdb()
    run_jobs()
    assert sent() == ["queued"]
    maintenance.sweep()
    run_jobs()
    assert sent() == ["sent"]


def test_work_taken_on_while_redis_was_away_is_done_when_it_is_back(
    worker_queue, settings, run_jobs
):
    connect_redis("redis://127.0.0.1:1/0")
    try:
        write()
    finally:
        connect_redis(settings.redis_url)
    assert worker_queue.count == 0
    maintenance.sweep()
    run_jobs()
    assert sent() == ["sent"]


def test_the_sweep_wakes_workers_once_for_queued_work(worker_queue):
    write()
    maintenance.sweep()
    maintenance.sweep()
    assert worker_queue.count == 1


def test_an_email_that_waits_for_its_time_sends_no_wakeup(worker_queue):
    with frozen():
        write()
        with global_scope():
            mail.settle(mail.claim_next(), "refused", keep_body=True)
        worker_queue.connection.flushdb()
        maintenance.sweep()
        assert worker_queue.count == 0
        advance(mail.RETRY_SECONDS[0])
        maintenance.sweep()
        assert worker_queue.count == 1


def test_tidying_drops_what_is_too_old_and_nothing_else(worker_queue, restaurant, shop):
    person = make_person()
    with frozen():
        for business in (restaurant, shop):
            with business.scope():
                idempotency.begin("old", "a")
        with global_scope():
            old = people.issue_token(person.id, "verify")
        advance(timedelta(days=40))
        with restaurant.scope():
            idempotency.begin("new", "a")
        with global_scope():
            fresh = people.issue_token(person.id, "reset")
        gone = maintenance.delete_expired()
        assert gone["idempotency_keys"] >= 2
        assert gone["tokens"] >= 1
        with global_scope():
            assert people.peek_token(fresh, "reset") is not None
            assert people.peek_token(old, "verify") is None
        assert not any(maintenance.delete_expired().values())
