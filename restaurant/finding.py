"""Orders found and listed, newest first."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.partitions import id_at
from core.phone import same_variants
from restaurant.models import Order, OrderLine

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Filters:
    site_id: str | None = None
    state: str | None = None
    phone: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    open_only: bool = False


def listed(filters: Filters, after: str | None, limit: int) -> list[Order]:
    """By id, which rises with time; each filter that a tenant can grow has an index."""
    query = select(Order).where(Order.tenant_id == current_tenant_id())
    if filters.site_id:
        query = query.where(Order.site_id == filters.site_id)
    if filters.state:
        query = query.where(Order.state == filters.state)
    if filters.open_only:
        query = query.where(Order.ended_at.is_(None))
    if filters.phone:
        query = query.where(Order.customer_phone.in_(sorted(same_variants(filters.phone))))
    if filters.since:
        query = query.where(Order.id >= _id_at(filters.since))
    if filters.until:
        query = query.where(Order.id < _id_at(filters.until))
    if after:
        query = query.where(Order.id < from_uuid("ord", to_uuid("ord", after)))
    return list(db.session.scalars(query.order_by(Order.id.desc()).limit(limit)))


def lines_of(order_ids: list[str]) -> dict[str, list[OrderLine]]:
    found: dict[str, list[OrderLine]] = {order_id: [] for order_id in order_ids}
    if order_ids:
        query = select(OrderLine).where(
            OrderLine.tenant_id == current_tenant_id(), OrderLine.order_id.in_(order_ids)
        )
        for line in db.session.scalars(query.order_by(OrderLine.position)):
            found[line.order_id].append(line)
    return found


def open_orders(site_id: str) -> list[Order]:
    """Everything on the board, oldest first."""
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.site_id == site_id,
        Order.ended_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(Order.placed_at)))


def _id_at(moment: datetime) -> str:
    return from_uuid("ord", UUID(id_at(max(moment, BEGINNING))))
