"""Counters of all processes: kept in memory, added up in Redis, shown at /metrics."""

from core.monitoring import metrics
from core.monitoring.metrics import Counter, Histogram
from core.redis.client import connect_redis


def values(family):
    return {(one.name, *one.labels.values()): one.value for one in family.samples}


def test_a_histogram_counts_each_observation_in_every_bucket_above_it(app, monkeypatch):
    seconds = Histogram("test_seconds", "", (0.1, 1.0))
    monkeypatch.setattr(metrics, "ALL", (seconds,))
    seconds.observe([0.05, 0.5, 0.1])
    seconds.observe([30.0])
    found = values(metrics.families()[0])
    assert found["test_seconds_bucket", "0.1"] == 2
    assert found["test_seconds_bucket", "1.0"] == 3
    assert found["test_seconds_bucket", "+Inf"] == 4
    assert found["test_seconds_count",] == 4
    assert round(found["test_seconds_sum",], 2) == 30.65


def test_counts_that_redis_did_not_take_are_added_later(app, settings, monkeypatch):
    letters = Counter("test_letters", "", "kind")
    monkeypatch.setattr(metrics, "ALL", (letters,))
    connect_redis("redis://127.0.0.1:1/0")
    try:
        letters.add("a", 2)
        metrics.flush()
    finally:
        connect_redis(settings.redis_url)
    letters.add("a")
    assert values(metrics.families()[0])["test_letters_total", "a"] == 3
