"""Orders found and listed, newest first."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.partitions import id_at
from core.phone import same_variants
from restaurant.models import Order, OrderChange, OrderLine
from restaurant.moves import ADDABLE

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Filters:
    site_id: str | None = None
    state: str | None = None
    phone: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    open_only: bool = False
    number: str | None = None
    table: str | None = None
    day: date | None = None
    test: bool | None = None


def listed(filters: Filters, after: str | None, limit: int) -> list[Order]:
    """By id, which rises with time; each filter that a tenant can grow has an index."""
    query = select(Order).where(Order.tenant_id == current_tenant_id())
    if filters.site_id:
        query = query.where(Order.site_id == filters.site_id)
    if filters.state:
        query = query.where(Order.state == filters.state)
    if filters.test is not None:
        query = query.where(Order.test == filters.test)
    if filters.open_only:
        query = query.where(Order.ended_at.is_(None))
    if filters.phone:
        query = query.where(Order.customer_phone.in_(sorted(same_variants(filters.phone))))
    if filters.number:
        query = query.where(Order.number == filters.number)
    if filters.table:
        query = query.where(Order.table_number == filters.table)
    if filters.day:  # ids rise with time: wherever the site is, the day lies between these two
        noon = datetime.combine(filters.day, time(12), UTC)
        query = query.where(
            Order.business_day == filters.day,
            Order.id >= _id_at(noon - timedelta(days=2)),
            Order.id < _id_at(noon + timedelta(days=3)),
        )
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


def batches_at(orders: list[Order]) -> dict[str, list[datetime]]:
    """When each batch of each order was ordered, the first batch first."""
    found = {order.id: [order.placed_at] for order in orders}
    again = [order.id for order in orders if order.batch > 1]
    if again:
        query = select(OrderChange.order_id, OrderChange.at).where(
            OrderChange.tenant_id == current_tenant_id(),
            OrderChange.order_id.in_(again),
            OrderChange.what == "added",
        )
        for row in db.session.execute(query.order_by(OrderChange.id)):
            found[row.order_id].append(row.at)
    return found


def _id_at(moment: datetime) -> str:
    return from_uuid("ord", UUID(id_at(max(moment, BEGINNING))))


def latest_of(contact_id: str, limit: int) -> list[Order]:
    """A contact's orders, the newest first."""
    return list(
        db.session.scalars(
            select(Order)
            .where(Order.tenant_id == current_tenant_id(), Order.contact_id == contact_id)
            .order_by(Order.id.desc())
            .limit(limit)
        )
    )


def open_order_at(
    site_id: str, table_id: str, contact_id: str, *, test: bool = False
) -> Order | None:
    """Where a second cart of the same guest belongs."""
    query = (
        select(Order)
        .where(
            Order.tenant_id == current_tenant_id(),
            Order.site_id == site_id,
            Order.ended_at.is_(None),
            Order.table_id == table_id,
            Order.test == test,
            Order.contact_id == contact_id,
            Order.state.in_(ADDABLE),
            Order.payment_method != "card_link",
        )
        .order_by(Order.placed_at.desc())
        .limit(1)
    )
    return db.session.scalars(query).first()
