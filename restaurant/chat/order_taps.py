"""Guests tap a button of a message about their order, or type its title.

A typed title is for the newest order of the guest that is not over. A tapped button is for the
order in its id, also if the message is old: the answer then tells why nothing changed.
"""

from decimal import Decimal

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import NotFound
from core.values.money import format_money
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat import loyalty_keywords
from restaurant.chat.senders import read_sender
from restaurant.chat_texts import chat_text
from restaurant.loyalty.placeholders import menu_link
from restaurant.models import Cart, Order, Site, Tab, Table
from restaurant.orders import card_payments, hold_reasons, waiter_calls
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.cards import order_buttons
from restaurant.orders.cards.card import Card, with_link
from restaurant.orders.hold_reasons import NOT_SCANNED
from restaurant.orders.pace import guest_changes
from restaurant.orders.printing import print_jobs
from restaurant.payments import link_queries
from restaurant.sites import sites, tables
from restaurant.tabs import addresses as tab_addresses
from restaurant.tabs import sessions as tab_sessions

LONGEST_TITLE = 40


def is_tap(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if not is_written(message.kind) or not 0 < len(message.text) <= LONGEST_TITLE:
        return False
    tapped = order_buttons.read_button_id(str(message.content.get("id") or ""))
    return tapped is not None or order_buttons.typed_action(message.text) is not None


def answer_tap(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message. False if it was not about an order."""
    sender = read_sender(line, message)
    if sender is None or sender.blocked:
        return False
    found = _find_order(line, message, sender.contact_id)
    if found is None:
        return False
    action, order = found
    site = sites.of_order(order)
    if action == order_buttons.POINTS:
        return loyalty_keywords.send_balance(line, site, sender)
    answer = _ANSWERS[action](site, order)
    if answer is not None:
        order_notifications.send_to_customer(order, answer)
    return True


def _find_order(line: Line, message: InboundMessage, contact_id: str) -> tuple[str, Order] | None:
    tapped = order_buttons.read_button_id(str(message.content.get("id") or ""))
    if tapped is not None:
        action, order_id = tapped
        try:
            order = order_queries.get(order_id) if order_id.startswith("ord_") else None
        except (NotFound, ValueError):
            order = None
        return (action, order) if order is not None and order.contact_id == contact_id else None
    typed = order_buttons.typed_action(message.text)
    newest = newest_open_order(line.id, contact_id)
    return (typed, newest) if typed is not None and newest is not None else None


def newest_open_order(line_id: int, contact_id: str) -> Order | None:
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.contact_id == contact_id,
        Order.ended_at.is_(None),
        Order.line_id == line_id,
    )
    return db.session.scalars(query.order_by(Order.id.desc()).limit(1)).first()


def _cancel(site: Site, order: Order) -> Card:
    order_queries.lock_tab(order.id)
    db.session.refresh(order, with_for_update=True)
    if order.state in ("cancelled", "refunded"):
        return _about_order(site, order, "cancelled_already")
    if not order_buttons.guest_may_cancel(site, order):
        if order.ended_at is not None:
            return _about_order(site, order, "order_over")
        return _ask_staff(site, order, guest_changes.CANCEL)
    order = order_lifecycle.change_state(
        site,
        order,
        "cancelled",
        because=chat_text(site.languages[0], "cancelled_by_guest"),
        reason=hold_reasons.CANCELLED_BY_GUEST,
        notify=False,
    )
    text = order_notifications.customer_text(order, "you_cancelled")
    if order.paid_at is not None:
        text = f"{text} {chat_text(order.language, 'cancel_refund')}"
    return order_buttons.order_card(site, order, text)


def _change(site: Site, order: Order) -> Card:
    """A link to the menu with the order's items in the cart."""
    if order.ended_at is not None:
        return _about_order(site, order, "order_over")
    cart = db.session.get(Cart, (order.tenant_id, order.cart_id)) if order.cart_id else None
    if cart is None or not guest_changes.may_change(site, order):
        return _ask_staff(site, order, guest_changes.CHANGE)
    text = order_notifications.customer_text(order, "change_items")
    url = f"{menu_link(site)}?change={cart.code[:4]}-{cart.code[4:]}"
    return with_link(text, chat_text(order.language, "button_change"), url)


def _ask_staff(site: Site, order: Order, what: str) -> Card:
    order = guest_changes.request(site, order, what)
    return _about_order(site, order, "staff_asked")


def _add(site: Site, order: Order) -> Card:
    if order.ended_at is not None:
        return _again(site, order)
    text = order_notifications.customer_text(order, "add_items")
    return with_link(text, chat_text(order.language, "open_menu"), _menu_of_order(site, order))


def _menu_of_order(site: Site, order: Order) -> str:
    """The menu for the order's table, if the guest has scanned its code."""
    table = _table(order)
    if table is None or NOT_SCANNED in order.staff_note:
        return menu_link(site)
    return f"{menu_link(site)}?{tables.table_query(table)}"


def _bill(site: Site, order: Order) -> Card | None:
    if order.state == "awaiting_payment":
        link = link_queries.of_order(order.id)
        if link is not None and link.state in ("open", "failed") and link.url:
            text = order_notifications.customer_text(order, "pay")
            return with_link(text, chat_text(order.language, "button_pay"), link.url)
    if order.paid_at is not None or order.ended_at is not None:
        key = "bill_paid" if order.paid_at is not None else "bill_total"
        return _about_order(site, order, key)
    table = _table(order)
    if table is None or order.state not in order_buttons.AT_THE_TABLE:
        return _about_order(site, order, "bill_total")
    _, new = waiter_calls.call_to_table(site, table, "bill")
    if not new:
        return None  # the guest was told already
    on_bill = print_jobs.orders_on_bill(site.id, table.id)
    total = sum((one.open_amount for one in on_bill), start=Decimal(0))
    tab = _tab(order)
    online = tab is not None and card_payments.has_provider(site, test=tab.test)
    text = order_notifications.customer_text(
        order,
        "bill_coming_online" if online else "bill_coming",
        table=table.number,
        total=format_money(total, order.currency, order.language),
    )
    if tab is None:
        return Card(text)
    return with_link(text, chat_text(order.language, "open_bill"), tab_addresses.bill_url(tab))


def _tab(order: Order) -> Tab | None:
    """The open tab of the table, if the guest has scanned its code."""
    if order.tab_id is None or NOT_SCANNED in order.staff_note:
        return None
    tab = tab_sessions.get(order.tab_id)
    return tab if tab.ended_at is None else None


def _waiter(site: Site, order: Order) -> Card | None:
    table = _table(order)
    if table is None or order.ended_at is not None:
        return _about_order(site, order, "order_over" if order.ended_at else "what_next")
    _, new = waiter_calls.call_to_table(site, table, "waiter")
    if not new:
        return None  # the guest was told already
    return Card(order_notifications.customer_text(order, "waiter_coming", table=table.number))


def _again(site: Site, order: Order) -> Card:
    return order_buttons.menu_card(site, order.language, chat_text(order.language, "order_again"))


def _status(site: Site, order: Order) -> Card:
    return _about_order(site, order, "what_next")


def _about_order(site: Site, order: Order, key: str) -> Card:
    return order_buttons.order_card(site, order, order_notifications.customer_text(order, key))


def _table(order: Order) -> Table | None:
    if order.table_id is None:
        return None
    return db.session.get(Table, (order.tenant_id, order.table_id))


_ANSWERS = {
    order_buttons.CANCEL: _cancel,
    order_buttons.CHANGE: _change,
    order_buttons.ADD: _add,
    order_buttons.BILL: _bill,
    order_buttons.WAITER: _waiter,
    order_buttons.AGAIN: _again,
    order_buttons.STATUS: _status,
}
