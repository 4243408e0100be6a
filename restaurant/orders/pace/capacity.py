"""The kitchen's capacity: how many orders, or minutes of a station, fit in a quarter of an hour.

An order uses the quarter of an hour in which it is to be ready. It takes its share in the
transaction that places it, by conditional updates in the order of the stations, so that a limit is
never exceeded. The staff's own orders are counted but never refused.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from core.db import current_tenant_id, db
from core.errors import Conflict
from core.i18n.catalogs import N_
from restaurant.models import Order, Site, SlotLoad
from restaurant.orders.pace.minutes import MadeItem, station_minutes

QUARTER = timedelta(minutes=15)
ORDERS = ""
"""The row of a quarter of an hour that counts orders."""
_UNLIMITED = 2**31 - 1

Load = dict[str, int]


class SlotFull(Conflict):
    """The kitchen has no room at this time; `next_times` are free."""

    def __init__(self) -> None:
        super().__init__(
            "slot_full", N_("The kitchen is full at this time. Choose one of the next free times.")
        )
        self.next_times: list[datetime] = []


def slot_of(moment: datetime) -> datetime:
    """The start of the quarter of an hour that a moment is in."""
    utc = moment.astimezone(UTC)
    return utc.replace(minute=utc.minute // 15 * 15, second=0, microsecond=0)


def limits_of(site: Site, order_type: str) -> Load:
    """By station; "" limits the number of orders. Empty: no limit for this type of order."""
    if order_type not in site.slot_order_types:
        return {}
    limits = dict(site.slot_minutes)
    if site.slot_orders is not None:
        limits[ORDERS] = site.slot_orders
    return limits


def load_of(items: Iterable[MadeItem], limits: Mapping[str, int]) -> Load:
    """What these items use of the limited stations."""
    work = {ORDERS: 1, **station_minutes(items)}
    return {station: work[station] for station in sorted(limits) if station in work}


def has_room(used: Mapping[str, int], load: Mapping[str, int], limits: Mapping[str, int]) -> bool:
    """An order that is larger than a limit fits only if nothing else is there."""
    return all(
        used.get(station, 0) == 0 or used.get(station, 0) + share <= limits[station]
        for station, share in load.items()
    )


def used_between(site_id: str, since: datetime, until: datetime) -> dict[datetime, Load]:
    query = select(SlotLoad.starts_at, SlotLoad.station, SlotLoad.used).where(
        SlotLoad.tenant_id == current_tenant_id(),
        SlotLoad.site_id == site_id,
        SlotLoad.starts_at.between(since, until),
    )
    found: dict[datetime, Load] = {}
    for row in db.session.execute(query):
        found.setdefault(row.starts_at, {})[row.station] = row.used
    return found


def reserve(site: Site, slot_at: datetime, load: Load, limits: Load, *, refuse: bool) -> None:
    """Take a share of the quarter of an hour. Raises SlotFull, unless nothing is refused.

    A share that was taken before the error is returned by the caller's rollback.
    """
    for station, share in sorted(load.items()):
        limit = limits.get(station, _UNLIMITED) if refuse else _UNLIMITED
        taken = db.session.execute(
            insert(SlotLoad)
            .values(
                tenant_id=current_tenant_id(),
                site_id=site.id,
                starts_at=slot_at,
                station=station,
                used=share,
            )
            .on_conflict_do_update(
                index_elements=[
                    SlotLoad.tenant_id,
                    SlotLoad.site_id,
                    SlotLoad.starts_at,
                    SlotLoad.station,
                ],
                set_={"used": SlotLoad.used + share},
                where=or_(SlotLoad.used == 0, SlotLoad.used + share <= limit),
            )
            .returning(SlotLoad.used)
        )
        if taken.first() is None:
            raise SlotFull


def release(order: Order) -> None:
    """Return what the order used. Its row is locked."""
    if order.slot_at is None:
        return
    for station, share in sorted(order.slot_load.items()):
        db.session.execute(
            update(SlotLoad)
            .where(
                SlotLoad.tenant_id == current_tenant_id(),
                SlotLoad.site_id == order.site_id,
                SlotLoad.starts_at == order.slot_at,
                SlotLoad.station == station,
            )
            .values(used=func.greatest(SlotLoad.used - share, 0))
        )


def delete_old(before: datetime) -> int:
    """For the nightly clean-up."""
    gone = delete(SlotLoad).where(
        SlotLoad.tenant_id == current_tenant_id(), SlotLoad.starts_at < before
    )
    return len(db.session.execute(gone.returning(SlotLoad.station)).all())
