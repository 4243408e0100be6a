"""The progress of each line of an order at each station: waiting, started or ready.

Rows are written only while the order's row is locked (`lifecycle.lock_version` or `lock_order`),
so that two stations never write to the same order at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import any_, bindparam, select
from sqlalchemy.dialects.postgresql import ARRAY

from core.clock import now
from core.db import THIS_TENANT, db
from core.ids import Id
from restaurant.models import KitchenItem, Order, OrderItem
from tenants import audit

WAITING, STARTED, READY = "waiting", "started", "ready"


@dataclass
class OrderProgress:
    """The progress rows of one order, by line position and station."""

    rows: dict[tuple[int, str], KitchenItem] = field(default_factory=dict)

    def of(self, item: OrderItem, station: str = "") -> str:
        """The line's progress at one station, or combined over all of its stations.

        Combined, it is `started` unless all stations are waiting or all are ready.
        """
        found = {self._at(item.position, one) for one in stations_of(item) if station in ("", one)}
        if found == {READY}:
            return READY
        return WAITING if found <= {WAITING} else STARTED

    def of_all(self, items: Sequence[OrderItem], station: str = "") -> str:
        found = {self.of(item, station) for item in remaining_items(items, station)}
        if found == {READY}:
            return READY
        return WAITING if found <= {WAITING} else STARTED

    def last_tap(self, station: str = "") -> datetime | None:
        """When the station last started or finished an item; None if it never did."""
        moments = (
            moment
            for row in self.at(station)
            for moment in (row.started_at, row.ready_at)
            if moment is not None
        )
        return max(moments, default=None)

    def at(self, station: str = "") -> Iterator[KitchenItem]:
        return (row for row in self.rows.values() if station in ("", row.station))

    def _at(self, position: int, station: str) -> str:
        row = self.rows.get((position, station))
        if row is None or row.started_at is None:
            return WAITING
        return STARTED if row.ready_at is None else READY


def stations_of(item: OrderItem) -> tuple[str, ...]:
    return tuple(item.stations) or ("kitchen",)


def is_held(item: OrderItem) -> bool:
    """Its course has not been fired: the kitchen must not start it yet."""
    return item.course > 0 and item.fired_at is None


def remaining_items(items: Sequence[OrderItem], station: str = "") -> list[OrderItem]:
    """Lines with pieces that are not voided, of one station or of all."""
    return [
        item
        for item in items
        if item.quantity > item.voided and (not station or station in stations_of(item))
    ]


PROGRESS = (
    select(KitchenItem)
    .where(
        KitchenItem.tenant_id == THIS_TENANT,
        KitchenItem.order_id == any_(bindparam("order_ids", type_=ARRAY(Id("ord")))),
    )
    .execution_options(plan_once=True)
)


def progress_of(order_ids: Sequence[str]) -> dict[str, OrderProgress]:
    found = {order_id: OrderProgress() for order_id in order_ids}
    if order_ids:
        for row in db.session.scalars(PROGRESS, {"order_ids": list(order_ids)}):
            found[row.order_id].rows[row.position, row.station] = row
    return found


def mark_items(
    order: Order, items: Sequence[OrderItem], to: str, station: str = ""
) -> OrderProgress:
    """Mark lines as started or ready, at one station or at all. Existing times are kept.

    An item of a course that was not fired counts as fired.
    """
    progress = progress_of([order.id])[order.id]
    moment, by = now(), audit.current_actor().name
    for item in remaining_items(items, station):
        if is_held(item):
            item.fired_at = moment
        for one in stations_of(item):
            if station not in ("", one):
                continue
            row = progress.rows.get((item.position, one))
            if row is None:
                row = KitchenItem(
                    tenant_id=order.tenant_id,
                    order_id=order.id,
                    position=item.position,
                    station=one,
                )
                db.session.add(row)
                progress.rows[item.position, one] = row
            if row.started_at is None:
                row.started_at, row.started_by = moment, by
            if to == READY and row.ready_at is None:
                row.ready_at, row.ready_by = moment, by
    db.session.flush()
    return progress


def undo_last_tap(progress: OrderProgress, station: str = "") -> bool:
    """Undo the station's last tap, a start or a finish. Returns False if there was none."""
    moment = progress.last_tap(station)
    if moment is None:
        return False
    for row in progress.at(station):
        if row.ready_at == moment:
            row.ready_at, row.ready_by = None, ""
        if row.started_at == moment:
            row.started_at, row.started_by = None, ""
    db.session.flush()
    return True


def recall_item(progress: OrderProgress, item: OrderItem, station: str = "") -> bool:
    """Make a finished line unfinished, at one station or at all. False if it was not finished."""
    recalled = False
    for row in progress.at(station):
        if row.position != item.position or row.ready_at is None:
            continue
        if row.started_at == row.ready_at:  # finished by one tap, without a start
            row.started_at, row.started_by = None, ""
        row.ready_at, row.ready_by = None, ""
        recalled = True
    db.session.flush()
    return recalled
