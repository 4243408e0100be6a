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

    def followed(
        self, since: Mapping[str, datetime], days: int, *, test: bool
    ) -> dict[str, tuple[int, Decimal]]:
        """Orders and their sum of each contact within so many days after a moment."""
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


def followed(
    since: Mapping[str, datetime], days: int, *, test: bool
) -> dict[str, tuple[int, Decimal]]:
    return _book.followed(since, days, test=test) if _book is not None and since else {}
