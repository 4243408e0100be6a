"""A request that waits for its message's outcome: one call registers it and wakes a worker."""

import threading
import time
from decimal import Decimal

import pytest

from core.queue.wakeups import WakeUp, presence_key, queue_named
from messaging.messages import sync_wait
from messaging.messages.settle import MessageOutcome
from tests.timeouts import allow_for_load

JOB = "jobs.sending.worker.drain"


@pytest.fixture
def outcome(app, redis):
    queue_named("sends", redis).empty()
    return MessageOutcome(f"msg_{time.time_ns()}", "sent", "wamid.1", Decimal("0.02"))


def test_an_outcome_that_is_published_meanwhile_ends_the_wait(redis, outcome):
    def publish():
        while not redis.exists(f"waits:{outcome.id}"):
            time.sleep(0.005)
        sync_wait.publish_outcomes([outcome], redis)

    threading.Thread(target=publish, daemon=True).start()
    found = sync_wait.wait_for_outcome(outcome.id, WakeUp(JOB), allow_for_load(10))
    assert (found.id, found.state, found.network_id) == (outcome.id, "sent", "wamid.1")
    assert [job.func_name for job in queue_named("sends", redis).jobs] == [JOB]


def test_an_outcome_that_was_published_before_is_found_at_once(redis, outcome):
    sync_wait.publish_outcomes([outcome], redis)
    found = sync_wait.wait_for_outcome(outcome.id, WakeUp(JOB), allow_for_load(10))
    assert found.network_id == "wamid.1"
    assert not redis.exists(f"waits:{outcome.id}", f"outcome:{outcome.id}")


def test_a_present_worker_is_woken_without_a_job(redis, outcome):
    redis.zadd(presence_key(JOB), {"worker": time.time() + 60})
    assert sync_wait.wait_for_outcome(outcome.id, WakeUp(JOB), 0.05) is None
    assert (redis.llen("bell:sends"), queue_named("sends", redis).count) == (1, 0)
    assert 0 < redis.ttl(f"waits:{outcome.id}") <= sync_wait.OUTCOME_TTL_SECONDS
