"""Test and live rows at the door: a test key finds rows of test mode alone."""

from typing import Protocol, TypeVar

from flask import g

from core.errors import NotFound


class HasMode(Protocol):
    @property
    def test(self) -> bool: ...


Row = TypeVar("Row", bound=HasMode)


def check_mode(row: Row) -> Row:
    """The row, or 404 when it is a live one and the key is a test key."""
    if g.caller.test and not row.test:
        raise NotFound()
    return row


def test_filter() -> bool | None:
    """For list filters: True shows test rows alone, None shows all."""
    return True if g.caller.test else None
