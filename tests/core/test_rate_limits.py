"""Token buckets: exact with Redis, a share for each process without it."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from core import rate_limits
from core.rate_limits import (
    Bucket,
    LocalBuckets,
    RateLimitResult,
    bump_cache_generation,
    set_process_count,
    take_tokens,
)
from core.redis import client
from core.redis.client import connect_redis
from tests.timeouts import allow_for_load


@pytest.fixture
def name(app):
    return f"test {uuid4()}"


@pytest.fixture
def no_redis(app, settings):
    connect_redis("redis://127.0.0.1:1/0")
    set_process_count(1)
    yield
    connect_redis(settings.redis_url)
    set_process_count(settings.web_processes)


def spend(bucket, times):
    return [take_tokens([bucket]) for _ in range(times)]


def test_a_burst_is_granted_and_then_no_more(name):
    taken = spend(Bucket(name, rate=0.1, burst=10), 12)
    assert [t.allowed for t in taken] == [True] * 10 + [False] * 2
    assert [t.left for t in taken] == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]


def test_a_refusal_shows_how_long_to_wait(name):
    refused = spend(Bucket(name, rate=0.1, burst=1), 2)[1]
    assert 9000 < refused.wait_ms <= 10_000
    assert refused.retry_after == 10


def test_tokens_come_back_with_time(name):
    bucket = Bucket(name, rate=4, burst=1)
    assert [t.allowed for t in spend(bucket, 2)] == [True, False]
    time.sleep(0.3)
    assert take_tokens([bucket]).allowed


def test_a_refusal_costs_nothing(name):
    bucket = Bucket(name, rate=20, burst=1)
    spend(bucket, 20)
    time.sleep(0.06)
    assert take_tokens([bucket]).allowed


def test_all_buckets_or_none(name):
    wide, narrow = Bucket(f"{name} wide", 0.1, 10), Bucket(f"{name} narrow", 0.1, 2)
    taken = [take_tokens([wide, narrow]) for _ in range(5)]
    assert [t.allowed for t in taken] == [True, True, False, False, False]
    assert take_tokens([wide]).left == 7


def test_the_first_bucket_is_reported(name):
    assert take_tokens([Bucket(name, 0.1, 5), Bucket(f"{name} 2", 0.1, 50)]).left == 4


def test_a_dear_request_takes_more(name):
    taken = spend(Bucket(name, rate=0.1, burst=10, cost=4), 3)
    assert [(t.allowed, t.left) for t in taken] == [(True, 6), (True, 2), (False, 2)]


def test_many_at_once_never_pass_the_burst(app, name):
    bucket = Bucket(name, rate=0.01, burst=25)
    with ThreadPoolExecutor(16) as pool:
        allowed = [t.allowed for t in pool.map(lambda _: take_tokens([bucket]), range(100))]
    assert sum(allowed) == 25


def test_keys_in_redis_expire(name, redis):
    take_tokens([Bucket(name, rate=10, burst=5)])
    assert 0 < redis.pttl(f"bucket:{name}") <= 500


def test_the_generation_comes_home_with_the_token(name):
    assert take_tokens([Bucket(name, 10, 5)], name).generation == "0"
    bump_cache_generation(name)
    assert take_tokens([Bucket(name, 10, 5)], name).generation == "1"


def test_without_redis_the_limit_still_holds(name, no_redis):
    taken = spend(Bucket(name, rate=0.1, burst=10), 12)
    assert [t.allowed for t in taken] == [True] * 10 + [False] * 2
    assert taken[0].generation is None
    assert taken[-1].retry_after >= 9


def test_without_redis_each_process_has_its_share(name, no_redis):
    set_process_count(4)
    allowed = [t.allowed for t in spend(Bucket(name, rate=0.1, burst=20), 20)]
    assert sum(allowed) == 5


def test_a_share_is_never_nothing():
    alone = LocalBuckets(share=1 / 100)
    assert alone.take_tokens([Bucket("small", 1, 10)]).allowed
    assert not alone.take_tokens([Bucket("small", 1, 10)]).allowed


def test_the_local_memory_does_not_grow_for_ever():
    local = LocalBuckets()
    for number in range(50_010):
        local.take_tokens([Bucket(str(number), rate=1e6, burst=1)])
    assert len(local._full_at) < 50_010


def test_a_generation_that_cannot_be_announced_breaks_nothing(no_redis):
    bump_cache_generation("anybody")


def test_a_process_that_loses_redis_and_finds_it_again_goes_on(app, settings, name):
    bucket = Bucket(name, rate=0.1, burst=3)
    assert take_tokens([bucket]).left == 2
    connect_redis("redis://127.0.0.1:1/0")
    try:
        assert take_tokens([bucket]).generation is None
    finally:
        connect_redis(settings.redis_url)
    assert (take_tokens([bucket]).left, rate_limits.take_tokens([bucket]).left) == (1, 0)


def test_a_redis_that_hangs_is_waited_for_once_a_second_and_not_by_everybody(app, settings, name):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connect_redis(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        try:
            assert take_tokens([Bucket(name, rate=0.1, burst=50)]).allowed
            began = time.monotonic()
            assert [take_tokens([Bucket(name, rate=0.1, burst=50)]).allowed for _ in range(20)] == [
                True
            ] * 20
            assert time.monotonic() - began < allow_for_load(0.5)
        finally:
            connect_redis(settings.redis_url)
    assert take_tokens([Bucket(name, rate=0.1, burst=50)], name).generation == "0"


def test_redis_is_asked_again_after_its_rest(app, name, monkeypatch):
    monkeypatch.setattr(client, "_down_until", time.monotonic() + 60)
    assert take_tokens([Bucket(name, 10, 5)]).generation is None
    monkeypatch.setattr(client, "_down_until", time.monotonic())
    assert take_tokens([Bucket(name, 10, 5)]).generation == "0"


def test_a_wait_is_at_least_one_whole_second():
    assert RateLimitResult(False, 0, 10, 1, None).retry_after == 1
    assert RateLimitResult(False, 0, 10, 1001, None).retry_after == 2
