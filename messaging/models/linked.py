"""Lines that are linked phones: the requested and the current state of their sessions."""

from datetime import date, datetime

from sqlalchemy import Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.db import Base, TenantOwned
from core.sql.columns import tenant_foreign_key


class LinkedLine(Base, TenantOwned):
    """Extends the line's row. The session keys are in another database that only hosts reach."""

    __tablename__ = "linked_lines"
    __table_args__ = (tenant_foreign_key(["line_id"], "lines", ["id"]),)

    line_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    wanted: Mapped[str] = mapped_column(Text, default="nothing")
    """nothing, session or logout"""
    code_phone: Mapped[str] = mapped_column(Text, default="")
    """Link with a code that is typed into this phone instead of a QR code."""
    qr: Mapped[str | None] = mapped_column(Text)
    code: Mapped[str | None] = mapped_column(Text)
    shown_until: Mapped[datetime | None]
    """When the QR code or the typed code expires."""
    paired_at: Mapped[datetime | None]
    """When this number was first linked: its warm-up starts then."""
    seen_at: Mapped[datetime | None]
    host: Mapped[str] = mapped_column(Text, default="")


class LinkedDay(Base, TenantOwned):
    """How much of its daily limit a linked line has used."""

    __tablename__ = "linked_days"
    __table_args__ = (tenant_foreign_key(["line_id"], "lines", ["id"]),)

    line_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(primary_key=True)
    sent: Mapped[int] = mapped_column(default=0)
    strangers: Mapped[int] = mapped_column(default=0)
    """Recipients who never wrote first."""
