"""Sessions in one host's hands, with clients that misbehave on purpose."""

import asyncio

import pytest
from sqlalchemy import select, update

from core.db import db, global_scope
from core.queue import leases
from core.queue.leases import Lease
from jobs.linked import session as linked_session
from jobs.linked.host import LinkedHost
from messaging import reasons
from messaging.inbox import typing_indicator
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import SendAccepted, TryLater
from messaging.lines.drivers.cloud.media import MediaNotFetched
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked.client import (
    LINKED_KIND,
    ClientConnected,
    ClientDisconnected,
    DevicePaired,
)
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.inbox.inbox_factory import talk_with, writes
from tests.messaging.lines.linked_processes import add_line, state_of


class Phone:
    """A client that links at once and gives the prepared answers."""

    def __init__(self, outcome=None, before_answer=None):
        self.outcome = outcome or SendAccepted("3EB0C0FFEE")
        self.before_answer = before_answer
        self.sent = []
        self.read = []

    async def events(self, code_phone=""):
        yield DevicePaired("a device", "905321110000", "Derya")
        yield ClientConnected()
        await asyncio.sleep(3600)

    async def send(self, envelope, media):
        self.sent.append(envelope.text)
        if self.before_answer:
            await self.before_answer()
        return self.outcome

    async def mark_read(self, phone, network_id, *, typing):
        self.read.append((phone, network_id, typing))

    async def fetch(self, source, most):
        raise MediaNotFetched("there is no file", final=True)

    async def log_out(self):
        pass

    async def close(self):
        pass


class Broken(Phone):
    async def events(self, code_phone=""):
        raise RuntimeError("nobody expected this")
        yield


class Unreachable(Phone):
    async def events(self, code_phone=""):
        yield ClientDisconnected(reasons.UNREACHABLE)


