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
class Ordered:
    """What is None or empty does not matter."""

    site_id: str = ""
    within_days: int | None = None
    not_for_days: int | None = None
    at_least: int | None = None
    at_most: int | None = None
    spent_at_least: Decimal | None = None

    @property
    def asked(self) -> bool:
        return self != Ordered()


Column = ColumnElement[Any] | InstrumentedAttribute[Any]


class Book(Protocol):
    def places(self) -> list[tuple[str, str]]:
        """The id and the name of every site."""
        ...

    def condition(
        self, contact_id: Column, ordered: Ordered, moment: datetime
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


_book: Book | None = None


def register(book: Book | None) -> None:
    global _book
    _book = book


def places() -> list[tuple[str, str]]:
    return _book.places() if _book is not None else []


def condition(contact_id: Column, ordered: Ordered, moment: datetime) -> ColumnElement[bool]:
    if _book is None:
        raise invalid("filters", "no_orders", "This account has no orders to choose people by.")
    return _book.condition(contact_id, ordered, moment)


def currency(site_id: str = "") -> str:
    return _book.currency(site_id) if _book is not None else ""


def followed(
    since: Mapping[str, datetime], days: int, site_id: str, *, test: bool
) -> dict[str, tuple[int, Decimal]]:
    if _book is None or not since:
        return {}
    return _book.followed(since, days, _book.currency(site_id), test=test)
