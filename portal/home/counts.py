"""Counts of what needs attention, read in one statement."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, func, select

from core.db import db

MOST_COUNTED = 100


def count_each(queries: Mapping[str, Select[Any]]) -> dict[str, int]:
    """Count up to MOST_COUNTED rows of each query."""
    if not queries:
        return {}
    counted = [
        select(func.count())
        .select_from(query.limit(MOST_COUNTED).subquery())
        .scalar_subquery()
        .label(name)
        for name, query in queries.items()
    ]
    return dict(db.session.execute(select(*counted)).mappings().one())
