"""Customers who write to a business, for the tests of its inbox."""

from itertools import count

from core.clock import now
from messaging import lines_book
from messaging.inbox import listing
from messaging.inbox.listing import Asked
from messaging.lines import InboundMessage
from messaging.receiving import receive_message
from messaging.usage import Tally

AYSE, VELI = "905321117701", "905321117702"
_numbers = count(1)


def add_line(business, name="Front desk"):
    with business.scope():
        return lines_book.add_cloud_line(
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
        tally = Tally()
        made = receive_message(lines_book.get(line_id), message, tally)
        tally.write()
    return made


def talks(business, **asked):
    with business.scope():
        return listing.listed(Asked(**{"view": "all", **asked}), None, 100)


def talk_with(business, phone=AYSE):
    return next(one for one in talks(business) if phone in one.places)
