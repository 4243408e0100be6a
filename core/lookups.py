"""What must be found before the tenant is known: key hashes, tokens, hosts.

A small global table without foreign keys, written rarely and read under a cache.
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
    """Secrets of 128 bits and more need no slow hash: they cannot be guessed."""
    return sha256(secret.encode()).hexdigest()


def add_lookup(kind: str, key: str, target: str) -> None:
    """Make this tenant's thing findable by its key."""
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
    """The tenant and the thing behind a key, or None."""
    row = db.session.execute(
        select(Lookup.tenant_id, Lookup.target).where(Lookup.kind == kind, Lookup.key == key)
    ).first()
    return (row.tenant_id, row.target) if row else None
