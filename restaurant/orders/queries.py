"""Finds and lists orders, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, any_, bindparam, select
from sqlalchemy.dialects.postgresql import ARRAY

from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import NotFound
from core.ids import Id, from_uuid, to_uuid
from core.sql.partitions import id_at
from core.values.phone import phone_variants
from restaurant.models import Order, OrderChange, OrderItem, Tab
from restaurant.models.order_states import ACCEPTS_MORE_ITEMS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class OrderFilters:
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


NEWEST_ORDERS = (
    select(Order)
    .where(Order.tenant_id == THIS_TENANT)
    .order_by(Order.id.desc())
    .limit(bindparam("most"))
    .execution_options(plan_once=True)
)
NEWEST_ROWS = NEWEST_ORDERS.with_only_columns(
    Order.id,
    Order.number,
    Order.site_id,
    Order.test,
    Order.order_type,
    Order.table_number,
    Order.customer_name,
    Order.customer_phone,
    Order.state,
    Order.total,
    Order.currency,
    Order.placed_at,
)
BY_ID = (
    select(Order)
    .where(Order.tenant_id == THIS_TENANT, Order.id == bindparam("id"))
    .execution_options(plan_once=True)
)
BY_NUMBER = (
    select(Order)
    .where(Order.tenant_id == THIS_TENANT, Order.number == bindparam("number"))
    .execution_options(plan_once=True)
)
OPEN_ORDERS = (
    select(Order)
    .where(
        Order.tenant_id == THIS_TENANT,
        Order.site_id == bindparam("site_id"),
        Order.ended_at.is_(None),
    )
    .order_by(Order.placed_at)
    .execution_options(plan_once=True)
)
ITEMS = (
    select(OrderItem)
    .where(
        OrderItem.tenant_id == THIS_TENANT,
        OrderItem.order_id == any_(bindparam("order_ids", type_=ARRAY(Id("ord")))),
    )
    .order_by(OrderItem.position)
    .execution_options(plan_once=True)
)
LATER_BATCHES = (
    select(OrderChange.order_id, OrderChange.at)
    .where(
        OrderChange.tenant_id == THIS_TENANT,
        OrderChange.order_id == any_(bindparam("order_ids", type_=ARRAY(Id("ord")))),
        OrderChange.what == "added",
    )
    .order_by(OrderChange.id)
)
CHANGES = (
    select(OrderChange.at, OrderChange.what, OrderChange.state, OrderChange.by, OrderChange.because)
    .where(OrderChange.tenant_id == THIS_TENANT, OrderChange.order_id == bindparam("order_id"))
    .order_by(OrderChange.id)
)


def listed(filters: OrderFilters, after: str | None, limit: int) -> list[Order]:
    """Sorted by id, which rises with time."""
    query = _filtered(NEWEST_ORDERS, filters, after)
    return list(db.session.scalars(query, {"most": limit}))


def list_rows(filters: OrderFilters, after: str | None, limit: int) -> Sequence[Any]:
    """The same orders, with the columns that a list of them shows."""
    return read_rows(_filtered(NEWEST_ROWS, filters, after), {"most": limit})


def _filtered(
    query: Select[*tuple[Any, ...]], filters: OrderFilters, after: str | None
) -> Select[*tuple[Any, ...]]:
    """Every filter on a growing set has an index."""
    if filters.site_id:
        query = query.where(Order.site_id == filters.site_id)
    if filters.state:
        query = query.where(Order.state == filters.state)
    if filters.test is not None:
        query = query.where(Order.test == filters.test)
    if filters.open_only:
        query = query.where(Order.ended_at.is_(None))
    if filters.phone:
        query = query.where(Order.customer_phone.in_(sorted(phone_variants(filters.phone))))
    if filters.number:
        query = query.where(Order.number == filters.number)
    if filters.table:
        query = query.where(Order.table_number == filters.table)
    if filters.day:  # ids rise with time, and the day lies in this range in every time zone
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
    return query


def items_of_orders(order_ids: list[str]) -> dict[str, list[Any]]:
    """Rows with the columns of `OrderItem`, by order."""
    found: dict[str, list[Any]] = {order_id: [] for order_id in order_ids}
    if order_ids:
        for item in read_rows(ITEMS, {"order_ids": order_ids}):
            found[item.order_id].append(item)
    return found


def open_orders(site_id: str) -> list[Order]:
    """The open orders of a site, oldest first."""
    return list(db.session.scalars(OPEN_ORDERS, {"site_id": site_id}))


def batch_times(orders: list[Order]) -> dict[str, list[datetime]]:
    """When each batch of each order was placed, in order."""
    found = {order.id: [order.ordered_at] for order in orders}
    again = [order.id for order in orders if order.batch > 1]
    if again:
        for row in read_rows(LATER_BATCHES, {"order_ids": again}):
            found[row.order_id].append(row.at)
    return found


def _id_at(moment: datetime) -> str:
    return from_uuid("ord", UUID(id_at(max(moment, EPOCH))))


LATEST_OF_CONTACT = (
    select(Order.id, Order.number, Order.total, Order.currency, Order.placed_at)
    .where(Order.tenant_id == THIS_TENANT, Order.contact_id == bindparam("contact_id"))
    .order_by(Order.id.desc())
    .limit(bindparam("most"))
)


def latest_of_contact(contact_id: str, most: int) -> Sequence[Any]:
    """Id, number, total, currency and time of the latest orders."""
    return read_rows(LATEST_OF_CONTACT, {"contact_id": contact_id, "most": most})


def open_order_at_table(
    site_id: str, table_id: str, contact_id: str, *, test: bool = False
) -> Order | None:
    """The open order that a second cart of the same guest is added to, or None."""
    query = (
        select(Order)
        .where(
            Order.tenant_id == current_tenant_id(),
            Order.site_id == site_id,
            Order.ended_at.is_(None),
            Order.table_id == table_id,
            Order.test == test,
            Order.contact_id == contact_id,
            Order.state.in_(ACCEPTS_MORE_ITEMS),
            Order.payment_method != "card_link",
            Order.tab_id.is_(None) | Order.tab_id.in_(_open_tabs_at(table_id)),
        )
        .order_by(Order.placed_at.desc())
        .limit(1)
    )
    return db.session.scalars(query).first()


def _open_tabs_at(table_id: str) -> Select[str]:
    return select(Tab.id).where(
        Tab.tenant_id == current_tenant_id(), Tab.table_id == table_id, Tab.ended_at.is_(None)
    )


def lock_tab(order_id: str) -> None:
    """Lock the tab of an order. Its row comes before the rows of orders and payment links, so that
    two payments of one table never wait for each other."""
    of_order = select(Order.tab_id).where(
        Order.tenant_id == current_tenant_id(), Order.id == order_id
    )
    query = select(Tab.id).where(
        Tab.tenant_id == current_tenant_id(), Tab.id == of_order.scalar_subquery()
    )
    db.session.execute(query.with_for_update())


def get(number: str) -> Order:
    """Find an order by its number or its id. Raises NotFound."""
    if "\0" in number:
        raise NotFound()
    by_id = number.startswith("ord_")
    order = db.session.scalars(
        BY_ID if by_id else BY_NUMBER, {"id" if by_id else "number": number}
    ).first()
    if order is None:
        raise NotFound()
    return order


def items_of(order_id: str) -> list[OrderItem]:
    return list(db.session.scalars(ITEMS, {"order_ids": [order_id]}))


def changes_of(order_id: str) -> Sequence[Any]:
    """Time, kind, state, author and reason of each change, oldest first."""
    return read_rows(CHANGES, {"order_id": order_id})
