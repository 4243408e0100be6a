"""Lines that are a phone's own app: what is wanted of their session, and how it is."""

from datetime import date, datetime

from sqlalchemy import Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.db import Base, TenantOwned
from core.sql.columns import tenant_foreign_key


class LinkedLine(Base, TenantOwned):
    """Beside the line's own row. The keys of its session are elsewhere: only hosts reach them."""

    __tablename__ = "linked_lines"
    __table_args__ = (tenant_foreign_key(["line_id"], "lines", ["id"]),)

    line_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    wanted: Mapped[str] = mapped_column(Text, default="nothing")
    """nothing, session or logout"""
    code_phone: Mapped[str] = mapped_column(Text, default="")
    """Link by a code that is typed into this phone, instead of a QR code."""
    qr: Mapped[str | None] = mapped_column(Text)
    code: Mapped[str | None] = mapped_column(Text)
    shown_until: Mapped[datetime | None]
    """When the QR code or the typed code runs out."""
    paired_at: Mapped[datetime | None]
    """When this number was first linked: its warm-up counts from here."""
    seen_at: Mapped[datetime | None]
    host: Mapped[str] = mapped_column(Text, default="")


class LinkedDay(Base, TenantOwned):
    """What a linked line has used of its day."""

    __tablename__ = "linked_days"
    __table_args__ = (tenant_foreign_key(["line_id"], "lines", ["id"]),)

    line_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(primary_key=True)
    sent: Mapped[int] = mapped_column(default=0)
    strangers: Mapped[int] = mapped_column(default=0)
    """People who never wrote first and were written to."""
