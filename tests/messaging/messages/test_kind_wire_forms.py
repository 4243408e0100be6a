"""Each message type in the form of the cloud API, and as the API shows it again."""

import json

import pytest

from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.cloud.driver import payload
from messaging.messages.content import public_content
from messaging.messages.kinds.registry import MESSAGE_KINDS
from tests.messaging.messages.kind_examples import EXAMPLES, REPLY_CARD, example

SENDABLE = [code for code, kind in MESSAGE_KINDS.items() if kind.fields]


def test_every_type_has_an_example():
    assert list(EXAMPLES) == SENDABLE


@pytest.mark.parametrize("code", SENDABLE)
def test_the_request_to_the_network(code):
    text, content = example(code)
    _, network_type, part = EXAMPLES[code]
    body = payload(Envelope("msg_1", 1, 7, 1, "905321112233", code, text, content))
    assert (body["type"], body[network_type]) == (network_type, part)
    assert body["to"] == "905321112233"


@pytest.mark.parametrize("code", SENDABLE)
def test_the_content_is_stored_as_json_and_shown_again(code):
    _, content = example(code)
    stored = json.loads(json.dumps(content))
    assert stored == content
    json.dumps(public_content(code, stored))


def test_the_cards_of_a_carousel_can_have_reply_buttons():
    other = {**REPLY_CARD, "buttons": [{"id": "y", "title": "Add"}]}
    text, content = example("carousel", {"body": "New", "cards": [REPLY_CARD, other]})
    body = payload(Envelope("msg_1", 1, 7, 1, "905321112233", "carousel", text, content))
    card = body["interactive"]["action"]["cards"][1]
    assert card["card_index"] == 1
    assert card["action"]["buttons"] == [
        {"type": "quick_reply", "quick_reply": {"id": "y", "title": "Add"}}
    ]
    choices = MESSAGE_KINDS["carousel"].choices
    assert [one.id for one in choices(content)] == ["x", "y"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("contacts", "Derya"),
        ("reaction", "👍"),
        ("list", "When?"),
        ("product", ""),
        ("order_status", "On its way"),
        ("image", "Menu"),
    ],
)
def test_the_text_for_the_inbox(code, text):
    assert example(code)[0] == text
