"""Alerts before the monthly messages or the spend cap are used up: at 80 % and 100 %, once each."""

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import select, update

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from tenants.models import UsageMonth
from tenants.plans.catalog import TenantFacts

THRESHOLDS = (80, 100)


@dataclass(frozen=True)
class MonthlyUsage:
    """Usage in a calendar month."""

    messages: int
    spend_usd: Decimal


@dataclass(frozen=True)
class ReachedThreshold:
    percent: int
    of: str
    """messages or spend"""
    used: Decimal
    limit: Decimal


def notify_if_crossed(facts: TenantFacts, before: MonthlyUsage, after: MonthlyUsage) -> None:
    """Called with every reservation; wakes a worker only if this reservation crossed a
    threshold.
    """
    if (percent := crossed_threshold(facts, before, after)) is not None:
        notify_workers("jobs.tenants.usage_alerts.send_usage_alert", facts.id, percent)


def crossed_threshold(facts: TenantFacts, before: MonthlyUsage, after: MonthlyUsage) -> int | None:
    for percent in reversed(THRESHOLDS):
        if _is_reached(facts, after, before, percent):
            return None if _is_reached(facts, before, before, percent) else percent
    return None


def _is_reached(facts: TenantFacts, used: MonthlyUsage, before: MonthlyUsage, percent: int) -> bool:
    quota, cap = facts.monthly_messages, facts.spend_cap_usd
    if quota and used.messages * 100 >= quota * percent:
        return True
    if not cap:
        return False
    # A cap is never reached to the cent: it counts as reached when one more such step would not
    # fit.
    step = used.spend_usd - before.spend_usd if percent == 100 else Decimal(0)
    return (used.spend_usd + step) * 100 >= cap * percent


def highest_reached(facts: TenantFacts, least: int = 0) -> ReachedThreshold | None:
    """The highest threshold that this month has reached, or None. `least` is the threshold that a
    reservation crossed.
    """
    row = db.session.execute(
        select(UsageMonth.messages, UsageMonth.spend_usd).where(
            UsageMonth.tenant_id == current_tenant_id(), UsageMonth.month == _month()
        )
    ).first()
    if row is None:
        return None
    shares = []
    if facts.monthly_messages:
        shares.append(("messages", Decimal(row.messages), Decimal(facts.monthly_messages)))
    if facts.spend_cap_usd:
        shares.append(("spend", row.spend_usd, facts.spend_cap_usd))
    if not shares:
        return None
    of, used, limit = max(shares, key=lambda share: share[1] / share[2])
    share = used * 100 / limit
    if least == 100 and share >= THRESHOLDS[0]:
        return ReachedThreshold(100, of, used, limit)
    over = [percent for percent in THRESHOLDS if share >= percent]
    return ReachedThreshold(over[-1], of, used, limit) if over else None


def claim_alert(percent: int) -> bool:
    """True if this call may send the alert; False if it was already claimed."""
    won = db.session.execute(
        update(UsageMonth)
        .where(
            UsageMonth.tenant_id == current_tenant_id(),
            UsageMonth.month == _month(),
            UsageMonth.warned_percent < percent,
        )
        .values(warned_percent=percent)
        .returning(UsageMonth.month)
    )
    return won.first() is not None


def _month() -> object:
    return now().date().replace(day=1)
