"""A location shared in chat is attached to the customer's open delivery order.

While nobody has agreed to a fee yet the zone around the place decides it; afterwards only the way
changes, and the staff is told when the new place lies elsewhere.
"""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict
from core.ids import from_uuid
from core.money import format_money
from core.partitions import id_at
from core.places import BadPlace, Place, place
from core.texts import one_line
from messaging import contacts
from messaging.lines import InboundMessage
from messaging.models import Line, Message
from restaurant import editing, orders, sites, telling, whereabouts, zones
from restaurant.models import DeliveryZone, Order, Site
from restaurant.reasons import BELOW_MINIMUM, ELSEWHERE, NO_PLACE, OUTSIDE, TAPS

EARLIER = timedelta(minutes=30)
ON_THE_MAP = frozenset({NO_PLACE, OUTSIDE, BELOW_MINIMUM, ELSEWHERE})


def attach(line: Line, message: InboundMessage) -> Order | None:
    """In the transaction that stored the message. None: nobody waits for this location."""
    where = _place(message.content)
    contact_id = contacts.find(message.sender_phone, message.sender_network_id)
    if where is None or contact_id is None:
        return None
    order = _open_order(line.id, contact_id)
    if order is None:
        return None
    words = one_line(
        str(message.content.get("address") or message.content.get("name") or ""),
        whereabouts.LONGEST,
    )
    return locate(sites.of_order(order), order, where, words)


def shared_before(site: Site, order: Order) -> Order:
    """Some share their location first and order then."""
    if whereabouts.place_in(order.address) is not None or order.line_id is None:
        return order
    query = select(Message.content).where(
        Message.tenant_id == current_tenant_id(),
        Message.phone == order.customer_phone,
        Message.id >= from_uuid("msg", UUID(id_at(now() - EARLIER))),
        Message.direction == "in",
        Message.kind == "location",
        Message.line_id == order.line_id,
    )
    content = db.session.scalars(query.order_by(Message.id.desc()).limit(1)).first()
    where = _place(content or {})
    return locate(site, order, where) if where is not None else order


def locate(site: Site, order: Order, where: Place, words: str = "") -> Order:
    known = zones.listed(site.id)
    zone = zones.covering(site, where, known) if known else None
    held = orders.hold(order, None)
    held.address = whereabouts.with_place(held.address, where, None)
    if words and not held.address.get("text"):
        held.address = {**held.address, "text": words}
    agreed = (
        "zone" in held.address
        or held.state != "awaiting_confirmation"
        or held.paid_at is not None  # what was paid for is not made dearer
    )
    if not known or agreed:
        return _only_the_way(site, held, zone, bool(known))
    if zone is None:
        return _refused(site, held, OUTSIDE, "outside")
    if Decimal(held.sums["subtotal"]) < zone.minimum:
        minimum = format_money(zone.minimum, held.currency, held.language)
        return _refused(site, held, BELOW_MINIMUM, "below_minimum", minimum=minimum)
    return _zoned(site, held, zone)


def choose_zone(site: Site, order: Order, zone: DeliveryZone, *, seen: int | None = None) -> Order:
    """The staff's word, where the customer shared no location. The minimum is theirs to waive."""
    if order.order_type != "delivery" or order.ended_at is not None:
        raise Conflict("no_delivery", "Only an open delivery has a delivery zone.")
    if order.paid_at is not None or order.state == "awaiting_payment":
        raise Conflict("amount_fixed", "This order is being paid: its amount stays as it is.")
    held = orders.hold(order, seen)
    _fee(site, held, zone)
    orders.note(held, "location", because=zone.name)
    telling.updated(site, held, orders.lines_of(held.id))
    return held


def _zoned(site: Site, order: Order, zone: DeliveryZone) -> Order:
    _fee(site, order, zone)
    orders.note(order, "location", because=zone.name)
    telling.updated(site, order, orders.lines_of(order.id))
    fee = format_money(zone.fee, order.currency, order.language)
    key = "location_fee" if zone.fee else "location_free"
    telling.write_to(order, telling.line_words(order, key, fee=fee))
    if order.state == "awaiting_confirmation" and not _other_reasons(order):
        return orders.move(site, order, "sent_to_kitchen")
    return order


def _only_the_way(site: Site, order: Order, zone: DeliveryZone | None, zoned: bool) -> Order:
    if zoned and (zone is None or zone.id != order.address.get("zone")):
        _say_to_staff(order, ELSEWHERE)
    orders.note(order, "location")
    telling.updated(site, order, orders.lines_of(order.id))
    telling.write_to(order, telling.line_words(order, "location_noted"))
    return order


def _refused(site: Site, order: Order, why: str, key: str, **values: str) -> Order:
    """No fee is made up. The order waits where it is, and the staff sees why."""
    _say_to_staff(order, why)
    orders.note(order, "location", because=why)
    telling.updated(site, order, orders.lines_of(order.id))
    telling.write_to(order, telling.line_words(order, key, **values))
    return order


def _fee(site: Site, order: Order, zone: DeliveryZone) -> None:
    order.address = whereabouts.with_place(order.address, None, zone)
    order.staff_note = "\n".join(
        line for line in order.staff_note.split("\n") if line not in ON_THE_MAP
    )
    order.sums = {**order.sums, "delivery_fee": str(zone.fee)}
    editing.reckon(site, order)


def _other_reasons(order: Order) -> bool:
    return bool(set(order.staff_note.split("\n")) & TAPS)


def _say_to_staff(order: Order, why: str) -> None:
    kept = [line for line in order.staff_note.split("\n") if line and line not in ON_THE_MAP]
    order.staff_note = "\n".join([*kept, why])


def _open_order(line_id: int, contact_id: str) -> Order | None:
    """The newest without a location; else the newest."""
    query = (
        select(Order)
        .where(
            Order.tenant_id == current_tenant_id(),
            Order.contact_id == contact_id,
            Order.ended_at.is_(None),
            Order.order_type == "delivery",
            Order.line_id == line_id,
        )
        .order_by(Order.id.desc())
        .limit(10)
    )
    found = list(db.session.scalars(query))
    lost = [order for order in found if whereabouts.place_in(order.address) is None]
    return next(iter(lost or found), None)


def _place(content: Mapping[str, Any]) -> Place | None:
    try:
        return place(content["latitude"], content["longitude"])
    except (KeyError, BadPlace):
        return None
