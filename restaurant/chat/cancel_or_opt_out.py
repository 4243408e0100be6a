"""A guest with an open order writes "iptal": ask whether the order or the messages are meant.

The question has reply buttons; a linked phone shows them as numbered text. The first button is the
one that cancels an order in every message about it; restaurant/chat/order_taps.py answers its tap.
"""

from core.clock import now
from messaging.contacts import opt_out_port
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import receive as message_receive
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat.order_taps import newest_open_order
from restaurant.chat.senders import read_sender
from restaurant.chat_texts import chat_text
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards import order_buttons
from restaurant.orders.cards.card import with_buttons

STOP_ID = "guest-opts-out"


def may_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if message.kind == "button":
        return message.content.get("id") == STOP_ID
    return is_written(message.kind) and opt_out_port.is_ambiguous(message.text)


def answer(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message. False leaves it to the staff."""
    sender = read_sender(line, message)
    if sender is None or sender.blocked:
        return False
    order = newest_open_order(line.id, sender.contact_id)
    if message.kind == "button":
        message_receive.opt_out_sender(line, message, sender.contact_id, now())
        language = order.language if order is not None else sender.language or "tr"
        text = chat_text(language, "messages_stopped")
        return bool(order_notifications.send_text(line, sender.address, text))
    if order is None:
        return False
    card = with_buttons(
        order_notifications.customer_text(order, "cancel_question"),
        [
            order_buttons.order_button(order_buttons.CANCEL, order),
            Choice(STOP_ID, chat_text(order.language, "stop_messages_button")),
        ],
    )
    return bool(order_notifications.send_card(line, sender.address, card, reference=order.number))
