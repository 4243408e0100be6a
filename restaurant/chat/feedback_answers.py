"""Guests answer the question after the meal by a button, or by typing its title."""

from functools import cache

from core.db import current_tenant_id, db
from core.errors import NotFound
from core.values.text import strip_accents
from messaging.inbox import conversation_actions
from messaging.inbox import conversations as inbox_conversations
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat.senders import read_sender
from restaurant.chat_texts import chat_languages, chat_text
from restaurant.feedback import questions as feedback_questions
from restaurant.models import Order, OrderFeedback
from restaurant.orders import notifications as order_notifications
from restaurant.sites import sites

LONGEST_TITLE = 40


def is_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if not is_written(message.kind) or not 0 < len(message.text) <= LONGEST_TITLE:
        return False
    tapped = feedback_questions.read_button_id(str(message.content.get("id") or ""))
    return tapped is not None or _typed_answer(message.text) is not None


def take_answer(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message.

    False leaves the conversation unread: an unhappy guest waits for a person.
    """
    sender = read_sender(line, message)
    if sender is None or sender.blocked:
        return False
    found = _find(message, sender.contact_id)
    if found is None:
        return False
    answer, feedback, order = found
    if not feedback_questions.record_answer(feedback, answer):
        return True
    site = sites.of_order(order)
    card = feedback_questions.reply_to(site, order, answer)
    order_notifications.send_card(line, sender.address, card, reference=order.number)
    if answer != feedback_questions.BAD:
        return True
    feedback_questions.tell_manager(site, order)
    _hand_over(line, order, sender.contact_id)
    return False


def _hand_over(line: Line, order: Order, contact_id: str) -> None:
    for talk in inbox_conversations.conversations_of_contact(contact_id):
        if talk.line_id == line.id:
            language = sites.of_order(order).languages[0]
            note = chat_text(language, "note_unhappy", order=order.number)
            conversation_actions.add_note(talk.id, note)
            return


def _find(message: InboundMessage, contact_id: str) -> tuple[str, OrderFeedback, Order] | None:
    tapped = feedback_questions.read_button_id(str(message.content.get("id") or ""))
    if tapped is not None:
        answer, order_id = tapped
        try:
            feedback = feedback_questions.of_order(order_id)
        except (NotFound, ValueError):
            return None
    else:
        typed = _typed_answer(message.text)
        if typed is None:
            return None
        answer, feedback = typed, feedback_questions.latest_question(contact_id)
        if feedback is not None and feedback.answer:
            return None
    if feedback is None or feedback.asked_at is None:
        return None
    order = db.session.get(Order, (current_tenant_id(), feedback.order_id))
    if order is None or order.contact_id != contact_id:
        return None
    return answer, feedback, order


def _typed_answer(typed: str) -> str | None:
    return _answers_by_title().get(_folded(typed))


def _folded(title: str) -> str:
    letters = "".join(one for one in strip_accents(title) if one.isalnum() or one.isspace())
    return " ".join(letters.split())


@cache
def _answers_by_title() -> dict[str, str]:
    return {
        _folded(chat_text(language, f"button_{answer}")): answer
        for language in chat_languages()
        for answer in feedback_questions.ANSWERS
    }
