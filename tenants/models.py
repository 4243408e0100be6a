"""Tables of tenants, people, teams, API keys and their logs."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    Index,
    Numeric,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import id_column

USD = Numeric(14, 6)


class Tenant(Base):
    """Global, because tenants are listed before one is chosen. Settings are in Account."""

    __tablename__ = "tenants"
    __table_args__ = (
        Index("tenants_created_at_idx", "created_at", "id"),
        Index("tenants_erase_at_idx", "erase_at", postgresql_where=text("erase_at IS NOT NULL")),
        Index("tenants_plan_idx", "plan", "id"),
        Index(
            "tenants_partner_idx",
            "partner_id",
            "created_at",
            "id",
            postgresql_where=text("partner_id IS NOT NULL"),
        ),
        Index(
            "tenants_partner_reference_idx",
            "partner_id",
            "partner_reference",
            unique=True,
            postgresql_where=text("partner_reference IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="active")
    plan: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    suspended_at: Mapped[datetime | None]
    suspended_because: Mapped[str | None] = mapped_column(Text)
    closed_at: Mapped[datetime | None]
    closed_by: Mapped[str] = mapped_column(Text, default="")
    erase_at: Mapped[datetime | None]
    """When a closed account is erased."""
    wanted_plan: Mapped[str | None] = mapped_column(Text)
    wanted_at: Mapped[datetime | None]
    wanted_by: Mapped[str] = mapped_column(Text, default="")
    partner_id: Mapped[str | None] = mapped_column(Id("ptn"))
    """The partner that created and manages the tenant; see tenants/partners."""
    partner_reference: Mapped[str | None] = mapped_column(Text)
    """The partner's own id of the tenant."""
    suspended_by_partner: Mapped[bool] = mapped_column(default=False)

    @property
    def suspended(self) -> bool:
        return self.state == "suspended"


class Account(Base, TenantOwned):
    """A tenant's settings, its own limits where they differ from the plan's, and its trial."""

    __tablename__ = "accounts"

    locale: Mapped[str] = mapped_column(Text, default="en")
    time_zone: Mapped[str] = mapped_column(Text, default="UTC")
    country: Mapped[str] = mapped_column(Text, default="")
    currency: Mapped[str] = mapped_column(Text, default="USD")
    rate_per_second: Mapped[int | None]
    burst: Mapped[int | None]
    monthly_messages: Mapped[int | None]
    spend_cap_usd: Mapped[Decimal | None] = mapped_column(USD)
    chosen_cap_usd: Mapped[Decimal | None] = mapped_column(USD)
    """The tenant's own choice, below what plan or operator allow."""
    trial_started_at: Mapped[datetime | None]
    trial_used: Mapped[int] = mapped_column(default=0)
    message_days: Mapped[int | None]
    """How many days texts are kept; None: forever. The same for the three below, where None means
    as long as the service keeps them.
    """
    media_days: Mapped[int | None]
    call_days: Mapped[int | None]
    hook_days: Mapped[int | None]
    blanked_until: Mapped[datetime | None]
    media_dropped_until: Mapped[datetime | None]
    aims: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """What the tenant signed up for: messages, restaurant, shop."""
    steps_hidden_at: Mapped[datetime | None]
    paid_until: Mapped[date | None]
    """The last day that is paid; None: the plan does not expire."""
    plan_word: Mapped[str] = mapped_column(Text, default="")
    """The last renewal notice that was sent for that day: week, day, over."""
    plan_word_at: Mapped[datetime | None]
    lapsed: Mapped[dict[str, Any] | None]
    """For an account whose plan expired: the plan, since when, and the limits that paying
    restores.
    """
    kept_plan: Mapped[str | None] = mapped_column(Text)
    """The plan whose earlier price this account keeps after a price change."""
    kept_price: Mapped[Decimal | None] = mapped_column(Numeric(14, 3))
    kept_currency: Mapped[str | None] = mapped_column(Text)
    billing_name: Mapped[str] = mapped_column(Text, default="")
    billing_address: Mapped[str] = mapped_column(Text, default="")
    billing_tax_number: Mapped[str] = mapped_column(Text, default="")


