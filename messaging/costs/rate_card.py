"""The rate card for operators: current, past and planned prices, volume tiers and allowances."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import db
from core.errors import invalid
from messaging.costs.markets import OTHER
from messaging.costs.rates import ALLOWANCES, CATEGORIES, UTILITY_IN_WINDOW, clear_cache
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Rate, RateAllowance, RateTier

HIGHEST_PRICE = Decimal(100)
SMALLEST = Decimal("0.000001")
HIGHEST_ALLOWANCE = 1_000_000
CardRow = Rate | RateTier | RateAllowance
_COUNTRY = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True)
class DatedPrice:
    usd: Decimal
    since: date
    planned: bool
    """Whether a later price is entered too."""
    source: str = ""
    checked_on: date | None = None


@dataclass(frozen=True)
class PriceRow:
    """A list price, or the price of a volume tier."""

    line_kind: str
    category: str
    since: date
    from_messages: int
    """The first message of the month that has this price; 0 for a list price."""
    usd: Decimal
    source: str
    checked_on: date | None


def rates_on(kind: str, day: date) -> dict[str, dict[str, DatedPrice]]:
    """Return country → category → the price of one message on that day."""
    found: dict[str, dict[str, DatedPrice]] = {}
    for row in _dated(kind):
        prices = found.setdefault(row.country, {})
        if row.since > day:
            known = prices.get(row.category)
            if known is not None:
                prices[row.category] = replace(known, planned=True)
        else:
            prices[row.category] = DatedPrice(row.usd, row.since, False, row.source, row.checked_on)
    return {country: prices for country, prices in found.items() if prices}


def price_history(kind: str, country: str) -> list[PriceRow]:
    """Return every price of a country, newest first; tiers follow their list price."""
    query = select(RateTier).where(RateTier.line_kind == kind, RateTier.country == country)
    found: list[Rate | RateTier] = [row for row in _dated(kind) if row.country == country]
    found += db.session.scalars(query)
    rows = [
        PriceRow(
            line_kind=kind,
            category=row.category,
            since=row.since,
            from_messages=row.from_messages if isinstance(row, RateTier) else 0,
            usd=row.usd,
            source=row.source,
            checked_on=row.checked_on,
        )
        for row in found
    ]
    rows.sort(key=lambda row: (row.category, row.from_messages))
    return sorted(rows, key=lambda row: row.since, reverse=True)


def has_tiers(rows: Sequence[PriceRow], day: date) -> bool:
    """Return whether a price that is valid on that day has volume tiers."""
    begun = [row for row in rows if row.since <= day]
    listed: dict[tuple[str, str], date] = {}
    for row in begun:
        if not row.from_messages:
            key = (row.line_kind, row.category)
            listed[key] = max(row.since, listed.get(key, row.since))
    return any(
        row.from_messages and row.since >= listed.get((row.line_kind, row.category), date.max)
        for row in begun
    )


def set_rate(
    kind: str,
    country: str,
    category: str,
    since: date,
    usd: Decimal,
    source: str = "",
    from_messages: int = 0,
) -> None:
    """Set a price from a day on. Past days keep their price.

    With `from_messages` it is the price of a volume tier: from that message of the month on.
    """
    _check_start(kind, since)
    if country != OTHER and not _COUNTRY.fullmatch(country):
        raise invalid(
            "country", "invalid_country", "Enter the two-letter country code, such as TR."
        )
    if category not in CATEGORIES:
        raise invalid("category", "invalid_category", "This category does not exist.")
    if not usd.is_finite() or not 0 <= usd <= HIGHEST_PRICE or usd != usd.quantize(SMALLEST):
        raise invalid(
            "usd", "invalid_amount", "Enter a price from 0 to 100 with at most 6 decimal places."
        )
    key = {"line_kind": kind, "country": country, "category": category, "since": since}
    if from_messages:
        _store(RateTier, {**key, "from_messages": from_messages}, source, usd=usd)
    else:
        _store(Rate, key, source, usd=usd)


def allowance_history(kind: str) -> list[RateAllowance]:
    """Return every allowance of a line kind, newest first."""
    query = select(RateAllowance).where(RateAllowance.line_kind == kind)
    newest_first = query.order_by(RateAllowance.since.desc(), RateAllowance.name)
    return list(db.session.scalars(newest_first))


def set_allowance(kind: str, name: str, since: date, amount: int, source: str = "") -> None:
    """Set from a day on what the network does not bill. Past days keep their allowance."""
    _check_start(kind, since)
    if name not in ALLOWANCES:
        raise invalid("name", "invalid_allowance", "This allowance does not exist.")
    if not 0 <= amount <= HIGHEST_ALLOWANCE or (name == UTILITY_IN_WINDOW and amount > 1):
        raise invalid("amount", "invalid_amount", "This amount is not possible here.")
    key = {"line_kind": kind, "name": name, "since": since}
    _store(RateAllowance, key, source, amount=amount)


def withdraw_allowance(kind: str, name: str, since: date) -> bool:
    """Delete an allowance that has not started yet. Returns False if there is none."""
    return _withdraw(RateAllowance, line_kind=kind, name=name, since=since)


def withdraw_rate(
    kind: str, country: str, category: str, since: date, from_messages: int = 0
) -> bool:
    """Delete a price that has not started yet. Returns False if there is none."""
    key = {"line_kind": kind, "country": country, "category": category, "since": since}
    if from_messages:
        return _withdraw(RateTier, **key, from_messages=from_messages)
    return _withdraw(Rate, **key)


def _check_start(kind: str, since: date) -> None:
    if kind not in DRIVERS:
        raise invalid("kind", "invalid_kind", "This line type does not exist.")
    if since < now().date():
        raise invalid(
            "since", "day_over", "A price can start today or later. Past prices cannot be changed."
        )


def _store(model: type[CardRow], key: dict[str, Any], source: str, **values: Any) -> None:
    values |= {"source": source.strip(), "checked_on": now().date()}
    row = insert(model).values(**key, **values)
    db.session.execute(
        row.on_conflict_do_update(
            index_elements=list(key), set_={name: row.excluded[name] for name in values}
        )
    )
    clear_cache()


def _withdraw(model: type[CardRow], **key: Any) -> bool:
    deleted = db.session.execute(
        delete(model).filter_by(**key).where(model.since > now().date()).returning(model.since)
    )
    clear_cache()
    return deleted.first() is not None


def _dated(kind: str) -> list[Rate]:
    return list(
        db.session.scalars(
            select(Rate)
            .where(Rate.line_kind == kind)
            .order_by(Rate.country, Rate.category, Rate.since)
        )
    )
