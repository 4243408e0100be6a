"""Export all data of a tenant: one CSV file for each table.

Secrets are left out: they are useless in a file and dangerous in the wrong hands.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import Column, LargeBinary, Table, null, select, text, tuple_, update

from core.clock import now, rfc3339
from core.db import Base, current_tenant_id, db, notify_workers
from core.errors import Conflict, NotFound
from core.queue import lanes
from core.security.encryption import EncryptedText
from core.storage.pending_deletions import delete_later
from tenants import accounts, audit
from tenants.data.erasure import tenant_tables
from tenants.models import Export

LIFETIME = timedelta(days=7)
LANE = "exports"
UNDER_WAY = ("waiting", "working")
BATCH = 2_000
# Read along the primary key's index. With old statistics PostgreSQL expects few rows after the
# cursor, and would read and sort all of them for every batch.
IN_ORDER = text("SELECT set_config('enable_sort', 'off', true)")
_SECRET_ENDS = ("_hash", "token", "secret", "password", "fingerprint", "endpoint")
# Tables with internal data that says nothing about the business.
_LEFT_OUT = frozenset({"exports", "idempotency_keys", "push_notifications"})


def request_export() -> Export:
    """Start an export in the background. Raises Conflict if one is already under way."""
    if any(one.state in UNDER_WAY for one in list_exports()):
        raise Conflict("export_under_way", "A data export is already in progress.")
    one = Export(
        tenant_id=current_tenant_id(),
        asked_by=audit.current_actor().name,
        whole=len(exported_tables()) + 1,
    )
    db.session.add(one)
    db.session.flush()
    audit.record("account.export_asked", accounts.get(current_tenant_id()).name)
    wake_worker()
    return one


def list_exports(limit: int = 10) -> list[Export]:
    query = (
        select(Export)
        .where(Export.tenant_id == current_tenant_id())
        .order_by(Export.asked_at.desc())
        .limit(limit)
    )
    return list(db.session.scalars(query))


def get(export_id: str) -> Export:
    found = db.session.get(Export, (current_tenant_id(), export_id))
    if found is None:
        raise NotFound()
    return found


@dataclass(frozen=True)
class UnfinishedExport:
    """An export that is not finished, and its progress."""

    id: str
    asked_at: datetime
    steps: int
    records: int
    work: dict[str, Any] | None


def next_unfinished() -> UnfinishedExport | None:
    """The oldest export that waits or is being made. Its worker holds the tenant's lane."""
    query = (
        select(Export)
        .where(Export.tenant_id == current_tenant_id(), Export.state.in_(UNDER_WAY))
        .order_by(Export.asked_at)
        .limit(1)
    )
    one = db.session.scalar(query)
    return UnfinishedExport(one.id, one.asked_at, one.steps, one.records, one.work) if one else None


def wake_worker() -> None:
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.tenants.exports.drain")


def save_step(one: UnfinishedExport, work: dict[str, Any], done: int, records: int) -> bool:
    """Save the cursor. False: another worker has already done this step."""
    values = {"work": work, "done": done, "records": records, "steps": one.steps + 1}
    return _change(one, state="working", worked_at=now(), **values)


def mark_ready(one: UnfinishedExport, blob_key: str, size: int) -> bool:
    """Mark it ready and delete its parts. False: another worker has already done this step."""
    moment = now()
    ready = _change(
        one,
        state="ready",
        blob_key=blob_key,
        size=size,
        done=Export.whole,
        work=null(),
        ready_at=moment,
        expires_at=moment + LIFETIME,
    )
    if ready:
        delete_later(parts_of(one.work))
    return ready


def mark_failed(one: UnfinishedExport) -> None:
    if _change(one, state="failed", work=null()):
        delete_later(parts_of(one.work))


def parts_of(work: dict[str, Any] | None) -> list[str]:
    """The blobs with its parts."""
    return [*work["parts"], *work["media_parts"]] if work else []


