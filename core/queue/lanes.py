"""Lanes: a tenant's work queue of one kind, and which worker holds it.

Marking a lane due waits neither for others that mark it nor for its holder: they all share the lock
on its row until they commit. `app.leave_lane` releases a lane in the same transaction: it locks the
row exclusively, looks for work once more, and so sees every mark. Other kinds release first and
look for work afterwards; the sweep finds what they miss.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, Index, Select, Text, delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, db, global_scope

MARK_DUE = text("SELECT app.mark_lane(:kind, :tenant_id, :due_at)")
# A mark that an open transaction shares is skipped; the next sweep finds it.
PROMOTE_LATER_DUE = text("""
WITH due AS (
    DELETE FROM lanes
     WHERE kind = :later AND tenant_id = ANY (ARRAY(
           SELECT tenant_id FROM lanes WHERE kind = :later AND due_at <= :now
              FOR UPDATE SKIP LOCKED))
    RETURNING tenant_id
)
SELECT app.mark_lane(:kind, due.tenant_id, :now) FROM due
""")


class Lane(Base):
    __tablename__ = "lanes"
    __table_args__ = (Index(None, "kind", "due_at"),)

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    tenant_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    due_at: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    lease: Mapped[UUID | None]


def mark_due(kind: str, tenant_id: int, due_at: datetime | None = None) -> None:
    """Mark the lane due. A lane that is already marked stays as it is."""
    db.session.execute(MARK_DUE, {"kind": kind, "tenant_id": tenant_id, "due_at": due_at or now()})


def mark_later(kind: str, tenant_id: int, due_at: datetime) -> None:
    """Mark work that is due later. A separate row holds it, so that work that is due now does not
    wait for it.
    """
    later = insert(Lane).values(kind=later_kind(kind), tenant_id=tenant_id, due_at=due_at)
    db.session.execute(
        later.on_conflict_do_update(
            index_elements=[Lane.kind, Lane.tenant_id],
            set_={"due_at": func.least(Lane.due_at, later.excluded.due_at)},
        )
    )


def mark_next(kind: str, tenant_id: int, due_at: datetime | None) -> bool:
    """Mark the next work, which is due now or later; None: there is none. True: it is due now, so
    the caller must wake a worker.
    """
    if due_at is None:
        return False
    if due_at > now():
        mark_later(kind, tenant_id, due_at)
        return False
    mark_due(kind, tenant_id)
    return True


def later_kind(kind: str) -> str:
    return f"{kind}.later"


def clear_later(kind: str, tenant_id: int) -> None:
    """Remove the mark for later work, in the transaction that looks for work and marks the rest
    again.
    """
    db.session.execute(
        delete(Lane).where(Lane.kind == later_kind(kind), Lane.tenant_id == tenant_id)
    )


def pop_later_due(kind: str) -> list[int]:
    """For the sweep: remove and return the tenants whose later work is due now."""
    due = db.session.execute(
        delete(Lane)
        .where(Lane.kind == later_kind(kind), Lane.due_at <= now())
        .returning(Lane.tenant_id)
    )
    return list(due.scalars())


def promote_later_due(kind: str) -> bool:
    """For the sweep: mark the lanes whose later work is due. True: a worker must be woken."""
    params = {"kind": kind, "later": later_kind(kind), "now": now()}
    db.session.execute(PROMOTE_LATER_DUE, params)
    return any_due(kind)


def tenants_with_due_work(kind: str) -> list[int]:
    """Tenants with due work of this kind, with or without a lane. For finding lost work.

    One query for any number of tenants; `app.due_<kind>` looks into each of them as that tenant.
    """
    with global_scope():
        return list(db.session.scalars(select(getattr(func.app, f"due_{kind}")(now()))))


def lease_next(kind: str, seconds: float) -> tuple[int, UUID] | None:
    """Lease the lane that has waited longest. Returns the tenant id and the lease, or None."""
    return next(iter(lease_many(kind, seconds, 1)), None)


def lease_many(kind: str, seconds: float, most: int) -> list[tuple[int, UUID]]:
    """Lease several lanes at once, for a worker that handles them concurrently."""
    moment, lease = now(), uuid4()
    waiting = (
        _waiting(kind, moment)
        .order_by(Lane.due_at)
        .limit(most)
        # Does not wait for transactions that share the lane to mark it.
        .with_for_update(skip_locked=True, key_share=True)
    )
    tenant_ids = list(db.session.execute(waiting).scalars())
    if tenant_ids:
        db.session.execute(
            update(Lane)
            .where(Lane.kind == kind, Lane.tenant_id.in_(tenant_ids))
            .values(lease=lease, leased_until=moment + timedelta(seconds=seconds))
        )
    return [(tenant_id, lease) for tenant_id in tenant_ids]


def extend(kind: str, tenant_id: int, lease: UUID, seconds: float) -> bool:
    """Extend the lease of a lane that is still being worked on. False: the lease was lost."""
    kept = db.session.execute(
        update(Lane)
        .where(Lane.kind == kind, Lane.tenant_id == tenant_id, Lane.lease == lease)
        .values(leased_until=now() + timedelta(seconds=seconds))
        .returning(Lane.tenant_id)
    )
    return kept.first() is not None


def any_due(kind: str) -> bool:
    return db.session.execute(_waiting(kind, now()).limit(1)).first() is not None


def _waiting(kind: str, moment: datetime) -> Select[int]:
    """Tenants whose lane is due and not leased."""
    return select(Lane.tenant_id).where(
        Lane.kind == kind,
        Lane.due_at <= moment,
        or_(Lane.leased_until.is_(None), Lane.leased_until < moment),
    )


def release(kind: str, tenant_id: int, lease: UUID) -> bool:
    """Release the lane. False: the lease expired and another worker holds the lane."""
    gone = db.session.execute(
        delete(Lane)
        .where(Lane.kind == kind, Lane.tenant_id == tenant_id, Lane.lease == lease)
        .returning(Lane.tenant_id)
    )
    return gone.first() is not None
