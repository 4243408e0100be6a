"""Keyset paging: a URL contains the filters and the last row shown, never a page number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flask import request, url_for

Row = TypeVar("Row")

PAGE = 50


@dataclass(frozen=True)
class Page(Generic[Row]):
    rows: Sequence[Row]
    next_url: str | None
    previous_url: str | None
    """The first page; keyset paging cannot go back by one page."""

    @property
    def urls(self) -> dict[str, str | None]:
        """The URLs that the pager template needs."""
        return {"next_url": self.next_url, "previous_url": self.previous_url}


def cursor_in_url() -> str | None:
    return request.args.get("after") or None


def page_of(
    rows: Sequence[Row],
    endpoint: str,
    params: Mapping[str, Any],
    size: int,
    cursor: Callable[[Row], object] = lambda row: row.id,  # type: ignore[attr-defined]
) -> Page[Row]:
    """Build a page.

    `rows` were queried with `size + 1`; an extra row means there is a next page.
    """
    shown = rows[:size]
    following = first = None
    if len(rows) > size:
        following = url_for(endpoint, **params, after=cursor(shown[-1]))
    if cursor_in_url():
        first = url_for(endpoint, **params)
    return Page(shown, following, first)
