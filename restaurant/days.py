"""A site's business day in figures: how many orders, how much, how fast."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from restaurant import hours
from restaurant.models import Site

# One look by orders_day_idx; the changes of those orders by their primary key.
DAY = text("""
WITH made AS (
    SELECT id, state, payment_method, total, placed_at FROM orders
     WHERE tenant_id = :tenant_id AND site_id = :site_id AND business_day = :day AND NOT test
), ready AS (
    SELECT c.order_id, min(c.at) AS at
      FROM order_changes c JOIN made ON made.id = c.order_id
     WHERE c.tenant_id = :tenant_id AND c.what = 'moved' AND c.state = 'ready'
     GROUP BY c.order_id
)
SELECT made.state, made.payment_method, count(*) AS orders, sum(made.total) AS total,
       count(ready.at) AS ready,
       coalesce(sum(extract(epoch FROM ready.at - made.placed_at)), 0) AS seconds
  FROM made LEFT JOIN ready ON ready.order_id = made.id
 GROUP BY made.state, made.payment_method
""")
NOT_SOLD = frozenset({"cancelled", "refunded"})


@dataclass
class Day:
    day: date
    orders: int = 0
    revenue: Decimal = Decimal(0)
    by_state: dict[str, int] = field(default_factory=dict)
    by_payment: dict[str, tuple[int, Decimal]] = field(default_factory=dict)
    """Orders and revenue; what was cancelled is in neither."""
    minutes_to_ready: float | None = None


def today(site: Site) -> date:
    return hours.business_day(site.day_starts, site.time_zone, now())


def summary(site: Site, day: date) -> Day:
    rows = db.session.execute(
        DAY, {"tenant_id": current_tenant_id(), "site_id": to_uuid("sit", site.id), "day": day}
    ).all()
    found, ready, seconds = Day(day), 0, 0.0
    for row in rows:
        found.orders += row.orders
        found.by_state[row.state] = found.by_state.get(row.state, 0) + row.orders
        ready, seconds = ready + row.ready, seconds + float(row.seconds)
        if row.state not in NOT_SOLD:
            count, amount = found.by_payment.get(row.payment_method, (0, Decimal(0)))
            found.by_payment[row.payment_method] = (count + row.orders, amount + row.total)
            found.revenue += row.total
    found.minutes_to_ready = seconds / ready / 60 if ready else None
    return found
