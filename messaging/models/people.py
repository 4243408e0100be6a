"""The people on the other side."""

from datetime import datetime

from sqlalchemy import (
    Index,
    Text,
)
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from messaging.models.columns import new_key, of_tenant


class Contact(Base, TenantOwned):
    __tablename__ = "contacts"
    __table_args__ = (Index("contacts_seen_idx", "tenant_id", "last_seen_at", "id"),)

    id: Mapped[str] = new_key("con")
    name: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str] = mapped_column(Text, default="")
    opted_out_at: Mapped[datetime | None]
    blocked_at: Mapped[datetime | None]
    first_seen_at: Mapped[datetime] = mapped_column(default=now)
    last_seen_at: Mapped[datetime] = mapped_column(default=now)


class Identity(Base, TenantOwned):
    """How a contact is found: by phone, or by the network's own id where there is no phone."""

    __tablename__ = "identities"
    __table_args__ = (
        of_tenant(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("identities_contact_idx", "tenant_id", "contact_id"),
    )

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[str] = mapped_column(Text, primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    spelling: Mapped[str] = mapped_column(Text)
    """The network's own way to write it, kept for sending."""
