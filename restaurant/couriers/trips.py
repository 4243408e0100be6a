"""Keeps a courier's trip in step with its order: every state change records the time here."""

from dataclasses import dataclass
from decimal import Decimal

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from messaging.inbox import conversations as inbox_conversations
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line
from restaurant.chat_texts import chat_text
from restaurant.models import Courier, Order, Site, Trip
from restaurant.orders import notifications as order_notifications
from restaurant.orders.effects import OrderUpdate
from restaurant.payments import till
from restaurant.sites import sites

ZERO = Decimal(0)


@dataclass(frozen=True)
class AmountToCollect:
    """What the courier has to collect from the customer."""

    way: str
    """cash, card or nothing"""
    amount: Decimal


def amount_to_collect(order: Order) -> AmountToCollect:
    if order.paid_at is not None or order.payment_method == "card_link" or not order.total:
        return AmountToCollect("nothing", ZERO)
    owed = order.open_amount
    if owed <= 0:
        return AmountToCollect("nothing", ZERO)
    return AmountToCollect("card" if order.payment_method == "card_at_door" else "cash", owed)


def trip_of(order_id: str) -> Trip | None:
    return db.session.get(Trip, (current_tenant_id(), order_id))


def update_trip_of_order(update: OrderUpdate) -> None:
    """Called on every state change of an order. Does nothing without a courier."""
    site, order = update.site, update.order
    trip = trip_of(order.id) if order.order_type == "delivery" else None
    if trip is None:
        return
    change = update_trip(order, trip)
    if not change:
        return
    if change == "delivered" and trip.collected:
        till.record_payment(site, order, trip.collected_by, trip.collected)
    courier = db.session.get_one(Courier, (trip.tenant_id, trip.courier_id))
    if change == "cancelled":
        text = chat_text(courier.language, "courier_cancelled", site=site.name, order=order.number)
        notify_courier(site, order, courier, text)
    order_notifications.delivery_updated(site, order, update.items, change, trip, courier)


@dataclass(frozen=True)
class NotificationResult:
    message_id: str | None
    expected_to_arrive: bool
    """False if the message will probably not arrive; the staff then have to tell the courier."""


def notify_courier(site: Site, order: Order, courier: Courier, text: str) -> NotificationResult:
    """Send a message from the restaurant's line."""
    line = _line(site, order)
    if line is None:
        return NotificationResult(None, expected_to_arrive=False)
    message_id = (
        order_notifications.send_text(line, courier.phone, text, reference=order.number) or None
    )
    return NotificationResult(
        message_id, expected_to_arrive=message_id is not None and _in_free_window(line, courier)
    )


def _in_free_window(line: Line, courier: Courier) -> bool:
    """A line with a reply window sends free text only within a day of the other's message."""
    if not DRIVERS[line.kind].has_reply_window or courier.contact_id is None:
        return True
    talks = inbox_conversations.conversations_of_contact(courier.contact_id)
    return any(talk.line_id == line.id and talk.window_left() for talk in talks)


def update_trip(order: Order, trip: Trip) -> str:
    moment = now()
    if order.state == "out_for_delivery" and trip.picked_up_at is None:
        trip.picked_up_at = moment
        return "picked_up"
    if order.state == "delivered" and trip.delivered_at is None:
        collected = amount_to_collect(order)
        trip.delivered_at = trip.ended_at = moment
        if collected.way != "nothing":
            trip.collected, trip.collected_by = collected.amount, collected.way
        return "delivered"
    if order.state == "ready" and trip.picked_up_at is not None:
        trip.picked_up_at = None
        return "returned"
    if order.state == "cancelled" and trip.ended_at is None:
        trip.ended_at = moment
        return "cancelled"
    return ""


def _line(site: Site, order: Order) -> Line | None:
    """None for a test order on a real line: it must never reach a real phone."""
    line = None
    if order.line_id is not None:
        try:
            line = line_repository.get(order.line_id)
        except NotFound:
            line = None
    line = line or sites.line_of(site)
    return None if line is None or (order.test and not line.test) else line
