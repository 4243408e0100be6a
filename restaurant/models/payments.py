"""Money by card: where it is taken, the links that ask for it, what came, what went back."""

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
    """None: every site without one of its own."""
    key: Mapped[str] = mapped_column(EncryptedText("payment_accounts.key", per_tenant=True))
    secret: Mapped[str | None] = mapped_column(
        EncryptedText("payment_accounts.secret", per_tenant=True)
    )
    """The second half of a pair of keys, where the provider gives a pair."""
    hook_secret: Mapped[str | None] = mapped_column(
        EncryptedText("payment_accounts.hook_secret", per_tenant=True)
    )
    """What its signals are signed with."""
    token: Mapped[str] = mapped_column(EncryptedText("payment_accounts.token", per_tenant=True))
    """In the address its signals are posted to."""
    owner: Mapped[str] = mapped_column(Text, default="")
    """How the provider names the account; learned by the check."""
    live: Mapped[bool] = mapped_column(default=False)
    """Real money; test keys and the simulated provider are not."""
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
    """A request for an amount: of an order, of a cart that may become one, or of its own."""

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
    """The cart's code where there is a cart, so that money may come before the order."""
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
    """The customer gets the address by chat once it is there."""
    told: Mapped[int] = mapped_column(default=0)
    """The attempt whose address the customer has."""
    state: Mapped[str] = mapped_column(Text, default="making")
    """making, open, paid, failed, expired, cancelled, broken"""
    attempt: Mapped[int] = mapped_column(default=1)
    url: Mapped[str] = mapped_column(Text, default="")
    error: Mapped[str] = mapped_column(Text, default="")
    minutes: Mapped[int]
    expires_at: Mapped[datetime]
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    """When the provider is asked next: to make it, or how it stands."""
    source: Mapped[str] = mapped_column(Text)
    """order, staff or api"""
    made_by: Mapped[str] = mapped_column(Text, default="")
    made_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    paid_at: Mapped[datetime | None]


class PaymentSession(Base, TenantOwned):
    """A link as the provider knows it; a renewed link has several, one of them open."""

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
    """Money that a provider says has come."""

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
    """The provider's own name for it: one row for each, however often it is told."""
    reference: Mapped[str] = mapped_column(Text)
    link_id: Mapped[str | None] = mapped_column(Id("plk"))
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    site_id: Mapped[str | None] = mapped_column(Id("sit"))
    amount: Mapped[Decimal] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(Text)
    refunded: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    state: Mapped[str] = mapped_column(Text)
    """parked, accepted, review, kept, refunded"""
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
    """waiting, asking, done, failed, unknown"""
    ref: Mapped[str] = mapped_column(Text, default="")
    error: Mapped[str] = mapped_column(Text, default="")
    by: Mapped[str] = mapped_column(Text, default="")
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]


class PaymentProviderEvent(Base, TenantOwned):
    """What a provider, or somebody in its name, told us; and what that did."""

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
    """What makes a repeat a repeat."""
    hook_id: Mapped[str | None] = mapped_column(Id("hook"))
    kind: Mapped[str] = mapped_column(Text)
    """paid, failed, expired, refunded, other"""
    event: Mapped[str] = mapped_column(Text)
    """As the provider calls it."""
    source: Mapped[str] = mapped_column(Text)
    """hook: it was posted to us; asked: we asked"""
    signed: Mapped[bool] = mapped_column(default=False)
    session: Mapped[str] = mapped_column(Text, default="")
    payment_ref: Mapped[str] = mapped_column(Text, default="")
    reference: Mapped[str] = mapped_column(Text, default="")
    amount: Mapped[Decimal | None] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, done, parked"""
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
