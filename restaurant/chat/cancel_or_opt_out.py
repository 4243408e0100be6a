"""A guest with an open order writes "iptal": ask whether the order or the messages are meant.

The question has reply buttons; a linked phone shows them as numbered text. The first button is the
one that cancels an order in every message about it; restaurant/chat/order_taps.py answers its tap.
"""

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db, savepoint
from core.errors import DomainError
from core.logs import logger
from messaging.contacts import identities as contact_identities
from messaging.contacts import opt_out_port
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import accept as message_accept
from messaging.messages import receive as message_receive
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat_texts import chat_text
from restaurant.models import Order
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards import order_buttons
from tenants.plans.catalog import current_tenant_facts

STOP_ID = "guest-opts-out"
log = logger(__name__)


def register() -> None:
    opt_out_port.register(lambda line, contact_id: _open_order(line, contact_id) is not None)


def may_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if message.kind == "button":
        return message.content.get("id") == STOP_ID
    return is_written(message.kind) and opt_out_port.is_ambiguous(message.text)


def answer(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message. False leaves it to the staff."""
    contact_id = contact_identities.find_contact(message.sender_phone, message.sender_network_id)
    if contact_id is None:
        return False
    if message.kind == "button":
        return _stop_messages(line, message, contact_id)
    order = _open_order(line, contact_id)
    return order is not None and _ask(line, message, order)


def _ask(line: Line, message: InboundMessage, order: Order) -> bool:
    language = order.language
    body = chat_text(language, "cancel_question", order=order.number)
    buttons = [
        {
            "id": order_buttons.button_id(order_buttons.CANCEL, order),
            "title": chat_text(language, "button_cancel"),
        },
        {"id": STOP_ID, "title": chat_text(language, "stop_messages_button")},
    ]
    draft = message_accept.MessageDraft(
        kind="buttons",
        phone=_recipient(message),
        text=body,
        content={"interactive": {"body": body, "buttons": buttons}},
        reference=order.number,
    )
    try:
        with savepoint():
            message_accept.accept_message(draft, line, current_tenant_facts())
    except DomainError as refused:
        log.warning("order notification not sent", code=refused.code)
        return False
    return True


def _stop_messages(line: Line, message: InboundMessage, contact_id: str) -> bool:
    message_receive.opt_out_sender(line, message, contact_id, now())
    order = _open_order(line, contact_id)
    language = order.language if order is not None else "tr"
    text = chat_text(language, "messages_stopped")
    return bool(order_notifications.send_text(line, _recipient(message), text))


def _open_order(line: Line, contact_id: str) -> Order | None:
    query = (
        select(Order)
        .where(
            Order.tenant_id == current_tenant_id(),
            Order.contact_id == contact_id,
            Order.ended_at.is_(None),
            Order.test == line.test,
        )
        .order_by(Order.placed_at.desc())
        .limit(1)
    )
    return db.session.scalars(query).first()


def _recipient(message: InboundMessage) -> str:
    return message.sender_phone or message.sender_network_id
