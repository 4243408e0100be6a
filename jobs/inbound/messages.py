"""Receive a customer's message on any line: store it, then react to it.

Called by the worker for hooks and, in a thread, by the hosts of linked lines. The texts that are
examined and the patterns for them are limited, so that nobody can block a worker.
"""

from sqlalchemy.exc import DBAPIError

from core.db import savepoint
from core.logs import logger
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import receive as message_receive
from messaging.models import Line
from restaurant.chat import (
    cancel_or_opt_out,
    chat_orders,
    loyalty_keywords,
    order_taps,
    shared_locations,
)

log = logger(__name__)


def receive_and_react(line: Line, message: InboundMessage, tally: UsageTally) -> None:
    """Store the message and react to it. If the reaction fails, the message stays in the inbox."""
    stored = message_receive.store_message(line, message, tally)
    # The network's agent answers, or the customer deleted the message before it arrived.
    if stored is None or stored.message.content.keys() & {"handled_by", "deleted_at"}:
        return
    message_id, message = stored.id, stored.message
    order = chat_orders.may_be_order(message)
    tap, asks = order_taps.is_tap(message), cancel_or_opt_out.may_answer(message)
    keyword = loyalty_keywords.is_keyword(message)
    if not (order or tap or asks or keyword or message.kind == "location"):
        return
    try:
        with savepoint():
            done: object
            if message.kind == "location":
                done = shared_locations.attach_location(line, message)
            elif asks:
                done = cancel_or_opt_out.answer(line, message)
            elif order:
                done = chat_orders.create_order(line, message, message_id)
            else:
                done = (tap and order_taps.answer_tap(line, message)) or (
                    keyword and loyalty_keywords.answer_keyword(line, message)
                )
            if done:
                conversation_actions.mark_answered_automatically(message_id)
    except DBAPIError:
        raise  # a lock conflict or an outage: everything is repeated
    except Exception:
        log.exception("inbound message handling failed", message=message_id)
