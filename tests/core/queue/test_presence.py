"""Worker presence: workers do not remove each other's keys, and take over one after the other."""

import asyncio
import time

import pytest
from redis.asyncio import Redis as AsyncRedis

from core.queue import presence as worker_presence
from core.queue.presence import MIN_SECONDS, YIELD_AFTER_SECONDS, WorkerPresence, sends_are_waiting
from core.queue.wakeups import presence_key

JOB, DELIVER = "jobs.sending.worker.drain", "jobs.webhooks.worker.drain"
WORKERS = "rq:workers:sends"


@pytest.fixture
def at_work(app, settings):
    """`at_work(story)` runs a scenario of workers against an empty Redis."""

    def run(story):
        async def inside():
            redis = AsyncRedis.from_url(settings.redis_url)
            keys = (presence_key(JOB), presence_key(DELIVER), f"rests:{JOB}", WORKERS)
            keys += ("rq:queue:hooks", "rq:queue:sends")
            await redis.delete(*keys)
            try:
                return await story(redis)
            finally:
                await redis.delete(*keys)
                await redis.aclose()

        return asyncio.run(inside())

    return run


def test_a_worker_that_leaves_does_not_end_the_presence_of_another(at_work):
    async def story(redis):
        one, other = WorkerPresence(JOB, 30, name="one"), WorkerPresence(JOB, 30, name="other")
        await one.heartbeat(redis)
        await other.heartbeat(redis)
        await one.leave(redis)
        still = await redis.exists(presence_key(JOB))
        await other.leave(redis)
        return still, await redis.exists(presence_key(JOB))

    assert at_work(story) == (1, 0)


def test_a_worker_that_died_is_not_waited_for_when_the_last_one_leaves(at_work):
    async def story(redis):
        await redis.zadd(presence_key(JOB), {"dead": time.time() - 1})
        one = WorkerPresence(JOB, 30, name="one")
        await one.heartbeat(redis)
        await one.leave(redis)
        return await redis.exists(presence_key(JOB))

    assert at_work(story) == 0


def test_while_one_rests_the_next_one_stays(at_work):
    async def story(redis):
        one, other = WorkerPresence(JOB, 0.5, name="one"), WorkerPresence(JOB, 0.5, name="other")
        for shift in (one, other):
            await shift.heartbeat(redis)
        ends = one.until
        for shift in (one, other):
            await shift.heartbeat(redis)
        assert one.until == ends, "the first may go at its time"
        assert other.until > ends + 1, "the second stays a little"
        await WorkerPresence(JOB, 30, name="one").heartbeat(redis)
        other.until = ends
        await other.heartbeat(redis)
        return other.until == ends

    assert at_work(story), "once the first is back, the second may go"


def test_the_only_one_awake_waits_for_another_worker_if_there_is_any(at_work):
    async def story(redis):
        said = []
        for workers in (["a"], ["a", "b"]):
            await redis.sadd(WORKERS, *workers)
            one = WorkerPresence(JOB, 0.5, name="one")
            await one.heartbeat(redis)
            ends = one.until
            said.append((await one.heartbeat(redis), one.until > ends))
        return said

    assert at_work(story) == [(False, False), (True, True)]


@pytest.fixture
def served():
    worker_presence.set_served_queues(["sends", "hooks"])
    yield
    worker_presence.set_served_queues([])


@pytest.mark.parametrize(
    ("job", "waits_in", "workers", "beside", "goes"),
    [
        (JOB, "hooks", ["a"], False, True),
        (JOB, "hooks", ["a", "b"], False, False),
        (JOB, "hooks", ["a", "b"], True, True),
        (JOB, "", ["a"], False, False),
        (DELIVER, "hooks", ["a", "b"], False, True),
        (DELIVER, "sends", ["a", "b"], False, True),
    ],
)
def test_who_gives_way_to_another_queue(at_work, served, job, waits_in, workers, beside, goes):
    """A worker leaves the messages unattended only if it is the only worker."""

    async def story(redis):
        await redis.sadd(WORKERS, *workers)
        if waits_in:
            await redis.rpush(f"rq:queue:{waits_in}", "a job")
        if beside:
            await WorkerPresence(job, 30, name="other").heartbeat(redis)
        one = WorkerPresence(job, 30, waits=job == JOB, name="one")
        one._began -= MIN_SECONDS
        await one.heartbeat(redis)
        assert one.over == (waits_in == "sends"), "anything else somebody may take in a moment"
        if one._others_since is not None:
            one._others_since -= YIELD_AFTER_SECONDS
        await one.heartbeat(redis)
        return one.over

    assert at_work(story) == goes


def test_a_worker_does_not_yield_while_another_sends_messages(at_work, served):
    async def story(redis):
        await redis.rpush("rq:queue:sends", "a job")
        await WorkerPresence(JOB, 30, name="other").heartbeat(redis)
        one = WorkerPresence(DELIVER, 30, waits=False, name="one")
        await one.heartbeat(redis)
        return one._others_since, sends_are_waiting()

    assert at_work(story) == (None, False)


def test_messages_that_wait_alone_end_whatever_a_worker_is_at(at_work, served):
    async def story(redis):
        said = [sends_are_waiting()]
        await redis.rpush("rq:queue:sends", "a job")
        said.append(sends_are_waiting())
        worker_presence.set_served_queues(["hooks"])
        return [*said, sends_are_waiting()]

    assert at_work(story) == [False, True, False]


def test_nobody_stays_for_ever(at_work):
    async def story(redis):
        await redis.sadd(WORKERS, "a", "b")
        one = WorkerPresence(JOB, 0.5, name="one")
        one._latest = one.until + 0.1
        for _ in range(3):
            await one.heartbeat(redis)
        return one.until - time.monotonic()

    assert at_work(story) < 1
