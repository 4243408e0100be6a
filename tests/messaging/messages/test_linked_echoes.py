"""An echo names a message whose answer was lost; all others were typed on the phone."""

import time

import pytest

from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import Receipt
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked.client import EchoReceived
from messaging.messages import queries as message_queries
from messaging.messages.linked.echoes import receive_echo
from messaging.messages.receipts import receive_receipt
from tests.messaging.message_factory import sent_message

PHONE, WORDS = "905321112233", "Your table is ready"


@pytest.fixture
def line(restaurant):
    with restaurant.scope():
        return pairing.add_linked_line("Front desk", network="simulator")


def echo(network_id="3EB0A1", phone=PHONE, kind="text", text=WORDS, at=None):
    return EchoReceived(network_id, phone, kind, text, at or int(time.time()))


def receive(business, line, one):
    with business.scope():
        tally = UsageTally()
        settled = receive_echo(line, one, tally)
        tally.write()
        return settled


def test_it_settles_the_oldest_that_has_no_name(restaurant, line):
    with restaurant.scope():
        first, _ = sent_message(line, "unknown")
        second, _ = sent_message(line, "unknown")
    assert receive(restaurant, line, echo())
    assert not receive(restaurant, line, echo())  # reported again
    assert receive(restaurant, line, echo("3EB0A2"))
    with restaurant.scope():
        found = [
            (message_queries.get(one).state, message_queries.get(one).network_id)
            for one in (first, second)
        ]
    assert found == [("sent", "3EB0A1"), ("sent", "3EB0A2")]


@pytest.mark.parametrize(
    "other",
    [
        {"phone": "905321119999"},
        {"text": "typed on the phone itself"},
        {"kind": "image"},
        {"at": int(time.time()) - 3600},
    ],
)
def test_what_is_not_ours_settles_nothing(restaurant, line, other):
    with restaurant.scope():
        message_id, _ = sent_message(line, "unknown")
    assert not receive(restaurant, line, echo(**other))
    with restaurant.scope():
        assert message_queries.get(message_id).state == "unknown"


def test_what_was_answered_keeps_its_name(restaurant, line):
    with restaurant.scope():
        message_id, network_id = sent_message(line, "sent")
    assert not receive(restaurant, line, echo())
    with restaurant.scope():
        assert message_queries.get(message_id).network_id == network_id


def test_what_was_typed_on_the_phone_is_shown_once(restaurant, line):
    for _ in range(2):
        assert not receive(restaurant, line, echo("3EB0T1", text="Masa hazır"))
    with restaurant.scope():
        message = message_queries.get("3EB0T1")
        assert (message.direction, message.state, message.text) == ("out", "sent", "Masa hazır")
        assert (message.content, message.cost_usd) == ({"sent_from": "phone"}, 0)


def test_a_receipt_of_a_typed_message_is_applied(restaurant, line):
    receive(restaurant, line, echo("3EB0T1", text="Masa hazır"))
    with restaurant.scope():
        assert receive_receipt(line, Receipt("3EB0T1", "read", int(time.time())), UsageTally())
        assert message_queries.get("3EB0T1").state == "read"


def test_a_hidden_recipient_is_stored_by_the_id(restaurant, line):
    receive(restaurant, line, echo("3EB0T1", phone="123456@lid", text="Masa hazır"))
    with restaurant.scope():
        assert message_queries.get("3EB0T1").phone == "123456@lid"


def test_the_echo_of_a_place_of_ours_is_not_stored_twice(restaurant, line):
    with restaurant.scope():
        place = {"latitude": 41.0, "longitude": 29.0}
        message_id, _ = sent_message(line, "unknown", kind="location", text="", content=place)
    assert receive(restaurant, line, echo("3EB0T1", kind="location", text=""))
    with restaurant.scope():
        assert message_queries.get("3EB0T1").id == message_id
