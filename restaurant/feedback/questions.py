"""The question after the meal: one message some time after an order is completed.

It respects the 24-hour window, opt-outs and the night, and a regular guest is asked once a week at
most. An unhappy answer goes to the manager first.
"""

from datetime import datetime, time, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now, zone
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import NotFound
from core.queue import lanes
from messaging.contacts import cards as contact_cards
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import fallback as message_fallback
from messaging.messages.kinds.base import Choice
from messaging.models import Line
from restaurant import customers
from restaurant.chat_texts import chat_text
from restaurant.models import Order, OrderFeedback, Site
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards.card import Card, with_buttons, with_link
from restaurant.orders.effects import OrderUpdate
from restaurant.sites import sites
from tenants import audit

LANE = "feedback"
GOOD, OKAY, BAD = "good", "okay", "bad"
ANSWERS = (GOOD, OKAY, BAD)
PREFIX = "feedback:"
COMPLETED = frozenset({"delivered", "closed"})
BATCH = 100
NOT_AGAIN_WITHIN = timedelta(days=7)
ANSWERABLE_FOR = timedelta(days=7)
NIGHT_FROM, NIGHT_UNTIL = time(22, 30), time(10)

UNHAPPY_GUESTS = select(OrderFeedback.order_id).where(
    OrderFeedback.tenant_id == THIS_TENANT,
    OrderFeedback.answer == BAD,
    OrderFeedback.handled_at.is_(None),
)


def schedule_question(update: OrderUpdate) -> None:
    """Called when an order changes its state."""
    site, order = update.site, update.order
    if order.state not in COMPLETED or not site.feedback_minutes:
        return
    if not customers.can_be_notified(order):
        return
    due_at = after_the_night(site, now() + timedelta(minutes=site.feedback_minutes))
    new = insert(OrderFeedback).values(
        tenant_id=order.tenant_id,
        order_id=order.id,
        site_id=site.id,
        due_at=due_at,
        skipped="",
        answer="",
        handled_by="",
    )
    db.session.execute(new.on_conflict_do_nothing())
    lanes.mark_later(LANE, order.tenant_id, due_at)


def after_the_night(site: Site, moment: datetime) -> datetime:
    """The moment, or the next morning if it is night at the restaurant."""
    local = moment.astimezone(zone(site.time_zone))
    if NIGHT_UNTIL <= local.time() < NIGHT_FROM:
        return moment
    day = local.date() + timedelta(days=local.time() >= NIGHT_FROM)
    return datetime.combine(day, NIGHT_UNTIL, zone(site.time_zone))


def ask_due(moment: datetime) -> int:
    """Ask the guests whose question is due, and schedule the next run. Returns how many."""
    asked = 0
    for feedback in _due(moment):
        feedback.skipped = _ask(feedback, moment)
        if not feedback.skipped:
            feedback.asked_at = moment
            asked += 1
        db.session.flush()
    following = db.session.scalar(
        select(OrderFeedback.due_at).where(*_OPEN).order_by(OrderFeedback.due_at).limit(1)
    )
    if following is not None:
        lanes.mark_later(LANE, current_tenant_id(), following)
    return asked


_OPEN = (
    OrderFeedback.tenant_id == THIS_TENANT,
    OrderFeedback.asked_at.is_(None),
    OrderFeedback.skipped == "",
)


def _due(moment: datetime) -> list[OrderFeedback]:
    query = select(OrderFeedback).where(*_OPEN, OrderFeedback.due_at <= moment)
    locked = query.order_by(OrderFeedback.due_at).limit(BATCH).with_for_update()
    return list(db.session.scalars(locked))


def _ask(feedback: OrderFeedback, moment: datetime) -> str:
    """Send the question. Returns why it was not sent, or an empty text."""
    order = db.session.get(Order, (feedback.tenant_id, feedback.order_id))
    try:
        site = sites.get(feedback.site_id)
    except NotFound:
        return "turned_off"
    if order is None or not site.feedback_minutes or order.state not in COMPLETED:
        return "turned_off"
    line = line_repository.get(order.line_id) if order.line_id is not None else None
    if line is None or (order.test and not line.test):
        return "no_line"
    if why := _why_not(order, line, moment):
        return why
    text = order_notifications.customer_text(order, "feedback_question", site=site.name)
    card = with_buttons(text, [answer_button(answer, order) for answer in ANSWERS])
    address = customers.address_of(order, line)
    sent = order_notifications.send_card(line, address, card, reference=order.number)
    return "" if sent else "refused"


