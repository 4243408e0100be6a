"""Orders of customers soon after a moment, such as their arrival from an ad."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import to_uuid

WITHIN = timedelta(hours=72)

COUNT_ORDERS = text("""
SELECT origin, count(*) AS orders,
       coalesce(sum(total) FILTER (WHERE currency = :currency), 0) AS spent
  FROM (SELECT DISTINCT came.origin, orders.id, orders.total, orders.currency
  FROM unnest(CAST(:origins AS text[]), CAST(:contacts AS uuid[]),
              CAST(:moments AS timestamptz[])) AS came (origin, contact_id, at)
  JOIN orders ON orders.tenant_id = :tenant_id AND orders.contact_id = came.contact_id
   AND orders.placed_at >= came.at AND orders.placed_at < came.at + CAST(:within AS interval)
 WHERE NOT orders.test AND orders.state NOT IN ('cancelled', 'refunded')) AS bought
 GROUP BY origin
""")


@dataclass(frozen=True)
class OrdersAfter:
    orders: int = 0
    spent: Decimal = Decimal(0)
    """Of the orders in the given currency; amounts of two currencies are never added."""


def orders_after(
    arrivals: Sequence[tuple[str, str, datetime]], currency: str
) -> dict[str, OrdersAfter]:
    """The orders within 72 hours by origin. Each arrival: origin, contact and moment."""
    if not arrivals:
        return {}
    rows = db.session.execute(
        COUNT_ORDERS,
        {
            "tenant_id": current_tenant_id(),
            "origins": [origin for origin, _, _ in arrivals],
            "contacts": [str(to_uuid("con", contact_id)) for _, contact_id, _ in arrivals],
            "moments": [at for _, _, at in arrivals],
            "within": WITHIN,
            "currency": currency,
        },
    )
    return {row.origin: OrdersAfter(row.orders, row.spent) for row in rows}
