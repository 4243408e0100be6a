"""A worker process: jobs with the request that caused them, and after a failure."""

import pytest
from rq import Queue

from core import shifts
from core.logs import bind_request, current_request_id
from core.rings import Ring, send_rings
from jobs.connection import worker_redis
from jobs.worker import QuietWorker

seen = []


def note():
    seen.append(current_request_id())


def fail():
    seen.append(current_request_id())
    raise ZeroDivisionError


@pytest.fixture
def queue(app, settings):
    seen.clear()
    connection = worker_redis(settings.redis_url)
    connection.flushdb()
    yield Queue("default", connection=connection)
    connection.flushdb()


def work(app, queue):
    with app.app_context():
        QuietWorker([queue], connection=queue.connection).work(burst=True, logging_level="ERROR")


def test_a_job_runs_under_the_request_that_rang(app, queue, monkeypatch):
    monkeypatch.setattr("jobs.mail.drain", note)
    bind_request("req_that_rang")
    send_rings([Ring("jobs.mail.drain")])
    bind_request("req_of_somebody_else")
    work(app, queue)
    assert seen == ["req_that_rang"]


def test_a_job_nobody_asked_for_has_a_request_of_its_own(app, queue, monkeypatch):
    monkeypatch.setattr("jobs.mail.drain", note)
    for _ in range(2):
        queue.enqueue("jobs.mail.drain")
    bind_request("req_before")
    work(app, queue)
    assert all(found.startswith("req_0") for found in seen)
    assert len(set(seen)) == 2


def test_a_job_that_fails_is_kept_and_the_next_one_runs(app, queue, monkeypatch):
    monkeypatch.setattr("jobs.mail.drain", fail)
    monkeypatch.setattr("jobs.housekeeping.sweep", note)
    send_rings([Ring("jobs.mail.drain"), Ring("jobs.housekeeping.sweep")])
    work(app, queue)
    assert len(seen) == 2
    assert queue.failed_job_registry.count == 1


def test_whoever_was_at_something_else_looks_for_messages_first(app, settings):
    connection = worker_redis(settings.redis_url)
    names = ["sends", "deliveries", "hooks"]
    worker = QuietWorker([Queue(one, connection=connection) for one in names])
    worker._dequeue_strategy = "round_robin"
    seen = []
    for _ in range(4):
        done = worker._ordered_queues[0]
        seen.append(done.name)
        worker.reorder_queues(done)
    assert seen == ["sends", "deliveries", "sends", "hooks"]


def test_a_worker_that_is_asked_to_end_leaves_its_shift(app, settings, monkeypatch):
    monkeypatch.setattr(shifts, "_closing", False)
    shift = shifts.Shift("jobs.sends.drain", 30)
    connection = worker_redis(settings.redis_url)
    worker = QuietWorker([Queue("sends", connection=connection)], connection=connection)
    assert [shift.over, shifts.others_first()] == [False, False]
    worker.handle_warm_shutdown_request()
    assert [shift.over, shifts.others_first()] == [True, True]
