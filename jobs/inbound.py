"""A customer's message, whatever line it came by: stored, then given to what reacts to it.

Called by the worker for hooks and, in a thread, by the hosts of linked lines. The texts that are
looked at and the patterns that look at them are bounded, so that nobody can hold a worker up.
"""

from sqlalchemy.exc import DBAPIError

from core.db import savepoint
from core.logs import logger
from messaging import receiving
from messaging.inbox import tending
from messaging.lines import InboundMessage
from messaging.models import Line
from messaging.usage import Tally
from restaurant import chat, locating
from restaurant.loyalty import keywords

log = logger(__name__)


def receive(line: Line, message: InboundMessage, tally: Tally) -> None:
    """A reaction that fails leaves the message where a person reads it: in the inbox."""
    message_id = receiving.receive_message(line, message, tally)
    if message_id is None:
        return
    order = chat.may_be_order(message)
    if not (order or message.kind == "location" or keywords.asks(message)):
        return
    try:
        with savepoint():
            done: object
            if message.kind == "location":
                done = locating.attach(line, message)
            elif order:
                done = chat.order_from(line, message, message_id)
            else:
                done = keywords.answer(line, message)
            if done:
                tending.needs_nobody(message_id)
    except DBAPIError:
        raise  # a lost race or an outage: all of it is done again
    except Exception:
        log.exception("an order, a location or a question was not understood", message=message_id)
