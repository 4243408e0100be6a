"""A worker process: jobs with the request that caused them, and after a failure."""

import json

import pytest
from rq import Queue
from rq.job import Job
from sqlalchemy import text

from core.db import db, global_scope
from core.logs import bind_request, current_request_id
from core.queue import presence as worker_presence
from core.queue.registry import OLD_JOB_NAMES
from core.queue.wakeups import SERIALIZER, WakeUp, queue_named, send_wakeups
from jobs.engine.redis_connection import worker_redis
from jobs.scheduler import build
from jobs.worker import JobWorker

SAID = "SECRETWORD my child is allergic to nuts"

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
    yield queue_named("default", connection)
    connection.flushdb()


def work(app, queue):
    with app.app_context():
        worker = JobWorker([queue], connection=queue.connection, serializer=SERIALIZER)
        worker.work(burst=True, logging_level="ERROR")


def test_a_job_runs_under_the_request_that_rang(app, queue, monkeypatch):
    monkeypatch.setattr("jobs.mail.drain", note)
    bind_request("req_that_rang")
    send_wakeups([WakeUp("jobs.mail.drain")])
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
    monkeypatch.setattr("jobs.media.drain", note)
    send_wakeups([WakeUp("jobs.mail.drain"), WakeUp("jobs.media.drain")])
    work(app, queue)
    assert len(seen) == 2
    assert queue.failed_job_registry.count == 1


def test_whoever_was_at_something_else_looks_for_messages_first(app, settings):
    connection = worker_redis(settings.redis_url)
    names = ["sends", "deliveries", "hooks"]
    worker = JobWorker([queue_named(one, connection) for one in names])
    worker._dequeue_strategy = "round_robin"
    seen = []
    for _ in range(4):
        done = worker._ordered_queues[0]
        seen.append(done.name)
        worker.reorder_queues(done)
    assert seen == ["sends", "deliveries", "sends", "hooks"]


def test_a_worker_that_is_asked_to_end_ends_its_presence(app, settings, monkeypatch):
    monkeypatch.setattr(worker_presence, "_closing", False)
    shift = worker_presence.WorkerPresence("jobs.sending.worker.drain", 30)
    connection = worker_redis(settings.redis_url)
    worker = JobWorker([queue_named("sends", connection)], connection=connection)
    assert [shift.over, worker_presence.should_yield()] == [False, False]
    worker.handle_warm_shutdown_request()
    assert [shift.over, worker_presence.should_yield()] == [True, True]


def refuse():
    with global_scope():
        db.session.execute(text("SELECT CAST(:said AS integer)"), {"said": SAID})


def test_a_failed_job_leaves_no_customer_text(app, queue, monkeypatch, logged):
    """Neither in the log nor in Redis, where it stays for a week."""
    monkeypatch.setattr("jobs.mail.drain", refuse)
    send_wakeups([WakeUp("jobs.mail.drain")])
    work(app, queue)
    [job_id] = queue.failed_job_registry.get_job_ids()
    kept = Job.fetch(job_id, connection=queue.connection, serializer=SERIALIZER).latest_result()
    assert "22P02" in kept.exc_string
    assert "refuse" in kept.exc_string, "where it happened is kept"
    assert '"event": "job failed"' in logged()
    stored = [queue.connection.dump(key) for key in queue.connection.scan_iter("*")]
    assert not [one for one in stored if one and SAID.encode() in one]
    assert SAID not in logged() + kept.exc_string


def test_a_job_of_an_earlier_release_is_dropped_and_the_next_one_runs(app, queue, monkeypatch):
    """Jobs of earlier releases are pickles."""
    monkeypatch.setattr("jobs.mail.drain", note)
    Queue("default", connection=queue.connection).enqueue("jobs.mail.drain")
    queue.enqueue("jobs.mail.drain")
    work(app, queue)
    assert len(seen) == 1
    assert queue.count == queue.failed_job_registry.count == 0


def test_jobs_are_json_and_failures_are_not_kept_for_ever(app, queue):
    send_wakeups([WakeUp("jobs.mail.drain", (7,))])
    [job] = queue.jobs
    assert json.loads(job.data) == ["jobs.mail.drain", None, [7], {}]
    assert job.failure_ttl == 7 * 86400
    for one in build(queue.connection).get_jobs():
        assert 0 < one.job_options["failure_ttl"] <= 7 * 86400, one.func_name
        assert one.job_options["job_timeout"], one.func_name


def test_a_job_queued_under_its_old_name_runs(queue, monkeypatch):
    """Jobs that the release before the renames left in Redis."""
    monkeypatch.setitem(OLD_JOB_NAMES, "jobs.old.note", f"{__name__}.note")
    queue.enqueue("jobs.old.note")
    JobWorker([queue], connection=queue.connection, serializer=SERIALIZER).work(burst=True)
    assert len(seen) == 1
