"""The engine of jobs that work many lanes at once."""

import asyncio
import time

import pytest

from core.db import global_scope, notify_workers
from core.queue import lanes, wakeups
from jobs.engine.drain import DrainWorker

JOB, LANE = "jobs.webhooks.worker.drain", "toys"
TENANTS = range(9001, 9006)


class ToyLane:
    def __init__(self, worker, tenant_id, lease):
        self.worker, self.tenant_id, self.lease = worker, tenant_id, lease

    async def run(self):
        self.worker.at_once = max(self.worker.at_once, len(self.worker.working))
        await asyncio.sleep(0.02)
        if self.tenant_id in self.worker.broken:
            raise ValueError("broken toy")
        await self.worker.in_thread(self.release)
        self.worker.worked.append(self.tenant_id)
        return 1

    def release(self):
        with global_scope():
            lanes.release(LANE, self.tenant_id, self.lease)


class ToyWorker(DrainWorker):
    job, lane = JOB, LANE
    most_lanes = leased_at_once = 2
    hands_over = False

    def __init__(self, app, broken=()):
        super().__init__(app)
        self.broken, self.worked, self.at_once = broken, [], 0

    async def lease(self, most):
        def take():
            with global_scope():
                return lanes.lease_many(LANE, 30, most)

        return most, [ToyLane(self, *one) for one in await self.in_thread(take)]


def mark(*tenant_ids):
    with global_scope():
        for tenant_id in tenant_ids:
            lanes.mark_due(LANE, tenant_id)


def jobs_queued():
    return wakeups.queue_named("deliveries").count


@pytest.fixture
def worker(app):
    return ToyWorker(app)


def test_every_lane_is_worked_and_never_more_than_the_limit_at_once(worker):
    mark(*TENANTS)
    assert asyncio.run(worker.run()) == len(TENANTS)
    assert (sorted(worker.worked), worker.at_once) == (list(TENANTS), 2)


def test_a_full_worker_asks_for_another_one(worker):
    mark(*TENANTS)
    asyncio.run(worker.run())
    assert jobs_queued() == 1


def test_a_lane_that_fails_does_not_stop_the_others(app, logged):
    worker = ToyWorker(app, broken=(TENANTS[0],))
    mark(*TENANTS)
    assert asyncio.run(worker.run()) == len(TENANTS) - 1
    [entry] = [line for line in logged().splitlines() if "lane failed" in line]
    assert LANE in entry
    assert str(TENANTS[0]) in entry


def test_a_waiting_worker_gets_a_wake_up_without_a_new_job(app, worker, redis):
    worker.settings = worker.settings.model_copy(update={"linger_seconds": 1.0})

    async def run():
        working = asyncio.create_task(worker.run())
        await asyncio.to_thread(wake)
        return await working

    def wake():
        while not redis.exists(wakeups.presence_key(JOB)):
            time.sleep(0.01)
        with app.app_context():
            mark(TENANTS[0])
            with global_scope():
                notify_workers(JOB)

    assert asyncio.run(run()) == 1
    assert jobs_queued() == 0


def test_a_lane_that_is_marked_while_the_worker_leaves_gets_a_job(app, worker):
    leave = worker.presence.leave

    async def marked_meanwhile(redis):
        await worker.in_thread(lambda: mark(TENANTS[0]))
        await leave(redis)

    worker.presence.leave = marked_meanwhile
    assert asyncio.run(worker.run()) == 0
    assert jobs_queued() == 1


def test_a_tenant_that_is_named_while_the_worker_leaves_gets_a_job(app, worker, redis):
    leave = worker.presence.leave

    async def named_meanwhile(given):
        redis.sadd(wakeups.TENANT_SETS[JOB], TENANTS[0])
        await leave(given)

    worker.presence.leave = named_meanwhile
    assert asyncio.run(worker.run()) == 0
    assert jobs_queued() == 1


def test_what_runs_in_the_background_ends_before_the_worker(worker):
    ended = []

    async def slow():
        await asyncio.sleep(0.3)
        ended.append(True)

    async def run():
        worker.run_in_background(slow())
        await worker.run()

    asyncio.run(run())
    assert ended == [True]
