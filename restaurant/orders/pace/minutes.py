"""How long an order takes. The one place that answers it."""

from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from restaurant.models import Site
from restaurant.orders.kitchen import promise

MINUTES_FOR_A_PIECE = 4
"""Work of a station on one piece, for a limit in minutes."""


class MadeItem(promise.Dish, Protocol):
    @property
    def quantity(self) -> int: ...


def minutes_to_make(
    site: Site,
    order_type: str,
    items: Iterable[MadeItem] = (),
) -> int:
    """From the kitchen's start until the guest has the order: as the kitchen display has learned
    it, or as the restaurant set it while the times of these dishes are not known.
    """
    in_kitchen = promise.learned_minutes(site, list(items))
    on_the_road = site.delivery_minutes if order_type == "delivery" else 0
    return (site.preparation_minutes if in_kitchen is None else in_kitchen) + on_the_road


def station_minutes(items: Iterable[MadeItem]) -> dict[str, int]:
    """Minutes of work by station."""
    work: Counter[str] = Counter()
    for item in items:
        for station in item.stations or ("kitchen",):
            work[station] += item.quantity * MINUTES_FOR_A_PIECE
    return dict(work)
