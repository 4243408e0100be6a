"""One tenant's lane: when its worker stays, and when it leaves."""

import asyncio
import time

import pytest

from core import lanes
from core.db import global_scope
from core.hot_async import AsyncPool
from jobs.lane import LaneWork
from jobs.sends import Drain
from messaging import claiming, reading, sending, settling
from messaging.lines import TryLater
from messaging.pacing import Pacing
from messaging.sending import LANE, Draft
from tenants import accounts
from tenants.plans import known_facts
from tests.lines import give_line

PHONE = "905321112233"


@pytest.fixture
def line(restaurant):
    return give_line(restaurant)


@pytest.fixture
def looks(monkeypatch):
    """How often the worker asked for messages."""
    found = []
    taken = claiming.taken

    def counted(*args):
        found.append(time.monotonic())
        return taken(*args)

    monkeypatch.setattr(claiming, "taken", counted)
    return found


def accept(business, line, text):
    with business.scope():
        sending.accept(Draft(kind="text", phone=PHONE, text=text), line, known_facts())


def lease_of(business):
    with global_scope():
        return dict(lanes.lease_many(LANE, 30, 1000))[business.tenant_id]


def work(app, business, lease, seconds):
    """A worker that has this one lane in its hands. Returns how many messages it sent."""

    async def run():
        drain = Drain(app)
        drain.shift.until = time.monotonic() + seconds
        drain.pacing = Pacing()
        async with AsyncPool(drain.settings.database_url, 2) as hot:
            drain.use(hot)
            return await LaneWork(drain, business.tenant_id, lease).run()

    return asyncio.run(run())


def test_what_is_held_back_is_not_asked_for_all_the_time(app, restaurant, line, looks):
    """The second message is due, but waits for the first one's retry."""
    accept(restaurant, line, "first")
    with restaurant.scope():
        [first] = claiming.claim(1, 60, [])
        settling.settle([(first, TryLater("busy", "Later.", after=60))])
    accept(restaurant, line, "second")
    looks.clear()
    work(app, restaurant, lease_of(restaurant), 2.0)
    assert 1 <= len(looks) <= 12


def test_a_lane_that_another_worker_took_is_left_alone(app, restaurant, line, looks):
    accept(restaurant, line, "first")
    lease = lease_of(restaurant)
    with global_scope():
        lanes.release(LANE, restaurant.tenant_id, lease)
    began = time.monotonic()
    assert work(app, restaurant, lease, 60.0) == 0
    assert looks == []
    assert time.monotonic() - began < 30


def test_a_suspended_accounts_messages_wait_until_it_is_resumed(app, restaurant, line):
    accept(restaurant, line, "held")
    with restaurant.scope():
        accounts.suspend("unpaid")
    work(app, restaurant, lease_of(restaurant), 1.0)
    with restaurant.scope():
        assert [one.state for one in reading.listed(reading.Filters(), None, 5)] == ["queued"]
    with global_scope():
        assert restaurant.tenant_id not in dict(lanes.lease_many(LANE, 0, 1000))
    with restaurant.scope():
        accounts.resume()
        sending.look_again()
    with global_scope():
        assert restaurant.tenant_id in dict(lanes.lease_many(LANE, 0, 1000))
    with restaurant.scope():
        assert [one.envelope.text for one in claiming.claim(5, 60.0, [])] == ["held"]
