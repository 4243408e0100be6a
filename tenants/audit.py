"""Who did what, when: an entry for everything that changes rights, keys, money or settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.logs import current_request_id
from tenants.models import AuditEntry


@dataclass(frozen=True)
class Actor:
    kind: str
    """person, key, operator or system"""
    id: str
    name: str
    address: str = ""


SYSTEM = Actor("system", "system", "Comanda")

_actor: ContextVar[Actor] = ContextVar("actor", default=SYSTEM)


def act_as(actor: Actor) -> None:
    """Said by a door once it knows who is there."""
    _actor.set(actor)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def current_actor() -> Actor:
    return _actor.get()


def record(act: str, subject: str, **detail: object) -> None:
    """Write the entry in the transaction of the change it tells of."""
    actor = current_actor()
    db.session.add(
        AuditEntry(
            tenant_id=current_tenant_id(),
            actor_kind=actor.kind,
            actor_id=actor.id,
            actor_name=actor.name,
            address=actor.address,
            act=act,
            subject=subject,
            detail=detail,
            request_id=current_request_id() or "",
        )
    )


def entries(
    *, act: str = "", actor: str = "", after: str | None = None, limit: int = 50
) -> list[AuditEntry]:
    """Newest first. `act` may be a whole act or its first word, such as `keys`."""
    query = (
        select(AuditEntry)
        .where(AuditEntry.tenant_id == current_tenant_id())
        .order_by(AuditEntry.id.desc())
        .limit(limit)
    )
    if act:
        query = query.where(AuditEntry.act.startswith(act, autoescape=True))
    if actor:
        query = query.where(
            AuditEntry.actor_name.icontains(actor.replace("\0", ""), autoescape=True)
        )
    if after:
        query = query.where(AuditEntry.id < after)
    return list(db.session.scalars(query))
