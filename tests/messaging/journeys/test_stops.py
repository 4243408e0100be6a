"""A reply of a person, an opt-out or a block ends a run at once; nothing is sent afterwards."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import select

from core import clock
from core.db import db, tenant_scope
from jobs import journeys as journeys_job
from messaging.contacts import consent, identities
from messaging.contacts import repository as contact_repository
from messaging.inbox import conversations, replies
from messaging.inbox.replies import Reply
from messaging.journeys import runs as journey_runs
from messaging.journeys import triggers
from messaging.lines.drivers.base import EchoedMessage
from messaging.messages.inbound.echoes import store_echo
from messaging.models import Message
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import AYSE, publish, runs, sent, taps, writes
from webhooks.models import Event

WAITS = [
    {"id": "hello", "kind": "say", "text": "Thank you."},
    {"id": "wait", "kind": "wait", "minutes": 30},
    {"id": "again", "kind": "say", "text": "Still there?"},
    {"id": "end", "kind": "end"},
]
ASKS = [
    {"id": "ask", "kind": "ask", "text": "Well?", "choices": [{"title": "Yes"}], "no_answer": "no"},
    {"id": "yes", "kind": "say", "text": "Great.", "next": "end"},
    {"id": "no", "kind": "say", "text": "Still there?"},
    {"id": "end", "kind": "end"},
]


@pytest.fixture
def line(app, shop, redis):
    return make_line(shop)


def contact_id():
    return identities.find_by_address(AYSE)


def reply_in_inbox(shop, line):
    with shop.scope():
        (talk,) = conversations.conversations_of_contact(contact_id())
        replies.send_reply(talk, Reply("once-1", "I am here"))


def reply_on_phone(shop, line):
    with shop.scope():
        moment = int(clock.now().timestamp())
        store_echo(line, EchoedMessage("wamid.echo1", AYSE, "", moment, "text", "I am here"))


def opt_out_by_word(shop, line):
    writes(shop, line, "STOP")


def opt_out_by_member(shop, line):
    with shop.scope():
        consent.opt_out(contact_id(), clock.now(), "portal")


def block(shop, line):
    with shop.scope():
        contact_repository.set_blocked(contact_id(), True)


CAUSES = [
    (reply_in_inbox, "person_answered"),
    (reply_on_phone, "person_answered"),
    (opt_out_by_word, "opted_out"),
    (opt_out_by_member, "opted_out"),
    (block, "blocked"),
]


def later(app):
    with app.app_context():
        journeys_job.find_lost_work()
        journeys_job.drain()


@pytest.mark.parametrize(("stop", "because"), CAUSES)
@pytest.mark.parametrize("steps", [WAITS, ASKS], ids=["waits", "asks"])
def test_it_ends_at_once_and_nothing_is_sent_afterwards(app, shop, line, stop, because, steps):
    with clock.frozen():
        publish(shop, {"when": {"kind": "keyword", "words": ["hi"]}, "steps": steps})
        writes(shop, line, "hi")
        (run,) = runs(shop)
        assert run.state == "running"
        stop(shop, line)
        (run,) = runs(shop)
        assert (run.state, run.because, run.due_at) == ("stopped", because, None)
        before = sent(shop)
        taps(shop, line, "Yes")
        clock.advance(timedelta(days=2))
        later(app)
        assert sent(shop) == before
    with shop.scope():
        query = select(Event.body).where(
            Event.tenant_id == shop.tenant_id, Event.type == "journeys.stopped"
        )
        (body,) = db.session.scalars(query)
    assert (body["data"]["run_id"], body["data"]["reason"]) == (run.id, because)


@pytest.mark.parametrize(("stop", "because"), CAUSES)
def test_a_run_that_no_worker_has_begun_sends_nothing(app, shop, line, stop, because):
    writes(shop, line, "hello")
    steps = [{"id": "a", "kind": "tag", "tag": "vip"}, {"id": "b", "kind": "end"}]
    journey_id = publish(shop, {"when": {"kind": "api"}, "steps": steps})
    with shop.scope():
        triggers.start_by_program(journey_id, contact_id(), {})
    stop(shop, line)
    later(app)
    (run,) = runs(shop)
    assert (run.state, run.because, run.visit) == ("stopped", because, 0)


def test_a_stop_waits_for_the_step_that_is_being_carried_out(app, shop, line):
    """The worker's message stays, the run ends with it, and no further step follows."""
    with clock.frozen():
        publish(shop, {"when": {"kind": "keyword", "words": ["hi"]}, "steps": WAITS})
        writes(shop, line, "hi")
        clock.advance(timedelta(minutes=31))
        blocked = threading.Event()

        def block_now():
            with app.app_context(), tenant_scope(shop.tenant_id):
                contact_repository.set_blocked(contact_id(), True)
            blocked.set()

        thread = threading.Thread(target=block_now)
        with app.app_context(), tenant_scope(shop.tenant_id):
            (run_id,) = journey_runs.claim_due(1)
            thread.start()
            assert not blocked.wait(0.5)
            journey_runs.continue_run(run_id)
        thread.join(10)
    assert blocked.is_set()
    with shop.scope():
        query = select(Message.text).where(
            Message.tenant_id == shop.tenant_id, Message.direction == "out"
        )
        assert sorted(db.session.scalars(query)) == ["Still there?", "Thank you."]
    (run,) = runs(shop)
    assert run.state == "completed"
