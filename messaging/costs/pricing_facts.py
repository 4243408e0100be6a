"""What the price of a tenant's message depends on besides the rate card.

These are the service messages of the month by line, the volume tiers that the tenant's accounts
have reached, and the customers who came from an ad. Every process caches them for 30 seconds, so
that a quote needs no query. A quote may therefore differ from what the network bills; the receipt
settles the difference.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, invalidate_tenant_cache
from core.logs import logger
from core.sql.pool import run_global
from core.values.phone import phone_variants
from messaging.costs.markets import market_countries, market_country
from messaging.models import VolumeTier

FACTS_SECONDS = 30.0
MAX_CACHED_TENANTS = 20_000
READ = """
SELECT sent, tiers, entry_points
  FROM app.read_pricing_facts(%(tenant_id)s, %(now)s, %(month)s)
"""
log = logger(__name__)


@dataclass
class PricingFacts:
    month: date
    """The month of `service_sent`."""
    service_sent: dict[int, int] = field(default_factory=dict)
    """By line: the messages that count towards the free allowance of the month."""
    tiers: dict[tuple[int, date, str, str], list[tuple[datetime, int]]] = field(
        default_factory=dict
    )
    """By line, month, country and category: when each tier was reached, and its lower bound."""
    entry_points: dict[tuple[int, str], datetime] = field(default_factory=dict)
    """By line and recipient: until when messages are free."""

    def reached_tier(self, line_id: int, country: str, category: str, at: datetime) -> int:
        """Return the lower bound of the tier in which a message of that time is; 0 for none."""
        if not self.tiers:
            return 0
        key = (line_id, month_of(at), market_country(country), category)
        reached = self.tiers.get(key, ())
        return max((bound for since, bound in reached if since <= at), default=0)

    def has_entry_point(self, line_id: int, phone: str, at: datetime) -> bool:
        until = self.entry_points.get((line_id, phone)) if self.entry_points else None
        return until is not None and at < until

    def sent_in_month(self, line_id: int, at: datetime) -> int:
        return self.service_sent.get(line_id, 0) if month_of(at) == self.month else 0

    def count_service_message(self, line_id: int, at: datetime) -> None:
        """Count a message that was quoted since the facts were read."""
        if month_of(at) == self.month:
            self.service_sent[line_id] = self.service_sent.get(line_id, 0) + 1


@dataclass(frozen=True)
class _CachedFacts:
    facts: PricingFacts
    until: float


_cached: dict[int, _CachedFacts] = {}


def month_of(at: datetime) -> date:
    return at.date().replace(day=1)


def tenant_facts() -> PricingFacts:
    """Read the facts in the tenant's open transaction."""
    return _find(current_tenant_id(), _run_in_transaction)


def tenant_facts_of(tenant_id: int) -> PricingFacts:
    """Read the facts in a transaction of their own. No transaction may be open."""
    return _find(tenant_id, run_global)


def record_volume_tier(
    account_id: str, region: str, category: str, month: date, from_messages: int, at: datetime
) -> bool:
    """Store the tier that an account has reached. Returns False for an unknown region.

    The network may report a tier twice; the earlier time counts.
    """
    countries = market_countries(region)
    for country in countries:
        row = insert(VolumeTier).values(
            tenant_id=current_tenant_id(),
            account_id=account_id,
            month=month,
            country=country,
            category=category,
            from_messages=from_messages,
            reached_at=at,
        )
        db.session.execute(
            row.on_conflict_do_update(
                index_elements=[column.name for column in VolumeTier.__table__.primary_key],
                set_={"reached_at": func.least(VolumeTier.reached_at, row.excluded.reached_at)},
            )
        )
    if not countries:
        log.warning("pricing region unknown", region=region[:60], account=account_id)
        return False
    forget_facts()
    return True


def forget_facts() -> None:
    """Read the tenant's facts again in this process; other processes follow within 30 seconds."""
    _cached.pop(current_tenant_id(), None)
    invalidate_tenant_cache()


def clear_cache() -> None:
    _cached.clear()


def _run_in_transaction(sql: str, params: dict[str, Any]) -> list[Any]:
    return list(db.session.connection().exec_driver_sql(sql, params).all())


def _find(tenant_id: int, run: Callable[[str, dict[str, Any]], list[Any]]) -> PricingFacts:
    moment = now()
    month = month_of(moment)
    found = _cached.get(tenant_id)
    if found is None or found.until < time.monotonic() or found.facts.month != month:
        row = run(READ, {"tenant_id": tenant_id, "now": moment, "month": month})[0]
        found = _CachedFacts(_facts(month, *row), time.monotonic() + FACTS_SECONDS)
        if len(_cached) >= MAX_CACHED_TENANTS:
            _cached.clear()
        _cached[tenant_id] = found
    return found.facts


def _facts(
    month: date,
    sent: list[Any] | None,
    tiers: list[Any] | None,
    entry_points: list[Any] | None,
) -> PricingFacts:
    facts = PricingFacts(month, {line_id: int(messages) for line_id, messages in sent or ()})
    for line_id, of_month, country, category, bound, reached_at in tiers or ():
        key = (line_id, date.fromisoformat(of_month), country, category)
        facts.tiers.setdefault(key, []).append((datetime.fromisoformat(reached_at), bound))
    for line_id, recipient, until in entry_points or ():
        names = phone_variants(recipient) if recipient.isdecimal() else {recipient}
        for name in names:
            facts.entry_points.setdefault((line_id, name), datetime.fromisoformat(until))
    return facts
