"""Bells ring after the commit, once for the same work, and never break anything."""

import socket
import time

import pytest

from core import rings
from core.db import global_scope, ring
from core.logs import bind_request
from core.rings import Ring, hear, queue_named, send_rings, use_redis
from tests.patience import patient

DRAIN, SWEEP = "jobs.mail.drain", "jobs.media.drain"


@pytest.fixture
def bell(redis):
    """The queue, silent and empty."""
    queue = queue_named("default", redis)
    queue.empty()
    for mark in redis.scan_iter("ring:*"):
        redis.delete(mark)
    yield queue
    queue.empty()


@pytest.fixture
def no_redis(settings):
    use_redis("redis://127.0.0.1:1/0")
    yield
    use_redis(settings.redis_url)


def test_a_bell_rings_after_the_commit_and_not_before(app, bell):
    with global_scope():
        ring(DRAIN)
        assert bell.count == 0
    assert [job.func_name for job in bell.jobs] == [DRAIN]


def test_a_transaction_that_was_rolled_back_rings_nothing(app, bell):
    with pytest.raises(ZeroDivisionError), global_scope():
        ring(DRAIN)
        raise ZeroDivisionError
    assert bell.count == 0
    with global_scope():
        pass
    assert bell.count == 0


def test_rings_for_the_same_work_become_one(app, bell):
    for _ in range(5):
        with global_scope():
            ring(DRAIN)
            ring(DRAIN)
    assert bell.count == 1


def test_rings_for_other_work_are_not_swallowed(app, bell):
    with global_scope():
        ring(DRAIN)
        ring(DRAIN, 7)
        ring(DRAIN, 8)
        ring(SWEEP)
    assert bell.count == 4
    assert sorted(job.args for job in bell.jobs if job.func_name == DRAIN) == [[], [7], [8]]


def test_once_a_worker_hears_it_the_bell_rings_anew(app, bell):
    send_rings([Ring(DRAIN)])
    hear(DRAIN)
    send_rings([Ring(DRAIN)])
    assert bell.count == 2


def test_an_unheard_ring_is_rung_again_after_seconds(app, bell, redis):
    send_rings([Ring(DRAIN)])
    assert 0 < redis.pttl(Ring(DRAIN).mark) <= rings.UNHEARD_SECONDS * 1000
    redis.delete(Ring(DRAIN).mark)  # as time would
    send_rings([Ring(DRAIN)])
    assert bell.count == 2


def test_help_is_called_once_until_somebody_comes(app, bell):
    for _ in range(3):
        rings.call_help(DRAIN)
    assert [job.func_name for job in bell.jobs] == [DRAIN]
    bell.empty()
    rings.call_help(DRAIN)
    assert bell.count == 1


def test_without_redis_nobody_helps_and_nothing_breaks(app, no_redis):
    rings.call_help(DRAIN)


def test_a_ring_carries_the_request_that_caused_it(app, bell):
    bind_request("req_of_the_cause")
    send_rings([Ring(DRAIN)])
    assert bell.jobs[0].meta["request_id"] == "req_of_the_cause"


def test_without_redis_the_commit_still_holds(app, no_redis, superuser_connection):
    from tests.cast import make_person

    with global_scope():
        ring(DRAIN)
    person = make_person("Made without Redis")
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM people WHERE email = %s", (person.email,))
        assert cursor.fetchone() == (1,)


def test_a_ring_needs_a_transaction(app):
    with pytest.raises(RuntimeError, match="open tenant_scope"):
        ring(DRAIN)


def test_redis_must_be_named_before_it_is_used(monkeypatch):
    monkeypatch.setattr(rings, "_redis", None)
    with pytest.raises(RuntimeError, match="use_redis"):
        rings.redis_client()


def test_a_redis_that_hangs_does_not_hold_a_request(app, settings):
    """A listener that accepts and never answers: the ring is given up within seconds."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        use_redis(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        try:
            began = time.monotonic()
            send_rings([Ring(DRAIN)])
            assert time.monotonic() - began < patient(5)
        finally:
            use_redis(settings.redis_url)


DELIVER = "jobs.deliveries.drain"


@pytest.fixture
def gathered(redis):
    queue = queue_named("deliveries", redis)

    def clear():
        queue.empty()
        redis.delete(rings.GATHERED[DELIVER], rings.LISTENING[DELIVER], rings.awake_key(DELIVER))
        redis.delete(rings.BELLS[DELIVER], Ring(DELIVER).mark)

    clear()
    yield queue
    clear()


def test_rings_that_name_a_tenant_gather_behind_one_job(redis, app, gathered):
    send_rings([Ring(DELIVER, (7,)), Ring(DELIVER, (8,))])
    send_rings([Ring(DELIVER, (7,))])
    assert redis.smembers(rings.GATHERED[DELIVER]) == {b"7", b"8"}
    assert [(job.func_name, job.args) for job in gathered.jobs] == [(DELIVER, [])]


def test_tenants_nobody_listens_for_are_not_rung_for(redis, app, gathered):
    rings.tell_who_listens(DELIVER, [7], 60)
    send_rings([Ring(DELIVER, (8,))])
    assert (gathered.count, redis.exists(rings.GATHERED[DELIVER])) == (0, 0)
    send_rings([Ring(DELIVER, (7,))])
    assert (gathered.count, redis.smembers(rings.GATHERED[DELIVER])) == (1, {b"7"})
