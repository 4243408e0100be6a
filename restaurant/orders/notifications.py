"""Effects of an order's changes: webhook events for the tenant, chat messages for the customer.

`order_sent_to_kitchen` is the only place where an order becomes kitchen work; it also queues the
tickets.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from core.clock import rfc3339
from core.db import savepoint
from core.errors import DomainError
from core.logs import logger
from core.values.money import format_money, json_number
from messaging.lines import repository as line_repository
from messaging.messages import accept as message_accept
from messaging.models import Line
from restaurant import customers
from restaurant.chat_texts import chat_text, time_text
from restaurant.delivery import addresses
from restaurant.models import Courier, Order, OrderItem, PaymentLink, Site, Trip
from restaurant.orders.cards import order_buttons
from restaurant.orders.cards.card import Card, for_line, with_link
from restaurant.orders.effects import OrderUpdate
from restaurant.orders.kitchen import courses as kitchen_courses
from restaurant.orders.kitchen import late_schedule as kitchen_late
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen import promise as kitchen_promise
from restaurant.orders.printing import print_jobs
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts
from tenants.push import notifications as push_notifications
from webhooks.events import publish_webhook_event

log = logger(__name__)


def publish_new_order(update: OrderUpdate) -> None:
    """An order that still needs confirmation or payment is published when it has both.

    An order for later is created for the tenant's systems when it goes to the kitchen.
    """
    if update.order.state == "sent_to_kitchen":
        order_sent_to_kitchen(update.site, update.order, update.items)
    elif update.order.state == "scheduled":
        status_changed(update.site, update.order, update.items)


def publish_state(update: OrderUpdate) -> None:
    site, order, items = update.site, update.order, update.items
    if order.state == "sent_to_kitchen":
        order_sent_to_kitchen(site, order, items)
    elif order.state == "cancelled":
        order_cancelled(site, order, items, update.because)
    else:
        status_changed(site, order, items)


def notify_customer_of_state(update: OrderUpdate) -> None:
    if update.notify_customer:
        notify_customer(update.site, update.order, because=update.because)


def order_sent_to_kitchen(site: Site, order: Order, items: Sequence[OrderItem]) -> None:
    """The order is confirmed and, if it had to be paid first, paid. Nothing is sent earlier."""
    fired = kitchen_courses.fire_new_items(order, items, items)
    kitchen_promise.set_promise(site, order, fired)
    kitchen_late.schedule_notice(order)
    publish_webhook_event("restaurant.order_created", order_body(site, order, items))
    push_notifications.announce(
        "orders",
        f"order:{order.id}",
        f"/orders/{order.id}",
        {"number": order.number, "place": site.name},
    )
    print_jobs.queue_order_tickets(site, order, fired)


def items_added(site: Site, order: Order, items: Sequence[OrderItem]) -> None:
    """`lines` are all lines of the order; the kitchen gets those of the last batch."""
    new = [item for item in items if item.batch == order.batch]
    fired = kitchen_courses.fire_new_items(order, items, new)
    if fired:
        kitchen_promise.set_promise(site, order, fired)
        kitchen_late.schedule_notice(order)
    publish_webhook_event(
        "restaurant.order_updated",
        {
            **order_body(site, order, items),
            "change": "added",
            "added_items": [_item_body(item) for item in new],
        },
    )
    if fired:
        print_jobs.queue_addition_tickets(site, order, fired)


def course_fired(
    site: Site, order: Order, items: Sequence[OrderItem], fired: Sequence[OrderItem]
) -> None:
    """The kitchen gets the items of a course that waited."""
    kitchen_promise.set_promise(site, order, fired)
    kitchen_late.schedule_notice(order)
    course = fired[0].course
    publish_webhook_event(
        "restaurant.order_updated",
        {**order_body(site, order, items), "change": "course", "course": course},
    )
    print_jobs.queue_course_tickets(site, order, fired, course)


def item_voided(
    site: Site, order: Order, items: Sequence[OrderItem], item: OrderItem, quantity: int
) -> None:
    publish_webhook_event(
        "restaurant.order_updated",
        {
            **order_body(site, order, items),
            "change": "voided",
            "quantity": quantity,
            "voided_items": [{**_item_body(item), "quantity": quantity}],
        },
    )
    print_jobs.queue_void_tickets(site, order, item, quantity)


def table_changed(site: Site, order: Order, items: Sequence[OrderItem], was: str) -> None:
    body = order_body(site, order, items)
    publish_webhook_event("restaurant.order_updated", {**body, "change": "table", "table_was": was})
    print_jobs.queue_table_change_tickets(site, order, items, was)


def status_changed(site: Site, order: Order, items: Sequence[OrderItem]) -> None:
    publish_webhook_event(
        "restaurant.order_updated", {**order_body(site, order, items), "change": "status"}
    )


def payment_changed(site: Site, order: Order, items: Sequence[OrderItem]) -> None:
    """Called when the staff record or undo a payment."""
    publish_webhook_event(
        "restaurant.order_updated", {**order_body(site, order, items), "change": "payment"}
    )


def order_cancelled(site: Site, order: Order, items: Sequence[OrderItem], because: str) -> None:
    publish_webhook_event(
        "restaurant.order_cancelled", {**order_body(site, order, items), "reason": because}
    )
    print_jobs.queue_cancellation_tickets(site, order, items, because)


def delivery_updated(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    change: str,
    trip: Trip,
    courier: Courier,
) -> None:
    """`change`: assigned, taken_back, picked_up, returned, delivered, cancelled or problem."""
    body = {**order_body(site, order, items), "change": change}
    publish_webhook_event(
        "restaurant.delivery_updated", {**body, "courier": courier_facts(trip, courier)}
    )


def courier_facts(trip: Trip, courier: Courier) -> dict[str, Any]:
    def at(moment: datetime | None) -> str | None:
        return rfc3339(moment) if moment else None

    return {
        "id": courier.id,
        "name": courier.name,
        "phone": f"+{courier.phone}" if courier.phone else "",
        "assigned_at": at(trip.assigned_at),
        "picked_up_at": at(trip.picked_up_at),
        "delivered_at": at(trip.delivered_at),
        # A trip that is new in this transaction has no defaults yet.
        "problem": trip.problem or "",
        "problem_note": trip.problem_note or "",
        "problem_at": at(trip.problem_at),
        "collected": None if trip.collected is None else json_number(trip.collected),
        "collected_by": trip.collected_by or "",
    }


def notify_customer(site: Site, order: Order, *, because: str = "", first: str = "") -> None:
    """Send a message if the restaurant enabled one for the order's state.

    `first` is another text for the customer. It is sent in any case, in the same message.
    """
    text = state_text(site, order, because=because)
    if text or first:
        send_order_card(site, order, "\n\n".join(part for part in (first, text) if part))


def state_text(site: Site, order: Order, *, because: str = "") -> str:
    """What the customer is told about the order's state; empty if nothing."""
    told = "sent_to_kitchen" if order.state == "scheduled" else order.state
    if told not in site.told_states or not customers.can_be_notified(order):
        return ""
    key = {"sent_to_kitchen": "paid" if order.paid_at else "received"}.get(order.state, order.state)
    if order.state == "sent_to_kitchen" and order.due_at is not None:
        key = "fired"
    if key in ("awaiting_confirmation", "awaiting_payment", "closed"):
        return ""
    text = customer_text(order, key, because=because)
    if order.state == "sent_to_kitchen":
        return " ".join(part for part in (text, promise_text(site, order)) if part)
    return text


