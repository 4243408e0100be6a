"""Ports of journeys: the link of a line's menu, the orders of the restaurant, and what begins when
a contact gets a tag.

`restaurant.wiring` registers them, because contacts and journeys do not import what they need here.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

FindLink = Callable[[int], str]
OnTags = Callable[[str, Iterable[str]], object]


@dataclass(frozen=True)
class LatestOrder:
    """The last order of a contact. `state` and `total` are in words of the language asked for."""

    number: str
    state: str
    total: str
    placed_at: datetime


class OrderSource(Protocol):
    def latest(self, contact_id: str, locale: str, *, test: bool) -> LatestOrder | None:
        """Return the last order of the contact, whatever its state."""
        ...

    def contacts_between(self, since: datetime, until: datetime) -> set[str]:
        """Return the contacts who ordered in this time, without test orders and cancelled ones."""
        ...

    def contacts_since(self, contact_ids: Sequence[str], since: datetime) -> set[str]:
        """Return those of these contacts who have ordered since."""
        ...


_find_link: FindLink | None = None
_on_tags: OnTags | None = None
_orders: OrderSource | None = None


def register_menu_link(find: FindLink | None) -> None:
    """`find` gets the id of a line and returns the address of its menu, or ""."""
    global _find_link
    _find_link = find


def menu_link(line_id: int) -> str:
    return _find_link(line_id) if _find_link is not None else ""


def register_orders(source: OrderSource | None) -> None:
    global _orders
    _orders = source


def orders() -> OrderSource | None:
    """None: nothing but stores takes orders."""
    return _orders


def register_tags(on_tags: OnTags | None) -> None:
    """`on_tags` gets the contact and the tags that are new. It runs in the same transaction."""
    global _on_tags
    _on_tags = on_tags


def tags_added(contact_id: str, before: Iterable[str], after: Iterable[str]) -> None:
    known = set(before)
    added = [tag for tag in after if tag not in known]
    if added and _on_tags is not None:
        _on_tags(contact_id, added)
