"""Purchases that are reported to Meta's Conversions API."""

from datetime import datetime

from sqlalchemy import Index, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText


class AdConversionSettings(Base, TenantOwned):
    """Off until the tenant enters a dataset and its token."""

    __tablename__ = "ad_conversion_settings"

    dataset_id: Mapped[str] = mapped_column(Text)
    token: Mapped[str] = mapped_column(
        EncryptedText("ad_conversion_settings.token", per_tenant=True)
    )
    enabled: Mapped[bool] = mapped_column(default=True)
    sent_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Text, default="")
    """What Meta answered last, or why it could not be reached; empty after a success."""
    changed_at: Mapped[datetime] = mapped_column(default=now)


class AdConversion(Base, TenantOwned):
    """One row, and so at most one purchase event, per order."""

    __tablename__ = "ad_conversions"
    __table_args__ = (
        Index(
            "ad_conversions_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index("ad_conversions_contact_idx", "tenant_id", "contact_id"),
    )

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    contact_id: Mapped[str | None] = mapped_column(Id("con"))
    click_id: Mapped[str] = mapped_column(Text)
    """The network's `ctwa_clid` of the ad."""
    account_id: Mapped[str] = mapped_column(Text)
    """The WhatsApp business account of the line."""
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, sending, sent, failed, unknown or skipped"""
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    settled_at: Mapped[datetime | None]
