"""A guest with an open order writes "iptal": ask whether the order or the messages are meant.

The question has reply buttons; a linked phone shows them as numbered text. The button that the
guest taps, or the number that they type, arrives here as the same message.
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
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts

CANCEL_ID, STOP_ID = "guest-cancels:", "guest-opts-out"
# Later the kitchen may have begun, and the staff decide.
CANCELLED_AT_ONCE = frozenset({"awaiting_confirmation", "awaiting_payment"})
log = logger(__name__)


def register() -> None:
    opt_out_port.register(lambda line, contact_id: _open_order(line, contact_id) is not None)


def may_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if message.kind == "button":
        chosen = str(message.content.get("id") or "")
        return chosen == STOP_ID or chosen.startswith(CANCEL_ID)
    return is_written(message.kind) and opt_out_port.is_ambiguous(message.text)


def answer(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message. False leaves it to the staff."""
    contact_id = contact_identities.find_contact(message.sender_phone, message.sender_network_id)
    if contact_id is None:
        return False
    if message.kind != "button":
        order = _open_order(line, contact_id)
        return order is not None and _ask(line, message, order)
    chosen = str(message.content.get("id") or "")
    if chosen == STOP_ID:
        return _stop_messages(line, message, contact_id)
    return _cancel(contact_id, chosen.removeprefix(CANCEL_ID))


def _ask(line: Line, message: InboundMessage, order: Order) -> bool:
    language = order.language
    body = chat_text(language, "cancel_question", order=order.number)
    buttons = [
        {"id": f"{CANCEL_ID}{order.id}", "title": chat_text(language, "cancel_order_button")},
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


def _cancel(contact_id: str, order_id: str) -> bool:
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.id == order_id,
        Order.contact_id == contact_id,
    )
    order = db.session.scalars(query).first()
    if order is None or order.ended_at is not None:
        return False
    if order.state not in CANCELLED_AT_ONCE:
        order_notifications.send_to_customer(
            order, order_notifications.customer_text(order, "cancel_asked")
        )
        return False  # the conversation stays open for the staff
    site = sites.get(order.site_id)
    because = chat_text(order.language, "cancelled_as_asked")
    cancelled = order_lifecycle.cancel(site, order, because)
    if "cancelled" not in site.told_states:
        order_notifications.send_to_customer(
            cancelled, order_notifications.customer_text(cancelled, "cancelled", because=because)
        )
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
