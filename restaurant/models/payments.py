"""Online payments: provider accounts, payment links, payments, refunds and provider events."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Index, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY


class PaymentAccount(Base, TenantOwned):
    """A tenant's account at a payment provider, for one site or for all."""

    __tablename__ = "payment_accounts"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"]),)

    id: Mapped[str] = id_column("pac")
    provider: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    site_id: Mapped[str | None] = mapped_column(Id("sit"))
    """None: all sites without an account of their own."""
    key: Mapped[str] = mapped_column(EncryptedText("payment_accounts.key", per_tenant=True))
    secret: Mapped[str | None] = mapped_column(
        EncryptedText("payment_accounts.secret", per_tenant=True)
    )
    """The second key, for providers that issue a pair."""
    hook_secret: Mapped[str | None] = mapped_column(
        EncryptedText("payment_accounts.hook_secret", per_tenant=True)
    )
    """The secret that signs the provider's events."""
    token: Mapped[str] = mapped_column(EncryptedText("payment_accounts.token", per_tenant=True))
    """Part of the URL that the provider posts events to."""
    owner: Mapped[str] = mapped_column(Text, default="")
    """The provider's id of the account, as returned by the credentials check."""
    live: Mapped[bool] = mapped_column(default=False)
    """Real money; False for test keys and the simulated provider."""
    enabled: Mapped[bool] = mapped_column(default=True)
    link_minutes: Mapped[int] = mapped_column(default=60)
    checked_at: Mapped[datetime | None]
    check_error: Mapped[str] = mapped_column(Text, default="")
    refused: Mapped[int] = mapped_column(default=0)
    refused_at: Mapped[datetime | None]
    last_signal_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class PaymentLink(Base, TenantOwned):
    """A request for an amount: for an order, for a cart that may become one, or standalone."""

    __tablename__ = "payment_links"
    __table_args__ = (
        UniqueConstraint("tenant_id", "reference"),
        tenant_foreign_key(["account_id"], "payment_accounts", ["id"]),
        tenant_foreign_key(["site_id"], "sites", ["id"]),
        Index("payment_links_order_idx", "tenant_id", "order_id"),
        Index("payment_links_state_idx", "tenant_id", "state", "id"),
        Index(
            "payment_links_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("plk")
    reference: Mapped[str] = mapped_column(Text)
    """The cart's code if there is a cart, so that it can be paid before the order exists."""
    account_id: Mapped[str] = mapped_column(Id("pac"))
    site_id: Mapped[str] = mapped_column(Id("sit"))
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    cart_id: Mapped[str | None] = mapped_column(Id("crt"))
    amount: Mapped[Decimal] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text, default="")
    customer_phone: Mapped[str] = mapped_column(Text, default="")
    customer_name: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str] = mapped_column(Text, default="en")
    test: Mapped[bool] = mapped_column(default=False)
    tell: Mapped[bool] = mapped_column(default=False)
    """Whether to send the URL to the customer by chat once it exists."""
    told: Mapped[int] = mapped_column(default=0)
    """The last attempt whose URL was sent to the customer."""
    state: Mapped[str] = mapped_column(Text, default="making")
    """making, open, paid, failed, expired, cancelled or broken"""
    attempt: Mapped[int] = mapped_column(default=1)
    url: Mapped[str] = mapped_column(Text, default="")
    error: Mapped[str] = mapped_column(Text, default="")
    minutes: Mapped[int]
    expires_at: Mapped[datetime]
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    """When to call the provider next, to create the link or to ask for its status."""
    source: Mapped[str] = mapped_column(Text)
    """order, staff, api or tab"""
    made_by: Mapped[str] = mapped_column(Text, default="")
    made_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    paid_at: Mapped[datetime | None]


class PaymentSession(Base, TenantOwned):
    """The provider's session for a link; a renewed link has several, of which one is open."""

    __tablename__ = "payment_sessions"
    __table_args__ = (
        tenant_foreign_key(["link_id"], "payment_links", ["id"], ondelete="CASCADE"),
        Index("payment_sessions_link_idx", "tenant_id", "link_id"),
        Index(
            "payment_sessions_close_idx",
            "tenant_id",
            "close_at",
            postgresql_where=text("close_at IS NOT NULL"),
        ),
    )

    account_id: Mapped[str] = mapped_column(Id("pac"), primary_key=True)
    ref: Mapped[str] = mapped_column(Text, primary_key=True)
    link_id: Mapped[str] = mapped_column(Id("plk"))
    attempt: Mapped[int]
    url: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime]
    made_at: Mapped[datetime] = mapped_column(default=now)
    close_at: Mapped[datetime | None]
    tries: Mapped[int] = mapped_column(default=0)
    closed_at: Mapped[datetime | None]


