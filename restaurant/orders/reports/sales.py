"""Orders, revenue and delivery times for a range of days, by currency.

Every query starts from `orders_day_idx`, so that it reads only the days and sites asked for. A day
is the site's business day, as in the order's number; hours are in the site's time zone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import TextClause, text

from core.db import current_tenant_id, read_rows
from core.ids import from_uuid, to_uuid
from core.values.date_ranges import DateRange

MOST_ITEMS = 200

_ORDERS_OF_DAYS = """
  FROM orders o
 WHERE o.tenant_id = :tenant_id AND o.site_id = ANY(CAST(:sites AS uuid[]))
   AND o.business_day BETWEEN :since AND :until AND NOT o.test
"""
_SOLD = "o.state NOT IN ('cancelled', 'refunded')"

SALES_BY_DAY = text(f"""
SELECT o.business_day AS day, o.site_id, o.currency, o.payment_method, o.order_type,
       count(*) FILTER (WHERE {_SOLD}) AS orders,
       coalesce(sum(o.total) FILTER (WHERE {_SOLD}), 0) AS revenue,
       count(*) FILTER (WHERE NOT {_SOLD}) AS lost
{_ORDERS_OF_DAYS}
 GROUP BY o.business_day, o.site_id, o.currency, o.payment_method, o.order_type
""")
DAY_TOTALS = text(f"""
SELECT o.business_day AS day, o.site_id, o.currency,
       count(*) FILTER (WHERE {_SOLD}) AS orders,
       coalesce(sum(o.total) FILTER (WHERE {_SOLD}), 0) AS revenue,
       count(*) FILTER (WHERE NOT {_SOLD}) AS lost
{_ORDERS_OF_DAYS}
 GROUP BY o.business_day, o.site_id, o.currency
""")
ORDERS_BY_HOUR = text("""
SELECT extract(isodow FROM o.business_day)::int AS weekday,
       extract(hour FROM o.placed_at AT TIME ZONE s.time_zone)::int AS hour, count(*) AS orders
  FROM orders o JOIN sites s ON s.tenant_id = o.tenant_id AND s.id = o.site_id
 WHERE o.tenant_id = :tenant_id AND s.tenant_id = :tenant_id
   AND o.site_id = ANY(CAST(:sites AS uuid[]))
   AND o.business_day BETWEEN :since AND :until AND NOT o.test
   AND o.state NOT IN ('cancelled', 'refunded')
 GROUP BY 1, 2
""")
ITEM_SALES = text("""
SELECT l.name, o.currency, sum(l.quantity - l.voided) AS sold,
       sum((l.quantity - l.voided) * l.unit_price) AS revenue
  FROM orders o JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
 WHERE o.tenant_id = :tenant_id AND l.tenant_id = :tenant_id
   AND o.site_id = ANY(CAST(:sites AS uuid[]))
   AND o.business_day BETWEEN :since AND :until AND NOT o.test
   AND o.state NOT IN ('cancelled', 'refunded')
 GROUP BY l.name, o.currency
HAVING sum(l.quantity - l.voided) > 0
 ORDER BY revenue DESC, l.name
 LIMIT :most
""")
# A delivery is accepted when it goes to the kitchen and leaves when the courier picks it up.
DELIVERY_TIMES = text("""
WITH ridden AS (
    SELECT o.business_day AS day, o.address ->> 'zone_name' AS zone, t.courier_id,
           extract(epoch FROM t.picked_up_at - coalesce(
               (SELECT min(c.at) FROM order_changes c
                 WHERE c.tenant_id = :tenant_id AND c.order_id = o.id
                   AND c.state = 'sent_to_kitchen'), o.placed_at)) / 60 AS kitchen,
           extract(epoch FROM t.delivered_at - t.picked_up_at) / 60 AS road
      FROM orders o JOIN trips t ON t.tenant_id = o.tenant_id AND t.order_id = o.id
     WHERE o.tenant_id = :tenant_id AND t.tenant_id = :tenant_id
       AND o.site_id = ANY(CAST(:sites AS uuid[]))
       AND o.business_day BETWEEN :since AND :until AND NOT o.test
       AND t.delivered_at IS NOT NULL AND t.picked_up_at IS NOT NULL
)
SELECT CASE WHEN grouping(day) = 0 THEN 'day' WHEN grouping(courier_id) = 0 THEN 'courier'
            WHEN grouping(zone) = 0 THEN 'zone' ELSE 'all' END AS by,
       day, courier_id, zone, count(*) AS trips, avg(kitchen) AS kitchen, avg(road) AS road,
       percentile_cont(0.9) WITHIN GROUP (ORDER BY kitchen + road) AS slow
  FROM ridden
 GROUP BY GROUPING SETS ((day), (courier_id), (zone), ())
