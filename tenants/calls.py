"""The request log: every call of the API by one of the tenant's keys, masked, kept for days."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import BadId, canonical, to_uuid
from core.partitions import id_at
from tenants.models import ApiCall

# A loss of the newest rows in a crash of the database costs nothing but a line of this log.
NO_WAIT = text("SET LOCAL synchronous_commit = off")
COLUMNS = (
    *("id", "at", "method", "path", "query", "call", "status", "code", "duration_ms"),
    *("key_id", "key_name", "address", "asked", "answered"),
)
WRITE = text("""
INSERT INTO api_calls (tenant_id, id, at, method, path, query, call, status, code, duration_ms,
                       key_id, key_name, address, asked, answered)
SELECT :tenant_id, one.id, one.at, one.method, one.path, one.query, one.call, one.status, one.code,
       one.duration_ms, one.key_id, one.key_name, one.address, one.asked, one.answered
  FROM unnest(CAST(:id AS uuid[]), CAST(:at AS timestamptz[]), CAST(:method AS text[]),
              CAST(:path AS text[]), CAST(:query AS text[]), CAST(:call AS text[]),
              CAST(:status AS smallint[]), CAST(:code AS text[]), CAST(:duration_ms AS integer[]),
              CAST(:key_id AS text[]), CAST(:key_name AS text[]), CAST(:address AS text[]),
              CAST(:asked AS text[]), CAST(:answered AS text[]))
       AS one (id, at, method, path, query, call, status, code, duration_ms,
               key_id, key_name, address, asked, answered)
RETURNING id
""")
# A partition for each day: those ahead of the clock are empty and need no look.
AHEAD = timedelta(minutes=10)


@dataclass(frozen=True)
class Filters:
    outcome: str = ""
    """ok, refused (4xx) or broken (5xx)"""
    key_id: str = ""
    call: str = ""


def write(rows: list[dict[str, Any]]) -> None:
    """All of the open transaction's tenant."""
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in COLUMNS}
    columns["id"] = [str(to_uuid("req", request_id)) for request_id in columns["id"]]
    db.session.execute(NO_WAIT)
    db.session.execute(WRITE, {"tenant_id": current_tenant_id(), **columns})


def listed(filters: Filters, after: str | None, limit: int, kept: timedelta) -> list[ApiCall]:
    """Newest first, as far back as calls are kept."""
    moment = now()
    query = (
        select(ApiCall)
        .where(
            ApiCall.tenant_id == current_tenant_id(),
            ApiCall.id >= _bound(moment - kept),
            ApiCall.id < _bound(moment + AHEAD),
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


def as_request_id(written: str) -> str | None:
    """What somebody pasted, in the one spelling of a request id; None when it is none."""
    try:
        return canonical("req", written.strip())
    except BadId:
        return None


@lru_cache(maxsize=512)
def call_name(method: str, rule: str) -> str:
    """`GET /messages/{message_id}`, as the reference names it."""
    path = re.sub(r"<(?:[^:<>]+:)?(\w+)>", r"{\1}", rule.removeprefix("/api/v1"))
    return f"{method} {path}"


def _bound(moment: datetime) -> UUID:
    return UUID(id_at(moment))