def delete_expired() -> int:
    """Delete files older than a week; the row of the export is kept."""
    query = select(Export).where(
        Export.tenant_id == current_tenant_id(),
        Export.state == "ready",
        Export.expires_at <= now(),
    )
    deleted = list(db.session.scalars(query))
    delete_later(one.blob_key for one in deleted)
    for one in deleted:
        one.state, one.blob_key = "gone", None
    return len(deleted)


def exported_tables() -> list[str]:
    return [name for name in tenant_tables() if name not in _LEFT_OUT]


def exported_columns(name: str) -> list[Column[Any]]:
    return [column for column in Base.metadata.tables[name].columns if _is_exported(column)]


def rows_after(
    name: str, last: Sequence[Any] | None
) -> tuple[list[list[str]], Sequence[Any] | None]:
    """A batch in the order of its key, and the cursor for the next one; None: there is none.

    A batch costs the same however far the export is: the index is entered at the cursor and read in
    order. The tenant is the same in all rows, so it is not part of the cursor comparison; otherwise
    PostgreSQL would enter the index at the tenant's first row.
    """
    table = Base.metadata.tables[name]
    keys = [key for key in table.primary_key.columns if key.name != "tenant_id"]
    columns = exported_columns(name)
    read = columns + [key for key in keys if not _is_exported(key)]
    query = (
        select(*read).where(table.c.tenant_id == current_tenant_id()).order_by(*keys).limit(BATCH)
    )
    if last is not None:
        query = query.where(tuple_(*keys) > tuple_(*last, types=[key.type for key in keys]))
    db.session.execute(IN_ORDER)
    rows = db.session.execute(query).all()
    cells = [[as_text(value) for value in row[: len(columns)]] for row in rows]
    if not keys or len(rows) < BATCH:
        return cells, None
    names = [column.name for column in read]
    return cells, tuple(rows[-1][names.index(key.name)] for key in keys)


def file_columns(name: str) -> Iterator[tuple[str, str]]:
    """Which column of which table names a file."""
    table: Table = Base.metadata.tables[name]
    for column in table.columns:
        if column.name.endswith("blob_key"):
            yield name, column.name


def account_summary() -> dict[str, Any]:
    tenant = accounts.get(current_tenant_id())
    return {
        "account": tenant.id,
        "name": tenant.name,
        "plan": tenant.plan,
        "opened": rfc3339(tenant.created_at),
        "made": rfc3339(now()),
        "tables": exported_tables(),
    }


def as_cursor(key: Sequence[Any] | None) -> list[Any] | None:
    """A key as JSON."""
    return None if key is None else [_to_json(value) for value in key]


def from_cursor(cursor: Sequence[Any] | None) -> list[Any] | None:
    return None if cursor is None else [_from_json(value) for value in cursor]


def _to_json(value: Any) -> Any:
    for name, (kind, pack, _) in _TYPES.items():
        if isinstance(value, kind):
            return {name: pack(value)}
    return value


def _from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    [(name, packed)] = value.items()
    return _TYPES[name][2](packed)


# Types that JSON does not have. datetime is a subclass of date, so it comes first.
_TYPES: dict[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "uuid": (UUID, str, UUID),
    "decimal": (Decimal, str, Decimal),
}


def as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(value)


def _plain(value: Any) -> str:
    return rfc3339(value) if isinstance(value, datetime) else str(value)


def _is_exported(column: Column[Any]) -> bool:
    if isinstance(column.type, EncryptedText | LargeBinary) or column.name == "tenant_id":
        return False
    return not column.name.endswith(_SECRET_ENDS)


def _change(one: UnfinishedExport, **values: object) -> bool:
    """Only while it is under way and no other step was saved since it was read."""
    changed = db.session.execute(
        update(Export)
        .where(
            Export.tenant_id == current_tenant_id(),
            Export.id == one.id,
            Export.state.in_(UNDER_WAY),
            Export.steps == one.steps,
        )
        .values(**values)
        .returning(Export.id)
        .execution_options(synchronize_session=False)
    )
    return changed.first() is not None
