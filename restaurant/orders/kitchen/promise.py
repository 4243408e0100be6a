"""How long the kitchen will take: the minutes within which 80 % of such orders were ready.

The slowest dish decides. The load is the number of orders in the kitchen now; `times` has learned
how long each dish takes at that load.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from core.clock import now
from restaurant.models import Order, OrderItem, Site
from restaurant.orders.effects import OrderUpdate
from restaurant.orders.kitchen import courses as kitchen_courses
from restaurant.orders.kitchen import times as kitchen_times

DEFAULT_MINUTES = 20
"""For planning, while the restaurant's own times are not known. Guests are not told this."""
SHORTEST = 5
NEARLY_ALL = 0.95
ROUNDED_TO = 5
"""Guests are told 15 or 20 minutes, not 17."""


class Dish(Protocol):
    """An item of a cart, an order or a menu."""

    @property
    def item_id(self) -> str | None: ...

    @property
    def stations(self) -> Sequence[str]: ...


def promise_minutes(site: Site, lines: Sequence[Dish]) -> int:
    """The minutes for these lines now, or DEFAULT_MINUTES while they are not known."""
    minutes = learned_minutes(site, lines)
    return DEFAULT_MINUTES if minutes is None else minutes


def learned_minutes(site: Site, lines: Sequence[Dish], *, load: int | None = None) -> int | None:
    """None while the kitchen has too few times for one of the lines."""
    if not lines:
        return None
    known = kitchen_times.known_times(site.id, {line.item_id for line in lines if line.item_id})
    if not known:
        return None
    if load is None:
        load = kitchen_courses.orders_in_kitchen(site.id)
    minutes = 0.0
    for line in lines:
        taken = _line_minutes(known, line.item_id or "", line.stations, load)
        if taken is None:
            return None
        minutes = max(minutes, taken)
    return max(SHORTEST, math.ceil(minutes))


def minutes_by_dish(site: Site, dishes: Iterable[tuple[str, Sequence[str]]]) -> dict[str, int]:
    """For a menu: the minutes of each dish now, by its id. Dishes without known times are left out.

    Two queries for the whole menu.
    """
    listed = list(dishes)
    known = kitchen_times.known_times(site.id, {item_id for item_id, _ in listed})
    if not known:
        return {}
    load = kitchen_courses.orders_in_kitchen(site.id)
    found = {item_id: _line_minutes(known, item_id, stations, load) for item_id, stations in listed}
    return {
        item_id: max(SHORTEST, math.ceil(taken))
        for item_id, taken in found.items()
        if taken is not None
    }


def minutes_left(site: Site, lines: Sequence[OrderItem]) -> int:
    """For an order that is late: in how many minutes nearly all such orders were ready."""
    known = kitchen_times.known_times(site.id, {line.item_id for line in lines if line.item_id})
    moment, left = now(), 0.0
    for line in lines:
        taken = _line_minutes(known, line.item_id or "", line.stations, line.fired_load, NEARLY_ALL)
        waited = (moment - (line.fired_at or moment)).total_seconds() / 60
        left = max(left, (taken or 0) - waited)
    return max(ROUNDED_TO, rounded(math.ceil(left)))


def rounded(minutes: int) -> int:
    """As guests are told."""
    return math.ceil(minutes / ROUNDED_TO) * ROUNDED_TO


def set_promise(site: Site, order: Order, fired: Sequence[OrderItem]) -> None:
    """Store when the items that the kitchen has just got should be ready."""
    minutes = learned_minutes(site, fired, load=max((one.fired_load for one in fired), default=0))
    if minutes is None:
        order.promise_minutes = order.promised_at = None
        return
    order.promise_minutes = minutes
    order.promised_at = now() + timedelta(minutes=rounded(minutes))


def learn_from_order(update: OrderUpdate) -> None:
    """Called when an order changes its state."""
    if update.order.state == "ready":
        kitchen_times.learn(update.order, update.items)


def _line_minutes(
    known: Mapping[kitchen_times.Key, Sequence[float]],
    item_id: str,
    stations: Sequence[str],
    load: int,
    share: float = kitchen_times.QUANTILE,
) -> float | None:
    """The slowest station; a dish without times takes as long as the station's other dishes."""
    slowest = 0.0
    for station in stations or ("kitchen",):
        taken = None
        for dish in (item_id, kitchen_times.ALL_DISHES):
            weights = known.get((dish, station))
            taken = kitchen_times.quantile(weights, load, share) if weights else None
            if taken is not None:
                break
        if taken is None:
            return None
        slowest = max(slowest, taken)
    return slowest
