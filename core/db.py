"""One transaction at a time, opened by a door, with its tenant set first.

Domain code uses `db.session` and never commits. Rings and news collected while the transaction
is open leave only after it is committed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session as BoundSession
from sqlalchemy import BigInteger, DateTime, MetaData, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, registry

from core.errors import NotFound
from core.queue.wakeups import WakeUp, send_wakeups
from core.rate_limits import bump_cache_generation

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
    """Every table of a tenant's things leads its primary key with the tenant."""

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


_scope: ContextVar[Scope | None] = ContextVar("scope", default=None)


class ScopedSession(BoundSession):
    """Refuses to begin outside a scope, where a statement would run with no tenant set."""

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

SET_TENANT = text("SELECT app.set_tenant(:tenant_id)")
SET_TENANT_AND_LIMIT = text(
    "SELECT app.set_tenant(:tenant_id), set_config('statement_timeout', :limit, true)"
)

_statement_limit: ContextVar[int | None] = ContextVar("statement_limit", default=None)


def limit_statements(milliseconds: int | None) -> None:
    """For the tenant scopes that are opened from here on; None: the usual limit."""
    _statement_limit.set(milliseconds)


def _require_scope() -> Scope:
    scope = _scope.get()
    if scope is None:
        raise RuntimeError("open tenant_scope(…) or global_scope() before using the database")
    return scope


@contextmanager
def tenant_scope(tenant_id: int) -> Iterator[Session]:
    """One transaction that sees and writes the rows of this tenant alone."""
    if not 0 < tenant_id < 2**63:  # a number from an address that no bigint holds
        raise NotFound("There is no tenant with that id.")
    with _transaction(Scope(tenant_id)) as session:
        limit = _statement_limit.get()
        if limit is None:
            session.execute(SET_TENANT, {"tenant_id": tenant_id})
        else:
            session.execute(SET_TENANT_AND_LIMIT, {"tenant_id": tenant_id, "limit": str(limit)})
        yield session


@contextmanager
def global_scope() -> Iterator[Session]:
    """One transaction over the global tables; tenant-owned tables look empty from here."""
    with _transaction(Scope(None)) as session:
        yield session


@contextmanager
def _transaction(scope: Scope) -> Iterator[Session]:
    if _scope.get() is not None:
        raise RuntimeError("a transaction is already open; its tenant cannot be switched")
    session = db.session()
    token = _scope.set(scope)
    try:
        yield session
        session.commit()
    except BaseException:
        session.rollback()
        raise
    finally:
        _scope.reset(token)
        db.session.remove()
    if scope.cache_invalidated:
        bump_cache_generation(str(scope.tenant_id))
    send_wakeups(scope.wakeups)
    for leave, things in scope.gathered.items():
        leave(scope.tenant_id or 0, things)


def in_transaction() -> bool:
    return _scope.get() is not None


def invalidate_tenant_cache() -> None:
    """What the doors remember of this tenant is to be forgotten once this is committed."""
    _require_scope().cache_invalidated = True


def current_tenant_id() -> int:
    tenant_id = _require_scope().tenant_id
    if tenant_id is None:
        raise RuntimeError("this needs tenant_scope(…), and the open transaction is global")
    return tenant_id


def notify_workers(job: str, *args: object) -> None:
    """Tell a worker, once this transaction is committed, that there is work."""
    one = WakeUp(job, args)
    one.check()
    _require_scope().wakeups.append(one)


def after_commit(leave: AfterCommit, thing: object) -> None:
    """`leave(tenant_id, things)` gets all that was gathered for it, once it is committed."""
    current_tenant_id()
    _require_scope().gathered.setdefault(leave, []).append(thing)


def notify_workers_now(job: str, *args: object) -> None:
    """For what is committed already."""
    one = WakeUp(job, args)
    one.check()
    send_wakeups([one])


@contextmanager
def savepoint() -> Iterator[None]:
    with db.session.begin_nested():
        yield


CONNECT_OPTIONS: dict[str, Any] = {
    "connect_timeout": 5,
    "application_name": "comanda",
    "options": "-c timezone=utc -c statement_timeout=30000"
    " -c idle_in_transaction_session_timeout=60000",
}


def engine_options(pool: int) -> dict[str, Any]:
    return {
        "pool_size": pool,
        "max_overflow": 0,
        "pool_timeout": 5,
        "pool_pre_ping": True,
        "connect_args": CONNECT_OPTIONS,
        "hide_parameters": True,  # errors are logged, and parameters are what customers wrote
    }
