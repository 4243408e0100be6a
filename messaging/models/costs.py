"""Costs: ledger, daily usage and rates."""

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import (
    Index,
    Integer,
    Text,
)
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column
from messaging.models.columns import USD


class LedgerEntry(Base, TenantOwned):
    """Append-only: what was quoted, what the network settled, and what was refunded."""

    __tablename__ = "ledger_entries"
    __table_args__ = (Index("ledger_entries_message_idx", "tenant_id", "message_id"),)

    id: Mapped[str] = id_column("led")
    at: Mapped[datetime] = mapped_column(default=now)
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    kind: Mapped[str] = mapped_column(Text)
    line_id: Mapped[int] = mapped_column(Integer)
    country: Mapped[str] = mapped_column(Text)
    category: Mapped[str] = mapped_column(Text)
    amount_usd: Mapped[Decimal] = mapped_column(USD)


class UsageDay(Base, TenantOwned):
    __tablename__ = "usage_days"

    day: Mapped[date] = mapped_column(primary_key=True)
    line_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    sent: Mapped[int] = mapped_column(default=0)
    delivered: Mapped[int] = mapped_column(default=0)
    read: Mapped[int] = mapped_column(default=0)
    failed: Mapped[int] = mapped_column(default=0)
    received: Mapped[int] = mapped_column(default=0)
    cost_usd: Mapped[Decimal] = mapped_column(USD, default=Decimal(0))


class Rate(Base):
    """The rate card: the price of one message since a day. Global, edited by operators."""

    __tablename__ = "rates"

    line_kind: Mapped[str] = mapped_column(Text, primary_key=True)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    since: Mapped[date] = mapped_column(primary_key=True)
    usd: Mapped[Decimal] = mapped_column(USD)


class RateOverride(Base, TenantOwned):
    __tablename__ = "rate_overrides"

    line_kind: Mapped[str] = mapped_column(Text, primary_key=True)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    since: Mapped[date] = mapped_column(primary_key=True)
    usd: Mapped[Decimal] = mapped_column(USD)
