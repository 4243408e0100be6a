"""What campaigns ask of the trade above them: who has ordered, and what followed a message.

The restaurant registers itself. Without it, an audience knows contacts only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from sqlalchemy import ColumnElement
from sqlalchemy.orm import InstrumentedAttribute

from core.errors import invalid


@dataclass(frozen=True)
class OrderFilters:
    """What is None or empty does not matter."""

    site_id: str = ""
    within_days: int | None = None
    not_for_days: int | None = None
    at_least: int | None = None
    at_most: int | None = None
    spent_at_least: Decimal | None = None

    @property
    def asked(self) -> bool:
        return self != OrderFilters()


Column = ColumnElement[Any] | InstrumentedAttribute[Any]


class OrderSource(Protocol):
    def places(self) -> list[tuple[str, str]]:
        """The id and the name of every site."""
        ...

    def condition(
        self, contact_id: Column, ordered: OrderFilters, moment: datetime
    ) -> ColumnElement[bool]:
        """Whether the contact in this column has ordered so."""
        ...

    def currency(self, site_id: str) -> str:
        """In which sums are told: a site's own, else the one that most sites have."""
        ...

    def followed(
        self, since: Mapping[str, datetime], days: int, currency: str, *, test: bool
    ) -> dict[str, tuple[int, Decimal]]:
        """Orders of each contact within so many days after a moment, and the sum of those in
        this currency: money of two is never added up."""
        ...


_source: OrderSource | None = None


def register_source(book: OrderSource | None) -> None:
    global _source
    _source = book


def list_sites() -> list[tuple[str, str]]:
    return _source.places() if _source is not None else []


def order_condition(
    contact_id: Column, ordered: OrderFilters, moment: datetime
) -> ColumnElement[bool]:
    if _source is None:
        raise invalid("filters", "no_orders", "This account has no orders to choose people by.")
    return _source.condition(contact_id, ordered, moment)


def orders_currency(site_id: str = "") -> str:
    return _source.currency(site_id) if _source is not None else ""


def orders_after(
    since: Mapping[str, datetime], days: int, site_id: str, *, test: bool
) -> dict[str, tuple[int, Decimal]]:
    if _source is None or not since:
        return {}
    return _source.followed(since, days, _source.currency(site_id), test=test)
