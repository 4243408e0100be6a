"""Find the tenant of a key hash, a token or a host name.

A small global table without foreign keys. It is written rarely and read through a cache.
"""

from hashlib import sha256

from sqlalchemy import BigInteger, Text, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from core.db import Base, current_tenant_id, db


class Lookup(Base):
    __tablename__ = "lookups"

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    tenant_id: Mapped[int] = mapped_column(BigInteger)
    target: Mapped[str] = mapped_column(Text)


def secret_digest(secret: str) -> str:
    """The SHA-256 of a secret. Secrets of 128 bits or more cannot be guessed, so no slow hash is
    needed.
    """
    return sha256(secret.encode()).hexdigest()


def add_lookup(kind: str, key: str, target: str) -> None:
    """Make an object of this tenant findable by its key."""
    db.session.execute(
        insert(Lookup).values(kind=kind, key=key, tenant_id=current_tenant_id(), target=target)
    )


def remove_lookup(kind: str, key: str) -> None:
    db.session.execute(
        delete(Lookup).where(
            Lookup.kind == kind, Lookup.key == key, Lookup.tenant_id == current_tenant_id()
        )
    )


def find_lookup(kind: str, key: str) -> tuple[int, str] | None:
    """The tenant id and the target of a key, or None."""
    row = db.session.execute(
        select(Lookup.tenant_id, Lookup.target).where(Lookup.kind == kind, Lookup.key == key)
    ).first()
    return (row.tenant_id, row.target) if row else None
