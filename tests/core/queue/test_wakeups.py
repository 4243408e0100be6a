"""Wake-ups are sent after the commit, once for the same work, and never cause errors."""

import socket
import time

import pytest

from core.db import global_scope, notify_workers
from core.logs import bind_request
from core.queue import listeners, wakeups
from core.queue.gathering import Gatherer
from core.queue.wakeups import WakeUp, acknowledge_wakeup, queue_named, send_wakeups
from core.redis import client
from core.redis.client import connect_redis
from tests.timeouts import allow_for_load

DRAIN, SWEEP = "jobs.mail.drain", "jobs.media.drain"


@pytest.fixture
def job_queue(redis):
    """The queue, without marks and empty."""
    queue = queue_named("default", redis)
    queue.empty()
    for mark in redis.scan_iter("ring:*"):
        redis.delete(mark)
    yield queue
    queue.empty()


@pytest.fixture
def no_redis(settings):
    connect_redis("redis://127.0.0.1:1/0")
    yield
    connect_redis(settings.redis_url)


def test_a_wakeup_is_sent_after_the_commit_and_not_before(app, job_queue):
    with global_scope():
        notify_workers(DRAIN)
        assert job_queue.count == 0
    assert [job.func_name for job in job_queue.jobs] == [DRAIN]


def test_a_web_process_sends_its_wake_ups_together(app, job_queue, monkeypatch):
    calls = []
    send = wakeups._send
    gatherer = Gatherer("wake-ups", 0.2, wakeups._send_gathered)
    monkeypatch.setattr(wakeups, "_gatherer", gatherer)
    monkeypatch.setitem(app.extensions, "gathers_wakeups", True)
    monkeypatch.setattr(wakeups, "_send", lambda some: (calls.append(some), send(some)))
    bind_request("req_first")
    for _ in range(3):
        send_wakeups([WakeUp(DRAIN)])
    send_wakeups([WakeUp(SWEEP)])
    assert job_queue.count == 0
    end = time.monotonic() + allow_for_load(5)
    while not calls and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.05)
    assert calls == [{WakeUp(DRAIN): "req_first", WakeUp(SWEEP): "req_first"}]
    send_wakeups([WakeUp(DRAIN)])
    gatherer.stop()
    assert len(calls) == 2


def test_a_transaction_that_was_rolled_back_sends_no_wakeup(app, job_queue):
    with pytest.raises(ZeroDivisionError), global_scope():
        notify_workers(DRAIN)
        raise ZeroDivisionError
    assert job_queue.count == 0
    with global_scope():
        pass
    assert job_queue.count == 0


def test_wakeups_for_the_same_work_become_one(app, job_queue):
    for _ in range(5):
        with global_scope():
            notify_workers(DRAIN)
            notify_workers(DRAIN)
    assert job_queue.count == 1


def test_wakeups_for_other_work_are_not_lost(app, job_queue):
    with global_scope():
        notify_workers(DRAIN)
        notify_workers(DRAIN, 7)
        notify_workers(DRAIN, 8)
        notify_workers(SWEEP)
    assert job_queue.count == 4
    assert sorted(job.args for job in job_queue.jobs if job.func_name == DRAIN) == [[], [7], [8]]


def test_after_a_worker_received_it_a_wakeup_is_sent_again(app, job_queue):
    send_wakeups([WakeUp(DRAIN)])
    acknowledge_wakeup(DRAIN)
    send_wakeups([WakeUp(DRAIN)])
    assert job_queue.count == 2


def test_an_unheard_ring_is_rung_again_after_seconds(app, job_queue, redis):
    send_wakeups([WakeUp(DRAIN)])
    assert 0 < redis.pttl(WakeUp(DRAIN).mark) <= wakeups.WAKEUP_TTL_SECONDS * 1000
    redis.delete(WakeUp(DRAIN).mark)  # as its expiry would
    send_wakeups([WakeUp(DRAIN)])
    assert job_queue.count == 2


