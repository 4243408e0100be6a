"""One tenant's lane: when its worker stays, and when it leaves."""

import asyncio
import time

import pytest

from core import lanes
from core.db import global_scope
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
    claim = claiming.claim

    def counted(*args):
        found.append(time.monotonic())
        return claim(*args)

    monkeypatch.setattr(claiming, "claim", counted)
    return found


def accept(business, line, text):
    with business.scope():
        sending.accept(Draft(kind="text", phone=PHONE, text=text), line, known_facts())


def work(app, business, seconds):
    with global_scope():
        leased = dict(lanes.lease_many(LANE, 30, 1000))
    drain = Drain(app)
    drain.until = time.monotonic() + seconds
    lane = LaneWork(drain, None, Pacing(), business.tenant_id, leased[business.tenant_id])
    return drain, lane


def test_what_is_held_back_is_not_asked_for_all_the_time(app, restaurant, line, looks):
    """The second message is due, but waits for the first one's retry."""
    accept(restaurant, line, "first")
    with restaurant.scope():
        [first] = claiming.claim(1, 60, [])
        claiming.begin([first], 60)
        settling.settle([(first, TryLater("busy", "Later.", after=60))])
    accept(restaurant, line, "second")
    looks.clear()
    _, lane = work(app, restaurant, 2.0)
    asyncio.run(lane.run())
    assert 1 <= len(looks) <= 12


def test_a_lane_that_another_worker_took_is_left_alone(app, restaurant, line, looks):
    accept(restaurant, line, "first")
    _, lane = work(app, restaurant, 3.0)
    with global_scope():
        lanes.release(LANE, restaurant.tenant_id, lane.lease)
    began = time.monotonic()
    assert asyncio.run(lane.run()) == 0
    assert looks == []
    assert time.monotonic() - began < 2.0


def test_a_suspended_accounts_messages_wait_until_it_is_resumed(app, restaurant, line):
    accept(restaurant, line, "held")
    with restaurant.scope():
        accounts.suspend("unpaid")
    _, lane = work(app, restaurant, 1.0)
    asyncio.run(lane.run())
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
