"""Workers that stay awake for a job: nobody silences another, and they rest in turn."""

import asyncio
import time

import pytest
from redis.asyncio import Redis as AsyncRedis

from core.rings import awake_key
from core.shifts import Shift

JOB = "jobs.sends.drain"
WORKERS = "rq:workers:sends"


@pytest.fixture
def at_work(app, settings):
    """`at_work(story)` runs a story of workers against an empty Redis."""

    def run(story):
        async def inside():
            redis = AsyncRedis.from_url(settings.redis_url)
            keys = (awake_key(JOB), f"rests:{JOB}", WORKERS)
            await redis.delete(*keys)
            try:
                return await story(redis)
            finally:
                await redis.delete(*keys)
                await redis.aclose()

        return asyncio.run(inside())

    return run


def test_who_falls_asleep_silences_nobody_else(at_work):
    async def story(redis):
        one, other = Shift(JOB, 30, name="one"), Shift(JOB, 30, name="other")
        await one.stay(redis)
        await other.stay(redis)
        await one.leave(redis)
        still = await redis.exists(awake_key(JOB))
        await other.leave(redis)
        return still, await redis.exists(awake_key(JOB))

    assert at_work(story) == (1, 0)


def test_a_worker_that_died_is_not_waited_for_when_the_last_one_leaves(at_work):
    async def story(redis):
        await redis.zadd(awake_key(JOB), {"dead": time.time() - 1})
        one = Shift(JOB, 30, name="one")
        await one.stay(redis)
        await one.leave(redis)
        return await redis.exists(awake_key(JOB))

    assert at_work(story) == 0


def test_while_one_rests_the_next_one_stays(at_work):
    async def story(redis):
        one, other = Shift(JOB, 0.5, name="one"), Shift(JOB, 0.5, name="other")
        for shift in (one, other):
            await shift.stay(redis)
        ends = one.until
        for shift in (one, other):
            await shift.stay(redis)
        assert one.until == ends, "the first may go at its time"
        assert other.until > ends + 1, "the second stays a little"
        await Shift(JOB, 30, name="one").stay(redis)
        other.until = ends
        await other.stay(redis)
        return other.until == ends

    assert at_work(story), "once the first is back, the second may go"


def test_the_only_one_awake_waits_for_another_worker_if_there_is_any(at_work):
    async def story(redis):
        said = []
        for workers in (["a"], ["a", "b"]):
            await redis.sadd(WORKERS, *workers)
            one = Shift(JOB, 0.5, name="one")
            await one.stay(redis)
            ends = one.until
            said.append((await one.stay(redis), one.until > ends))
        return said

    assert at_work(story) == [(False, False), (True, True)]


def test_nobody_stays_for_ever(at_work):
    async def story(redis):
        await redis.sadd(WORKERS, "a", "b")
        one = Shift(JOB, 0.5, name="one")
        one._latest = one.until + 0.1
        for _ in range(3):
            await one.stay(redis)
        return one.until - time.monotonic()

    assert at_work(story) < 1
