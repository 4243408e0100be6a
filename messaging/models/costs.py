"""Costs: ledger, daily usage and rates."""

from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import (
    BigInteger,
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


class FreeMessageDay(Base, TenantOwned):
    """How many messages of a day the network did not bill, and why (`rates.FREE_REASONS`)."""

    __tablename__ = "free_message_days"

    day: Mapped[date] = mapped_column(primary_key=True)
    line_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    reason: Mapped[str] = mapped_column(Text, primary_key=True)
    messages: Mapped[int]


class Sourced:
    """Where a row of the rate card comes from, and when somebody compared it last."""

    source: Mapped[str] = mapped_column(Text, default="")
    """Empty if no source is known; the portal shows that."""
    checked_on: Mapped[date | None]


class Rate(Sourced, Base):
    """The rate card: the price of one message since a day. Global, edited by operators."""

    __tablename__ = "rates"

    line_kind: Mapped[str] = mapped_column(Text, primary_key=True)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    since: Mapped[date] = mapped_column(primary_key=True)
    usd: Mapped[Decimal] = mapped_column(USD)


class RateTier(Sourced, Base):
    """The price from a number of billed messages in a month on (the network's volume tiers)."""

    __tablename__ = "rate_tiers"

    line_kind: Mapped[str] = mapped_column(Text, primary_key=True)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    since: Mapped[date] = mapped_column(primary_key=True)
    from_messages: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    usd: Mapped[Decimal] = mapped_column(USD)


class RateAllowance(Sourced, Base):
    """What the network does not bill since a day; the names are in `rates.ALLOWANCES`."""

    __tablename__ = "rate_allowances"

    line_kind: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text, primary_key=True)
    since: Mapped[date] = mapped_column(primary_key=True)
    amount: Mapped[int]


class VolumeTier(Base, TenantOwned):
    """A volume tier that one of the tenant's accounts has reached in a month."""

    __tablename__ = "volume_tiers"

    account_id: Mapped[str] = mapped_column(Text, primary_key=True)
    month: Mapped[date] = mapped_column(primary_key=True)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    from_messages: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    reached_at: Mapped[datetime]


class RateOverride(Base, TenantOwned):
    __tablename__ = "rate_overrides"

    line_kind: Mapped[str] = mapped_column(Text, primary_key=True)
    country: Mapped[str] = mapped_column(Text, primary_key=True)
    category: Mapped[str] = mapped_column(Text, primary_key=True)
    since: Mapped[date] = mapped_column(primary_key=True)
    usd: Mapped[Decimal] = mapped_column(USD)
