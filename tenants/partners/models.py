"""Tables of partners. They are global: a partner is known before a tenant is chosen."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import id_column

MOST_TENANTS = 20_000


class Partner(Base):
    """A company that creates tenants and manages them: an agency, a POS vendor, a reseller."""

    __tablename__ = "partners"

    id: Mapped[str] = id_column("ptn")
    name: Mapped[str] = mapped_column(Text)
    plans: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """The plans that it may choose for its tenants; empty: every plan on offer."""
    most_tenants: Mapped[int] = mapped_column(default=MOST_TENANTS)
    created_at: Mapped[datetime] = mapped_column(default=now)
    suspended_at: Mapped[datetime | None]


class PartnerKey(Base):
    __tablename__ = "partner_keys"
    __table_args__ = (Index("partner_keys_partner_idx", "partner_id", "id"),)

    id: Mapped[str] = id_column("pky")
    partner_id: Mapped[str] = mapped_column(Id("ptn"), ForeignKey("partners.id"))
    name: Mapped[str] = mapped_column(Text)
    prefix: Mapped[str] = mapped_column(Text)
    key_hash: Mapped[str] = mapped_column(Text, unique=True)
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


class PartnerRequest(Base):
    """The response to a partner's POST, stored so that a repeat has no second effect.

    It is encrypted, because the response to a new API key contains the key.
    """

    __tablename__ = "partner_requests"
    __table_args__ = (Index("partner_requests_created_idx", "created_at"),)

    partner_id: Mapped[str] = mapped_column(Id("ptn"), primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    fingerprint: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    status: Mapped[int | None]
    body: Mapped[str | None] = mapped_column(EncryptedText("partner_requests.body"))
