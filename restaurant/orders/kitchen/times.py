"""How long dishes take, learned from the kitchen: fired until ready, for each dish and station.

A row is a histogram of minutes for each level of load, so that a busy evening does not make quiet
afternoons look slow. Old times lose half of their weight in HALF_LIFE. A page reads a few small
rows and never looks at past orders.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from restaurant.models import DishTimes, Order, OrderItem
from restaurant.orders.kitchen import progress as kitchen_progress

# The upper end of each bin, in minutes.
BINS: tuple[int, ...] = (*range(1, 21), *range(22, 41, 2), *range(45, 61, 5), *range(70, 121, 10))
LOADS = (4, 8, 13, 20)
"""Orders in the kitchen at which each next level of load begins."""
LEVELS = len(LOADS) + 1
HALF_LIFE = timedelta(days=7)
LONGEST = timedelta(minutes=BINS[-1])
"""Longer times are orders that nobody marked as ready in time."""
ENOUGH = 5.0
"""The weight from which the times of a dish, or of a level of load, are used on their own."""
QUANTILE = 0.8
ALL_DISHES = ""

Key = tuple[str, str]
"""Dish and station."""


def load_level(orders_in_kitchen: int) -> int:
    return sum(orders_in_kitchen >= least for least in LOADS)


def empty_weights() -> list[float]:
    return [0.0] * (len(BINS) * LEVELS)


def add_time(weights: Sequence[float], taken: timedelta, load: int) -> list[float]:
    minutes = max(taken.total_seconds() / 60, 0)
    at = next((number for number, end in enumerate(BINS) if minutes <= end), len(BINS) - 1)
    added = list(weights)
    added[load_level(load) * len(BINS) + at] += 1.0
    return added


def decayed(weights: Sequence[float], since: datetime, moment: datetime) -> list[float]:
    keep = 0.5 ** (max(moment - since, timedelta()) / HALF_LIFE)
    return [weight * keep for weight in weights]


def quantile(weights: Sequence[float], load: int, share: float = QUANTILE) -> float | None:
    """The minutes within which this share was ready; None with too few times."""
    level = load_level(load)
    for further in range(LEVELS):
        own = _of_levels(weights, level - further, level + further)
        whole = sum(own)
        if whole >= ENOUGH:
            break
    if whole < ENOUGH:
        return None
    passed, start = 0.0, 0
    for weight, end in zip(own, BINS, strict=True):
        if weight and passed + weight >= share * whole:
            return float(start + (end - start) * (share * whole - passed) / weight)
        passed += weight
        start = end
    return float(BINS[-1])


def _of_levels(weights: Sequence[float], lowest: int, highest: int) -> list[float]:
    """One histogram of several levels of load."""
    start, end = max(lowest, 0) * len(BINS), min(highest + 1, LEVELS) * len(BINS)
    return [sum(weights[start + at : end : len(BINS)]) for at in range(len(BINS))]


def learn(order: Order, items: Sequence[OrderItem]) -> int:
    """Add the times of the order's finished items, each once. Returns how many were added.

    The order's row is locked. Test orders teach nothing.
    """
    if order.test:
        return 0
    progress = kitchen_progress.progress_of([order.id])[order.id]
    by_position = {item.position: item for item in items}
    found: list[tuple[Key, timedelta, int]] = []
    for row in progress.rows.values():
        item = by_position.get(row.position)
        if row.ready_at is None or row.counted or item is None or item.fired_at is None:
            continue
        row.counted = True
        taken = row.ready_at - item.fired_at
        if timedelta() < taken <= LONGEST:
            dishes = {item.item_id or ALL_DISHES, ALL_DISHES}
            found += [((dish, row.station), taken, item.fired_load) for dish in dishes]
    if found:
        store_times(order.site_id, found)
    return len(found)


def store_times(site_id: str, found: Iterable[tuple[Key, timedelta, int]]) -> None:
    """Add times: dish and station, the time taken, and the load when it was fired."""
    by_key: dict[Key, list[tuple[timedelta, int]]] = {}
    for key, taken, load in found:
        by_key.setdefault(key, []).append((taken, load))
    moment = now()
    new = [
        {
            "tenant_id": current_tenant_id(),
            "site_id": site_id,
            "dish": dish,
            "station": station,
            "weights": empty_weights(),
            "changed_at": moment,
        }
        for dish, station in sorted(by_key)
    ]
    db.session.execute(insert(DishTimes).values(new).on_conflict_do_nothing())
    # Locked in one order, so that two orders that are ready at once never wait for each other.
    query = (
        _rows(site_id)
        .where(DishTimes.dish.in_({dish for dish, _ in by_key}))
        .order_by(DishTimes.dish, DishTimes.station)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    for row in db.session.scalars(query):
        times = by_key.get((row.dish, row.station))
        if times is None:
            continue
        weights = decayed(row.weights, row.changed_at, moment)
        for taken, load in times:
            weights = add_time(weights, taken, load)
        row.weights, row.changed_at = weights, moment
    db.session.flush()


def known_times(site_id: str, dishes: Iterable[str]) -> Mapping[Key, Sequence[float]]:
    """The learned weights of these dishes, and of all dishes together, at each station."""
    query = _rows(site_id).where(DishTimes.dish.in_({*dishes, ALL_DISHES}))
    columns = query.with_only_columns(DishTimes.dish, DishTimes.station, DishTimes.weights)
    return {(row.dish, row.station): row.weights for row in db.session.execute(columns)}


def _rows(site_id: str) -> Select[DishTimes]:
    return select(DishTimes).where(
        DishTimes.tenant_id == current_tenant_id(), DishTimes.site_id == site_id
    )
