"""A customer's message, whatever line it came by: stored, then heard by those who wait for one."""

from sqlalchemy.exc import DBAPIError

from core.db import savepoint
from core.logs import logger
from messaging import receiving
from messaging.lines import InboundMessage
from messaging.models import Line
from messaging.usage import Tally
from restaurant import chat, locating

log = logger(__name__)


def receive(line: Line, message: InboundMessage, tally: Tally) -> None:
    """A reaction that fails leaves the message where a person reads it: in the inbox."""
    message_id = receiving.receive_message(line, message, tally)
    if message_id is None or not (message.kind == "location" or chat.may_be_order(message)):
        return
    try:
        with savepoint():
            if message.kind == "location":
                locating.attach(line, message)
            else:
                chat.order_from(line, message, message_id)
    except DBAPIError:
        raise  # a lost race or an outage: all of it is done again
    except Exception:
        log.exception("an order or a location was not understood", message=message_id)
