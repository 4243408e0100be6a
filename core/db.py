"""Transactions. An entry point opens one at a time and sets its tenant first.

Domain code uses `db.session` and never commits. Wake-ups and live updates that are collected while
the transaction is open are sent only after it has been committed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session as BoundSession
from sqlalchemy import BigInteger, DateTime, Executable, MetaData, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, registry

from core.errors import NotFound
from core.queue.wakeups import WakeUp, send_wakeups
from core.rate_limits import bump_cache_generation
from core.sql.connect_options import connect_options

CONSTRAINT_NAMES = {
    "pk": "%(table_name)s_pkey",
    "ix": "%(table_name)s_%(column_0_N_name)s_idx",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    "ck": "%(table_name)s_%(constraint_name)s_check",
}


class Base(DeclarativeBase):
    registry = registry(
        metadata=MetaData(naming_convention=CONSTRAINT_NAMES),
        type_annotation_map={datetime: DateTime(timezone=True), dict[str, Any]: JSONB},
    )


class TenantOwned:
    """The primary key of every tenant-owned table starts with `tenant_id`."""

    tenant_id: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, autoincrement=False, sort_order=-2
    )


AfterCommit = Callable[[int, list[Any]], None]


@dataclass
class Scope:
    tenant_id: int | None
    wakeups: list[WakeUp] = field(default_factory=list)
    gathered: dict[AfterCommit, list[Any]] = field(default_factory=dict)
    cache_invalidated: bool = False


KEPT = "kept scope"  # where a session has the scope of a transaction that was kept open

_scope: ContextVar[Scope | None] = ContextVar("scope", default=None)


class ScopedSession(BoundSession):
    """Refuses to connect outside a scope, where a statement would run without a tenant."""

    def connection(self, *args: Any, **kwargs: Any) -> Any:
        _require_scope()
        return super().connection(*args, **kwargs)

    def _connection_for_bind(self, *args: Any, **kwargs: Any) -> Any:
        _require_scope()
        return super()._connection_for_bind(*args, **kwargs)


db = SQLAlchemy(
    model_class=Base,
    disable_autonaming=True,
    session_options={"class_": ScopedSession, "expire_on_commit": False},
)

SET_TENANT = text("SELECT app.set_tenant(:tenant_id)").execution_options(plan_once=True)
SET_TENANT_AND_LIMIT = text(
    "SELECT app.set_tenant(:tenant_id), set_config('statement_timeout', :limit, true)"
)

PLANNED_ONCE = {"plan_once": True}

_statement_limit: ContextVar[int | None] = ContextVar("statement_limit", default=None)


def limit_statements(milliseconds: int | None) -> None:
    """Set the statement timeout of the tenant scopes opened after this. None: the default."""
    _statement_limit.set(milliseconds)


def _require_scope() -> Scope:
    scope = _scope.get()
    if scope is None:
        raise RuntimeError("open tenant_scope(…) or global_scope() before using the database")
    return scope


@contextmanager
def tenant_scope(tenant_id: int, keep_open: bool = False) -> Iterator[Session]:
    """Open one transaction that sees and writes only this tenant's rows.

    Commits at the end of the block, rolls back on any exception. Raises NotFound for an id that
    cannot exist, and RuntimeError if a transaction is already open.

    With `keep_open`, the next scope of the same tenant continues the transaction and commits it.
    Call `end_kept_transaction` in case none follows. The rows that were read are detached, so that
    a rollback in the next scope does not expire them.
    """
    if not 0 < tenant_id < 2**63:  # an id in a URL may be too large for a bigint
        raise NotFound("No tenant has this ID.")
    with _transaction(Scope(tenant_id), keep_open) as session:
        if session.info.pop(KEPT, None) is not None:  # continued, so the tenant is set
            yield session
            return
        limit = _statement_limit.get()
        if limit is None:
            session.connection().execute(SET_TENANT, {"tenant_id": tenant_id})
        else:
            session.execute(SET_TENANT_AND_LIMIT, {"tenant_id": tenant_id, "limit": str(limit)})
        yield session


@contextmanager
def global_scope() -> Iterator[Session]:
    """Open one transaction on the global tables. Tenant-owned tables appear empty in it."""
    with _transaction(Scope(None)) as session:
        yield session


def end_kept_transaction() -> None:
    """Commit a transaction that was kept open, if no scope has continued it."""
    if db.session.registry.has() and (kept := db.session().info.get(KEPT)) is not None:
        with tenant_scope(kept.tenant_id):
            pass


@contextmanager
def _transaction(scope: Scope, keep_open: bool = False) -> Iterator[Session]:
    if _scope.get() is not None:
        raise RuntimeError("a transaction is already open; its tenant cannot be switched")
    session = db.session()
    kept: Scope | None = session.info.get(KEPT)
    if kept is not None and kept.tenant_id == scope.tenant_id:
        scope = kept
    elif kept is not None:
        end_kept_transaction()
        session = db.session()
    token = _scope.set(scope)
    try:
        yield session
        if keep_open:
            session.flush()
            session.expunge_all()
            session.info[KEPT] = scope
            return
        session.commit()
    except BaseException:
        session.rollback()
        raise
    finally:
        _scope.reset(token)
        if KEPT not in session.info:
            db.session.remove()
    if scope.cache_invalidated:
        bump_cache_generation(str(scope.tenant_id))
    send_wakeups(scope.wakeups)
    for leave, things in scope.gathered.items():
        leave(scope.tenant_id or 0, things)


def read_rows(statement: Executable, params: Mapping[str, Any] | None = None) -> Sequence[Any]:
    """The rows of a constant SELECT of columns, as tuples with names.

    Does the same as `db.session.execute(…).all()` in a third of the time: the ORM has nothing to do
    for columns, and PostgreSQL plans the statement once (`core/sql/prepared.py`).
    """
    session = db.session()
    session.flush()  # as the session does before it reads
    connection = session.connection()
    return connection.execute(statement, params, execution_options=PLANNED_ONCE).all()


def in_transaction() -> bool:
    return _scope.get() is not None


def invalidate_tenant_cache() -> None:
    """Invalidate what the entry points have cached about this tenant, after the commit."""
    _require_scope().cache_invalidated = True


def current_tenant_id() -> int:
    tenant_id = _require_scope().tenant_id
    if tenant_id is None:
        raise RuntimeError("this needs tenant_scope(…), and the open transaction is global")
    return tenant_id


# For statements that are built once, at import: the tenant of the transaction that runs them.
THIS_TENANT = bindparam("tenant_id", callable_=current_tenant_id, type_=BigInteger)


def notify_workers(job: str, *args: object) -> None:
    """Wake a worker for this job after the transaction is committed. Raises for an unknown job."""
    one = WakeUp(job, args)
    one.check()
    _require_scope().wakeups.append(one)


def after_commit(leave: AfterCommit, thing: object) -> None:
    """Call `leave(tenant_id, things)` after the commit, once, with all things passed for it."""
    current_tenant_id()
    _require_scope().gathered.setdefault(leave, []).append(thing)


def notify_workers_now(job: str, *args: object) -> None:
    """Wake a worker at once, for work that is already committed."""
    one = WakeUp(job, args)
    one.check()
    send_wakeups([one])


@contextmanager
def savepoint() -> Iterator[None]:
    with db.session.begin_nested():
        yield


def engine_options(pool: int) -> dict[str, Any]:
    return {
        "pool_size": pool,
        "max_overflow": 0,
        "pool_timeout": 5,
        "pool_pre_ping": True,
        "connect_args": connect_options(),
        "hide_parameters": True,  # errors are logged, and parameters contain what customers wrote
    }
