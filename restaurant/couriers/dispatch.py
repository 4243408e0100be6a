"""Deliveries of couriers: assigned, picked up, delivered, or a problem."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import ColumnElement, func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, invalid
from core.values.money import format_money
from core.values.phone import display_phone
from core.values.text import one_line
from messaging.models import Message
from restaurant import customers
from restaurant.chat_texts import chat_text
from restaurant.couriers import couriers
from restaurant.couriers import trips as courier_trips
from restaurant.couriers.trips import amount_to_collect, trip_of
from restaurant.delivery import addresses
from restaurant.models import Courier, Order, Site, Trip, order_states
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.sites import sites

PROBLEMS = ("no_answer", "wrong_address", "refused", "accident", "other")
STEPS = ("picked_up", "delivered", "problem")
ASSIGNABLE_STATES = frozenset({"sent_to_kitchen", "preparing", "ready", "out_for_delivery"})
ARRIVED_MESSAGE_STATES = frozenset({"delivered", "read"})
LOST_MESSAGE_STATES = frozenset({"failed", "expired", "cancelled"})
LONGEST_SHIFT = timedelta(hours=20)
# Problems that the customer can help with; the others are for the restaurant.
NOTIFY_CUSTOMER_FOR = frozenset({"no_answer", "wrong_address"})


@dataclass(frozen=True)
class AssignedTrip:
    trip: Trip
    courier: Courier
    order: Order


def assign(
    site: Site, order: Order, courier: Courier | None, *, shown_version: int | None = None
) -> Trip | None:
    """Assign the order to a courier, to another one, or to nobody. Idempotent."""
    trip = trip_of(order.id)
    if order.order_type != "delivery":
        raise Conflict("no_delivery", "Only delivery orders can be assigned to couriers.")
    if order.state not in ASSIGNABLE_STATES:
        raise Conflict(
            "not_to_courier",
            "Order {number} cannot be assigned to a courier now.",
            number=order.number,
        )
    if courier is None:
        _unassign(site, order, trip, shown_version)
        return None
    if courier.site_id != site.id or courier.removed_at or not courier.active:
        raise invalid("courier_id", "unknown_courier", "Choose a courier of this restaurant.")
    if trip is not None and trip.courier_id == courier.id:
        return trip
    locked = order_lifecycle.lock_version(order, shown_version)
    if trip is None:
        trip = Trip(
            tenant_id=order.tenant_id, order_id=order.id, site_id=site.id, courier_id=courier.id
        )
        db.session.add(trip)
    else:
        _notify_unassigned(site, locked, couriers.get(trip.courier_id))
        trip.courier_id, trip.assigned_at = courier.id, now()
    notification = courier_trips.notify_courier(
        site, locked, courier, courier_message(site, locked, courier)
    )
    trip.told, trip.message_id = notification.expected_to_arrive, notification.message_id
    db.session.flush()
    order_lifecycle.record_change(locked, "courier", because=courier.name)
    order_notifications.delivery_updated(
        site, locked, order_queries.items_of(locked.id), "assigned", trip, courier
    )
    return trip


def record_step(site: Site, order: Order, to: str, *, kind: str = "", note: str = "") -> Order:
    """Record what a courier reports: picked_up, delivered or problem."""
    if to == "picked_up":
        if (
            order.state in order_states.IN_THE_KITCHEN
        ):  # the courier has the order, so the kitchen only forgot to mark it as ready
            order = order_lifecycle.change_state(site, order, "ready")
        return order_lifecycle.change_state(site, order, "out_for_delivery")
    if to == "delivered":
        if order.state in order_states.IN_THE_KITCHEN:
            order = order_lifecycle.change_state(site, order, "ready")
        return order_lifecycle.change_state(site, order, "delivered")
    if to == "problem":
        return report_problem(site, order, kind, note)
    raise invalid("status", "invalid_choice", "Must be one of: {known}.", known=", ".join(STEPS))


def report_problem(site: Site, order: Order, kind: str, note: str = "") -> Order:
    """Notify the restaurant and, if it helps, the customer. The order's state does not change."""
    trip = trip_of(order.id)
    if trip is None or trip.ended_at is not None:
        raise Conflict("no_courier", "This order is not assigned to a courier.")
    note = one_line(note, 200)
    if kind not in PROBLEMS:
        raise invalid("problem", "invalid_choice", "Choose the problem.")
    if kind == "other" and not note:
        raise Invalid("reason_missing", "Describe the problem in a few words.")
    locked = order_lifecycle.lock_version(order, None)
    trip.problem, trip.problem_note, trip.problem_at = kind, note, now()
    order_lifecycle.record_change(locked, "problem", because=f"{kind}: {note}" if note else kind)
    courier = couriers.get(trip.courier_id)
    _notify_manager(site, locked, courier, kind, note)
    if kind in NOTIFY_CUSTOMER_FOR:
        order_notifications.send_to_customer(
            locked, order_notifications.customer_text(locked, "cannot_hand_over")
        )
    order_notifications.delivery_updated(
        site, locked, order_queries.items_of(locked.id), "problem", trip, courier
    )
    return locked


