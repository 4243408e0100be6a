"""Figures for a site's business day: orders, paid and open amounts, taxes, voids, kitchen time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from restaurant.models import Site
from restaurant.sites import hours

# Orders are found by orders_day_idx, their changes and lines by primary key.
ORDERS_OF_DAY = text("""
WITH made AS (
    SELECT id, state, payment_method, total, taken, paid_online, paid_at, sums, placed_at, test
      FROM orders
     WHERE tenant_id = :tenant_id AND site_id = :site_id AND business_day = :day
), ready AS (
    SELECT c.order_id, min(c.at) AS at
      FROM order_changes c JOIN made ON made.id = c.order_id
     WHERE c.tenant_id = :tenant_id AND c.what = 'moved' AND c.state = 'ready'
     GROUP BY c.order_id
)
SELECT made.state, made.payment_method, made.total, made.sums, made.test,
       CASE WHEN made.payment_method = 'card_link' AND made.paid_at IS NOT NULL
            THEN made.total ELSE made.taken + made.paid_online END AS paid,
       CASE WHEN made.payment_method = 'card_link' AND made.paid_at IS NOT NULL
            THEN made.total ELSE made.paid_online END AS online,
       extract(epoch FROM ready.at - made.placed_at) AS seconds
  FROM made LEFT JOIN ready ON ready.order_id = made.id
""")
VOIDED_OF_DAY = text("""
SELECT coalesce(sum(l.voided), 0) AS pieces, coalesce(sum(l.voided * l.unit_price), 0) AS amount
  FROM orders o JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
 WHERE o.tenant_id = :tenant_id AND l.tenant_id = :tenant_id AND o.site_id = :site_id
   AND o.business_day = :day AND NOT o.test AND l.voided > 0
""")
TILL_PAYMENTS_OF_DAY = text("""
SELECT t.method, count(*) AS payments, sum(t.amount) AS amount, sum(t.tip) AS tips
  FROM till_payments t JOIN orders o ON o.tenant_id = t.tenant_id AND o.id = t.order_id
 WHERE t.tenant_id = :tenant_id AND o.tenant_id = :tenant_id AND t.site_id = :site_id
   AND t.business_day = :day AND t.undone_at IS NULL AND NOT o.test
 GROUP BY t.method
""")
UNSOLD_STATES = frozenset({"cancelled", "refunded"})
ZERO = Decimal(0)


@dataclass
class DaySummary:
    day: date
    orders: int = 0
    sold: int = 0
    """Without cancelled orders, like every amount here."""
    revenue: Decimal = ZERO
    paid: Decimal = ZERO
    open: Decimal = ZERO
    paid_online: Decimal = ZERO
    taken: dict[str, tuple[int, Decimal]] = field(default_factory=dict)
    """By method (cash, card): payments the staff took on this day, also for earlier orders."""
    tips: Decimal = ZERO
    service: Decimal = ZERO
    delivery_fees: Decimal = ZERO
    discounts: Decimal = ZERO
    taxes: dict[str, Decimal] = field(default_factory=dict)
    """By percentage."""
    voided_pieces: int = 0
    voided: Decimal = ZERO
    cancelled: Decimal = ZERO
    """The totals of cancelled orders."""
    by_state: dict[str, int] = field(default_factory=dict)
    by_payment: dict[str, tuple[int, Decimal]] = field(default_factory=dict)
    """Orders and revenue by the payment method that was chosen."""
    minutes_to_ready: float | None = None
    test_orders: int = 0
    """Not included in any other figure."""

    def payments_by(self, method: str) -> tuple[int, Decimal]:
        return self.taken.get(method, (0, ZERO))

    def rows(self) -> Iterator[tuple[str, str]]:
        """Rows of the exported file: a name and an amount or number."""
        yield from (("orders", str(self.orders)), ("revenue", str(self.revenue)))
        yield from (("paid", str(self.paid)), ("open", str(self.open)))
        for method, (_, amount) in sorted(self.taken.items()):
            yield f"taken_{method}", str(amount)
        yield "paid_online", str(self.paid_online)
        for name in ("tips", "service", "delivery_fees", "discounts"):
            yield name, str(getattr(self, name))
        for percent, amount in sorted(self.taxes.items()):
            yield f"tax_{percent}", str(amount)
        yield from (("voided_items", str(self.voided_pieces)), ("voided", str(self.voided)))
        yield "cancelled", str(self.cancelled)
        yield "test_orders_left_out", str(self.test_orders)


def business_day_today(site: Site) -> date:
    return hours.business_day(site.day_starts, site.time_zone, now())


def summarize_day(site: Site, day: date) -> DaySummary:
    params = {"tenant_id": current_tenant_id(), "site_id": to_uuid("sit", site.id), "day": day}
    found, seconds = DaySummary(day), []
    for row in db.session.execute(ORDERS_OF_DAY, params):
        if row.test:
            found.test_orders += 1
            continue
        found.orders += 1
        found.by_state[row.state] = found.by_state.get(row.state, 0) + 1
        if row.seconds is not None:
            seconds.append(float(row.seconds))
        if row.state in UNSOLD_STATES:
            found.cancelled += row.total
        else:
            _add_order(found, row.payment_method, row.total, row.paid, row.online, row.sums)
    found.minutes_to_ready = sum(seconds) / len(seconds) / 60 if seconds else None
    voided = db.session.execute(VOIDED_OF_DAY, params).one()
    found.voided_pieces, found.voided = int(voided.pieces), voided.amount
    for row in db.session.execute(TILL_PAYMENTS_OF_DAY, params):
        found.taken[row.method] = (row.payments, row.amount)
        found.tips += row.tips
    return found


def _add_order(
    found: DaySummary,
    way: str,
    total: Decimal,
    paid: Decimal,
    online: Decimal,
    sums: dict[str, object],
) -> None:
    found.sold += 1
    found.revenue += total
    found.paid += paid
    found.open += total - paid
    found.paid_online += online
    count, amount = found.by_payment.get(way, (0, ZERO))
    found.by_payment[way] = (count + 1, amount + total)
    found.tips += Decimal(str(sums.get("tip", "0")))
    found.service += Decimal(str(sums.get("service", "0")))
    found.delivery_fees += Decimal(str(sums.get("delivery_fee", "0")))
    found.discounts += Decimal(str(sums.get("discount", "0")))
    for percent, tax in sums.get("taxes", []):  # type: ignore[attr-defined]
        found.taxes[percent] = found.taxes.get(percent, ZERO) + Decimal(tax)
