"""Orders handed to couriers: given, taken along, brought, or what went wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import ColumnElement, func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, invalid
from core.money import format_money
from core.phone import display
from core.texts import one_line
from messaging.models import Message
from restaurant import couriers, legs, moves, orders, sites, telling, whereabouts
from restaurant.legs import collect, of
from restaurant.models import Courier, Order, Site, Trip
from restaurant.wording import say

PROBLEMS = ("no_answer", "wrong_address", "refused", "accident", "other")
STEPS = ("picked_up", "delivered", "problem")
HANDED_OVER = frozenset({"sent_to_kitchen", "preparing", "ready", "out_for_delivery"})
ARRIVED = frozenset({"delivered", "read"})
LOST = frozenset({"failed", "expired", "cancelled"})
SHIFT = timedelta(hours=20)
# The customer can help with these; the rest is for the restaurant.
CUSTOMER_HELPS = frozenset({"no_answer", "wrong_address"})


@dataclass(frozen=True)
class Ride:
    trip: Trip
    courier: Courier
    order: Order


def assign(
    site: Site, order: Order, courier: Courier | None, *, seen: int | None = None
) -> Trip | None:
    """Given to a courier, to another one, or to nobody. Said twice it does nothing."""
    trip = of(order.id)
    if order.order_type != "delivery":
        raise Conflict("no_delivery", "Only delivery orders are given to couriers.")
    if order.state not in HANDED_OVER:
        raise Conflict(
            "not_to_courier", "Order {number} cannot go to a courier now.", number=order.number
        )
    if courier is None:
        _take_back(site, order, trip, seen)
        return None
    if courier.site_id != site.id or courier.removed_at or not courier.active:
        raise invalid("courier_id", "unknown_courier", "Choose a courier of this restaurant.")
    if trip is not None and trip.courier_id == courier.id:
        return trip
    held = orders.hold(order, seen)
    if trip is None:
        trip = Trip(
            tenant_id=order.tenant_id, order_id=order.id, site_id=site.id, courier_id=courier.id
        )
        db.session.add(trip)
    else:
        _tell_off(site, held, couriers.get(trip.courier_id))
        trip.courier_id, trip.assigned_at = courier.id, now()
    told = legs.tell(site, held, courier, letter(site, held, courier))
    trip.told, trip.message_id = told.likely, told.message_id
    db.session.flush()
    orders.note(held, "courier", because=courier.name)
    telling.delivery(site, held, orders.lines_of(held.id), "assigned", trip, courier)
    return trip


def step(site: Site, order: Order, to: str, *, kind: str = "", note: str = "") -> Order:
    """What a courier says of an order: picked_up, delivered or problem."""
    if to == "picked_up":
        if order.state in moves.IN_THE_KITCHEN:  # it is in their hands: the kitchen forgot to say
            order = orders.move(site, order, "ready")
        return orders.move(site, order, "out_for_delivery")
    if to == "delivered":
        if order.state in moves.IN_THE_KITCHEN:
            order = orders.move(site, order, "ready")
        return orders.move(site, order, "delivered")
    if to == "problem":
        return problem(site, order, kind, note)
    raise invalid("status", "invalid_choice", "It is one of {known}.", known=", ".join(STEPS))


def problem(site: Site, order: Order, kind: str, note: str = "") -> Order:
    """The order stays where it is; the restaurant, and where it helps the customer, is told."""
    trip = of(order.id)
    if trip is None or trip.ended_at is not None:
        raise Conflict("no_courier", "This order is with no courier.")
    note = one_line(note, 200)
    if kind not in PROBLEMS:
        raise invalid("problem", "invalid_choice", "Choose what went wrong.")
    if kind == "other" and not note:
        raise Invalid("reason_missing", "Say in a few words what went wrong.")
    held = orders.hold(order, None)
    trip.problem, trip.problem_note, trip.problem_at = kind, note, now()
    orders.note(held, "problem", because=f"{kind}: {note}" if note else kind)
    courier = couriers.get(trip.courier_id)
    _tell_manager(site, held, courier, kind, note)
    if kind in CUSTOMER_HELPS:
        telling.write_to(held, telling.line_words(held, "cannot_hand_over"))
    telling.delivery(site, held, orders.lines_of(held.id), "problem", trip, courier)
    return held


def letter(site: Site, order: Order, courier: Courier) -> str:
    """Everything the courier needs, in their language: where to, whom, what to collect."""
    language = courier.language
    taken = collect(order)
    said = [f"*{say(language, 'courier_new', site=site.name, order=order.number)}*"]
    said.append(whereabouts.in_words(order))
    where = whereabouts.place_in(order.address)
    if where is not None:
        said.append(say(language, "courier_route", url=where.route_url))
    phone = display(order.customer_phone) if order.customer_phone else ""
    said.append(" · ".join(one for one in (order.customer_name, phone) if one))
    if order.notes:
        said.append(f"{say(language, 'note')}: {order.notes}")
    amount = format_money(taken.amount, order.currency, language)
    said.append(say(language, f"courier_collect_{taken.way}", amount=amount))
    said.append(say(language, "courier_list", url=couriers.link(courier)[0]))
    return "\n".join(one for one in said if one)


def riding(site_id: str) -> dict[str, Ride]:
    """By order, those of a restaurant that are with a courier now."""
    return {
        ride.order.id: ride for ride in _rides(Trip.site_id == site_id, Trip.ended_at.is_(None))
    }


def not_told(rides: Iterable[Ride]) -> set[str]:
    """Orders whose courier got no message, by what became of it and not by what was expected."""
    rides = list(rides)
    ids = [ride.trip.message_id for ride in rides if ride.trip.message_id]
    states: dict[str, str] = {}
    if ids:
        query = select(Message.id, Message.state).where(
            Message.tenant_id == current_tenant_id(), Message.id.in_(ids)
        )
        states = {row.id: row.state for row in db.session.execute(query)}
    return {ride.order.id for ride in rides if not _reached(ride.trip, states)}


def _reached(trip: Trip, states: dict[str, str]) -> bool:
    state = states.get(trip.message_id or "", "")
    if state in ARRIVED:
        return True
    return trip.told and state not in LOST


def ride_of(order: Order) -> Ride | None:
    trip = of(order.id)
    return Ride(trip, couriers.get(trip.courier_id), order) if trip else None


def list_of(courier: Courier) -> tuple[list[Ride], list[Ride]]:
    """What a courier has to bring, the first given first; and what they brought this shift."""
    mine = Trip.courier_id == courier.id
    recent = Trip.assigned_at > now() - SHIFT
    done = [ride for ride in _rides(mine, recent, Trip.ended_at.is_not(None)) if
            ride.trip.delivered_at]  # fmt: skip
    return _rides(mine, Trip.ended_at.is_(None)), done


def brought_since(site_id: str, since: datetime) -> dict[str, tuple[int, Decimal]]:
    """By courier: how many orders, and how much cash they hold."""
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


def _rides(*wanted: ColumnElement[bool]) -> list[Ride]:
    query = (
        select(Trip, Courier, Order)
        .join(Courier, Courier.id == Trip.courier_id)
        .join(Order, Order.id == Trip.order_id)
        .where(
            Trip.tenant_id == current_tenant_id(),
            Courier.tenant_id == current_tenant_id(),
            Order.tenant_id == current_tenant_id(),
            *wanted,
        )
        .order_by(Trip.assigned_at, Trip.order_id)
    )
    return [Ride(trip, courier, order) for trip, courier, order in db.session.execute(query)]


def _take_back(site: Site, order: Order, trip: Trip | None, seen: int | None) -> None:
    if trip is None:
        return
    if order.state == "out_for_delivery":
        raise Conflict("on_its_way", "The courier has this order: give it to another one instead.")
    held = orders.hold(order, seen)
    courier = couriers.get(trip.courier_id)
    _tell_off(site, held, courier)
    telling.delivery(site, held, orders.lines_of(held.id), "taken_back", trip, courier)
    db.session.delete(trip)
    db.session.flush()
    orders.note(held, "courier")


def _tell_off(site: Site, order: Order, courier: Courier) -> None:
    text = say(courier.language, "courier_taken", site=site.name, order=order.number)
    legs.tell(site, order, courier, text)


def _tell_manager(site: Site, order: Order, courier: Courier, kind: str, note: str) -> None:
    line = sites.line_of(site)
    if not site.manager_phone or line is None or (order.test and not line.test):
        return
    language = site.languages[0]
    because = " ".join(one for one in (say(language, f"problem_{kind}"), note) if one)
    text = say(
        language,
        "manager_problem",
        site=site.name,
        order=order.number,
        courier=courier.name,
        because=because,
    )
    telling.answer(line, site.manager_phone, text, reference=order.number)
