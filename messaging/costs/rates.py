"""Prices of messages by line kind, country, category and day, with a tenant's own overrides.

Operators edit the rate card in a table. Every process caches it for a minute and each tenant's own
rates for 30 seconds. The caches of the entry points are cleared when a tenant's rates change.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.db import current_tenant_id, db, global_scope, invalidate_tenant_cache
from core.errors import invalid
from core.values.phone import phone_country
from messaging.models import Rate, RateOverride

CATEGORIES = ("marketing", "utility", "authentication", "service")
OTHER = "other"  # every country that has no row
# A tenant's margin is one of its own rates: it is added to each message of that line kind.
MARGIN = "margin"
CARD_SECONDS = 60.0
TENANT_SECONDS = 30.0
MAX_CACHED_TENANTS = 20_000

Card = dict[tuple[str, str, str], list[tuple[date, Decimal]]]


@dataclass(frozen=True)
class _CachedCard:
    card: Card
    until: float


_card: _CachedCard | None = None
_tenant_cards: dict[int, _CachedCard] = {}


@dataclass(frozen=True)
class TenantRates:
    """The prices of a tenant: its own rates first, then the card's."""

    own: Card
    common: Card

    def quote(self, line_kind: str, country: str, category: str, at: datetime) -> Decimal:
        day = at.date()
        return self.network(line_kind, country, category, day) + self.margin(line_kind, day)

    def network(self, line_kind: str, country: str, category: str, day: date) -> Decimal:
        """Return the price for the country, else for other countries.

        The tenant's own rate comes before the card's.
        """
        for place in (country, OTHER):
            for card in (self.own, self.common):
                price = _valid_on(day, card.get((line_kind, place, category)))
                if price is not None:
                    return price
        raise invalid("category", "no_rate", "There is no price for {category}.", category=category)

    def margin(self, line_kind: str, day: date) -> Decimal:
        return _valid_on(day, self.own.get((line_kind, OTHER, MARGIN))) or Decimal(0)


def tenant_rates() -> TenantRates:
    """Read the rates in the tenant's open transaction."""
    return TenantRates(_own_rates(), _rates())


def tenant_rates_from(own: Iterable[tuple[str, str, str, date, Decimal]]) -> TenantRates:
    """Build the rates when the tenant's own are already loaded. No transaction may be open."""
    if _card is None or _card.until < time.monotonic():
        with global_scope():
            return TenantRates(_as_card(own), _rates())
    return TenantRates(_as_card(own), _card.card)


def quote_price(line_kind: str, destination: str, category: str, at: datetime) -> Decimal:
    """Quote in the tenant's open transaction.

    `destination` is a country (``TR``) or a phone's digits.
    """
    country = phone_country(destination) or OTHER if destination.isdecimal() else destination
    return tenant_rates().quote(line_kind, country, category, at)


def settled_price(
    line_kind: str, country: str, category: str, billable: bool, at: datetime
) -> Decimal | None:
    """Return the price for what the network reports. None for a category that no card has."""
    if category not in CATEGORIES and billable:
        return None
    day, known = at.date(), tenant_rates()
    price = known.network(line_kind, country, category, day) if billable else Decimal(0)
    return price + known.margin(line_kind, day)


def set_override(line_kind: str, country: str, category: str, since: date, usd: Decimal) -> None:
    """Set a tenant's price from a day on; "margin" is an amount added to each message."""
    if category not in (*CATEGORIES, MARGIN):
        raise invalid("category", "invalid_category", "This category does not exist.")
    if usd < 0:
        raise invalid("usd", "invalid_amount", "A price cannot be negative.")
    own = insert(RateOverride).values(
        tenant_id=current_tenant_id(),
        line_kind=line_kind,
        country=country,
        category=category,
        since=since,
        usd=usd,
    )
    db.session.execute(
        own.on_conflict_do_update(
            index_elements=["tenant_id", "line_kind", "country", "category", "since"],
            set_={"usd": own.excluded.usd},
        )
    )
    _tenant_cards.pop(current_tenant_id(), None)
    invalidate_tenant_cache()


def clear_cache() -> None:
    """Clear the cache after an edit in this process; other processes follow within a minute."""
    global _card
    _card = None
    _tenant_cards.clear()


def _valid_on(day: date, rows: list[tuple[date, Decimal]] | None) -> Decimal | None:
    """Return the price of that day. Rows are sorted, newest first."""
    for since, usd in rows or ():
        if since <= day:
            return usd
    return None


def _rates() -> Card:
    global _card
    if _card is None or _card.until < time.monotonic():
        rows = db.session.execute(
            select(Rate.line_kind, Rate.country, Rate.category, Rate.since, Rate.usd)
        )
        _card = _CachedCard(_as_card(rows), time.monotonic() + CARD_SECONDS)
    return _card.card


def _own_rates() -> Card:
    tenant_id = current_tenant_id()
    found = _tenant_cards.get(tenant_id)
    if found is None or found.until < time.monotonic():
        rows = db.session.execute(
            select(
                RateOverride.line_kind,
                RateOverride.country,
                RateOverride.category,
                RateOverride.since,
                RateOverride.usd,
            ).where(RateOverride.tenant_id == tenant_id)
        )
        found = _CachedCard(_as_card(rows), time.monotonic() + TENANT_SECONDS)
        if len(_tenant_cards) >= MAX_CACHED_TENANTS:
            _tenant_cards.clear()
        _tenant_cards[tenant_id] = found
    return found.card


def _as_card(rows: Iterable[tuple[str, str, str, date, Decimal]]) -> Card:
    card: Card = {}
    for line_kind, country, category, since, usd in rows:
        card.setdefault((line_kind, country, category), []).append((since, usd))
    for dated in card.values():
        dated.sort(reverse=True)
    return card
