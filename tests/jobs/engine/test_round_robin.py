"""The engine of jobs that work one lane after another."""

import time

import pytest

from core.db import global_scope
from core.queue import lanes
from core.queue.wakeups import queue_named
from jobs.engine import round_robin

JOB, LANE = "jobs.contacts.drain", "toys"
FIRST, SECOND = 9001, 9002


@pytest.fixture(autouse=True)
def context(app):
    with app.app_context():
        with global_scope():
            for tenant_id in (FIRST, SECOND):
                lanes.mark_due(LANE, tenant_id)
        yield


def jobs_queued():
    return queue_named("default").count


def is_due():
    with global_scope():
        return lanes.any_due(LANE)


def test_the_lanes_are_worked_in_turn_until_none_is_due():
    turns = []
    for one in round_robin.lanes_in_turn(JOB, LANE, 10.0):
        turns.append(one.tenant_id)
        one.release()
    assert sorted(turns) == [FIRST, SECOND]
    assert (is_due(), jobs_queued()) == (False, 0)


def test_a_job_whose_time_is_over_is_queued_again():
    for one in round_robin.lanes_in_turn(JOB, LANE, 0.05):
        time.sleep(0.1)
        one.release()
    assert (is_due(), jobs_queued()) == (True, 1)


def test_messages_that_wait_end_the_job_after_one_lane(monkeypatch):
    monkeypatch.setattr(round_robin, "should_yield", lambda: True)
    assert round_robin.work_lanes(JOB, LANE, 10.0, lambda _: 1, lambda *_: None) == 1
    assert (is_due(), jobs_queued()) == (True, 1)


def test_a_tenants_turn_ends_when_its_lease_is_lost():
    steps = []
    for one in round_robin.lanes_in_turn(JOB, LANE, 10.0):
        while not one.over:
            steps.append(one.tenant_id)
            one.release()
            with global_scope():
                assert not one.extend()
        assert not one.held
    assert sorted(steps) == [FIRST, SECOND]


def test_work_is_repeated_until_there_is_none_and_then_looked_for_again():
    left, seen = {FIRST: 3, SECOND: 1}, {}

    def work(tenant_id):
        left[tenant_id] -= 1
        return 1 if left[tenant_id] >= 0 else 0

    done = round_robin.work_lanes(JOB, LANE, 10.0, work, seen.__setitem__)
    assert (done, seen) == (4, {FIRST: 3, SECOND: 1})
