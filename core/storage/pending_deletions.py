"""Blobs to delete: listed in the transaction that drops their rows, deleted by a job.

A blob is outside the transaction. If it were deleted before the commit, it would be missing after a
rollback; if it were deleted after the commit, a crash could leave it forever. A key that ends with
a slash is a folder: all blobs in it are deleted.
"""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Index, Text, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, db


class PendingDeletion(Base):
    __tablename__ = "doomed_blobs"
    __table_args__ = (Index("doomed_blobs_doomed_at_idx", "doomed_at"),)

    blob_key: Mapped[str] = mapped_column(Text, primary_key=True)
    doomed_at: Mapped[datetime] = mapped_column(default=now)


def delete_later(keys: Iterable[str | None]) -> int:
    rows = [{"blob_key": key, "doomed_at": now()} for key in keys if key]
    if rows:
        db.session.execute(insert(PendingDeletion).values(rows).on_conflict_do_nothing())
    return len(rows)


def tenant_folders(tenant_id: int) -> list[str]:
    """The folders of a tenant's files, apart from those named in a `…blob_key` column."""
    return [f"{tenant_id}/", f"photos/{tenant_id}/", f"tenants/{tenant_id}/"]


def list_pending(limit: int) -> list[str]:
    query = select(PendingDeletion.blob_key).order_by(PendingDeletion.doomed_at).limit(limit)
    return list(db.session.scalars(query))


def mark_deleted(keys: list[str]) -> None:
    db.session.execute(delete(PendingDeletion).where(PendingDeletion.blob_key.in_(keys)))