""")


@dataclass(frozen=True)
class DailySales:
    """The sales of one day at one site, by payment method and order type."""

    day: date
    site_id: str
    currency: str
    payment_method: str
    order_type: str
    orders: int
    revenue: Decimal
    lost: int
    """Cancelled or refunded."""


@dataclass(frozen=True)
class DayTotal:
    """The sales of one day at one site."""

    day: date
    site_id: str
    currency: str
    orders: int
    revenue: Decimal
    lost: int


@dataclass(frozen=True)
class ItemSales:
    name: str
    currency: str
    sold: int
    revenue: Decimal


@dataclass(frozen=True)
class DeliveryTimes:
    """How long deliveries took, in minutes: until they left the restaurant, and on the way."""

    by: str
    key: Any
    trips: int
    kitchen: float
    road: float
    slow: float
    """90 % of deliveries arrived within this time."""

    @property
    def whole(self) -> float:
        return self.kitchen + self.road


@dataclass
class SalesTotal:
    orders: int = 0
    revenue: Decimal = Decimal(0)
    lost: int = 0

    @property
    def average(self) -> Decimal:
        return self.revenue / self.orders if self.orders else Decimal(0)


def daily_sales(site_ids: Sequence[str], span: DateRange) -> list[DailySales]:
    return [
        DailySales(
            row.day, from_uuid("sit", row.site_id), row.currency, row.payment_method,
            row.order_type, row.orders, row.revenue, row.lost,
        )
        for row in _rows(SALES_BY_DAY, site_ids, span)
    ]  # fmt: skip


def day_totals(site_ids: Sequence[str], span: DateRange) -> list[DayTotal]:
    return [
        DayTotal(
            row.day, from_uuid("sit", row.site_id), row.currency,
            row.orders, row.revenue, row.lost,
        )
        for row in _rows(DAY_TOTALS, site_ids, span)
    ]  # fmt: skip


def orders_by_hour(site_ids: Sequence[str], span: DateRange) -> dict[tuple[int, int], int]:
    """Orders by weekday (Monday is 1) and hour."""
    return {(row.weekday, row.hour): row.orders for row in _rows(ORDERS_BY_HOUR, site_ids, span)}


def item_sales(site_ids: Sequence[str], span: DateRange, most: int = MOST_ITEMS) -> list[ItemSales]:
    """Sorted by revenue, highest first."""
    rows = _rows(ITEM_SALES, site_ids, span, most=most)
    return [ItemSales(row.name, row.currency, int(row.sold), row.revenue) for row in rows]


def delivery_times(site_ids: Sequence[str], span: DateRange) -> list[DeliveryTimes]:
    """By day, by courier, by zone, and overall."""
    found = []
    for row in _rows(DELIVERY_TIMES, site_ids, span):
        key: Any = {"day": row.day, "zone": row.zone or "", "all": ""}.get(row.by)
        if row.by == "courier":
            key = from_uuid("cou", row.courier_id)
        found.append(
            DeliveryTimes(
                row.by, key, row.trips, float(row.kitchen or 0), float(row.road or 0),
                float(row.slow or 0),
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: (one.by, -one.trips))


def totals_by(rows: Iterable[DailySales], by: str) -> dict[tuple[Any, str], SalesTotal]:
    """Totals by one of the columns and by currency."""
    found: dict[tuple[Any, str], SalesTotal] = {}
    for row in rows:
        one = found.setdefault((getattr(row, by), row.currency), SalesTotal())
        one.orders += row.orders
        one.revenue += row.revenue
        one.lost += row.lost
    return found


def _rows(
    statement: TextClause, site_ids: Sequence[str], span: DateRange, **more: Any
) -> list[Any]:
    if not site_ids:
        return []
    params = {
        "tenant_id": current_tenant_id(),
        "sites": [to_uuid("sit", one) for one in site_ids],
        "since": span.since,
        "until": span.until,
        **more,
    }
    return list(read_rows(statement, params))
