"""Receive a customer's message on any line: store it, then react to it.

Called by the worker for hooks and, in a thread, by the hosts of linked lines. The texts that are
examined and the patterns for them are limited, so that nobody can block a worker.
"""

from collections.abc import Callable

from sqlalchemy.exc import DBAPIError

from core.db import savepoint
from core.logs import logger
from messaging.approvals import member_chats
from messaging.automations import button_taps
from messaging.campaigns import taps as campaign_taps
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions
from messaging.inbox.team import ratings
from messaging.journeys import triggers as journey_triggers
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import receive as message_receive
from messaging.models import Line
from restaurant.chat import (
    cancel_or_opt_out,
    chat_orders,
    feedback_answers,
    loyalty_keywords,
    order_taps,
    shared_locations,
)
from restaurant.text_orders import reaction as text_orders

log = logger(__name__)

# Whether a message may be meant for this, a cheap question, and what is then done with it. They are
# tried in this order until one has answered.
REACTIONS: tuple[
    tuple[Callable[[InboundMessage], bool], Callable[[Line, InboundMessage, str], object]], ...
] = (
    (
        lambda message: message.kind == "location",
        lambda line, message, _: shared_locations.attach_location(line, message),
    ),
    (
        cancel_or_opt_out.may_answer,
        lambda line, message, _: cancel_or_opt_out.answer(line, message),
    ),
    (member_chats.may_answer, lambda line, message, _: member_chats.answer(line, message)),
    (ratings.may_answer, lambda line, message, _: ratings.record_answer(line, message)),
    (chat_orders.may_be_order, chat_orders.create_order),
    (
        feedback_answers.is_answer,
        lambda line, message, _: feedback_answers.take_answer(line, message),
    ),
    (order_taps.is_tap, lambda line, message, _: order_taps.answer_tap(line, message)),
    (journey_triggers.may_be_answer, journey_triggers.answer),
    (
        loyalty_keywords.is_keyword,
        lambda line, message, _: loyalty_keywords.answer_keyword(line, message),
    ),
    (journey_triggers.may_be_keyword, journey_triggers.start_for_keyword),
    (text_orders.may_answer, text_orders.answer),
    (button_taps.is_tap, button_taps.start_for_tap),
    (journey_triggers.may_be_answer, journey_triggers.start_for_message),
)


def receive_and_react(line: Line, message: InboundMessage, tally: UsageTally) -> None:
    """Store the message and react to it. If the reaction fails, the message stays in the inbox."""
    stored = message_receive.store_message(line, message, tally)
    # The network's agent answers, or the customer deleted the message before it arrived.
    if stored is None or stored.message.content.keys() & {"handled_by", "deleted_at"}:
        return
    message_id, message = stored.id, stored.message
    if campaign_taps.is_tap(message):
        campaign_taps.record_tap(message, message_id)
    reactions = [react for applies, react in REACTIONS if applies(message)]
    if not reactions:
        return
    try:
        with savepoint():
            results = (react(line, message, message_id) for react in reactions)
            done = next((result for result in results if result), None)
            if done and done != journey_triggers.NEEDS_PERSON:
                conversation_actions.mark_answered_automatically(message_id)
    except DBAPIError:
        raise  # a lock conflict or an outage: everything is repeated
    except Exception:
        log.exception("inbound message handling failed", message=message_id)
