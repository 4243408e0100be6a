"""Prices of messages by line kind, country, category and day, with a tenant's own overrides.

Operators edit the rate card in tables. Every process caches it for a minute and each tenant's own
rates for 30 seconds. The caches of the entry points are cleared when a tenant's rates change.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Protocol, TypeVar

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.db import current_tenant_id, db, global_scope, invalidate_tenant_cache
from core.errors import invalid
from core.values.phone import phone_country
from messaging.costs import pricing_facts
from messaging.costs.markets import OTHER
from messaging.costs.pricing_facts import PricingFacts
from messaging.models import Rate, RateAllowance, RateOverride, RateTier

CATEGORIES = ("marketing", "utility", "authentication", "service")
# A tenant's margin is one of its own rates: it is added to each message of that line kind.
MARGIN = "margin"

# Allowances of the card: free service messages of a number in a month; whether utility messages are
# free while the customer's 24-hour window is open (1 or 0; quotes use the price, and the receipt
# settles it); for how many hours messages are free after a customer came from an ad.
SERVICE_MESSAGES = "service_messages"
UTILITY_IN_WINDOW = "utility_in_window"
ENTRY_POINT_HOURS = "entry_point_hours"
ALLOWANCES = (SERVICE_MESSAGES, UTILITY_IN_WINDOW, ENTRY_POINT_HOURS)

# Why the network does not bill a message: the number's monthly allowance, an ad that brought the
# customer, an open 24-hour window, or a reason that the receipt does not name.
FREE_REASONS = (ALLOWANCE, ENTRY_POINT, WINDOW, NOT_BILLED) = (
    "allowance",
    "entry_point",
    "window",
    "not_billed",
)
CARD_SECONDS = 60.0
TENANT_SECONDS = 30.0
MAX_CACHED_TENANTS = 20_000

Value = TypeVar("Value")
Card = dict[tuple[str, str, str], list[tuple[date, Decimal]]]


class PricedLine(Protocol):
    """The part of a line that a price depends on."""

    @property
    def id(self) -> int: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True)
class LineOfKind:
    """A line by its kind. No line has the id 0, so that no tier and no allowance applies to it."""

    kind: str
    id: int = 0


@dataclass(frozen=True)
class RateCard:
    """The card that all tenants share."""

    prices: Card
    tiers: dict[tuple[str, str, str], list[tuple[date, int, Decimal]]] = field(default_factory=dict)
    """By line kind, country and category: first day, lower bound in messages, price."""
    allowances: dict[tuple[str, str], list[tuple[date, int]]] = field(default_factory=dict)
    """By line kind and name."""

    def price(self, key: tuple[str, str, str], day: date, reached_tier: int) -> Decimal | None:
        """Return the price of that day in that tier.

        A new list price ends the tiers that were entered before it.
        """
        listed = _row_on(day, self.prices.get(key))
        if listed is None:
            return None
        since, usd = listed
        if reached_tier and (tiers := self.tiers.get(key)):
            newest = max((row[0] for row in tiers if row[0] <= day), default=date.min)
            reached = [row for row in tiers if row[0] == newest and row[1] <= reached_tier]
            if newest >= since and reached:
                return max(reached, key=lambda row: row[1])[2]
        return usd

    def allowance(self, line_kind: str, name: str, day: date) -> int:
        row = _row_on(day, self.allowances.get((line_kind, name)))
        return row[1] if row else 0


@dataclass(frozen=True)
class _CachedCard:
    card: RateCard
    until: float


@dataclass(frozen=True)
class _CachedRates:
    card: Card
    until: float


_card: _CachedCard | None = None
_tenant_cards: dict[int, _CachedRates] = {}


@dataclass(frozen=True)
class TenantRates:
    """The prices of a tenant: its own rates first, then the card's."""

    own: Card
    common: RateCard
    facts: PricingFacts

    def quote(
        self, line: PricedLine, phone: str, country: str, category: str, at: datetime
    ) -> Decimal:
        """Quote a message from what this process knows. The receipt decides what it costs."""
        price = self.network(line, country, category, at)
        if price and self._is_free(line, phone, category, at):
            price = Decimal(0)
        return price + self.margin(line.kind, at.date())

    def quote_and_count(
        self, line: PricedLine, phone: str, country: str, category: str, at: datetime
    ) -> Decimal:
        """Quote a message that is about to be accepted; it counts towards the free allowance."""
        price = self.quote(line, phone, country, category, at)
        if category == "service" and not self.facts.has_entry_point(line.id, phone, at):
            self.facts.count_service_message(line.id, at)
        return price

    def network(self, line: PricedLine, country: str, category: str, at: datetime) -> Decimal:
        """Return the price for the country, else for other countries.

        The tenant's own rate comes before the card's.
        """
        day = at.date()
        tier = self.facts.reached_tier(line.id, country, category, at)
        for place in (country, OTHER):
            key = (line.kind, place, category)
            own = _row_on(day, self.own.get(key))
            price = own[1] if own else self.common.price(key, day, tier)
            if price is not None:
                return price
        raise invalid("category", "no_rate", "There is no price for {category}.", category=category)

    def margin(self, line_kind: str, day: date) -> Decimal:
        row = _row_on(day, self.own.get((line_kind, OTHER, MARGIN)))
        return row[1] if row else Decimal(0)

    def settle(
        self, line: PricedLine, country: str, category: str, billable: bool, at: datetime
    ) -> Decimal | None:
        """Return the price for what the network reports. None for a category that no card has."""
        if category not in CATEGORIES and billable:
            return None
        price = self.network(line, country, category, at) if billable else Decimal(0)
        return price + self.margin(line.kind, at.date())

    def free_reason(
        self, line_kind: str, category: str, billable: bool, pricing_type: str, at: datetime
    ) -> str | None:
        """Return why the network does not bill the message, from the type in its receipt."""
        if billable:
            return None
        if pricing_type == "free_entry_point":
            return ENTRY_POINT
        if pricing_type != "free_customer_service":
            return NOT_BILLED
        limited = self.common.allowance(line_kind, SERVICE_MESSAGES, at.date())
        return ALLOWANCE if category == "service" and limited else WINDOW

    def allowance_use(self, line: PricedLine, at: datetime) -> tuple[int, int]:
        """Return how many service messages of the month count, and how many of them are free."""
        allowance = self.common.allowance(line.kind, SERVICE_MESSAGES, at.date())
        return self.facts.sent_in_month(line.id, at), allowance

    def _is_free(self, line: PricedLine, phone: str, category: str, at: datetime) -> bool:
        if self.facts.has_entry_point(line.id, phone, at):
            return True
        if category != "service":
            return False
        allowance = self.common.allowance(line.kind, SERVICE_MESSAGES, at.date())
        return self.facts.sent_in_month(line.id, at) < allowance


