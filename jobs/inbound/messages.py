"""Receive a customer's message on any line: store it, then react to it.

Called by the worker for hooks and, in a thread, by the hosts of linked lines. The texts that are
examined and the patterns for them are limited, so that nobody can block a worker.
"""

from sqlalchemy.exc import DBAPIError

from core.db import savepoint
from core.logs import logger
from messaging.automations import button_taps
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import receive as message_receive
from messaging.models import Line
from restaurant.chat import chat_orders, loyalty_keywords, order_taps, shared_locations

log = logger(__name__)


def receive_and_react(line: Line, message: InboundMessage, tally: UsageTally) -> None:
    """Store the message and react to it. If the reaction fails, the message stays in the inbox."""
    message_id = message_receive.receive_message(line, message, tally)
    if message_id is None:
        return
    order = chat_orders.may_be_order(message)
    tap = order_taps.is_tap(message)
    chosen = button_taps.is_tap(message)
    if not (
        order or tap or chosen or message.kind == "location" or loyalty_keywords.is_keyword(message)
    ):
        return
    try:
        with savepoint():
            done: object
            if message.kind == "location":
                done = shared_locations.attach_location(line, message)
            elif order:
                done = chat_orders.create_order(line, message, message_id)
            else:
                done = (
                    (tap and order_taps.answer_tap(line, message))
                    or (
                        loyalty_keywords.is_keyword(message)
                        and loyalty_keywords.answer_keyword(line, message)
                    )
                    or (chosen and button_taps.start_for_tap(line, message, message_id))
                )
            if done:
                conversation_actions.mark_answered_automatically(message_id)
    except DBAPIError:
        raise  # a lock conflict or an outage: everything is repeated
    except Exception:
        log.exception("inbound message handling failed", message=message_id)
