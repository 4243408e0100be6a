"""Messages that the number sent without us are shown, and nothing else happens."""

import time
from decimal import Decimal

import pytest
from sqlalchemy import select

from core.db import db
from jobs.inbound import hooks as hooks_job
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import thread
from messaging.inbox.conversations import ConversationFilters
from messaging.messages.media import files as media_files
from messaging.models import Contact, Message, UsageDay
from tests.jobs.inbound.test_hooks import put
from tests.messaging.message_factory import (
    add_line,
    cloud_body,
    events_of,
    sent_message,
    status_value,
    text_value,
)
from tests.restaurant.bistro import GUEST, open_bistro

PHONE = "905321112233"


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def hook(line, value, field="messages"):
    body = cloud_body(line, value).replace(b'"field": "messages"', f'"field": "{field}"'.encode())
    put(line, body)
    hooks_job.drain()


def echo(text="Typed on the phone", network_id="wamid.E", to=PHONE, **more):
    return {
        "from": "905321112200",
        "to": to,
        "id": network_id,
        "timestamp": str(int(time.time())),
        "type": "text",
        "text": {"body": text},
        **more,
    }


def from_phone(line, *echoes):
    hook(line, {"message_echoes": list(echoes)}, "smb_message_echoes")


def messages(line):
    query = select(Message).where(Message.tenant_id == line.tenant_id).order_by(Message.id)
    return list(db.session.scalars(query))


def talk_of(line):
    [talk] = inbox_conversations.list_conversations(ConversationFilters(view="all"), None, 10)
    return talk


def test_it_is_shown_as_sent_from_the_phone(restaurant, line):
    hook(line, text_value("Merhaba"))
    from_phone(line, echo())
    with restaurant.scope():
        talk = talk_of(line)
        [_, shown] = thread.newest_entries(talk).entries
        assert (shown.direction, shown.state, shown.text) == ("out", "sent", "Typed on the phone")
        assert shown.content["sent_from"] == "phone"
        assert (talk.unread, talk.last_text) == (0, "Typed on the phone")
        [event] = events_of(line.tenant_id, "messages.echo")
        assert event["instance_id"] == line.id
        assert event["data"] == {
            "to": PHONE,
            "to_kind": "phone",
            "message_id": "wamid.E",
            "timestamp": event["data"]["timestamp"],
            "type": "text",
            "id": shown.id,
            "text": "Typed on the phone",
            "sent_from": "phone",
        }
        assert len(events_of(line.tenant_id, "messages.upsert")) == 1


def test_it_costs_nothing_and_opens_no_window(restaurant, line):
    from_phone(line, echo())
    for state in ("sent", "delivered", "read"):
        hook(line, status_value("wamid.E", state))
    with restaurant.scope():
        [message] = messages(line)
        assert (message.cost_usd, message.state) == (Decimal(0), "read")
        talk = talk_of(line)
        assert (talk.window_until, talk.unread) == (None, 0)
        used = select(UsageDay).where(UsageDay.tenant_id == line.tenant_id)
        assert db.session.scalars(used).all() == []


def test_it_is_stored_once(restaurant, line):
    with restaurant.scope():
        _, network_id = sent_message(line)
    for _ in range(2):
        from_phone(line, echo(), echo("ours", network_id))
    with restaurant.scope():
        assert [one.text for one in messages(line)] == ["Your table is ready", "Typed on the phone"]
        assert len(events_of(line.tenant_id, "messages.echo")) == 1


def test_a_customer_without_a_phone_number_is_found_by_the_id(restaurant, line):
    from_phone(line, echo(to="US.1349", to_user_id="US.1349"))
    with restaurant.scope():
        [message] = messages(line)
        assert message.phone == "US.1349"
        [event] = events_of(line.tenant_id, "messages.echo")
        assert event["data"]["to_kind"] == "network_id"


def test_the_customer_does_not_count_as_seen(restaurant, line):
    hook(line, text_value("Merhaba"))
    query = select(Contact.last_seen_at).where(Contact.tenant_id == line.tenant_id)
    with restaurant.scope():
        before = db.session.scalar(query)
    from_phone(line, echo())
    with restaurant.scope():
        assert db.session.scalar(query) == before


def test_a_file_is_downloaded(restaurant, line):
    picture = {"id": "media7", "mime_type": "image/jpeg", "caption": "Masa"}
    from_phone(line, echo(type="image", image=picture))
    with restaurant.scope():
        [message] = messages(line)
        assert (message.kind, message.text) == ("image", "Masa")
        [download] = media_files.claim_downloads(1, 60)
        assert download.source == "media7"


def test_it_is_edited_and_deleted_on_the_phone(restaurant, line):
    from_phone(line, echo("Saat 8"))
    new = {"type": "text", "text": {"body": "Saat 9"}}
    edit = {"original_message_id": "wamid.E", "message": new}
    from_phone(line, echo(network_id="wamid.E2", type="edit", edit=edit))
    with restaurant.scope():
        [message] = messages(line)
        assert (message.text, message.content["earlier"]) == ("Saat 9", ["Saat 8"])
    revoke = {"original_message_id": "wamid.E"}
    from_phone(line, echo(network_id="wamid.E3", type="revoke", revoke=revoke))
    with restaurant.scope():
        [message] = messages(line)
        assert (message.text, message.content["sent_from"]) == ("", "phone")
        event = events_of(line.tenant_id, "messages.updated")[-1]["data"]
        assert (event["to"], event["direction"], event["change"]) == (PHONE, "out", "deleted")


