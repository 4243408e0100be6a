"""What the price of a tenant's message depends on besides the rate card.

These are the service messages of the month by line, the volume tiers that the tenant's accounts
have reached, and the customers who came from an ad. Every process caches them for 30 seconds, so
that a quote needs no query. A quote may therefore differ from what the network bills; the receipt
settles the difference.
"""

import time
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, invalidate_tenant_cache
from core.logs import logger
from core.values.network_address import address_variants
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
        return self.service_sent.get(line_id, 0) if self._is_in_month(at) else 0

    def count_service_message(self, line_id: int, at: datetime) -> None:
        """Count a message that was quoted since the facts were read."""
        if self._is_in_month(at):
            self.service_sent[line_id] = self.service_sent.get(line_id, 0) + 1

    def _is_in_month(self, at: datetime) -> bool:
        return at.month == self.month.month and at.year == self.month.year


@dataclass(frozen=True)
class _CachedFacts:
    facts: PricingFacts
    until: float


_cached: dict[int, _CachedFacts] = {}


def month_of(at: datetime) -> date:
    return at.date().replace(day=1)


def tenant_facts() -> PricingFacts:
    """Return the tenant's facts; they are read in its open transaction if they are not cached."""
    tenant_id, moment = current_tenant_id(), now()
    if (found := cached_facts(tenant_id, moment)) is not None:
        return found
    params = {"tenant_id": tenant_id, "now": moment, "month": month_of(moment)}
    row = db.session.connection().exec_driver_sql(READ, params).one()
    return remember_facts(tenant_id, moment, *row)


def cached_facts(tenant_id: int, moment: datetime) -> PricingFacts | None:
    """Return the tenant's facts if this process has read them lately and in this month."""
    found = _cached.get(tenant_id)
    if found is None or found.until < time.monotonic() or found.facts.month != month_of(moment):
        return None
    return found.facts


def remember_facts(
    tenant_id: int,
    moment: datetime,
    sent: list[Any] | None,
    tiers: list[Any] | None,
    entry_points: list[Any] | None,
) -> PricingFacts:
    """Cache the columns of `app.read_pricing_facts`."""
    facts = _facts(month_of(moment), sent, tiers, entry_points)
    if len(_cached) >= MAX_CACHED_TENANTS:
        _cached.clear()
    _cached[tenant_id] = _CachedFacts(facts, time.monotonic() + FACTS_SECONDS)
    return facts


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
        names = address_variants(recipient)
        for name in names:
            facts.entry_points.setdefault((line_id, name), datetime.fromisoformat(until))
    return facts
