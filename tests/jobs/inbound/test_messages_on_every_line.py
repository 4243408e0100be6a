"""Orders by chat, shared locations and loyalty words work on every kind of line."""

import asyncio
import threading
import time

import pytest
from sqlalchemy import delete

from core.db import db, global_scope
from core.queue.lanes import Lane
from core.queue.leases import Lease
from jobs.inbound import hooks as hooks_job
from jobs.inbound import messages as inbound_messages
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage, LineUpdate
from messaging.lines.drivers.linked.client import (
    ClientConnected,
    DevicePaired,
    MessageChanged,
    MessageReceived,
)
from restaurant.chat import loyalty_keywords
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tests.jobs.inbound.test_hooks import put, texts
from tests.jobs.linked.test_session import Phone, hosted, request_sessions
from tests.messaging.lines.linked_processes import add_line as add_linked_line
from tests.messaging.message_factory import cloud_body, events_of, text_value, wrote
from tests.restaurant.bistro import GUEST, open_bistro
from tests.restaurant.loyalty_club import Club

HOSTILE = ("#BBBB" + " " * 4085 + "!", "1x a" + " " * 4085 + "b")


class Chatty(Phone):
    """A linked phone that customers write to."""

    def __init__(self, *messages):
        super().__init__()
        self.messages = messages

    async def events(self, code_phone=""):
        yield DevicePaired("a device", "905321110000", "Derya")
        yield ClientConnected()
        for one in self.messages:
            yield MessageReceived(one) if isinstance(one, InboundMessage) else one
        await asyncio.sleep(3600)


@pytest.fixture(autouse=True)
def _own_lanes(app, redis):
    redis.flushdb()
    with global_scope():
        db.session.execute(delete(Lane))
        db.session.execute(delete(Lease))
    loyalty_keywords.keyword_cache.forget()
    with app.app_context():
        yield


@pytest.fixture(params=["cloud", "linked"])
def place(request, app, restaurant):
    """A bistro on a line of each kind, and a way for its guests to write there."""
    bistro = open_bistro(restaurant)

    def by_hook(message, _until):
        value = text_value(message.text)
        if message.kind == "location":
            value["messages"][0] |= {"type": "location", "location": message.content}
        put(bistro.line, cloud_body(bistro.line, value))
        hooks_job.drain()

    def by_phone(message, until):
        request_sessions(restaurant, bistro.line.id)
        hosted(app, {bistro.line.id: Chatty(message)}, until)

    if request.param == "cloud":
        return bistro, by_hook
    line_id = add_linked_line(restaurant)
    with restaurant.scope():
        bistro.line = line_repository.get(line_id)
        sites.change(bistro.site_id, {"line_id": line_id})
    return bistro, by_phone


def test_a_cart_becomes_an_order(place):
    bistro, write = place
    cart = bistro.cart()
    write(wrote(cart.text, sender_phone=GUEST), lambda: bistro.texts_sent_to())
    (said,) = bistro.texts_sent_to()
    assert "LEM-" in said


def test_a_shared_location_finds_its_order(place):
    bistro, write = place
    bistro.delivers()
    order = bistro.delivery()
    before = len(bistro.texts_sent_to())
    where = {"latitude": 41.03, "longitude": 28.975}
    message = wrote("", sender_phone=GUEST, kind="location", content=where)
    write(message, lambda: len(bistro.texts_sent_to()) > before)
    with bistro.scope():
        assert order_queries.get(order.number).address["latitude"] == "41.030000"


def test_a_loyalty_word_is_answered(place):
    bistro, write = place
    Club(bistro).counts(keywords=("puan", "points"))
    loyalty_keywords.keyword_cache.forget()
    write(wrote("puan", sender_phone=GUEST), lambda: bistro.texts_sent_to())
    (said,) = bistro.texts_sent_to()
    assert "Lemar Bistro" in said


def test_a_linked_line_applies_edits_and_deletions(app, restaurant):
    line_id = add_linked_line(restaurant)
    first, second = wrote("bugün"), wrote("geheim")
    at = int(time.time())
    edit = {"network_id": first.network_id, "id": "E1", "at": at, "text": "yarın"}
    deletion = {"network_id": second.network_id, "id": "E2", "at": at}
    phone = Chatty(
        first,
        second,
        MessageChanged(LineUpdate("edited", edit)),
        MessageChanged(LineUpdate("deleted", deletion)),
    )
    request_sessions(restaurant, line_id)
    with restaurant.scope():
        line = line_repository.get(line_id)
    hosted(app, {line_id: phone}, lambda: texts(line) == ["", "yarın"])
    with restaurant.scope():
        changes = [one["data"]["change"] for one in events_of(line.tenant_id, "messages.updated")]
    assert (texts(line), changes) == (["", "yarın"], ["edited", "deleted"])


def test_reacting_never_runs_in_the_hosts_event_loop(app, restaurant, monkeypatch):
    bistro = open_bistro(restaurant)
    line_id, threads = add_linked_line(restaurant), []
    with restaurant.scope():
        bistro.line = line_repository.get(line_id)
        sites.change(bistro.site_id, {"line_id": line_id})
    receive = inbound_messages.receive_and_react

    def noting(*given):
        threads.append(threading.current_thread())
        return receive(*given)

    monkeypatch.setattr(inbound_messages, "receive_and_react", noting)
    request_sessions(restaurant, line_id)
    hosted(app, {line_id: Chatty(wrote("merhaba"))}, lambda: threads)
    assert threading.main_thread() not in threads


def test_forty_hostile_texts_do_not_delay_another_tenant(restaurant, shop):
    bistro, other = open_bistro(restaurant), open_bistro(shop)
    for number in range(40):
        put(bistro.line, cloud_body(bistro.line, text_value(HOSTILE[number % 2])))
    put(other.line, cloud_body(other.line, text_value("merhaba")))
    began = time.thread_time()
    hooks_job.drain()
    assert time.thread_time() - began < 5  # a slow pattern takes more than twenty
    assert texts(other.line) == ["merhaba"]
    assert len(texts(bistro.line)) == 40


def test_a_batch_that_takes_long_is_cut_short(restaurant, monkeypatch):
    bistro = open_bistro(restaurant)
    monkeypatch.setattr(hooks_job, "BATCH_SECONDS", 0.0)
    sizes, apply = [], hooks_job._apply_batch
    monkeypatch.setattr(
        hooks_job, "_apply_batch", lambda batch: sizes.append(len(batch)) or apply(batch)
    )
    for number in range(5):
        put(bistro.line, cloud_body(bistro.line, text_value(str(number))))
    assert hooks_job.drain() == 5
    assert texts(bistro.line) == list("01234")
    assert sizes[:5] == [5, 4, 3, 2, 1]
