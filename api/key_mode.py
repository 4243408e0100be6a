"""Test mode in the API: a test key only finds test rows."""

from typing import Protocol, TypeVar

from flask import g

from core.errors import NotFound


class HasMode(Protocol):
    @property
    def test(self) -> bool: ...


Row = TypeVar("Row", bound=HasMode)


def check_mode(row: Row) -> Row:
    """Return the row. Raises NotFound for a live row with a test key."""
    if g.caller.test and not row.test:
        raise NotFound()
    return row


def test_filter() -> bool | None:
    """For list filters: True shows only test rows, None shows all."""
    return True if g.caller.test else None
