"""Lanes: which tenant has work of which kind, and who is at it.

Marking a lane due waits neither for other markers nor for its holder: all of them share its row
until they commit. Who gives a lane back where work is marked takes the row alone, looks once
more, and so sees every mark; see `app.leave_lane`. Others release first and look after that,
and what they miss is found by the sweep.
"""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, Index, Select, Text, delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, db, global_scope

MARK_DUE = text("SELECT app.mark_lane(:kind, :tenant_id, :due_at)")


class Lane(Base):
    __tablename__ = "lanes"
    __table_args__ = (Index(None, "kind", "due_at"),)

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    tenant_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    due_at: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    lease: Mapped[UUID | None]


def mark_due(kind: str, tenant_id: int, due_at: datetime | None = None) -> None:
    """Say that there is work. A lane that is marked already stays as it is."""
    db.session.execute(MARK_DUE, {"kind": kind, "tenant_id": tenant_id, "due_at": due_at or now()})


def mark_later(kind: str, tenant_id: int, due_at: datetime) -> None:
    """There will be work. Kept apart from the lane of today's work, which must not wait for it."""
    later = insert(Lane).values(kind=later_kind(kind), tenant_id=tenant_id, due_at=due_at)
    db.session.execute(
        later.on_conflict_do_update(
            index_elements=[Lane.kind, Lane.tenant_id],
            set_={"due_at": func.least(Lane.due_at, later.excluded.due_at)},
        )
    )


def later_kind(kind: str) -> str:
    return f"{kind}.later"


def clear_later(kind: str, tenant_id: int) -> None:
    """By whoever looks now, in the transaction that looks: what is still to come is marked anew."""
    db.session.execute(
        delete(Lane).where(Lane.kind == later_kind(kind), Lane.tenant_id == tenant_id)
    )


def pop_later_due(kind: str) -> list[int]:
    """For the sweep: tenants whose later work is due now, taken off that list."""
    due = db.session.execute(
        delete(Lane)
        .where(Lane.kind == later_kind(kind), Lane.due_at <= now())
        .returning(Lane.tenant_id)
    )
    return list(due.scalars())


def promote_later_due(kind: str) -> bool:
    """For the sweep: later work that is due becomes today's. True: there is work to ring for."""
    for tenant_id in pop_later_due(kind):
        mark_due(kind, tenant_id)
    return any_due(kind)


def tenants_with_due_work(kind: str) -> list[int]:
    """For finding what was forgotten: tenants with work of this kind that is due, lane or no lane.

    One trip however many tenants there are; `app.due_<kind>` looks into each under its own name.
    """
    with global_scope():
        return list(db.session.scalars(select(getattr(func.app, f"due_{kind}")(now()))))


def lease_next(kind: str, seconds: float) -> tuple[int, UUID] | None:
    """Take the lane that has waited longest. Returns the tenant and the lease's token."""
    return next(iter(lease_many(kind, seconds, 1)), None)


def lease_many(kind: str, seconds: float, most: int) -> list[tuple[int, UUID]]:
    """Several lanes at once, for a worker that works them side by side."""
    moment, lease = now(), uuid4()
    waiting = (
        _waiting(kind, moment)
        .order_by(Lane.due_at)
        .limit(most)
        # Not stopped by those who share the lane to mark it.
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
    """Keep a lane that is still being worked. False: it is no longer ours."""
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
    """Tenants whose lane is due and in nobody's hands."""
    return select(Lane.tenant_id).where(
        Lane.kind == kind,
        Lane.due_at <= moment,
        or_(Lane.leased_until.is_(None), Lane.leased_until < moment),
    )


def release(kind: str, tenant_id: int, lease: UUID) -> bool:
    """Give the lane back. False: the lease ran out and another worker holds the lane now."""
    gone = db.session.execute(
        delete(Lane)
        .where(Lane.kind == kind, Lane.tenant_id == tenant_id, Lane.lease == lease)
        .returning(Lane.tenant_id)
    )
    return gone.first() is not None