class Payment(Base, TenantOwned):
    """Money received, as confirmed by a provider."""

    __tablename__ = "payments"
    __table_args__ = (
        UniqueConstraint("tenant_id", "account_id", "ref"),
        tenant_foreign_key(["account_id"], "payment_accounts", ["id"]),
        Index("payments_order_idx", "tenant_id", "order_id"),
        Index("payments_reference_idx", "tenant_id", "reference"),
        Index("payments_state_idx", "tenant_id", "state", "id"),
    )

    id: Mapped[str] = id_column("pay")
    account_id: Mapped[str] = mapped_column(Id("pac"))
    ref: Mapped[str] = mapped_column(Text)
    """The provider's id of the payment; unique, however often it is reported."""
    reference: Mapped[str] = mapped_column(Text)
    link_id: Mapped[str | None] = mapped_column(Id("plk"))
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    site_id: Mapped[str | None] = mapped_column(Id("sit"))
    amount: Mapped[Decimal] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(Text)
    refunded: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    surplus: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0), server_default="0")
    """For a share of a tab: the part that the bill no longer has, for example a voided item."""
    state: Mapped[str] = mapped_column(Text)
    """parked, accepted, review, kept or refunded"""
    why: Mapped[str] = mapped_column(Text, default="")
    """Why it is in review."""
    test: Mapped[bool] = mapped_column(default=False)
    paid_at: Mapped[datetime]
    at: Mapped[datetime] = mapped_column(default=now)
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(Text, default="")
    decided_because: Mapped[str] = mapped_column(Text, default="")


class Refund(Base, TenantOwned):
    __tablename__ = "refunds"
    __table_args__ = (
        tenant_foreign_key(["payment_id"], "payments", ["id"], ondelete="CASCADE"),
        Index("refunds_payment_idx", "tenant_id", "payment_id"),
        Index(
            "refunds_due_idx", "tenant_id", "due_at", postgresql_where=text("due_at IS NOT NULL")
        ),
    )

    id: Mapped[str] = id_column("rfd")
    payment_id: Mapped[str] = mapped_column(Id("pay"))
    amount: Mapped[Decimal] = mapped_column(MONEY)
    reason: Mapped[str] = mapped_column(Text)
    """Of restaurant/orders/hold_reasons.py; what a person wrote is under `other`."""
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, asking, done, failed or unknown"""
    ref: Mapped[str] = mapped_column(Text, default="")
    error: Mapped[str] = mapped_column(Text, default="")
    by: Mapped[str] = mapped_column(Text, default="")
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]


class PaymentProviderEvent(Base, TenantOwned):
    """An event from a provider, or forged in its name, and its outcome."""

    __tablename__ = "payment_signals"
    __table_args__ = (
        UniqueConstraint("tenant_id", "account_id", "key"),
        tenant_foreign_key(["account_id"], "payment_accounts", ["id"]),
        Index("payment_signals_link_idx", "tenant_id", "link_id", "id"),
        Index("payment_signals_outcome_idx", "tenant_id", "outcome", "id"),
        Index(
            "payment_signals_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("sig")
    account_id: Mapped[str] = mapped_column(Id("pac"))
    key: Mapped[str] = mapped_column(Text)
    """Identifies repeated events."""
    hook_id: Mapped[str | None] = mapped_column(Id("hook"))
    kind: Mapped[str] = mapped_column(Text)
    """paid, failed, expired, refunded or other"""
    event: Mapped[str] = mapped_column(Text)
    """The provider's name for the event."""
    source: Mapped[str] = mapped_column(Text)
    """hook: posted to us; asked: found by a status request"""
    signed: Mapped[bool] = mapped_column(default=False)
    session: Mapped[str] = mapped_column(Text, default="")
    payment_ref: Mapped[str] = mapped_column(Text, default="")
    reference: Mapped[str] = mapped_column(Text, default="")
    amount: Mapped[Decimal | None] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, done or parked"""
    outcome: Mapped[str] = mapped_column(Text, default="")
    note: Mapped[str] = mapped_column(Text, default="")
    link_id: Mapped[str | None] = mapped_column(Id("plk"))
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    payment_id: Mapped[str | None] = mapped_column(Id("pay"))
    times: Mapped[int] = mapped_column(default=1)
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    at: Mapped[datetime] = mapped_column(default=now)
    last_at: Mapped[datetime] = mapped_column(default=now)