def test_an_order_text_typed_on_the_phone_is_no_order(restaurant):
    bistro = open_bistro(restaurant)
    cart = bistro.cart()
    from_phone(bistro.line, echo(cart.text, to=GUEST))
    assert bistro.texts_sent_to() == [cart.text]


STANDBY = "standby"


def agent_says(text="We open at nine", network_id="wamid.M"):
    body = {"to": PHONE, "type": "text", "text": {"body": text}}
    return {
        "standby": {
            "message_echoes": [
                {"id": network_id, "timestamp": str(int(time.time())), "message": body}
            ]
        }
    }


def handover(line, old, new, at=None):
    value = {
        "recipient": {"phone_number_id": line.phone_number_id},
        "sender": {"phone_number": PHONE},
        "timestamp": str(at or int(time.time())),
        "type": "control_passed",
        "control_passed": {"previous_owner_app_role": old, "new_owner_role": new},
    }
    body = cloud_body(line, value).replace(b'"messages"', b'"messaging_handovers"', 1)
    put(line, body.replace(b'"metadata"', b'"nothing"'))
    hooks_job.drain()


@pytest.mark.parametrize("nested", [True, False])
def test_a_conversation_that_the_agent_holds_is_shown(restaurant, line, nested):
    value = text_value("When do you open?")
    hook(line, {"standby": value} if nested else value, STANDBY)
    hook(line, agent_says(), STANDBY)
    with restaurant.scope():
        talk = talk_of(line)
        asked, said = thread.newest_entries(talk).entries
        assert (talk.held_by, talk.unread) == ("meta_agent", 0)
        assert talk.window_until is not None
        assert asked.content["handled_by"] == "meta_agent"
        assert (said.direction, said.text) == ("out", "We open at nine")
        assert said.content["sent_from"] == "meta_agent"
        [event] = events_of(line.tenant_id, "messages.upsert")
        assert event["data"]["handled_by"] == "meta_agent"


def test_nothing_of_ours_reacts_while_the_agent_holds_it(restaurant):
    bistro = open_bistro(restaurant)
    cart = bistro.cart()
    hook(bistro.line, {"standby": text_value(cart.text, phone=GUEST)}, STANDBY)
    assert bistro.texts_sent_to() == []


def test_prices_of_the_agent_are_not_ours(restaurant, line):
    hook(line, agent_says(), STANDBY)
    hook(line, {"standby": status_value("wamid.M", "delivered")}, STANDBY)
    with restaurant.scope():
        [message] = messages(line)
        assert (message.state, message.cost_usd) == ("delivered", Decimal(0))


def test_a_handover_makes_the_conversation_unread(restaurant, line):
    hook(line, {"standby": text_value("A person, please")}, STANDBY)
    handover(line, "meta_business_agent", "escalation")
    with restaurant.scope():
        assert (talk_of(line).held_by, talk_of(line).unread) == ("", 1)
    handover(line, "escalation", "ai_agent", at=int(time.time()) - 3600)
    with restaurant.scope():
        assert talk_of(line).held_by == ""  # an older report
    handover(line, "escalation", "ai_agent")
    with restaurant.scope():
        assert talk_of(line).held_by == "meta_agent"


def test_the_agent_holds_a_conversation_that_it_begins(restaurant, line):
    hook(line, agent_says(), STANDBY)
    with restaurant.scope():
        assert talk_of(line).held_by == "meta_agent"
    from_phone(line, echo())
    with restaurant.scope():
        assert talk_of(line).held_by == "meta_agent"  # only a message from Comanda takes over


def test_a_message_that_reaches_us_ends_the_hold(restaurant, line):
    hook(line, {"standby": text_value("one")}, STANDBY)
    hook(line, text_value("two"))
    with restaurant.scope():
        assert (talk_of(line).held_by, talk_of(line).unread) == ("", 1)


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        (
            {"type": "template", "template": {"name": "hello", "language": {"code": "tr"}}},
            "template",
            "",
        ),
        (
            {
                "type": "interactive",
                "interactive": {
                    "type": "button",
                    "body": {"text": "Table?"},
                    "action": {
                        "buttons": [{"type": "reply", "reply": {"id": "y", "title": "Yes"}}]
                    },
                },
            },
            "text",
            "Table?\n- Yes",
        ),
        ({"type": "image", "image": {"link": "https://e.com/a.jpg", "caption": "x"}}, "image", "x"),
    ],
)
def test_what_only_businesses_send_is_shown(restaurant, line, message, kind, text):
    sent = {"id": "wamid.M", "timestamp": "1790000000", "message": {"to": PHONE, **message}}
    hook(line, {"standby": {"message_echoes": [sent]}}, STANDBY)
    with restaurant.scope():
        [stored] = messages(line)
        assert (stored.kind, stored.text) == (kind, text)