class UsageMonth(Base, TenantOwned):
    """What a tenant has used in a calendar month (UTC), counted in the transaction that uses it."""

    __tablename__ = "usage_months"

    month: Mapped[date] = mapped_column(primary_key=True)
    messages: Mapped[int] = mapped_column(default=0)
    spend_usd: Mapped[Decimal] = mapped_column(USD, default=Decimal(0))
    warned_percent: Mapped[int] = mapped_column(default=0)


class Person(Base):
    """Somebody who signs in. A person may belong to several tenants, so the table is global."""

    __tablename__ = "people"

    id: Mapped[str] = id_column("per")
    email: Mapped[str] = mapped_column(Text)
    email_key: Mapped[str] = mapped_column(Text, unique=True)
    name: Mapped[str] = mapped_column(Text)
    password_hash: Mapped[str] = mapped_column(Text)
    verified_at: Mapped[datetime | None]
    locale: Mapped[str] = mapped_column(Text, default="en")
    time_zone: Mapped[str] = mapped_column(Text, default="UTC")
    theme: Mapped[str] = mapped_column(Text, default="auto")
    totp_secret: Mapped[str | None] = mapped_column(EncryptedText("people.totp_secret"))
    totp_used_step: Mapped[int | None] = mapped_column(BigInteger)
    two_step_since: Mapped[datetime | None]
    operator: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)


class RecoveryCode(Base):
    __tablename__ = "recovery_codes"

    person_id: Mapped[str] = mapped_column(Id("per"), primary_key=True)
    code_hash: Mapped[str] = mapped_column(Text, primary_key=True)
    used_at: Mapped[datetime | None]


class SignIn(Base):
    """One signed-in browser."""

    __tablename__ = "sign_ins"

    id: Mapped[str] = id_column("ses")
    person_id: Mapped[str] = mapped_column(Id("per"), index=True)
    token_hash: Mapped[str] = mapped_column(Text, unique=True)
    tenant_id: Mapped[int | None] = mapped_column(BigInteger)
    address: Mapped[str] = mapped_column(Text)
    agent: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]


class PersonToken(Base):
    """A link sent by e-mail: verify an address, set a new password. Used once."""

    __tablename__ = "person_tokens"

    token_hash: Mapped[str] = mapped_column(Text, primary_key=True)
    person_id: Mapped[str] = mapped_column(Id("per"), index=True)
    purpose: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text, default="")
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class PersonEvent(Base):
    """An event of a person's own sign-in, independent of the tenant."""

    __tablename__ = "person_events"
    __table_args__ = (Index(None, "person_id", "id"),)

    id: Mapped[str] = id_column("evt")
    person_id: Mapped[str] = mapped_column(Id("per"))
    at: Mapped[datetime] = mapped_column(default=now)
    act: Mapped[str] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text, default="")


class Membership(Base):
    """Which tenants a person belongs to; the role is in Member, inside the tenant."""

    __tablename__ = "memberships"

    person_id: Mapped[str] = mapped_column(Id("per"), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)


class Member(Base, TenantOwned):
    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("tenant_id", "person_id"),)

    id: Mapped[str] = id_column("mem")
    person_id: Mapped[str] = mapped_column(Id("per"))
    role: Mapped[str] = mapped_column(Text)
    joined_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime | None]


