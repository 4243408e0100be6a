"""An echo names a message whose answer was lost; anything else it leaves alone."""

import time

import pytest

from messaging.costs.usage import UsageTally
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked.client import EchoReceived
from messaging.messages import queries as message_queries
from messaging.messages.linked.echoes import receive_echo
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
