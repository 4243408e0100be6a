"""Lists: newest first, `?limit=` and `?after=`, `{"data": […], "next": …}`."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, Field

Row = TypeVar("Row")


class PageQuery(BaseModel):
    limit: int = Field(50, ge=1, le=200, description="The maximum number of results.")
    after: str | None = Field(
        None, max_length=200, description="The `next` of the page before this one."
    )


def page(
    rows: Sequence[Row], query: PageQuery, cursor: Callable[[Row], str], show: Callable[[Row], Any]
) -> dict[str, Any]:
    """Return one page. `rows` has up to `limit + 1` rows: the extra one means a next page."""
    shown = rows[: query.limit]
    more = len(rows) > query.limit
    return {"data": [show(row) for row in shown], "next": cursor(shown[-1]) if more else None}