class Invitation(Base, TenantOwned):
    __tablename__ = "invitations"
    __table_args__ = (Index(None, "tenant_id", "email_key"),)

    id: Mapped[str] = id_column("inv")
    email: Mapped[str] = mapped_column(Text)
    email_key: Mapped[str] = mapped_column(Text)
    role: Mapped[str] = mapped_column(Text)
    token_hash: Mapped[str] = mapped_column(Text)
    invited_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    accepted_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class ApiKey(Base, TenantOwned):
    __tablename__ = "api_keys"
    __table_args__ = (UniqueConstraint("tenant_id", "key_hash"),)

    id: Mapped[str] = id_column("key")
    name: Mapped[str] = mapped_column(Text)
    mode: Mapped[str] = mapped_column(Text)
    prefix: Mapped[str] = mapped_column(Text)
    key_hash: Mapped[str] = mapped_column(Text)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    line_ids: Mapped[list[int] | None] = mapped_column(ARRAY(BigInteger))
    rate_per_second: Mapped[int | None]
    created_by: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    replaces: Mapped[str | None] = mapped_column(Id("key"))
    app: Mapped[bool] = mapped_column(default=False)
    """The rights of a connected app (tenants/apps); nobody has a secret for it."""


class IdempotencyKey(Base, TenantOwned):
    """The response to a POST, stored so that a repeat has no second effect."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index(None, "tenant_id", "created_at"),)

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    fingerprint: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
    status: Mapped[int | None]
    headers: Mapped[dict[str, Any] | None]
    body: Mapped[str | None] = mapped_column(Text)


class ApiCall(Base, TenantOwned):
    """One API request, masked. Its id is the request id; see tenants/request_log.py."""

    __tablename__ = "api_calls"
    __table_args__ = (
        Index("api_calls_call_idx", "tenant_id", "call", "id"),
        Index("api_calls_key_idx", "tenant_id", "key_id", "id"),
        Index("api_calls_refused_idx", "tenant_id", "id", postgresql_where=text("status >= 400")),
    )

    id: Mapped[str] = mapped_column(Id("req"), primary_key=True)
    at: Mapped[datetime]
    method: Mapped[str] = mapped_column(Text)
    path: Mapped[str] = mapped_column(Text)
    query: Mapped[str] = mapped_column(Text)
    call: Mapped[str] = mapped_column(Text)
    status: Mapped[int] = mapped_column(SmallInteger)
    code: Mapped[str] = mapped_column(Text)
    duration_ms: Mapped[int]
    key_id: Mapped[str] = mapped_column(Text)
    key_name: Mapped[str] = mapped_column(Text)
    address: Mapped[str] = mapped_column(Text)
    asked: Mapped[str] = mapped_column(Text)
    answered: Mapped[str] = mapped_column(Text)


class AuditEntry(Base, TenantOwned):
    __tablename__ = "audit_entries"
    __table_args__ = (Index(None, "tenant_id", "act", "id"),)

    id: Mapped[str] = id_column("aud")
    at: Mapped[datetime] = mapped_column(default=now)
    actor_kind: Mapped[str] = mapped_column(Text)
    actor_id: Mapped[str] = mapped_column(Text)
    actor_name: Mapped[str] = mapped_column(Text)
    act: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    address: Mapped[str] = mapped_column(Text, default="")
    request_id: Mapped[str] = mapped_column(Text, default="")


class Export(Base, TenantOwned):
    """An export of all data of a tenant. Its file is kept for a week."""

    __tablename__ = "exports"
    __table_args__ = (Index("exports_asked_idx", "tenant_id", "asked_at"),)

    id: Mapped[str] = id_column("exp")
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, working, ready, failed, gone"""
    done: Mapped[int] = mapped_column(default=0)
    whole: Mapped[int] = mapped_column(default=0)
    records: Mapped[int] = mapped_column(BigInteger, default=0)
    steps: Mapped[int] = mapped_column(default=0, server_default="0")
    work: Mapped[dict[str, Any] | None]
    """The cursor and the parts; only while the export is being made."""
    size: Mapped[int | None] = mapped_column(BigInteger)
    blob_key: Mapped[str | None] = mapped_column(Text)
    asked_by: Mapped[str] = mapped_column(Text)
    asked_at: Mapped[datetime] = mapped_column(default=now)
    worked_at: Mapped[datetime | None]
    ready_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
