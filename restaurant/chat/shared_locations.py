"""Attaches a location shared in chat to the customer's open delivery order.

Until a fee is agreed, the zone that contains the location decides it. After that only the
location changes, and the staff are notified if it lies in another zone.
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
from core.sql.partitions import id_at
from core.values.geo import BadCoordinates, Coordinates, make_coordinates
from core.values.money import format_money
from core.values.reasons import join_reasons, split_reasons
from core.values.text import one_line
from messaging.contacts import cards as contact_cards
from messaging.lines.drivers.base import InboundMessage
from messaging.models import Line, Message
from restaurant.chat.senders import contact_of
from restaurant.delivery import addresses, zones
from restaurant.models import DeliveryZone, Order, Site
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.hold_reasons import (
    BELOW_MINIMUM,
    LOCATION_MISMATCH,
    NEEDS_CONFIRMATION,
    NO_LOCATION,
    OUTSIDE_ZONES,
)
from restaurant.sites import sites

LOOKBACK = timedelta(minutes=30)
LOCATION_REASONS = frozenset({NO_LOCATION, OUTSIDE_ZONES, BELOW_MINIMUM, LOCATION_MISMATCH})


def attach_location(line: Line, message: InboundMessage) -> Order | None:
    """Runs in the transaction that stored the message. None if no order needs the location."""
    where = _read_location(message.content)
    contact_id = contact_of(message)
    if where is None or contact_id is None:
        return None
    order = _open_order(line.id, contact_id)
    if order is None:
        return None
    words = one_line(
        str(message.content.get("address") or message.content.get("name") or ""),
        addresses.MAX_ADDRESS_LENGTH,
    )
    return set_location(sites.of_order(order), order, where, words)


def attach_earlier_location(site: Site, order: Order) -> Order:
    """For customers who share their location before they order."""
    if addresses.location_of(order.address) is not None or order.line_id is None:
        return order
    query = select(Message.content).where(
        Message.tenant_id == current_tenant_id(),
        Message.phone.in_(_addresses(order)),
        Message.id >= from_uuid("msg", UUID(id_at(now() - LOOKBACK))),
        Message.direction == "in",
        Message.kind == "location",
        Message.line_id == order.line_id,
    )
    content = db.session.scalars(query.order_by(Message.id.desc()).limit(1)).first()
    where = _read_location(content or {})
    return set_location(site, order, where) if where is not None else order


def _addresses(order: Order) -> list[str]:
    """Every address under which the customer's messages may be stored."""
    known = contact_cards.existing_cards([order.contact_id]) if order.contact_id else {}
    found = [one for card in known.values() for one in contact_cards.addresses_of(card)]
    return found or [order.customer_phone]


def set_location(site: Site, order: Order, where: Coordinates, words: str = "") -> Order:
    known = zones.listed(site.id)
    zone = zones.find_covering(site, where, known) if known else None
    locked = order_lifecycle.lock_version(order, None)
    locked.address = addresses.address_with_location(locked.address, where, None)
    if words and not locked.address.get("text"):
        locked.address = {**locked.address, "text": words}
    agreed = (
        "zone" in locked.address
        or locked.state != "awaiting_confirmation"
        or locked.paid_at is not None  # the price of a paid order does not rise
    )
    if not known or agreed:
        return _store_location_only(site, locked, zone, bool(known))
    if zone is None:
        return _refuse_location(site, locked, OUTSIDE_ZONES, "outside")
    if Decimal(locked.sums["subtotal"]) < zone.minimum:
        minimum = format_money(zone.minimum, locked.currency, locked.language)
        return _refuse_location(site, locked, BELOW_MINIMUM, "below_minimum", minimum=minimum)
    return _apply_zone(site, locked, zone)


def choose_zone(
    site: Site, order: Order, zone: DeliveryZone, *, shown_version: int | None = None
) -> Order:
    """The staff choose a zone if the customer shared no location. They may waive its minimum."""
    if order.order_type != "delivery" or order.ended_at is not None:
        raise Conflict("no_delivery", "Only an open delivery order has a delivery zone.")
    if order.paid_at is not None or order.state == "awaiting_payment":
        raise Conflict(
            "amount_fixed",
            "A payment for this order is in progress, so its amount cannot be changed.",
        )
    locked = order_lifecycle.lock_version(order, shown_version)
    _set_zone_and_fee(site, locked, zone)
    order_lifecycle.record_change(locked, "location", because=zone.name)
    order_notifications.status_changed(site, locked, order_queries.items_of(locked.id))
    return locked


def _apply_zone(site: Site, order: Order, zone: DeliveryZone) -> Order:
    _set_zone_and_fee(site, order, zone)
    order_lifecycle.record_change(order, "location", because=zone.name)
    order_notifications.status_changed(site, order, order_queries.items_of(order.id))
    fee = format_money(zone.fee, order.currency, order.language)
    key = "location_fee" if zone.fee else "location_free"
    text = order_notifications.customer_text(order, key, fee=fee)
    if order.state == "awaiting_confirmation" and not _other_reasons(order):
        order = order_lifecycle.change_state(site, order, "sent_to_kitchen", notify=False)
        order_notifications.notify_customer(site, order, first=text)
    else:
        order_notifications.send_order_card(site, order, text)
    return order


def _store_location_only(site: Site, order: Order, zone: DeliveryZone | None, zoned: bool) -> Order:
    if zoned and (zone is None or zone.id != order.address.get("zone")):
        _set_staff_note(order, LOCATION_MISMATCH)
    order_lifecycle.record_change(order, "location")
    order_notifications.status_changed(site, order, order_queries.items_of(order.id))
    order_notifications.send_to_customer(
        order, order_notifications.customer_text(order, "location_noted")
    )
    return order


def _refuse_location(site: Site, order: Order, why: str, key: str, **values: str) -> Order:
    """No fee is assumed. The order keeps its state, and its note tells the staff why."""
    _set_staff_note(order, why)
    order_lifecycle.record_change(order, "location", reason=why)
    order_notifications.status_changed(site, order, order_queries.items_of(order.id))
    order_notifications.send_to_customer(
        order, order_notifications.customer_text(order, key, **values)
    )
    return order


def _set_zone_and_fee(site: Site, order: Order, zone: DeliveryZone) -> None:
    order.address = addresses.address_with_location(order.address, None, zone)
    order.staff_note = join_reasons(_without_location_reasons(order))
    order.sums = {**order.sums, "delivery_fee": str(zone.fee)}
    order_changes.recalculate(site, order)


def _other_reasons(order: Order) -> bool:
    return bool(set(split_reasons(order.staff_note)) & NEEDS_CONFIRMATION)


def _set_staff_note(order: Order, why: str) -> None:
    order.staff_note = join_reasons([*_without_location_reasons(order), why])


def _without_location_reasons(order: Order) -> list[str]:
    return [one for one in split_reasons(order.staff_note) if one not in LOCATION_REASONS]


def _open_order(line_id: int, contact_id: str) -> Order | None:
    """The newest order without a location, else the newest order."""
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
    lost = [order for order in found if addresses.location_of(order.address) is None]
    return next(iter(lost or found), None)


def _read_location(content: Mapping[str, Any]) -> Coordinates | None:
    try:
        return make_coordinates(content["latitude"], content["longitude"])
    except (KeyError, BadCoordinates):
        return None