def promise_text(site: Site, order: Order) -> str:
    """When the order will be ready; empty if it is not known or guests are not told."""
    if not site.shows_promise or order.promise_minutes is None:
        return ""
    minutes = kitchen_promise.rounded(order.promise_minutes)
    return chat_text(order.language, "ready_in", minutes=minutes)


def payment_failed(link: PaymentLink) -> None:
    """The link may still be open, or a new one can be created."""
    publish_webhook_event(
        "restaurant.payment_failed",
        {
            "payment_link_id": link.id,
            "reference": link.reference,
            "amount": json_number(link.amount),
            "currency": link.currency,
            "test": link.test,
        },
    )


def send_payment_request(site: Site, link: PaymentLink, line: Line) -> None:
    """Send a payment link without an order to the person who has to pay it."""
    text = chat_text(
        link.language,
        "pay_free",
        site=site.name,
        description=link.description,
        total=format_money(link.amount, link.currency, link.language),
    )
    card = with_link(text, chat_text(link.language, "button_pay"), link.url)
    send_card(line, link.customer_phone, card, reference=link.reference)


def customer_text(order: Order, key: str, **more: str) -> str:
    return chat_text(
        order.language,
        key,
        name=order.customer_name.split(" ")[0],
        order=order.number,
        **{
            "total": format_money(order.total, order.currency, order.language),
            "because": "",
            "time": due_time_text(order),
            **more,
        },
    )


