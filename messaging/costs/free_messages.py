"""Messages that the network did not bill, and why."""

from dataclasses import dataclass

from sqlalchemy import func, select

from core.db import current_tenant_id, db
from messaging.costs.usage import Period
from messaging.models import FreeMessageDay


@dataclass(frozen=True)
class FreeTotal:
    """Messages of a period that the network did not bill, by line, category and reason."""

    line_id: int
    category: str
    reason: str
    messages: int


def free_messages(span: Period, line_ids: frozenset[int] | None = None) -> list[FreeTotal]:
    """Return what was free and why, by line; the most messages first."""
    count = func.sum(FreeMessageDay.messages)
    query = (
        select(FreeMessageDay.line_id, FreeMessageDay.category, FreeMessageDay.reason, count)
        .where(
            FreeMessageDay.tenant_id == current_tenant_id(),
            FreeMessageDay.day.between(span.since, span.until),
        )
        .group_by(FreeMessageDay.line_id, FreeMessageDay.category, FreeMessageDay.reason)
        .having(count > 0)
        .order_by(FreeMessageDay.line_id, count.desc(), FreeMessageDay.reason)
    )
    if line_ids is not None:
        query = query.where(FreeMessageDay.line_id.in_(line_ids))
    return [FreeTotal(*row) for row in db.session.execute(query)]
