"""An inbound message is stored once, with its sender, and published as an event."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from core.clock import now
from core.db import db, tenant_scope
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineUpdate
from messaging.messages import receive as message_receive
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import (
    Contact,
    Conversation,
    Line,
    Message,
    MessageChange,
    UsageDay,
)
from tenants import audit
from tests.messaging.message_factory import add_line, events_of, message_row, wrote


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def receive(line, message):
    """In a transaction of its own, as the job does it."""
    with tenant_scope(line.tenant_id):
        tally = UsageTally()
        message_id = receive_message(line, message, tally)
        tally.write()
    return message_id


def one(line, model):
    return db.session.scalars(select(model).where(model.tenant_id == line.tenant_id)).one()


def test_a_message_is_stored_with_its_sender_and_its_timeline(line):
    message_id = receive(line, wrote("Bir masa lütfen"))
    with tenant_scope(line.tenant_id):
        message = message_row(line.tenant_id, message_id)
        assert (message.direction, message.state, message.text) == (
            "in",
            "received",
            "Bir masa lütfen",
        )
        assert (message.phone, message.country, message.line_id) == ("905321112233", "TR", line.id)
        contact = one(line, Contact)
        assert (contact.id, contact.name) == (message.contact_id, "Ayşe")
        assert one(line, MessageChange).state == "received"


def test_the_event_is_as_the_specification_has_it(line):
    message = wrote("Merhaba")
    message_id = receive(line, message)
    with tenant_scope(line.tenant_id):
        (body,) = events_of(line.tenant_id)
        contact_id = one(line, Contact).id
    assert body == {
        "event": "messages.upsert",
        "instance_id": line.id,
        "data": {
            "from": "905321112233",
            "from_kind": "phone",
            "sender_name": "Ayşe",
            "message_id": message.network_id,
            "timestamp": message.at,
            "type": "text",
            "text": "Merhaba",
            "id": message_id,
            "contact_id": contact_id,
            "username": None,
            "network_id": None,
        },
    }


def test_a_repeat_does_nothing(line):
    message = wrote()
    assert receive(line, message)
    assert [receive(line, message) for _ in range(3)] == [None] * 3
    with tenant_scope(line.tenant_id):
        assert len(events_of(line.tenant_id)) == 1
        assert one(line, Message).text == "Merhaba"
        assert one(line, Conversation).unread == 1
        assert one(line, UsageDay).received == 1


def test_the_same_message_from_many_workers_at_once_is_stored_once(app, line):
    message = wrote()

    def worker(_):
        with app.app_context():
            return receive(line, message)

    with ThreadPoolExecutor(6) as pool:
        ids = [one for one in pool.map(worker, range(6)) if one]
    assert len(ids) == 1
    with tenant_scope(line.tenant_id):
        assert one(line, Message).id == ids[0]


def test_new_people_writing_at_once_become_one_contact(app, line):
    def worker(number):
        with app.app_context():
            return receive(line, wrote(str(number)))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(worker, range(6)))
    with tenant_scope(line.tenant_id):
        assert one(line, Contact).name == "Ayşe"
        assert one(line, Conversation).unread == 6


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_conversation_does_not_depend_on_the_order_of_arrival(line, order):
    base = int(time.time()) - 600
    ids = {n: receive(line, wrote(str(n), at=base + n * 60)) for n in order}
    with tenant_scope(line.tenant_id):
        talk = one(line, Conversation)
    last = datetime.fromtimestamp(base + 120, UTC)
    assert talk.last_message_id == ids[2]
    assert talk.last_at == last
    assert talk.window_until == last + timedelta(hours=24)
    assert talk.unread == 2


def test_a_clock_ahead_of_our_own_does_not_lengthen_the_window(line):
    receive(line, wrote(at=int(time.time()) + 7 * 86400))
    with tenant_scope(line.tenant_id):
        assert one(line, Conversation).window_until <= now() + timedelta(hours=24)


def test_a_location_carries_the_way_there(line):
    content = {"latitude": 41.0082, "longitude": 28.9784, "name": "Ev"}
    receive(line, wrote("", kind="location", content=content))
    with tenant_scope(line.tenant_id):
        (body,) = events_of(line.tenant_id)
    assert body["data"]["location"] == {
        "latitude": 41.0082,
        "longitude": 28.9784,
        "name": "Ev",
        "address": None,
        "route_url": "https://www.google.com/maps/dir/?api=1&destination=41.0082,28.9784",
    }
    assert "text" not in body["data"]


def test_a_photo_carries_what_is_known_of_it(line):
    content = {"id": "m1", "mime_type": "image/jpeg", "sha256": "x", "caption": "Bu mu?"}
    receive(line, wrote("Bu mu?", kind="image", content=content))
    with tenant_scope(line.tenant_id):
        (body,) = events_of(line.tenant_id)
    assert body["data"]["type"] == "image"
    assert body["data"]["media"]["caption"] == "Bu mu?"
    assert body["data"]["media"]["mime_type"] == "image/jpeg"


def test_somebody_without_a_phone_is_named_by_the_networks_id(line):
    receive(line, wrote(sender_phone="", sender_network_id="US.134912"))
    with tenant_scope(line.tenant_id):
        (body,) = events_of(line.tenant_id)
        assert one(line, Message).phone == "US.134912"
    assert (body["data"]["from"], body["data"]["from_kind"]) == ("US.134912", "network_id")


@pytest.mark.parametrize(
    "word", ["STOP", "stop.", "Dur", "İPTAL", "iptal!", "BAJA", "Arrêt", "ARRET"]
)
def test_a_stop_word_opts_out_once(line, word):
    receive(line, wrote(word))
    receive(line, wrote(word))
    with tenant_scope(line.tenant_id):
        contact = one(line, Contact)
        assert contact.opted_out_at is not None
        (body,) = events_of(line.tenant_id, "contacts.opted_out")
    assert body["data"]["contact_id"] == contact.id
    assert body["data"]["from"] == "905321112233"


@pytest.mark.parametrize("text", ["don't stop", "dur bakalım", "stop by at eight", "durum?", ""])
def test_other_words_do_not(line, text):
    receive(line, wrote(text))
    with tenant_scope(line.tenant_id):
        assert one(line, Contact).opted_out_at is None


def test_the_networks_own_switch_opts_out_and_in(line):
    def record_preference(value, at):
        detail = {"phone": "905321112233", "network_id": "", "value": value, "at": at}
        with tenant_scope(line.tenant_id):
            receive_line_update(line, LineUpdate("marketing", detail))
            return one(line, Contact).opted_out_at

    base = int(time.time()) - 100
    assert record_preference("stop", base) is not None
    assert record_preference("resume", base - 50) is not None  # an older preference, delivered late
    assert record_preference("resume", base + 50) is None


def test_what_fails_halfway_leaves_nothing(line, monkeypatch):
    monkeypatch.setattr(message_receive, "publish_webhook_event", lambda *_: 1 / 0)
    message = wrote()
    with pytest.raises(ZeroDivisionError):
        receive(line, message)
    monkeypatch.undo()
    with tenant_scope(line.tenant_id):
        count = select(func.count()).select_from(Message)
        assert db.session.scalar(count.where(Message.tenant_id == line.tenant_id)) == 0
    assert receive(line, message)


def receive_update(line, kind, **detail):
    with tenant_scope(line.tenant_id):
        receive_line_update(
            line, LineUpdate(kind, {"because": "The network record_preference so.", **detail})
        )
        return db.session.get(Line, (line.tenant_id, line.id)).state


def test_a_restriction_is_noted_and_reported_once(line):
    assert receive_update(line, "restricted") == "restricted"
    assert receive_update(line, "restricted") == "restricted"
    assert receive_update(line, "quality", worse=True) == "restricted"  # the worse news stays
    with tenant_scope(line.tenant_id):
        assert len(events_of(line.tenant_id, "instances.restricted")) == 1
    assert receive_update(line, "restored") == "connected"


def test_fallen_quality_pauses_until_it_is_good_or_somebody_takes_the_risk(line):
    assert receive_update(line, "quality", worse=True) == "quality_low"
    assert receive_update(line, "quality", worse=False) == "connected"
    assert receive_update(line, "quality", worse=True) == "quality_low"
    with tenant_scope(line.tenant_id):
        assert line_repository.resume(line.id)
        assert not line_repository.resume(line.id)
        assert audit.entries(act="lines.resumed")
    assert receive_update(line, "quality", worse=True) == "quality_low"
    assert receive_update(line, "restricted") == "restricted"
    with tenant_scope(line.tenant_id):
        assert not line_repository.resume(line.id)  # that is the network's to end


def test_an_update_of_one_number_does_not_change_the_others(restaurant, line):
    other = add_line(restaurant, default=False)
    with tenant_scope(line.tenant_id):
        db.session.get(Line, (line.tenant_id, other.id)).phone = "905321112299"
    receive_update(line, "restricted", phone="905321112299")
    with tenant_scope(line.tenant_id):
        assert db.session.get(Line, (line.tenant_id, line.id)).state == "connected"
        assert db.session.get(Line, (line.tenant_id, other.id)).state == "restricted"