@pytest.fixture(autouse=True)
def _quick(monkeypatch, app):
    monkeypatch.setattr(linked_session, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(linked_session, "LONGEST_PAUSE", 0.05)
    with global_scope():
        db.session.execute(db.delete(Lease))  # what other tests left behind is not for this host


def hosted(app, clients, until, seconds=15):
    """A host in this process, until something is so."""

    async def go():
        host = LinkedHost(app)
        host.open = lambda _network, session: clients[session.line_id]
        running = asyncio.create_task(host.run())
        end = asyncio.get_running_loop().time() + seconds
        try:
            while not await host.in_thread(until):
                assert asyncio.get_running_loop().time() < end, "it did not happen in time"
                assert not running.done(), running
                await asyncio.sleep(0.05)
        finally:
            host.stopping.set()
            await running

    asyncio.run(go())


def request_sessions(business, *line_ids):
    with business.scope():
        for line_id in line_ids:
            pairing.start(line_id)


def send(business, line_id, text="selam"):
    with business.scope():
        line = line_repository.get(line_id)
        return message_accept.accept_message(
            MessageDraft("text", "905321112233", text), line, current_tenant_facts()
        ).id


def message(business, message_id):
    with business.scope():
        return message_queries.get(message_id)


def test_one_bad_session_hurts_no_other(app, restaurant, shop):
    bad, good = add_line(restaurant), add_line(shop)
    request_sessions(restaurant, bad)
    request_sessions(shop, good)
    message_id = send(shop, good)
    phone = Phone()

    def both():
        return (
            state_of(restaurant, bad) == "unpaired"
            and message(shop, message_id).state == "sent"
            and state_of(shop, good) == "connected"
        )

    hosted(app, {bad: Broken(), good: phone}, both)
    assert phone.sent == ["selam"]
    with restaurant.scope():
        line, linked = pairing.get_linked_line(bad)
        assert line.state_because == reasons.PARKED
        assert linked.wanted == "nothing"
    with global_scope():
        left = select(Lease.thing).where(Lease.kind == LINKED_KIND)
        assert list(db.session.scalars(left)) == [good]


def test_a_parked_session_is_started_again_by_a_restart(app, restaurant):
    line_id = add_line(restaurant)
    request_sessions(restaurant, line_id)
    hosted(app, {line_id: Phone()}, lambda: state_of(restaurant, line_id) == "connected")
    wants_again = {line_id: Broken()}
    hosted(app, wants_again, lambda: state_of(restaurant, line_id) == "disconnected")
    with restaurant.scope():
        pairing.restart(line_id)
    hosted(app, {line_id: Phone()}, lambda: state_of(restaurant, line_id) == "connected")


def test_a_network_that_is_down_is_not_a_fault_of_the_session(app, restaurant):
    line_id = add_line(restaurant)
    request_sessions(restaurant, line_id)
    hosted(app, {line_id: Phone()}, lambda: state_of(restaurant, line_id) == "connected")
    away = {line_id: Unreachable()}
    hosted(app, away, lambda: state_of(restaurant, line_id) == "disconnected")
    with restaurant.scope():
        line, linked = pairing.get_linked_line(line_id)
        assert (line.state_because, linked.wanted) == (reasons.UNREACHABLE, "session")
    hosted(app, {line_id: Phone()}, lambda: state_of(restaurant, line_id) == "connected")


@pytest.mark.parametrize(
    ("outcome", "state"),
    [(SendAccepted("3EB0AA"), "sent"), (TryLater("busy", "Not now."), "sending")],
)
def test_a_host_that_was_passed_over_writes_only_facts(app, restaurant, outcome, state):
    line_id = add_line(restaurant)
    request_sessions(restaurant, line_id)
    message_id = send(restaurant, line_id)
    passed_over = []

    async def another_host_takes_it():
        await asyncio.to_thread(take)

    def take():
        with app.app_context(), global_scope():
            mine = (Lease.kind == LINKED_KIND, Lease.thing == line_id)
            db.session.execute(update(Lease).where(*mine).values(leased_until=None))
            passed_over.extend(leases.acquire(LINKED_KIND, "another", 60, 1000))

    phone = Phone(outcome, another_host_takes_it)
    hosted(app, {line_id: phone}, lambda: bool(passed_over))
    assert message(restaurant, message_id).state == state
    assert phone.sent == ["selam"]


def test_what_leaves_by_a_line_that_is_off_waits(app, restaurant):
    line_id = add_line(restaurant)
    request_sessions(restaurant, line_id)
    phone = Phone()
    message_id = send(restaurant, line_id)
    with restaurant.scope():
        line_repository.set_enabled(line_id, False)
    hosted(app, {line_id: phone}, lambda: state_of(restaurant, line_id) == "connected")
    assert message(restaurant, message_id).state == "queued"
    with restaurant.scope():
        line_repository.set_enabled(line_id, True)
    hosted(app, {line_id: phone}, lambda: message(restaurant, message_id).state == "sent")


def test_hosts_that_start_together_share(app, restaurant):
    lines = [add_line(restaurant) for _ in range(8)]
    request_sessions(restaurant, *lines)
    with global_scope():
        assert [len(leases.acquire(LINKED_KIND, host, 30, 4)) for host in ("one", "two")] == [4, 4]
        assert leases.acquire(LINKED_KIND, "three", 30, 4) == []
        assert leases.count_by_holder(LINKED_KIND) == {"one": 4, "two": 4}


def test_a_linked_phone_shows_what_was_read_and_that_somebody_types(app, restaurant):
    line_id = add_line(restaurant)
    request_sessions(restaurant, line_id)
    writes(restaurant, line_id, "905321112233", wamid="3EB0READ")
    phone = Phone()
    talk = talk_with(restaurant, "905321112233")
    with restaurant.scope():
        assert typing_indicator.show_typing(talk)
    hosted(app, {line_id: phone}, lambda: bool(phone.read))
    assert phone.read == [("905321112233", "3EB0READ", True)]