def courier_message(site: Site, order: Order, courier: Courier) -> str:
    """The message to the courier, in their language: address, customer, amount to collect."""
    language = courier.language
    collected = amount_to_collect(order)
    lines = [f"*{chat_text(language, 'courier_new', site=site.name, order=order.number)}*"]
    lines.append(addresses.address_text(order))
    where = addresses.location_of(order.address)
    if where is not None:
        lines.append(chat_text(language, "courier_route", url=where.route_url))
    phone = customers.phone_of(order)
    shown = display_phone(phone) if phone else ""
    lines.append(" · ".join(one for one in (order.customer_name, shown) if one))
    if order.notes:
        lines.append(f"{chat_text(language, 'note')}: {order.notes}")
    amount = format_money(collected.amount, order.currency, language)
    lines.append(chat_text(language, f"courier_collect_{collected.way}", amount=amount))
    lines.append(chat_text(language, "courier_list", url=couriers.link_url(courier)[0]))
    return "\n".join(one for one in lines if one)


def open_trips(site_id: str) -> dict[str, AssignedTrip]:
    """The site's trips that have not ended, by order id."""
    return {
        ride.order.id: ride
        for ride in _find_trips(Trip.site_id == site_id, Trip.ended_at.is_(None))
    }


def not_notified(rides: Iterable[AssignedTrip]) -> set[str]:
    """Orders whose courier got no message. The message's final state overrides the expectation."""
    rides = list(rides)
    ids = [ride.trip.message_id for ride in rides if ride.trip.message_id]
    states: dict[str, str] = {}
    if ids:
        query = select(Message.id, Message.state).where(
            Message.tenant_id == current_tenant_id(), Message.id.in_(ids)
        )
        states = {row.id: row.state for row in db.session.execute(query)}
    return {ride.order.id for ride in rides if not _was_notified(ride.trip, states)}


def _was_notified(trip: Trip, states: dict[str, str]) -> bool:
    state = states.get(trip.message_id or "", "")
    if state in ARRIVED_MESSAGE_STATES:
        return True
    return trip.told and state not in LOST_MESSAGE_STATES


def trip_of_order(order: Order) -> AssignedTrip | None:
    trip = trip_of(order.id)
    return AssignedTrip(trip, couriers.get(trip.courier_id), order) if trip else None


def trips_of_courier(courier: Courier) -> tuple[list[AssignedTrip], list[AssignedTrip]]:
    """The courier's open trips, first assigned first, and those delivered during this shift."""
    of_courier = Trip.courier_id == courier.id
    recent = Trip.assigned_at > now() - LONGEST_SHIFT
    done = [ride for ride in _find_trips(of_courier, recent, Trip.ended_at.is_not(None)) if
            ride.trip.delivered_at]  # fmt: skip
    return _find_trips(of_courier, Trip.ended_at.is_(None)), done


def deliveries_since(site_id: str, since: datetime) -> dict[str, tuple[int, Decimal]]:
    """By courier: the number of orders and the cash collected."""
    query = (
        select(
            Trip.courier_id,
            func.count().label("orders"),
            func.sum(Trip.collected).filter(Trip.collected_by == "cash").label("cash"),
        )
        .where(
            Trip.tenant_id == current_tenant_id(),
            Trip.courier_id.in_([one.id for one in couriers.listed(site_id)]),
            Trip.assigned_at > since,
            Trip.delivered_at.is_not(None),
        )
        .group_by(Trip.courier_id)
    )
    return {
        row.courier_id: (row.orders, row.cash or Decimal(0)) for row in db.session.execute(query)
    }


def _find_trips(*conditions: ColumnElement[bool]) -> list[AssignedTrip]:
    query = (
        select(Trip, Courier, Order)
        .join(Courier, Courier.id == Trip.courier_id)
        .join(Order, Order.id == Trip.order_id)
        .where(
            Trip.tenant_id == current_tenant_id(),
            Courier.tenant_id == current_tenant_id(),
            Order.tenant_id == current_tenant_id(),
            *conditions,
        )
        .order_by(Trip.assigned_at, Trip.order_id)
    )
    return [
        AssignedTrip(trip, courier, order) for trip, courier, order in db.session.execute(query)
    ]


def _unassign(site: Site, order: Order, trip: Trip | None, shown_version: int | None) -> None:
    if trip is None:
        return
    if order.state == "out_for_delivery":
        raise Conflict(
            "on_its_way",
            "The courier is already out with this order. Assign it to another courier instead.",
        )
    locked = order_lifecycle.lock_version(order, shown_version)
    courier = couriers.get(trip.courier_id)
    _notify_unassigned(site, locked, courier)
    order_notifications.delivery_updated(
        site, locked, order_queries.items_of(locked.id), "taken_back", trip, courier
    )
    db.session.delete(trip)
    db.session.flush()
    order_lifecycle.record_change(locked, "courier")


def _notify_unassigned(site: Site, order: Order, courier: Courier) -> None:
    text = chat_text(courier.language, "courier_taken", site=site.name, order=order.number)
    courier_trips.notify_courier(site, order, courier, text)


def _notify_manager(site: Site, order: Order, courier: Courier, kind: str, note: str) -> None:
    line = sites.line_of(site)
    if not site.manager_phone or line is None or (order.test and not line.test):
        return
    language = site.languages[0]
    because = " ".join(one for one in (chat_text(language, f"problem_{kind}"), note) if one)
    text = chat_text(
        language,
        "manager_problem",
        site=site.name,
        order=order.number,
        courier=courier.name,
        because=because,
    )
    order_notifications.send_text(line, site.manager_phone, text, reference=order.number)
