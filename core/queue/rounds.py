"""Rounds: work over all tenants that takes longer than one job may. The cursor is a row."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, Text, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, db


class Round(Base):
    __tablename__ = "rounds"

    job: Mapped[str] = mapped_column(Text, primary_key=True)
    under_way: Mapped[bool]
    after_tenant: Mapped[int] = mapped_column(BigInteger)
    """Tenants up to this id are done."""
    unfinished: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    """Tenants whose time ran out before their work was done; they come again after all others."""
    began_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    """When the last complete round ended."""
    lease: Mapped[UUID | None]
    leased_until: Mapped[datetime | None]


def claim(job: str, seconds: float) -> Round | None:
    """Continue the current round, or begin one. None: another worker has it."""
    moment = now()
    first = insert(Round).values(
        job=job, under_way=False, after_tenant=0, unfinished=[], began_at=moment
    )
    db.session.execute(first.on_conflict_do_nothing())
    free = or_(Round.leased_until.is_(None), Round.leased_until < moment)
    taken = db.session.execute(
        update(Round)
        .where(Round.job == job, free)
        .values(lease=uuid4(), leased_until=moment + timedelta(seconds=seconds))
        .returning(Round.job)
    )
    if taken.first() is None:
        return None
    one = db.session.get_one(Round, job, populate_existing=True)
    if not one.under_way:
        one.under_way, one.after_tenant, one.unfinished, one.began_at = True, 0, [], moment
    return one


def save_progress(one: Round, seconds: float) -> bool:
    """Save how far the round is. False: the lease expired and another worker has the round."""
    return _write(one, leased_until=now() + timedelta(seconds=seconds))


def release(one: Round, *, finished: bool) -> None:
    values = {"under_way": False, "finished_at": now()} if finished else {}
    _write(one, lease=None, leased_until=None, **values)


def _write(one: Round, **values: object) -> bool:
    written = db.session.execute(
        update(Round)
        .where(Round.job == one.job, Round.lease == one.lease)
        .values(after_tenant=one.after_tenant, unfinished=one.unfinished, **values)
        .returning(Round.job)
        .execution_options(synchronize_session=False)
    )
    return written.first() is not None


def interrupted() -> list[str]:
    """Rounds that have begun and have no worker, for example after one died."""
    free = or_(Round.leased_until.is_(None), Round.leased_until < now())
    return list(db.session.scalars(select(Round.job).where(Round.under_way, free)))


def ages() -> dict[str, float]:
    """Seconds since each round was last finished, or since the first one began."""
    rows = db.session.execute(select(Round.job, Round.finished_at, Round.began_at))
    return {job: (now() - (ended or began)).total_seconds() for job, ended, began in rows}
