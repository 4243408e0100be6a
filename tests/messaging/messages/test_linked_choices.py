"""A linked phone sends buttons and lists as a text, and reads the answer as a tap."""

import json
import time

import pytest

from core.clock import now
from core.db import db
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import Envelope, InboundMessage
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked.client import EchoReceived
from messaging.lines.drivers.linked.driver import as_sent
from messaging.messages import queries as message_queries
from messaging.messages.kinds.base import Choice
from messaging.messages.linked.choices import as_choice, find_choice
from messaging.messages.linked.echoes import receive_echo
from messaging.messages.receive import inbound_event_body
from messaging.models import Message
from tests.messaging.message_factory import sent_message

PHONE = "905321112233"
BUTTONS = {
    "interactive": {
        "body": "Is 20:00 all right?",
        "buttons": [{"id": "yes", "title": "Yes"}, {"id": "later", "title": "Saat değişsin"}],
    }
}
LIST = {
    "interactive": {
        "header": "Mavi",
        "body": "When?",
        "button": "Times",
        "footer": "See you",
        "sections": [
            {"title": "Lunch", "rows": [{"id": "a", "title": "12:00"}]},
            {
                "title": "Dinner",
                "rows": [{"id": "b", "title": "19:00", "description": "By the window"}],
            },
        ],
    }
}
CHOICES = [Choice("yes", "Yes"), Choice("later", "Saat değişsin"), Choice("x", "IPTAL")]


@pytest.fixture
def line(restaurant):
    with restaurant.scope():
        return pairing.add_linked_line("Front desk", network="simulator")


def sent_buttons(line, state="sent", content=BUTTONS):
    message_id, network_id = sent_message(line, state)
    message = message_queries.get(message_id)
    message.kind, message.content, message.text = "buttons", content, "Is 20:00 all right?"
    db.session.flush()
    return message_id, network_id


def written(text, phone=PHONE):
    return InboundMessage("3EB0FF", phone, "", "Zeynep", int(time.time()), "text", text)


def envelope(kind, content):
    return Envelope("msg_1", 1, 1, 7, PHONE, kind, "When?", content)


def test_a_list_becomes_a_numbered_text():
    sent = as_sent(envelope("list", LIST))
    assert (sent.kind, sent.content) == ("text", LIST)
    assert sent.text == (
        "*Mavi*\n\nWhen?\n\n*Lunch*\n1. 12:00\n\n*Dinner*\n2. 19:00 – By the window\n\nSee you"
    )


def test_a_link_button_becomes_a_text_with_the_link():
    content = {"interactive": {"body": "Our menu", "text": "Open", "url": "https://a.example"}}
    assert as_sent(envelope("link_button", content)).text == ("Our menu\n\nOpen: https://a.example")


def test_a_text_stays_as_it_is():
    plain = envelope("text", {})
    assert as_sent(plain) == plain


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("2", "later"),
        ("2.", "later"),
        (" 2) ", "later"),
        ("SAAT DEGISSIN", "later"),
        ("saat değişsin.", "later"),
        ("iptal", "x"),
        ("0", None),
        ("4", None),
        ("2 lahmacun", None),
        ("yes please", None),
    ],
)
def test_a_choice_is_found_by_its_number_or_title(typed, chosen):
    found = find_choice(typed, CHOICES)
    assert (found and found.id) == chosen


def test_a_repeated_title_is_no_choice():
    assert find_choice("Yes", [Choice("a", "Yes"), Choice("b", "yes")]) is None


def test_the_answer_is_the_event_of_a_tapped_button(restaurant, line):
    with restaurant.scope():
        _, network_id = sent_buttons(line)
        message = as_choice(line, written("2."))
        event = inbound_event_body(line, message, "msg_1", now(), "con_1")["data"]
    assert (event["type"], event["text"]) == ("button", "Saat değişsin")
    assert event["button"] == {"id": "later", "title": "Saat değişsin"}
    assert event["reply_to"] == network_id
    json.dumps(event)


def test_a_number_without_choices_stays_a_text(restaurant, line):
    with restaurant.scope():
        sent_message(line, "sent")
        assert as_choice(line, written("2")) == written("2")
        sent_buttons(line, "failed")
        assert as_choice(line, written("2")).kind == "text"
        sent_buttons(line)
        assert as_choice(line, written("2", "905321119999")).kind == "text"
        assert as_choice(line, written("2")).kind == "button"


def test_an_echo_settles_buttons_that_were_sent_as_a_text(restaurant, line):
    with restaurant.scope():
        message_id, _ = sent_buttons(line, "unknown")
        text = as_sent(envelope("buttons", BUTTONS)).text
        other = EchoReceived("3EB0A0", PHONE, "text", "Is 20:00 all right?", int(time.time()))
        assert not receive_echo(line, other, UsageTally())
        echo = EchoReceived("3EB0A1", PHONE, "text", text, int(time.time()))
        assert receive_echo(line, echo, UsageTally())
        message = db.session.get(Message, (restaurant.tenant_id, message_id))
        assert (message.state, message.network_id) == ("sent", "3EB0A1")
