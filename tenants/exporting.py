"""Everything a tenant has, for the tenant: one file of comma-separated values for each table.

Secrets are left out: what opens a door is of no use in a file and harms in the wrong hands.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, LargeBinary, Table, select, tuple_, update

from core.clock import now, rfc3339
from core.db import Base, current_tenant_id, db, ring
from core.doomed import doom
from core.errors import Conflict, NotFound
from core.keyring import Sealed
from core.texts import csv_cell
from tenants import accounts, audit
from tenants.erasing import owned_tables
from tenants.models import Export

KEPT = timedelta(days=7)
STUCK = timedelta(minutes=30)
BATCH = 2_000
_SECRET_ENDS = ("_hash", "token", "secret", "password", "fingerprint")
# Their bytes, or how we deliver them, say nothing about the business.
_LEFT_OUT = frozenset({"exports", "idempotency_keys"})


def ask() -> Export:
    """One at a time; a ring tells the worker."""
    if any(one.state in ("waiting", "working") for one in listed()):
        raise Conflict("export_under_way", "An export is being made already.")
    one = Export(
        tenant_id=current_tenant_id(),
        asked_by=audit.current_actor().name,
        whole=len(tables()) + 1,
    )
    db.session.add(one)
    db.session.flush()
    audit.record("account.export_asked", accounts.get(current_tenant_id()).name)
    ring("jobs.exports.make", current_tenant_id())
    return one


def listed(limit: int = 10) -> list[Export]:
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


def claim() -> str | None:
    """The oldest that waits, or whose worker died; whoever changes its row first has it."""
    free = (Export.state == "waiting") | (
        (Export.state == "working") & (Export.worked_at < now() - STUCK)
    )
    mine = Export.tenant_id == current_tenant_id()
    oldest = select(Export.id).where(mine, free).order_by(Export.asked_at).limit(1)
    export_id = db.session.scalar(oldest)
    if export_id is None:
        return None
    return db.session.execute(
        update(Export)
        .where(mine, Export.id == export_id, free)
        .values(state="working", worked_at=now(), done=0, records=0)
        .returning(Export.id)
        .execution_options(synchronize_session=False)
    ).scalar()


def progress(export_id: str, done: int, records: int) -> None:
    _change(export_id, done=done, records=records, worked_at=now())


def settle(export_id: str, blob_key: str, size: int) -> None:
    one = get(export_id)
    one.state, one.blob_key, one.size, one.done = "ready", blob_key, size, one.whole
    one.ready_at, one.expires_at = now(), now() + KEPT


def fail(export_id: str) -> None:
    _change(export_id, state="failed")


def forget_old() -> int:
    """What has outlived its week: the file goes, the line that it was made stays."""
    query = select(Export).where(
        Export.tenant_id == current_tenant_id(),
        Export.state == "ready",
        Export.expires_at <= now(),
    )
    gone = list(db.session.scalars(query))
    doom(one.blob_key for one in gone)
    for one in gone:
        one.state, one.blob_key = "gone", None
    return len(gone)


def tables() -> list[str]:
    return [name for name in owned_tables() if name not in _LEFT_OUT]


def columns_of(name: str) -> list[Column[Any]]:
    return [column for column in Base.metadata.tables[name].columns if _is_told(column)]


def rows_after(
    name: str, last: Sequence[Any] | None
) -> tuple[list[list[str]], Sequence[Any] | None]:
    """A batch in the order of its key, and where the next one begins; None: there is none."""
    table = Base.metadata.tables[name]
    keys = list(table.primary_key.columns)
    told = columns_of(name)
    query = (
        select(*told, *keys)
        .where(table.c.tenant_id == current_tenant_id())
        .order_by(*keys)
        .limit(BATCH)
    )
    if last is not None:
        query = query.where(tuple_(*keys) > tuple_(*last, types=[key.type for key in keys]))
    rows = db.session.execute(query).all()
    cells = [[as_text(value) for value in row[: len(told)]] for row in rows]
    more = tuple(rows[-1][len(told) :]) if len(rows) == BATCH else None
    return cells, more


def files_of(name: str) -> Iterator[tuple[str, str]]:
    """Which column of which table names a file."""
    table: Table = Base.metadata.tables[name]
    for column in table.columns:
        if column.name.endswith("blob_key"):
            yield name, column.name


def account_facts() -> dict[str, Any]:
    tenant = accounts.get(current_tenant_id())
    return {
        "account": tenant.id,
        "name": tenant.name,
        "plan": tenant.plan,
        "opened": rfc3339(tenant.created_at),
        "made": rfc3339(now()),
        "tables": tables(),
    }


def line_of(cells: Sequence[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow([csv_cell(cell) for cell in cells])
    return out.getvalue().encode()


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


def _is_told(column: Column[Any]) -> bool:
    if isinstance(column.type, Sealed | LargeBinary) or column.name == "tenant_id":
        return False
    return not column.name.endswith(_SECRET_ENDS)


def _change(export_id: str, **values: object) -> None:
    db.session.execute(
        update(Export)
        .where(
            Export.tenant_id == current_tenant_id(),
            Export.id == export_id,
            Export.state == "working",
        )
        .values(**values)
        .execution_options(synchronize_session=False)
    )
