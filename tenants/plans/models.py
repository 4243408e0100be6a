"""Tables of plans, prices, payments and invoices."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Index, LargeBinary, Numeric, Text, text
from sqlalchemy.orm import Mapped, deferred, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.sql.columns import id_column
from tenants.models import USD

MONEY = Numeric(14, 3)


class Plan(Base):
    __tablename__ = "plans"

    code: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    position: Mapped[int]
    rate_per_second: Mapped[int]
    burst: Mapped[int]
    monthly_messages: Mapped[int | None]
    spend_cap_usd: Mapped[Decimal | None] = mapped_column(USD)
    trial_days: Mapped[int | None]
    trial_messages: Mapped[int | None]
    most_lines: Mapped[int | None]
    """The limit when another one is added; None: no limit. The same for the two below."""
    most_members: Mapped[int | None]
    most_sites: Mapped[int | None]
    price: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    """For a month, before tax, if no price in the tenant's own currency is set."""
    currency: Mapped[str] = mapped_column(Text, default="USD")
    base: Mapped[bool] = mapped_column(default=False)
    """The plan that accounts fall back to when a paid plan has expired."""
    retired_at: Mapped[datetime | None]
    """From then on no new tenant gets the plan; those that have it keep it."""


class PlanPrice(Base):
    """The price of a plan in another currency than its own."""

    __tablename__ = "plan_prices"

    plan: Mapped[str] = mapped_column(Text, primary_key=True)
    currency: Mapped[str] = mapped_column(Text, primary_key=True)
    amount: Mapped[Decimal] = mapped_column(MONEY)


class PlanChange(Base):
    """What an operator changed about a plan, and when."""

    __tablename__ = "plan_changes"
    __table_args__ = (Index("plan_changes_plan_idx", "plan", "id"),)

    id: Mapped[str] = id_column("pch")
    plan: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=now)
    by: Mapped[str] = mapped_column(Text)
    act: Mapped[str] = mapped_column(Text)
    """added, changed, retired, offered, base"""
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)


class PlanPayment(Base, TenantOwned):
    """A card payment for a month of a plan."""

    __tablename__ = "plan_payments"
    __table_args__ = (
        Index(
            "plan_payments_open_idx",
            "tenant_id",
            "made_at",
            postgresql_where=text("state = 'open'"),
        ),
    )

    id: Mapped[str] = id_column("ppy")
    plan: Mapped[str] = mapped_column(Text)
    net: Mapped[Decimal] = mapped_column(MONEY)
    tax: Mapped[Decimal] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="making")
    """making, open, paid, failed"""
    provider: Mapped[str] = mapped_column(Text)
    ref: Mapped[str] = mapped_column(Text, default="")
    url: Mapped[str] = mapped_column(Text, default="")
    payment_ref: Mapped[str] = mapped_column(Text, default="")
    made_by: Mapped[str] = mapped_column(Text)
    made_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    paid_at: Mapped[datetime | None]
    invoice: Mapped[str] = mapped_column(Text, default="")

    @property
    def total(self) -> Decimal:
        return self.net + self.tax


class InvoiceYear(Base):
    """The last invoice number of a year; the row is locked while a number is assigned."""

    __tablename__ = "invoice_years"

    year: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    last: Mapped[int]


class Invoice(Base):
    """Issued by the operator, who has to keep it: global, and it outlives its tenant."""

    __tablename__ = "invoices"
    __table_args__ = (
        Index("invoices_tenant_idx", "tenant_id", "year", "number"),
        Index("invoices_replaces_idx", "replaces", unique=True),
    )

    year: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    tenant_id: Mapped[int] = mapped_column(BigInteger)
    issued_at: Mapped[datetime] = mapped_column(default=now)
    name: Mapped[str] = mapped_column(Text)
    plan: Mapped[str] = mapped_column(Text)
    net: Mapped[Decimal] = mapped_column(MONEY)
    tax: Mapped[Decimal] = mapped_column(MONEY)
    tax_percent: Mapped[Decimal] = mapped_column(Numeric(6, 3))
    currency: Mapped[str] = mapped_column(Text)
    begins: Mapped[date | None]
    ends: Mapped[date | None]
    """The month that was paid. Older invoices have it only in their PDF."""
    replaces: Mapped[str | None] = mapped_column(Text)
    """The code of the invoice that this one corrects."""
    pdf: Mapped[bytes] = deferred(mapped_column(LargeBinary, nullable=False))

    @property
    def code(self) -> str:
        return f"{self.year}-{self.number:06d}"

    @property
    def total(self) -> Decimal:
        return self.net + self.tax