def test_help_is_called_once_until_somebody_comes(app, job_queue):
    for _ in range(3):
        wakeups.request_another_worker(DRAIN)
    assert [job.func_name for job in job_queue.jobs] == [DRAIN]
    job_queue.empty()
    wakeups.request_another_worker(DRAIN)
    assert job_queue.count == 1


def test_without_redis_nobody_helps_and_nothing_breaks(app, no_redis):
    wakeups.request_another_worker(DRAIN)


def test_a_wakeup_carries_the_request_that_caused_it(app, job_queue):
    bind_request("req_of_the_cause")
    send_wakeups([WakeUp(DRAIN)])
    assert job_queue.jobs[0].meta["request_id"] == "req_of_the_cause"


def test_without_redis_the_commit_still_holds(app, no_redis, superuser_connection):
    from tests.factories import make_person

    with global_scope():
        notify_workers(DRAIN)
    person = make_person("Made without Redis")
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM people WHERE email = %s", (person.email,))
        assert cursor.fetchone() == (1,)


def test_a_wakeup_needs_a_transaction(app):
    with pytest.raises(RuntimeError, match="open tenant_scope"):
        notify_workers(DRAIN)


def test_redis_must_be_named_before_it_is_used(monkeypatch):
    monkeypatch.setattr(client, "_redis", None)
    with pytest.raises(RuntimeError, match="connect_redis"):
        client.redis_client()


def test_a_redis_that_hangs_does_not_hold_a_request(app, settings):
    """A listener that accepts and never answers: the wake-up is given up within seconds."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connect_redis(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        try:
            began = time.monotonic()
            send_wakeups([WakeUp(DRAIN)])
            assert time.monotonic() - began < allow_for_load(5)
        finally:
            connect_redis(settings.redis_url)


DELIVER = "jobs.webhooks.worker.drain"


@pytest.fixture
def gathered(redis):
    queue = queue_named("deliveries", redis)

    def clear():
        queue.empty()
        redis.delete(
            wakeups.TENANT_SETS[DELIVER],
            listeners.LISTENER_HASHES[DELIVER],
            wakeups.presence_key(DELIVER),
        )
        redis.delete(wakeups.WAKEUP_LISTS[DELIVER], WakeUp(DELIVER).mark)

    clear()
    yield queue
    clear()


def test_rings_that_name_a_tenant_gather_behind_one_job(redis, app, gathered):
    send_wakeups([WakeUp(DELIVER, (7,)), WakeUp(DELIVER, (8,))])
    send_wakeups([WakeUp(DELIVER, (7,))])
    assert redis.smembers(wakeups.TENANT_SETS[DELIVER]) == {b"7", b"8"}
    assert [(job.func_name, job.args) for job in gathered.jobs] == [(DELIVER, [])]


def test_topics_that_nobody_listens_to_wake_no_worker(redis, app, gathered):
    generation = listeners.listener_generation(DELIVER)
    assert listeners.store_listeners(DELIVER, generation, {7: "fish fowl", 9: "*"}, 60)
    for quiet in ((8, "fish"), (7, "fis"), (7, "meat", "ish")):
        send_wakeups([WakeUp(DELIVER, quiet)])
    assert (gathered.count, redis.exists(wakeups.TENANT_SETS[DELIVER])) == (0, 0)
    for loud in ((7, "meat", "fowl"), (8,), (9, "meat")):
        send_wakeups([WakeUp(DELIVER, loud)])
    assert gathered.count == 1
    assert redis.smembers(wakeups.TENANT_SETS[DELIVER]) == {b"7", b"8", b"9"}


def test_listeners_are_forgotten_and_then_every_wake_up_is_sent(redis, app, gathered):
    generation = listeners.listener_generation(DELIVER)
    assert listeners.store_listeners(DELIVER, generation, {}, 60)
    listeners.forget_listeners(DELIVER)
    assert not listeners.store_listeners(DELIVER, generation, {}, 60)
    send_wakeups([WakeUp(DELIVER, (8, "fish"))])
    assert gathered.count == 1
