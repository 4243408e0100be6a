"""When an order can be ready: the free times that guests choose from, and their checks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.clock import now
from core.errors import Conflict, invalid
from restaurant.models import Site
from restaurant.orders.pace import capacity
from restaurant.orders.pace.capacity import QUARTER, Load, SlotFull, slot_of
from restaurant.orders.pace.minutes import MadeItem, minutes_to_make
from restaurant.sites import hours

OFFERED_WHEN_FULL = 3
"""As many as a chat message has buttons."""


@dataclass(frozen=True)
class Place:
    """The time of an order, and what it uses of the kitchen's capacity."""

    due_at: datetime | None
    fires_at: datetime | None
    slot_at: datetime | None
    load: Load


def days_ahead(site: Site) -> int:
    """A restaurant with limits takes orders for later today, whenever the kitchen is full."""
    limited = site.slot_orders is not None or bool(site.slot_minutes)
    return max(site.later_days, 1 if limited else 0)


def is_open(site: Site, moment: datetime) -> bool:
    return hours.is_open(site.hours, site.time_zone, moment, site.special_days)


def free_times(
    site: Site, order_type: str, items: Sequence[MadeItem] = (), *, most: int = 400
) -> list[datetime]:
    """The coming quarters of an hour at which such an order can be ready, in opening hours."""
    moment, minutes = now(), timedelta(minutes=minutes_to_make(site, order_type, items))
    at, last_day = _ceiling(moment + minutes), _last_day(site, moment)
    limits = capacity.limits_of(site, order_type)
    load = capacity.load_of(items, limits)
    used = {}
    if load:
        used = capacity.used_between(site.id, at, at + timedelta(days=days_ahead(site) + 1))
    found: list[datetime] = []
    while days_ahead(site) and len(found) < most and _day(site, at) <= last_day:
        free = capacity.has_room(used.get(at, {}), load, limits)
        if free and is_open(site, at) and is_open(site, at - minutes):
            found.append(at)
        at += QUARTER
    return found


def free_now(site: Site, order_type: str, items: Sequence[MadeItem] = ()) -> bool:
    """Whether the kitchen has room for an order that it would begin at once."""
    limits = capacity.limits_of(site, order_type)
    if not limits:
        return True
    slot = slot_of(now() + timedelta(minutes=minutes_to_make(site, order_type, items)))
    used = capacity.used_between(site.id, slot, slot).get(slot, {})
    return capacity.has_room(used, capacity.load_of(items, limits), limits)


def check_due(
    site: Site, order_type: str, due_at: datetime, items: Iterable[MadeItem] = ()
) -> None:
    """Raises Invalid if guests cannot order for this time. A full kitchen is checked later."""
    moment, minutes = now(), timedelta(minutes=minutes_to_make(site, order_type, items))
    if not days_ahead(site):
        raise invalid("due_at", "no_orders_for_later", "This restaurant takes no orders for later.")
    if due_at < moment + minutes - QUARTER:
        raise invalid("due_at", "too_soon", "This time is too soon. Choose a later time.")
    if _day(site, due_at) > _last_day(site, moment):
        raise invalid(
            "due_at",
            "too_far_ahead",
            "Orders can be placed up to {days} days ahead, counting today.",
            days=days_ahead(site),
        )
    if not is_open(site, due_at) or not is_open(site, max(due_at - minutes, moment)):
        raise Conflict("closed", "The restaurant is closed at this time. Choose another time.")


def check_room(
    site: Site, order_type: str, items: Sequence[MadeItem], due_at: datetime | None
) -> None:
    """Raises SlotFull with the next free times. Nothing is reserved yet."""
    limits = capacity.limits_of(site, order_type)
    load = capacity.load_of(items, limits)
    slot = _slot(site, order_type, items, due_at)
    if not capacity.has_room(
        capacity.used_between(site.id, slot, slot).get(slot, {}) if load else {}, load, limits
    ):
        raise _full(site, order_type, items)


def reserve(
    site: Site,
    order_type: str,
    items: Sequence[MadeItem],
    due_at: datetime | None,
    *,
    refuse: bool,
    count: bool = True,
) -> Place:
    """Reserve the kitchen for an order. Raises SlotFull with the next free times.

    Without `count`, it is a test order: it has a time and uses nothing.
    """
    fires_at = None
    if due_at is not None:
        fires_at = due_at - timedelta(minutes=minutes_to_make(site, order_type, items))
    limits = capacity.limits_of(site, order_type)
    load = capacity.load_of(items, limits)
    if not load or not count:
        return Place(due_at, fires_at, None, {})
    slot = _slot(site, order_type, items, due_at)
    try:
        capacity.reserve(site, slot, load, limits, refuse=refuse)
    except SlotFull:
        raise _full(site, order_type, items) from None
    return Place(due_at, fires_at, slot, load)


def _slot(
    site: Site, order_type: str, items: Sequence[MadeItem], due_at: datetime | None
) -> datetime:
    return slot_of(due_at or now() + timedelta(minutes=minutes_to_make(site, order_type, items)))


def _full(site: Site, order_type: str, items: Sequence[MadeItem]) -> SlotFull:
    full = SlotFull()
    full.next_times = free_times(site, order_type, items, most=OFFERED_WHEN_FULL)
    full.more = {"next_times": [one.isoformat() for one in full.next_times]}
    return full


def _ceiling(moment: datetime) -> datetime:
    slot = slot_of(moment)
    return slot if slot == moment else slot + QUARTER


def _day(site: Site, moment: datetime) -> str:
    return hours.business_day(site.day_starts, site.time_zone, moment).isoformat()


def _last_day(site: Site, moment: datetime) -> str:
    today = hours.business_day(site.day_starts, site.time_zone, moment)
    return (today + timedelta(days=days_ahead(site) - 1)).isoformat()
