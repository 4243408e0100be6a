"""Leases: which process holds which object of a tenant.

`turn` increases whenever an object changes hands. Before writing for an object, its holder locks
the lease's row until the end of the transaction, so that a holder that lost the lease cannot write
any more.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Index,
    Integer,
    Text,
    delete,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, db

ENDED_SUFFIX = ":ended"
"""Suffix of a kind whose leases outlive their tenant: sessions that must still be logged out."""


class Lease(Base):
    """The row exists as long as some process has to hold the object."""

    __tablename__ = "leases"
    __table_args__ = (Index(None, "kind", "holder"),)

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    tenant_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    thing: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    holder: Mapped[str | None] = mapped_column(Text)
    turn: Mapped[int]
    asked: Mapped[int]
    """Increases when the holder has to look at the object again."""
    leased_until: Mapped[datetime | None]


@dataclass(frozen=True)
class HeldLease:
    tenant_id: int
    thing: int
    turn: int
    asked: int


def request(kind: str, tenant_id: int, thing: int) -> None:
    """Require that some process holds the object. A process that already holds it looks at it
    again.
    """
    wanted = insert(Lease).values(kind=kind, tenant_id=tenant_id, thing=thing, turn=0, asked=1)
    db.session.execute(
        wanted.on_conflict_do_update(
            index_elements=[Lease.kind, Lease.tenant_id, Lease.thing],
            set_={"asked": Lease.asked + 1},
        )
    )


def acquire(kind: str, holder: str, seconds: float, most: int) -> list[HeldLease]:
    """Take up to `most` free objects. Concurrent callers never get the same object."""
    moment = now()
    free = (
        select(Lease.tenant_id, Lease.thing)
        .where(Lease.kind == kind, _free(moment))
        .order_by(func.random())
        .limit(most)
    )
    taken = db.session.execute(
        update(Lease)
        .where(Lease.kind == kind, tuple_(Lease.tenant_id, Lease.thing).in_(free), _free(moment))
        .values(
            holder=holder,
            turn=Lease.turn + 1,
            leased_until=moment + timedelta(seconds=seconds),
        )
        .returning(Lease.tenant_id, Lease.thing, Lease.turn, Lease.asked)
        .execution_options(synchronize_session=False)
    )
    return [HeldLease(*row) for row in taken]


def renew(kind: str, holder: str, seconds: float) -> list[HeldLease]:
    """Extend all leases that this holder still has, and return them."""
    moment = now()
    kept = db.session.execute(
        update(Lease)
        .where(Lease.kind == kind, Lease.holder == holder, Lease.leased_until > moment)
        .values(leased_until=moment + timedelta(seconds=seconds))
        .returning(Lease.tenant_id, Lease.thing, Lease.turn, Lease.asked)
        .execution_options(synchronize_session=False)
    )
    return [HeldLease(*row) for row in kept]


def lock_held(kind: str, tenant_id: int, thing: int, turn: int) -> bool:
    """True if this turn still holds the lease; it is then locked until the transaction ends."""
    found = db.session.execute(
        select(Lease.turn)
        .where(
            Lease.kind == kind,
            Lease.tenant_id == tenant_id,
            Lease.thing == thing,
            Lease.turn == turn,
            Lease.leased_until > now(),
        )
        .with_for_update(read=True)
    )
    return found.first() is not None


def release(kind: str, tenant_id: int, thing: int, turn: int) -> bool:
    """Free the object for other processes at once."""
    return _changed(
        update(Lease)
        .where(*_this(kind, tenant_id, thing, turn))
        .values(holder=None, leased_until=None)
        .returning(Lease.thing)
        .execution_options(synchronize_session=False)
    )


def remove(kind: str, tenant_id: int, thing: int, turn: int, asked: int) -> bool:
    """End the lease, unless the object was requested again in the meantime."""
    return _changed(
        delete(Lease)
        .where(*_this(kind, tenant_id, thing, turn), Lease.asked == asked)
        .returning(Lease.thing)
        .execution_options(synchronize_session=False)
    )


def count_by_holder(kind: str) -> dict[str, int]:
    """How many objects each holder has now."""
    rows = db.session.execute(
        select(Lease.holder, func.count())
        .where(Lease.kind == kind, Lease.holder.is_not(None), Lease.leased_until > now())
        .group_by(Lease.holder)
    )
    return {str(holder): count for holder, count in rows}


def _free(moment: datetime) -> ColumnElement[bool]:
    return or_(Lease.leased_until.is_(None), Lease.leased_until < moment)


def _this(kind: str, tenant_id: int, thing: int, turn: int) -> tuple[ColumnElement[bool], ...]:
    return (
        Lease.kind == kind,
        Lease.tenant_id == tenant_id,
        Lease.thing == thing,
        Lease.turn == turn,
    )


def _changed(statement: object) -> bool:
    return db.session.execute(statement).first() is not None  # type: ignore[call-overload]


def count(kind: str) -> int:
    """How many objects of a kind have to be held."""
    return db.session.scalar(select(func.count()).where(Lease.kind == kind)) or 0
