"""What a guest can do with an order in the chat: the buttons of its messages, and their ids.

The id of a button has the order in it, so that an old message never changes a newer order.
"""

from datetime import timedelta
from functools import cache

from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.values.text import strip_accents
from messaging.messages.kinds.base import Choice
from restaurant.chat_texts import chat_languages, chat_text
from restaurant.loyalty import programmes
from restaurant.loyalty.placeholders import menu_link
from restaurant.models import Order, OrderChange, Site
from restaurant.orders.cards.card import Card, with_buttons, with_link

PREFIX = "order:"
CANCEL, ADD, BILL, WAITER, AGAIN, POINTS = "cancel", "add", "bill", "waiter", "again", "points"
CHANGE = "change"
ACTIONS = (CANCEL, CHANGE, ADD, BILL, WAITER, AGAIN, POINTS)
STATUS = "status"
"""Typed only: a message about the order asks what the guest would like to do."""
BEFORE_THE_KITCHEN = frozenset({"awaiting_confirmation", "awaiting_payment", "scheduled"})
AT_THE_TABLE = frozenset({"sent_to_kitchen", "preparing", "ready", "served"})
FINISHED = frozenset({"delivered", "closed"})


def button_id(action: str, order: Order) -> str:
    return f"{PREFIX}{action}:{order.id}"


def read_button_id(given: str) -> tuple[str, str] | None:
    """The action and the order's id; None if it is not a button of an order."""
    action, _, order_id = given.removeprefix(PREFIX).partition(":")
    if not given.startswith(PREFIX) or action not in ACTIONS or not order_id:
        return None
    return action, order_id


def typed_action(typed: str) -> str | None:
    """The action whose title somebody typed, in any language."""
    return _actions_by_title().get(_folded(typed))


def order_card(site: Site, order: Order, text: str) -> Card:
    """A text about an order, with what the guest can do next."""
    if order.state == "cancelled":
        return menu_card(site, order.language, text)
    if order.state in FINISHED:
        return _finished_card(site, order, text)
    return with_buttons(text, [order_button(action, order) for action in open_actions(site, order)])


def menu_card(site: Site, language: str, text: str) -> Card:
    return with_link(text, chat_text(language, "open_menu"), menu_link(site))


def open_actions(site: Site, order: Order) -> list[str]:
    """What the guest can do with an open order; three at most."""
    actions = []
    if order.table_id is not None and order.state in AT_THE_TABLE:
        actions = [ADD, BILL if order.paid_at is None else WAITER]
    if guest_may_cancel(site, order):
        if not actions and order.paid_at is None and order.cart_id is not None:
            actions.append(CHANGE)
        actions.append(CANCEL)
    elif BILL in actions:
        actions.append(WAITER)
    return actions


def guest_may_cancel(site: Site, order: Order) -> bool:
    """Until the kitchen starts, and only for some minutes after the order reached it.

    What was paid at the till is given back there, so the staff cancel such an order.
    """
    if order.taken or order.paid_online:
        return False
    if order.state in BEFORE_THE_KITCHEN:
        return True
    if order.state != "sent_to_kitchen" or order.batch > 1:
        return False
    query = select(func.min(OrderChange.at)).where(
        OrderChange.tenant_id == current_tenant_id(),
        OrderChange.order_id == order.id,
        OrderChange.state == "sent_to_kitchen",
    )
    since = db.session.scalar(query) or now()
    return now() < since + timedelta(minutes=site.guest_cancel_minutes)


def _finished_card(site: Site, order: Order, text: str) -> Card:
    programme = programmes.of_site(site.id)
    if programme is None or not programme.active:
        return with_link(text, chat_text(order.language, "button_again"), menu_link(site))
    return with_buttons(text, [order_button(AGAIN, order), order_button(POINTS, order)])


def order_button(action: str, order: Order) -> Choice:
    return Choice(button_id(action, order), chat_text(order.language, f"button_{action}"))


def _folded(title: str) -> str:
    return " ".join(strip_accents(title).split()).strip(".!? ")


@cache
def _actions_by_title() -> dict[str, str]:
    return {
        _folded(chat_text(language, f"button_{action}")): action
        for language in chat_languages()
        for action in (*ACTIONS, STATUS)
    }
