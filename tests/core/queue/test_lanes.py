"""Lanes, the tenants that have work: leased by one worker, never lost, oldest first."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db, global_scope
from core.queue.lanes import (
    Lane,
    extend,
    lease_next,
    mark_due,
    mark_later,
    promote_later_due,
    release,
)


@pytest.fixture
def kind(app):
    return f"kind {uuid4()}"


def mark(kind, tenant_id, due_at=None):
    with global_scope():
        mark_due(kind, tenant_id, due_at)


def lease(kind, seconds=30):
    with global_scope():
        return lease_next(kind, seconds)


def give_back(kind, tenant_id, token):
    with global_scope():
        return release(kind, tenant_id, token)


def test_the_lane_that_waited_longest_comes_first(kind):
    mark(kind, 1, now() - timedelta(seconds=5))
    mark(kind, 2, now() - timedelta(seconds=9))
    assert [lease(kind)[0], lease(kind)[0]] == [2, 1]
    assert lease(kind) is None


def test_a_lane_is_not_leased_before_it_is_due(kind):
    with frozen():
        mark(kind, 1, now() + timedelta(seconds=10))
        assert lease(kind) is None
        advance(10)
        assert lease(kind)[0] == 1


def test_lanes_of_another_kind_are_left_alone(kind):
    mark(f"{kind} of another", 1)
    assert lease(kind) is None


def test_marking_twice_keeps_the_first_mark(kind):
    first = now() - timedelta(seconds=60)
    mark(kind, 1, first)
    mark(kind, 1)
    with global_scope():
        assert db.session.get(Lane, (kind, 1)).due_at == first


def test_an_expired_lease_is_taken_over_and_the_late_worker_is_refused(kind):
    with frozen():
        mark(kind, 1)
        _, old = lease(kind, seconds=10)
        assert lease(kind) is None
        advance(11)
        tenant_id, new = lease(kind)
        assert tenant_id == 1
        assert new != old
        assert give_back(kind, 1, old) is False
        assert give_back(kind, 1, new) is True


def test_a_released_lane_is_gone_until_it_is_marked_again(kind):
    mark(kind, 1)
    assert give_back(kind, *lease(kind)) is True
    assert lease(kind) is None
    mark(kind, 1)
    assert lease(kind)[0] == 1


def test_of_many_workers_each_gets_another_lane(app, kind):
    for tenant_id in range(8):
        mark(kind, tenant_id)
    barrier = Barrier(8)

    def work(_):
        with app.app_context(), global_scope():
            barrier.wait(10)
            taken = lease_next(kind, 30)
            barrier.wait(10)  # all hold their lease at once
            return taken and taken[0]

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(work, range(8)))
    assert len(set(taken) - {None}) == len([t for t in taken if t is not None])
    rest = 0
    while lease(kind):
        rest += 1
    assert len([t for t in taken if t is not None]) + rest == 8


def test_marking_waits_neither_for_other_markers_nor_for_the_holder(app, kind):
    """A send must wait neither for others nor for the worker that leases and extends."""
    mark(kind, 1)
    with global_scope():
        mark_due(kind, 1)
        held = lease_next(kind, 30)
        assert held is not None
        assert extend(kind, *held, 30)
        with ThreadPoolExecutor(1) as pool:

            def another():
                with app.app_context():
                    mark(kind, 1)

            pool.submit(another).result(timeout=30)


def test_a_lane_that_is_being_marked_can_be_leased(app, kind):
    mark(kind, 1)
    with global_scope():
        mark_due(kind, 1)
        with ThreadPoolExecutor(1) as pool:

            def another():
                with app.app_context():
                    return lease(kind)

            assert pool.submit(another).result(timeout=30)[0] == 1


def test_work_marked_while_the_lane_is_held_is_found_after_a_second_look(kind):
    """The holder releases, looks once more, and marks again, so no work is lost."""
    mark(kind, 1)
    held = lease(kind)
    mark(kind, 1)  # a wake-up that arrives meanwhile finds the lane marked
    assert give_back(kind, *held) is True
    mark(kind, 1)  # the second look does this
    assert lease(kind)[0] == 1


def later(kind, tenant_id, due_at):
    with global_scope():
        mark_later(kind, tenant_id, due_at)


def promote(kind):
    with global_scope():
        return promote_later_due(kind)


def test_the_sweep_marks_what_has_become_due(kind):
    later(kind, 1, now() - timedelta(seconds=1))
    later(kind, 2, now() + timedelta(hours=1))
    assert promote(kind)
    assert lease(kind)[0] == 1
    assert lease(kind) is None
    with global_scope():
        left = db.session.scalars(select(Lane.tenant_id).where(Lane.kind == f"{kind}.later"))
        assert list(left) == [2]


def test_the_sweep_does_not_wait_for_a_transaction_that_shares_a_mark(kind, superuser_connection):
    later(kind, 1, now() - timedelta(seconds=1))
    superuser_connection.autocommit = False
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM lanes WHERE kind = %s FOR KEY SHARE", (f"{kind}.later",))
        assert not promote(kind)
    superuser_connection.rollback()
    assert promote(kind)
