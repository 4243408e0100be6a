"""Customers who write to a business, for the tests of its inbox."""

from itertools import count

from core.clock import now
from messaging.costs.usage import UsageTally
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.receive import receive_message

AYSE, VELI = "905321117701", "905321117702"
_numbers = count(1)


def add_line(business, name="Front desk"):
    with business.scope():
        return line_repository.add_cloud_line(
            name, "905321110000", f"66{business.tenant_id}{next(_numbers)}", "EAAB", "secret"
        ).id


def writes(business, line_id, phone=AYSE, text="Merhaba", name="Ayşe Yılmaz", **more):
    """Returns our id of the message."""
    message = InboundMessage(
        network_id=more.pop("wamid", f"wamid.in{next(_numbers)}"),
        sender_phone=phone,
        sender_network_id=more.pop("network_id", ""),
        sender_name=name,
        at=int(more.pop("at", now()).timestamp()),
        kind=more.pop("kind", "text"),
        text=text,
        content=more,
    )
    with business.scope():
        tally = UsageTally()
        made = receive_message(line_repository.get(line_id), message, tally)
        tally.write()
    return made


def talks(business, **asked):
    with business.scope():
        return inbox_conversations.list_conversations(
            ConversationFilters(**{"view": "all", **asked}), None, 100
        )


def talk_with(business, phone=AYSE):
    return next(one for one in talks(business) if phone in one.places)
