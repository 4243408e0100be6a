"""Work over all tenants is done in steps, and everybody is reached."""

from datetime import timedelta

import pytest

from core.clock import frozen, now
from core.db import db, global_scope
from core.queue import rounds as book
from core.queue.rounds import Round
from core.queue.wakeups import WakeUp
from jobs import maintenance
from jobs.engine import all_tenants
from tests.factories import make_business

JOB = "jobs.maintenance.delete_expired"


@pytest.fixture
def tenants(app):
    with app.app_context():
        with global_scope():
            db.session.query(Round).delete()
        yield sorted(make_business(f"Round {n}").tenant_id for n in range(3))


def stored():
    with global_scope():
        found = db.session.get(Round, JOB)
        db.session.expunge(found)
        return found


def mine(tenants, seen):
    return [tenant_id for tenant_id in seen if tenant_id in tenants]


def test_a_step_continues_where_the_last_one_ended(tenants, monkeypatch):
    monkeypatch.setattr(all_tenants.RoundStep, "_over", lambda self: True)
    seen, steps = [], 1
    while not all_tenants.run_step(JOB, lambda tenant_id: seen.append(tenant_id)):
        steps += 1
        assert stored().under_way
    assert mine(tenants, seen) == tenants
    assert steps >= len(tenants)
    assert stored().finished_at is not None
    assert not stored().under_way


def test_a_tenant_with_much_to_do_keeps_nobody_waiting(tenants, monkeypatch):
    """Before, the first tenant's two million rows used up the night."""
    monkeypatch.setattr(all_tenants, "TENANT_SECONDS", 0)  # one part in a turn
    first, left, seen = tenants[0], [30], []

    def work(tenant_id):
        seen.append(tenant_id)
        left[0] -= tenant_id == first
        return tenant_id == first and left[0] > 0

    while not all_tenants.run_step(JOB, work):
        pass
    assert left[0] == 0
    last = len(seen) - 1 - seen[::-1].index(first)
    assert all(seen.index(other) < last for other in tenants[1:])


def test_a_step_that_ends_early_asks_for_the_next(tenants, redis, monkeypatch):
    monkeypatch.setattr(all_tenants.RoundStep, "_over", lambda self: True)
    assert not all_tenants.run_step(JOB, lambda _: False)
    assert redis.exists(WakeUp(JOB).mark)


def test_two_workers_are_never_at_one_round(tenants):
    with global_scope():
        assert book.claim(JOB, 60) is not None
    seen = []
    assert not all_tenants.run_step(JOB, lambda tenant_id: seen.append(tenant_id))
    assert seen == []


def test_a_round_whose_worker_died_is_continued_by_the_sweep(tenants, redis, app):
    with global_scope():
        book.claim(JOB, 60)
    with frozen(now() + timedelta(seconds=61)):
        maintenance.sweep()
        assert redis.exists(WakeUp(JOB).mark)
        assert all_tenants.run_step(JOB, lambda _: False)


def test_a_tenant_whose_work_fails_does_not_stop_the_others(tenants):
    seen = []

    def work(tenant_id):
        seen.append(tenant_id)
        if tenant_id == tenants[0]:
            raise ValueError("broken")
        return False

    with pytest.raises(ValueError, match="broken"):
        all_tenants.run_step(JOB, work)
    assert mine(tenants, seen) == tenants
    assert not stored().under_way


def test_the_age_of_every_round_can_be_alarmed_on(tenants, client):
    all_tenants.run_step(JOB, lambda _: False)
    with frozen(now() + timedelta(hours=40)):
        answer = client.get("/metrics", headers={"Authorization": "Bearer metrics-token"})
    [line] = [
        one
        for one in answer.text.splitlines()
        if f'comanda_round_age_seconds{{job="{JOB}"}}' in one
    ]
    assert float(line.split()[-1]) >= 40 * 3600
