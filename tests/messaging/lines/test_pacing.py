"""How fast a line may send: over all processes, and without Redis."""

import asyncio
import time

import pytest
from redis.asyncio import Redis as AsyncRedis

from core.redis import client
from messaging.lines.pacing import (
    LOCAL_SHARE,
    PAIR_BURST,
    LinePacing,
    MessagePacing,
    PacedMessage,
)

TENANT, LINE = 7, 70


def message(number=0, per_second=10.0, line=LINE):
    return PacedMessage(line, f"90532111{number:04}", per_second)


@pytest.fixture
def take_pace(app, settings):
    """Take the pace as a worker does."""

    def taken(pacing, messages):
        async def run():
            async with AsyncRedis.from_url(settings.redis_url) as redis:
                return await pacing.take(redis, TENANT, messages)

        return asyncio.run(run())

    return taken


@pytest.fixture
def redis_down(app, monkeypatch):
    monkeypatch.setattr(client, "_down_until", time.monotonic() + 600)


def sends(take_pace, pacing, count, per_second=10.0, first=0):
    messages = [message(first + number, per_second) for number in range(count)]
    assert take_pace(pacing, messages) == [0.0] * count


def test_a_line_is_tight_when_it_has_little_left(take_pace):
    pacing = LinePacing()
    sends(take_pace, pacing, 3)
    assert pacing.nearly_exhausted(4) == {}
    sends(take_pace, pacing, 7, first=3)
    assert pacing.nearly_exhausted(4).keys() == {LINE}


def test_a_line_that_has_to_pause_gives_nothing(take_pace):
    pacing = LinePacing()
    sends(take_pace, pacing, 1)
    pacing.pause(TENANT, LINE, 10.0, 60)
    assert pacing.nearly_exhausted(4) == {LINE: 0}
    assert 59 < pacing.next_allowed(TENANT) <= 60
    assert pacing.allowed(TENANT) == {LINE: 0}


def test_a_rested_line_is_forgotten(take_pace, monkeypatch):
    pacing = LinePacing()
    sends(take_pace, pacing, 9)
    later = time.monotonic() + 5
    monkeypatch.setattr("messaging.lines.pacing.time.monotonic", lambda: later)
    assert pacing.nearly_exhausted(4) == {}
    assert not pacing._tight


def test_a_slow_line_is_tight_as_long_as_its_one_token_is_gone(take_pace):
    pacing = LinePacing()
    sends(take_pace, pacing, 1, per_second=0.5)
    assert pacing.nearly_exhausted(4) == {LINE: 0}


def test_workers_and_web_processes_share_the_pace_of_a_line(take_pace):
    web, other_web = MessagePacing(LOCAL_SHARE / 2), MessagePacing(LOCAL_SHARE / 2)
    assert [web.take(TENANT, message(number, 3.0)) for number in range(2)] == [0, 0]
    waits = take_pace(LinePacing(), [message(number, 3.0) for number in range(2, 5)])
    assert waits[0] == 0
    assert all(0 < wait <= 0.34 for wait in waits[1:])
    assert other_web.take(TENANT, message(9, 3.0)) > 0


def test_a_restarted_worker_does_not_begin_with_a_full_bucket(take_pace):
    sends(take_pace, LinePacing(), 2, per_second=2.0)
    [wait] = take_pace(LinePacing(), [message(5, 2.0)])
    assert 0 < wait <= 0.5


def test_a_pause_holds_for_every_process(take_pace):
    MessagePacing(LOCAL_SHARE).pause(TENANT, LINE, 10.0, 30)
    [wait] = take_pace(LinePacing(), [message()])
    assert 29 < wait <= 30
    assert MessagePacing(LOCAL_SHARE).take(TENANT, message()) > 0
    assert MessagePacing(LOCAL_SHARE).take(TENANT, message(line=LINE + 1)) == 0


def test_after_a_pause_a_line_sends_at_its_pace_and_not_in_a_burst(take_pace):
    LinePacing().pause(TENANT, LINE, 10.0, 0.05)
    time.sleep(0.06)
    waits = take_pace(LinePacing(), [message(number) for number in range(4)])
    assert waits[0] == 0
    assert waits[-1] > 0


def test_the_pace_of_one_recipient_holds_for_every_process(take_pace):
    web = MessagePacing(LOCAL_SHARE)
    assert not any(web.take(TENANT, message(0, 1000.0)) for _ in range(PAIR_BURST - 1))
    assert take_pace(LinePacing(), [message(0, 1000.0)]) == [0.0]
    assert web.take(TENANT, message(0, 1000.0)) > 0
    assert web.take(TENANT, message(1, 1000.0)) == 0


def test_a_token_that_was_not_used_comes_back(take_pace):
    web = MessagePacing(LOCAL_SHARE)
    assert web.take(TENANT, message(0, 0.1)) == 0
    web.give_back(TENANT, message(0, 0.1))
    assert take_pace(LinePacing(), [message(0, 0.1)]) == [0.0]


def test_without_redis_all_processes_together_keep_the_pace(take_pace, redis_down):
    """Two web processes have a quarter each, and the worker with the lane has half."""
    webs = [MessagePacing(LOCAL_SHARE / 2), MessagePacing(LOCAL_SHARE / 2)]
    granted = [
        sum(one.take(TENANT, message(number, 8.0)) == 0 for number in range(20)) for one in webs
    ]
    waits = take_pace(LinePacing(), [message(number, 8.0) for number in range(20)])
    assert LOCAL_SHARE == 0.5
    assert [*granted, waits.count(0.0)] == [2, 2, 4]


def test_without_redis_a_pause_holds_in_its_process(take_pace, redis_down):
    web = MessagePacing(LOCAL_SHARE)
    web.pause(TENANT, LINE, 10.0, 30)
    assert web.take(TENANT, message()) > 0
    web.give_back(TENANT, message(line=LINE + 1))
    assert web.take(TENANT, message(line=LINE + 1)) == 0


def test_a_phone_number_is_not_readable_in_redis(take_pace, redis):
    MessagePacing(LOCAL_SHARE).take(TENANT, message())
    assert not [key for key in redis.keys("*") if b"90532" in key]


def test_a_redis_without_the_script_gets_it(take_pace, redis):
    redis.script_flush()
    assert take_pace(LinePacing(), [message()]) == [0.0]
    assert redis.exists(f"bucket:line:{TENANT}:{LINE}")


def test_a_redis_that_does_not_answer_is_not_waited_for(app, settings, monkeypatch):
    """A worker continues with its own share of the rate."""

    class Hung:
        async def evalsha(self, *_):
            await asyncio.sleep(60)

    monkeypatch.setattr("core.rate_limits.TAKE_SECONDS", 0.05)
    monkeypatch.setattr(client, "_down_until", 0.0)
    assert asyncio.run(LinePacing().take(Hung(), TENANT, [message()])) == [0.0]
    assert client.redis_is_down()
    monkeypatch.setattr(client, "_down_until", 0.0)