def _why_not(order: Order, line: Line, moment: datetime) -> str:
    if order.contact_id is None:
        return "no_contact"
    try:
        contact = contact_cards.get(order.contact_id).contact
    except NotFound:
        return "no_contact"
    if contact.blocked_at is not None:
        return "blocked"
    if contact.opted_out_at is not None:
        return "opted_out"
    if DRIVERS[line.kind].has_templates and not _window_is_open(order, line, moment):
        return "window_closed"
    if _asked_recently(order, moment):
        return "asked_recently"
    return ""


def _window_is_open(order: Order, line: Line, moment: datetime) -> bool:
    pair = (line.id, customers.address_of(order, line))
    until = message_fallback.read_windows([pair]).get(pair)
    return until is not None and until > moment


def _asked_recently(order: Order, moment: datetime) -> bool:
    query = (
        select(OrderFeedback.order_id)
        .join(
            Order,
            (Order.tenant_id == OrderFeedback.tenant_id) & (Order.id == OrderFeedback.order_id),
        )
        .where(
            Order.tenant_id == current_tenant_id(),
            OrderFeedback.tenant_id == current_tenant_id(),
            Order.contact_id == order.contact_id,
            OrderFeedback.asked_at > moment - NOT_AGAIN_WITHIN,
        )
    )
    return db.session.scalar(query.limit(1)) is not None


def answer_button(answer: str, order: Order) -> Choice:
    return Choice(f"{PREFIX}{answer}:{order.id}", chat_text(order.language, f"button_{answer}"))


def read_button_id(given: str) -> tuple[str, str] | None:
    """The answer and the order's id; None if it is not a button of the question."""
    answer, _, order_id = given.removeprefix(PREFIX).partition(":")
    if not given.startswith(PREFIX) or answer not in ANSWERS or not order_id:
        return None
    return answer, order_id


def latest_question(contact_id: str) -> OrderFeedback | None:
    """The question that this contact got last and may still answer."""
    query = (
        select(OrderFeedback)
        .join(
            Order,
            (Order.tenant_id == OrderFeedback.tenant_id) & (Order.id == OrderFeedback.order_id),
        )
        .where(
            Order.tenant_id == current_tenant_id(),
            OrderFeedback.tenant_id == current_tenant_id(),
            Order.contact_id == contact_id,
            OrderFeedback.asked_at > now() - ANSWERABLE_FOR,
        )
        .order_by(Order.id.desc())
        .limit(1)
    )
    return db.session.scalars(query).first()


def record_answer(feedback: OrderFeedback, answer: str) -> bool:
    """Store the first answer, or a worse one. False if the guest had answered already."""
    db.session.refresh(feedback, with_for_update=True)
    if feedback.answer and (feedback.answer == BAD or answer != BAD):
        return False
    feedback.answer, feedback.answered_at = answer, now()
    if answer == BAD:
        feedback.handled_at, feedback.handled_by = None, ""
    return True


def reply_to(site: Site, order: Order, answer: str) -> Card:
    text = order_notifications.customer_text(order, f"feedback_{answer}", site=site.name)
    if answer == GOOD and site.review_url:
        return with_link(
            f"{text} {chat_text(order.language, 'feedback_review')}",
            chat_text(order.language, "button_review"),
            site.review_url,
        )
    return Card(text)


def tell_manager(site: Site, order: Order) -> None:
    """An unhappy guest: the history of the order, open pages, and a message to the manager."""
    order_lifecycle.record_change(order, "unhappy")
    line = sites.line_of(site)
    if site.manager_phone and line is not None and not order.test:
        text = chat_text(site.languages[0], "manager_unhappy", site=site.name, order=order.number)
        order_notifications.send_text(line, site.manager_phone, text, reference=order.number)


def of_order(order_id: str) -> OrderFeedback | None:
    return db.session.get(OrderFeedback, (current_tenant_id(), order_id))


def mark_handled(feedback: OrderFeedback) -> bool:
    """A member took care of the guest. Idempotent."""
    db.session.refresh(feedback, with_for_update=True)
    if feedback.answer != BAD or feedback.handled_at is not None:
        return False
    feedback.handled_at, feedback.handled_by = now(), audit.current_actor().name
    return True


def unhappy_guests() -> list[Any]:
    """Orders of guests who still wait for an answer, the longest wait first."""
    query = (
        select(
            Order.number,
            Order.customer_name,
            Order.customer_phone,
            Order.contact_id,
            Order.total,
            Order.currency,
            OrderFeedback.answered_at,
        )
        .join(
            OrderFeedback,
            (OrderFeedback.tenant_id == Order.tenant_id) & (OrderFeedback.order_id == Order.id),
        )
        .where(
            Order.tenant_id == current_tenant_id(),
            OrderFeedback.tenant_id == current_tenant_id(),
            OrderFeedback.answer == BAD,
            OrderFeedback.handled_at.is_(None),
        )
    )
    return list(db.session.execute(query.order_by(OrderFeedback.answered_at).limit(BATCH)))
