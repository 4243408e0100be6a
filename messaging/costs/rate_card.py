"""The rate card for operators: current, past and planned prices."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import db
from core.errors import invalid
from messaging.costs.markets import OTHER
from messaging.costs.rates import CATEGORIES, clear_cache
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Rate

HIGHEST_PRICE = Decimal(100)
SMALLEST = Decimal("0.000001")
_COUNTRY = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True)
class DatedPrice:
    usd: Decimal
    since: date
    planned: bool
    """Whether a later price is entered too."""


def rates_on(kind: str, day: date) -> dict[str, dict[str, DatedPrice]]:
    """Return country → category → the price of one message on that day."""
    found: dict[str, dict[str, DatedPrice]] = {}
    for row in _dated(kind):
        prices = found.setdefault(row.country, {})
        if row.since > day:
            known = prices.get(row.category)
            if known is not None:
                prices[row.category] = DatedPrice(known.usd, known.since, True)
        else:
            prices[row.category] = DatedPrice(row.usd, row.since, False)
    return {country: prices for country, prices in found.items() if prices}


def price_history(kind: str, country: str) -> list[Rate]:
    """Return every price of a country, newest first."""
    rows = [row for row in _dated(kind) if row.country == country]
    return sorted(rows, key=lambda row: (row.since, row.category), reverse=True)


def set_rate(kind: str, country: str, category: str, since: date, usd: Decimal) -> None:
    """Set a price from a day on. Past days keep their price."""
    if kind not in DRIVERS:
        raise invalid("kind", "invalid_kind", "This line type does not exist.")
    if country != OTHER and not _COUNTRY.fullmatch(country):
        raise invalid(
            "country", "invalid_country", "Enter the two-letter country code, such as TR."
        )
    if category not in CATEGORIES:
        raise invalid("category", "invalid_category", "This category does not exist.")
    if since < now().date():
        raise invalid(
            "since", "day_over", "A price can start today or later. Past prices cannot be changed."
        )
    if not usd.is_finite() or not 0 <= usd <= HIGHEST_PRICE or usd != usd.quantize(SMALLEST):
        raise invalid(
            "usd", "invalid_amount", "Enter a price from 0 to 100 with at most 6 decimal places."
        )
    row = insert(Rate).values(
        line_kind=kind, country=country, category=category, since=since, usd=usd
    )
    db.session.execute(
        row.on_conflict_do_update(
            index_elements=["line_kind", "country", "category", "since"],
            set_={"usd": row.excluded.usd},
        )
    )
    clear_cache()


def withdraw_rate(kind: str, country: str, category: str, since: date) -> bool:
    """Delete a price that has not started yet. Returns False if there is none."""
    deleted = db.session.execute(
        delete(Rate)
        .where(
            Rate.line_kind == kind,
            Rate.country == country,
            Rate.category == category,
            Rate.since == since,
            Rate.since > now().date(),
        )
        .returning(Rate.since)
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
