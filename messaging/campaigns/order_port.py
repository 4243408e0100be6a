"""Port for order data that campaigns use: who has ordered, and which orders followed a message.

The restaurant package registers a source. Without it, audiences filter by contact data only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from sqlalchemy import ColumnElement
from sqlalchemy.orm import InstrumentedAttribute

from core.errors import invalid


@dataclass(frozen=True)
class OrderFilters:
    """None and empty values do not filter."""

    site_id: str = ""
    within_days: int | None = None
    not_for_days: int | None = None
    at_least: int | None = None
    at_most: int | None = None
    spent_at_least: Decimal | None = None

    @property
    def is_set(self) -> bool:
        return self != OrderFilters()


Column = ColumnElement[Any] | InstrumentedAttribute[Any]


class OrderSource(Protocol):
    def places(self) -> list[tuple[str, str]]:
        """Return id and name of every site."""
        ...

    def condition(
        self, contact_id: Column, ordered: OrderFilters, moment: datetime
    ) -> ColumnElement[bool]:
        """Return a condition: the contact in this column matches these order filters."""
        ...

    def currency(self, site_id: str) -> str:
        """Return the currency for sums: the site's own, else the one that most sites have."""
        ...

    def followed(
        self, since: Mapping[str, datetime], days: int, currency: str, *, test: bool
    ) -> dict[str, tuple[int, Decimal]]:
        """Return the number of orders of each contact in the days after a time, and their sum.

        The sum includes only orders in this currency; amounts of two currencies are never added.
        """
        ...

    def of_links(
        self, codes: Sequence[str], currency: str, *, test: bool
    ) -> dict[str, tuple[int, Decimal]]:
        """Return the number and the sum of the orders whose cart came from each short link."""
        ...


_source: OrderSource | None = None


def register_source(source: OrderSource | None) -> None:
    global _source
    _source = source


def list_sites() -> list[tuple[str, str]]:
    return _source.places() if _source is not None else []


def order_condition(
    contact_id: Column, ordered: OrderFilters, moment: datetime
) -> ColumnElement[bool]:
    if _source is None:
        raise invalid("filters", "no_orders", "This account has no orders to filter contacts by.")
    return _source.condition(contact_id, ordered, moment)


def orders_currency(site_id: str = "") -> str:
    return _source.currency(site_id) if _source is not None else ""


def orders_after(
    since: Mapping[str, datetime], days: int, site_id: str, *, test: bool
) -> dict[str, tuple[int, Decimal]]:
    if _source is None or not since:
        return {}
    return _source.followed(since, days, _source.currency(site_id), test=test)


def orders_of_links(
    codes: Sequence[str], site_id: str, *, test: bool
) -> dict[str, tuple[int, Decimal]]:
    if _source is None or not codes:
        return {}
    return _source.of_links(codes, _source.currency(site_id), test=test)