def due_time_text(order: Order) -> str:
    """When the guest wants the order, in the restaurant's time; empty: as soon as possible."""
    if order.due_at is None:
        return ""
    return time_text(order.due_at, sites.of_order(order).time_zone, order.language)


def send_order_card(site: Site, order: Order, text: str) -> None:
    """Send a text about an order, with what the customer can do next."""
    send_to_customer(order, order_buttons.order_card(site, order, text))


def send_payment_link(order: Order, text: str, url: str) -> None:
    send_to_customer(order, with_link(text, chat_text(order.language, "button_pay"), url))


def send_to_customer(order: Order, message: Card | str) -> None:
    """Send on the line the order came from. A failed message never undoes the order."""
    line = line_repository.get(order.line_id) if order.line_id is not None else None
    if line is not None and (line.test or not order.test):  # never send test orders to real phones
        card = Card(message) if isinstance(message, str) else message
        send_card(line, customers.address_of(order, line), card, reference=order.number)


def send_text(line: Line, phone: str, text: str, *, reference: str | None = None) -> str:
    return send_card(line, phone, Card(text), reference=reference)


def send_card(line: Line, phone: str, card: Card, *, reference: str | None = None) -> str:
    """Return the message's id, or "" if it was refused; a refusal is only logged."""
    sent = for_line(card, line.kind)
    draft = message_accept.MessageDraft(
        kind=sent.kind, phone=phone, text=sent.text, content=sent.content, reference=reference
    )
    try:
        with savepoint():  # a refused message leaves no rows
            return message_accept.accept_message(draft, line, current_tenant_facts()).id
    except DomainError as refused:  # for example over quota or blocked; the staff see the order
        log.warning("order notification not sent", code=refused.code)
        return ""


def order_body(site: Site, order: Order, items: Sequence[OrderItem]) -> dict[str, Any]:
    return order_facts(order, items, site.name)


def order_facts(order: Order, items: Sequence[OrderItem], site_name: str) -> dict[str, Any]:
    """Flat, as the specification requires; values that do not apply are empty strings."""
    return {
        "order_id": order.number,
        "order_type": order.order_type,
        "table_number": order.table_number,
        "waiter_assigned": order.waiter,
        "customer": {
            "phone": f"+{order.customer_phone}" if order.customer_phone else "",
            "name": order.customer_name,
            "contact_id": order.contact_id,
        },
        "items": [_item_body(item) for item in items if item.quantity > item.voided],
        "notes": order.notes,
        "total_amount": json_number(order.total),
        "discount": json_number(Decimal(order.sums.get("discount", "0"))),
        "payment_method": order.payment_method,
        "status": order.state,
        "id": order.id,
        "site": {"id": order.site_id, "name": site_name},
        "currency": order.currency,
        "address": order.address.get("text", ""),
        "delivery": delivery_facts(order),
        "paid": order.paid_at is not None,
        "paid_amount": json_number(order.paid_amount),
        "open_amount": json_number(order.open_amount),
        "placed_at": rfc3339(order.placed_at),
        "due_at": rfc3339(order.due_at) if order.due_at else "",
        "promised_at": rfc3339(order.promised_at) if order.promised_at else None,
        "promise_minutes": order.promise_minutes,
        "test": order.test,
    }


def delivery_facts(order: Order) -> dict[str, Any] | None:
    if order.order_type != "delivery":
        return None
    where = addresses.location_of(order.address)
    return {
        "fee": json_number(Decimal(order.sums.get("delivery_fee", "0"))),
        "zone": order.address.get("zone_name", ""),
        "latitude": float(where.latitude) if where else None,
        "longitude": float(where.longitude) if where else None,
        "route_url": where.route_url if where else None,
    }


def _item_body(item: OrderItem) -> dict[str, Any]:
    return {
        "name": item.name,
        "quantity": item.quantity - item.voided,
        "unit_price": json_number(Decimal(item.unit_price)),
        "regular_price": json_number(Decimal(item.regular_price or item.unit_price)),
        "options": [option["name"] for option in item.options],
        "station": item.stations[0] if item.stations else "kitchen",
        "stations": list(item.stations),
        "note": item.note,
        "course": item.course,
        "fired": not kitchen_progress.is_held(item),
    }
