"""One tenant's lane: when its worker stays, and when it leaves."""

import asyncio
import time

import pytest
from redis.asyncio import Redis as AsyncRedis

from core.db import global_scope
from core.queue import lanes
from core.sql.async_pool import AsyncPool
from jobs.engine.slots import Slots
from jobs.sending.lane import FIRST_BATCH, SendLane
from jobs.sending.worker import SendWorker
from messaging.lines import repository as line_repository
from messaging.lines import send_lane
from messaging.lines.drivers.base import SendRefused, TryLater
from messaging.lines.pacing import LinePacing
from messaging.lines.send_lane import LANE
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import queries as message_queries
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from messaging.messages.sending import attempt
from tenants import accounts
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line

PHONE = "905321112233"


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


@pytest.fixture
def claims(monkeypatch):
    """How often the worker claimed messages."""
    found = []
    taken = message_claim.messages_from_rows

    def counted(*args):
        found.append(time.monotonic())
        return taken(*args)

    monkeypatch.setattr(message_claim, "messages_from_rows", counted)
    return found


def accept(business, line, text):
    with business.scope():
        message_accept.accept_message(
            MessageDraft(kind="text", phone=PHONE, text=text), line, current_tenant_facts()
        )


def lease_of(business):
    with global_scope():
        return dict(lanes.lease_many(LANE, 30, 1000))[business.tenant_id]


def work(app, business, lease, seconds):
    """Run a worker with this one lane. Returns how many messages it sent."""

    async def run():
        drain = SendWorker(app)
        drain.presence.until = time.monotonic() + seconds
        drain.pacing = LinePacing()
        async with (
            AsyncPool(drain.settings.database_url, 2) as pool,
            AsyncRedis.from_url(drain.settings.redis_url) as drain.redis,
        ):
            drain.use(pool)
            return await SendLane(drain, business.tenant_id, lease).run()

    return asyncio.run(run())


def test_what_is_held_back_is_not_asked_for_all_the_time(app, restaurant, line, claims):
    """The second message is due, but waits for the first one's retry."""
    accept(restaurant, line, "first")
    with restaurant.scope():
        [first] = message_claim.claim_messages(1, 60, [])
        message_settle.settle_messages([(first, TryLater("busy", "Later.", after=60))])
    accept(restaurant, line, "second")
    claims.clear()
    work(app, restaurant, lease_of(restaurant), 2.0)
    assert 1 <= len(claims) <= 12


def test_a_lane_that_another_worker_took_is_left_alone(app, restaurant, line, claims):
    accept(restaurant, line, "first")
    lease = lease_of(restaurant)
    with global_scope():
        lanes.release(LANE, restaurant.tenant_id, lease)
    began = time.monotonic()
    assert work(app, restaurant, lease, 60.0) == 0
    assert claims == []
    assert time.monotonic() - began < 30


def test_a_suspended_accounts_messages_wait_until_it_is_resumed(app, restaurant, line):
    accept(restaurant, line, "held")
    with restaurant.scope():
        accounts.suspend("unpaid")
    work(app, restaurant, lease_of(restaurant), 1.0)
    with restaurant.scope():
        assert [
            one.state
            for one in message_queries.list_messages(message_queries.MessageFilters(), None, 5)
        ] == ["queued"]
    with global_scope():
        assert restaurant.tenant_id not in dict(lanes.lease_many(LANE, 0, 1000))
    with restaurant.scope():
        accounts.resume()
        send_lane.wake_waiting_messages()
    with global_scope():
        assert restaurant.tenant_id in dict(lanes.lease_many(LANE, 0, 1000))
    with restaurant.scope():
        assert [one.envelope.text for one in message_claim.claim_messages(5, 60.0, [])] == ["held"]


def leased(app, business, pacing, slots=64):
    """What a worker leases of one business: its lane's first messages, and the free slots."""

    async def run():
        drain = SendWorker(app)
        drain.pacing, drain.slots = pacing, Slots(slots)
        async with AsyncPool(drain.settings.database_url, 2) as pool:
            drain.use(pool)
            requested, found = await drain.lease(2)
            own_lanes = [lane for lane in found if lane.tenant_id == business.tenant_id]
            for lane in own_lanes:
                await lane.hand_over()
            texts = [
                None if lane.first is None else [row[6] for row in lane.first if row[1]]
                for lane in own_lanes
            ]
            return requested, texts, drain.slots.acquire_now(slots)

    return asyncio.run(run())


def write_to_many(business, line, count):
    with business.scope():
        for number in range(count):
            draft = MessageDraft(kind="text", phone=f"9053211122{number:02}", text=f"text {number}")
            message_accept.accept_message(draft, line, current_tenant_facts())


def test_a_lane_is_leased_with_its_first_messages(app, restaurant, line):
    write_to_many(restaurant, line, 6)
    first = [f"text {number}" for number in range(FIRST_BATCH)]
    assert leased(app, restaurant, LinePacing()) == (2, [first], 64 - FIRST_BATCH)


def test_without_free_slots_a_lane_is_leased_alone(app, restaurant, line):
    write_to_many(restaurant, line, 2)
    assert leased(app, restaurant, LinePacing(), slots=3) == (2, [None], 3)


def test_the_lane_of_a_paused_line_is_leased_without_messages(app, restaurant, line):
    write_to_many(restaurant, line, 2)
    pacing = LinePacing()
    pacing.pause(restaurant.tenant_id, line.id, 80.0, 60)
    assert leased(app, restaurant, pacing) == (2, [[]], 64 - FIRST_BATCH)


@pytest.mark.parametrize(("test", "state"), [(True, "connected"), (False, "token_expired")])
def test_an_expired_token_pauses_a_live_line_and_never_the_test_line(app, restaurant, test, state):
    """One test send to 905550000005 must not stop the test sends that follow."""
    line = make_line(restaurant, default=not test, test=test)
    accept(restaurant, line, "x")
    outcome = SendRefused("token", "The access token has expired.", line_state="token_expired")
    with restaurant.scope():
        [claimed] = message_claim.claim_messages(1, 60, [])
        [told] = attempt.settle_others(restaurant.tenant_id, [(claimed, outcome)], LinePacing())
    assert (told.state, told.error_code) == ("failed", "line_unavailable")
    with restaurant.scope():
        assert line_repository.get(line.id).state == state
