"""The request log: every API request with one of the tenant's keys, masked, kept for days."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from psycopg2.extras import Json
from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import BadId, canonical_id, to_uuid
from core.sql.partitions import id_at
from core.sql.pool import run_global
from tenants.models import ApiCall

WRITE = "SELECT app.write_api_calls(%(calls)s)"
# There is a partition for each day: those in the future are empty and need not be read.
CLOCK_TOLERANCE = timedelta(minutes=10)


@dataclass(frozen=True)
class RequestFilters:
    outcome: str = ""
    """ok, refused (4xx) or broken (5xx)"""
    key_id: str = ""
    call: str = ""


def write_requests(by_tenant: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
    """In one round trip and one transaction, outside any open scope. Each tenant's rows are written
    with that tenant set.
    """
    calls = [
        {"tenant_id": tenant_id, "rows": [_stored_row(row) for row in rows]}
        for tenant_id, rows in by_tenant.items()
    ]
    run_global(WRITE, {"calls": Json(calls)})


def _stored_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "id": str(to_uuid("req", row["id"])), "at": row["at"].isoformat()}


def list_requests(
    filters: RequestFilters, after: str | None, limit: int, keep_for: timedelta
) -> list[ApiCall]:
    """Newest first, as far back as requests are kept."""
    moment = now()
    query = (
        select(ApiCall)
        .where(
            ApiCall.tenant_id == current_tenant_id(),
            ApiCall.id >= _bound(moment - keep_for),
            ApiCall.id < _bound(moment + CLOCK_TOLERANCE),
        )
        .order_by(ApiCall.id.desc())
        .limit(limit)
    )
    if filters.outcome == "ok":
        query = query.where(ApiCall.status < 400)
    elif filters.outcome == "refused":
        query = query.where(ApiCall.status >= 400, ApiCall.status < 500)
    elif filters.outcome == "broken":
        query = query.where(ApiCall.status >= 500)
    if filters.key_id:
        query = query.where(ApiCall.key_id == filters.key_id)
    if filters.call:
        query = query.where(ApiCall.call == filters.call)
    if after:
        query = query.where(ApiCall.id < after)
    return list(db.session.scalars(query))


def get(request_id: str) -> ApiCall:
    found = db.session.get(ApiCall, (current_tenant_id(), request_id))
    if found is None:
        raise NotFound()
    return found


def parse_request_id(written: str) -> str | None:
    """The canonical form of a pasted request id, or None."""
    try:
        return canonical_id("req", written.strip())
    except BadId:
        return None


@lru_cache(maxsize=512)
def operation_name(method: str, rule: str) -> str:
    """`GET /messages/{message_id}`, as in the API reference."""
    path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", rule.removeprefix("/api/v1"))
    return f"{method} {path}"


def _bound(moment: datetime) -> UUID:
    return UUID(id_at(moment))