def tenant_rates() -> TenantRates:
    """Read the rates in the tenant's open transaction."""
    return TenantRates(_own_rates(), shared_card(), pricing_facts.tenant_facts())


def tenant_rates_from(
    facts: PricingFacts, own: Iterable[tuple[str, str, str, date, Decimal]]
) -> TenantRates:
    """Build the rates when the tenant's own are already loaded. No transaction may be open."""
    if _card is None or _card.until < time.monotonic():
        with global_scope():
            return TenantRates(_as_card(own), shared_card(), facts)
    return TenantRates(_as_card(own), _card.card, facts)


def quote_price(line_kind: str, destination: str, category: str, at: datetime) -> Decimal:
    """Quote the list price in the tenant's open transaction, for no line in particular.

    `destination` is a country (``TR``) or a phone's digits.
    """
    country = phone_country(destination) or OTHER if destination.isdecimal() else destination
    rates = tenant_rates()
    return rates.network(LineOfKind(line_kind), country, category, at) + rates.margin(
        line_kind, at.date()
    )


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
    pricing_facts.clear_cache()


def shared_card() -> RateCard:
    """Return the card, in any open transaction."""
    global _card
    if _card is None or _card.until < time.monotonic():
        _card = _CachedCard(_read_card(), time.monotonic() + CARD_SECONDS)
    return _card.card


def _read_card() -> RateCard:
    prices = _as_card(
        db.session.execute(
            select(Rate.line_kind, Rate.country, Rate.category, Rate.since, Rate.usd)
        )
    )
    card = RateCard(prices)
    for tier in db.session.scalars(select(RateTier)):
        key = (tier.line_kind, tier.country, tier.category)
        card.tiers.setdefault(key, []).append((tier.since, tier.from_messages, tier.usd))
    newest_first = select(RateAllowance).order_by(RateAllowance.since.desc())
    for row in db.session.scalars(newest_first):
        card.allowances.setdefault((row.line_kind, row.name), []).append((row.since, row.amount))
    return card


def _row_on(day: date, rows: list[tuple[date, Value]] | None) -> tuple[date, Value] | None:
    """Return the row that is valid on that day. Rows are sorted, newest first."""
    return next((row for row in rows or () if row[0] <= day), None)


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
        found = _CachedRates(_as_card(rows), time.monotonic() + TENANT_SECONDS)
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
