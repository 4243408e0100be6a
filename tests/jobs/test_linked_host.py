"""Linked lines by real hosts on the simulated network: linked, spoken through, taken over."""

import pytest
from sqlalchemy import select

from core.db import db
from messaging import lines_book, reading, sending
from messaging.linked import pairing
from messaging.models import MessageChange
from messaging.sending import Draft
from tenants.plans import known_facts
from tests.messaging.linked_cast import (
    CUSTOMER,
    add_line,
    eventually,
    link,
    staged,
)
from webhooks.models import Event


@pytest.fixture(scope="module")
def stage(app, settings):
    with staged(settings) as stage:
        stage.set(sent_ms=1, delivered_ms=100, read_ms=200)
        stage.host = stage.start_host()
        yield stage


@pytest.fixture
def line(stage, restaurant):
    line_id = add_line(restaurant)
    link(stage, restaurant, line_id)
    return line_id


def send(business, line_id, text="Masanız hazır", phone=CUSTOMER, **more):
    with business.scope():
        line = lines_book.get(line_id)
        draft = Draft(**{"kind": "text", "phone": phone, "text": text, **more})
        return sending.accept(draft, line, known_facts()).id


def message(business, message_id):
    with business.scope():
        return reading.get(message_id)


def until_state(business, message_id, state, seconds=15.0):
    def look():
        found = message(business, message_id)
        return found if found.state == state else None

    return eventually(look, seconds)


def states(business, message_id):
    with business.scope():
        query = (
            select(MessageChange.state)
            .where(
                MessageChange.tenant_id == business.tenant_id,
                MessageChange.message_id == message_id,
            )
            .order_by(MessageChange.id)
        )
        return list(db.session.scalars(query))


def events(business, kind):
    with business.scope():
        query = select(Event.body).where(Event.tenant_id == business.tenant_id, Event.type == kind)
        return [body["data"] for body in db.session.scalars(query)]


def test_a_phone_is_linked_and_a_message_goes_there_and_back(stage, restaurant, line):
    with restaurant.scope():
        known, linked = pairing.find(line)
        assert (known.phone, known.is_default, linked.qr) == ("905321110000", True, None)
        assert linked.paired_at is not None
    message_id = send(restaurant, line)
    read = until_state(restaurant, message_id, "read")
    assert read.network_id.startswith("3EB0")
    assert states(restaurant, message_id) == ["queued", "sending", "sent", "delivered", "read"]
    assert [one["text"] for one in stage.shown()] == ["Masanız hazır"]
    reply_id = stage.write(restaurant, line, text="Teşekkürler", name="Ayşe")
    told = eventually(lambda: events(restaurant, "messages.upsert"))
    assert [(one["text"], one["message_id"]) for one in told] == [("Teşekkürler", reply_id)]
    assert events(restaurant, "instances.connected")
    assert events(restaurant, "instances.qr")[0]["qr"].startswith("2@")
