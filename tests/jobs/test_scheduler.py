"""Any number of clocks may run; one of them strikes."""

import time

import pytest

from core.queue.wakeups import queue_named
from jobs import scheduler
from jobs.engine.redis_connection import worker_redis


@pytest.fixture
def connection(app, settings):
    found = worker_redis(settings.redis_url)
    found.flushdb()
    yield found
    found.flushdb()


@pytest.fixture
def clocks(connection):
    return [scheduler.build(connection), scheduler.build(connection)]


def struck(connection):
    return sorted(job.func_name for job in queue_named("sweep", connection).jobs)


def test_one_of_two_leads(clocks):
    assert [clock.leads() for clock in clocks] == [True, False]
    assert [clock.leads() for clock in clocks] == [True, False]


def test_only_the_leader_strikes(clocks, connection):
    first, spare = clocks
    assert first.enqueue_jobs()
    assert spare.enqueue_jobs() == []
    assert struck(connection) == ["jobs.maintenance.sweep"]


def test_a_spare_takes_over_when_the_leader_is_gone(clocks, connection):
    first, spare = clocks
    assert first.leads()
    assert 0 < connection.pttl("scheduler:leader") <= scheduler.LEASE_SECONDS * 1000
    connection.pexpire("scheduler:leader", 20)  # the leader is dead and does not renew
    time.sleep(0.05)
    assert spare.leads()
    assert not first.leads()
    assert spare.enqueue_jobs()


def test_the_lease_lasts_over_several_looks():
    assert scheduler.LEASE_SECONDS > 3 * scheduler.LOOK_EVERY_SECONDS


def test_a_spare_does_not_spin(clocks):
    """Its jobs are overdue while it is not the leader; it must not run in a busy loop."""
    first, spare = clocks
    first.leads()
    assert spare.enqueue_jobs() == []
    time.sleep(0.01)
    for job in spare.get_jobs():
        if job.next_enqueue_time is not None:
            job.next_enqueue_time = job.next_enqueue_time.replace(year=2020)
    assert spare.calculate_sleep_interval() >= 0.5


def test_a_leader_looks_again_before_its_lease_is_over(clocks):
    first, _ = clocks
    first.enqueue_jobs()
    assert 0 < first.calculate_sleep_interval() <= scheduler.LOOK_EVERY_SECONDS


def test_after_a_loss_of_redis_one_leads_again(clocks, connection):
    assert clocks[0].leads()
    connection.flushdb()
    assert sorted(clock.leads() for clock in clocks) == [False, True]
