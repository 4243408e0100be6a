"""Lines, messages, the people on the other side, and what it all costs."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    Integer,
    Numeric,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id, new_id
from core.keyring import Sealed

USD = Numeric(14, 6)


def _new(prefix: str) -> Any:
    return mapped_column(Id(prefix), primary_key=True, default=lambda: new_id(prefix))


def _of_tenant(columns: list[str], table: str, keys: list[str], **more: Any) -> Any:
    return ForeignKeyConstraint(
        ["tenant_id", *columns], [f"{table}.{key}" for key in ("tenant_id", *keys)], **more
    )


class Line(Base, TenantOwned):
    """One phone number a tenant sends from; "instance" on the wire."""

    __tablename__ = "lines"
    __table_args__ = (_of_tenant(["fallback_line_id"], "lines", ["id"]),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(Text)
    network: Mapped[str] = mapped_column(Text)
    test: Mapped[bool] = mapped_column(default=False)
    name: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(Text)
    state_because: Mapped[str] = mapped_column(Text, default="")
    state_at: Mapped[datetime] = mapped_column(default=now)
    enabled: Mapped[bool] = mapped_column(default=True)
    is_default: Mapped[bool] = mapped_column(default=False)
    phone_number_id: Mapped[str | None] = mapped_column(Text)
    account_id: Mapped[str | None] = mapped_column(Text)
    token: Mapped[str | None] = mapped_column(Sealed("lines.token", per_tenant=True))
    app_secret: Mapped[str | None] = mapped_column(Sealed("lines.app_secret", per_tenant=True))
    verify_token: Mapped[str | None] = mapped_column(Text)
    hook_token: Mapped[str | None] = mapped_column(Text)
    per_second: Mapped[Decimal] = mapped_column(Numeric(8, 3))
    paused_until: Mapped[datetime | None]
    fallback_line_id: Mapped[int | None] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class Contact(Base, TenantOwned):
    __tablename__ = "contacts"
    __table_args__ = (Index("contacts_seen_idx", "tenant_id", "last_seen_at", "id"),)

    id: Mapped[str] = _new("con")
    name: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str] = mapped_column(Text, default="")
    opted_out_at: Mapped[datetime | None]
    blocked_at: Mapped[datetime | None]
    first_seen_at: Mapped[datetime] = mapped_column(default=now)
    last_seen_at: Mapped[datetime] = mapped_column(default=now)


class Identity(Base, TenantOwned):
    """How a contact is found: by phone, or by the network's own id where there is no phone."""

    __tablename__ = "identities"
    __table_args__ = (
        _of_tenant(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("identities_contact_idx", "tenant_id", "contact_id"),
    )

    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[str] = mapped_column(Text, primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    spelling: Mapped[str] = mapped_column(Text)
    """The network's own way to write it, kept for sending."""


class Conversation(Base, TenantOwned):
    __tablename__ = "conversations"
    __table_args__ = (
        UniqueConstraint("tenant_id", "line_id", "contact_id"),
        _of_tenant(["line_id"], "lines", ["id"]),
        _of_tenant(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("conversations_last_idx", "tenant_id", "last_at", "id"),
    )

    id: Mapped[str] = _new("cnv")
    line_id: Mapped[int] = mapped_column(Integer)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    last_message_id: Mapped[str] = mapped_column(Id("msg"))
    last_at: Mapped[datetime]
    window_until: Mapped[datetime | None]
    unread: Mapped[int] = mapped_column(default=0)


class Message(Base, TenantOwned):
    """`due_at` is when the next thing has to happen to it; empty when nothing has to."""

    __tablename__ = "messages"
    __table_args__ = (
        Index(
            "messages_due_idx",
            "tenant_id",
            "priority",
            "due_at",
            "id",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index("messages_phone_idx", "tenant_id", "phone", "id"),
        Index("messages_line_idx", "tenant_id", "line_id", "id"),
        Index(
            "messages_reference_idx",
            "tenant_id",
            "reference",
            "id",
            postgresql_where=text("reference IS NOT NULL"),
        ),
        Index(
            "messages_trouble_idx",
            "tenant_id",
            "state",
            "id",
            postgresql_where=text("state IN ('failed', 'unknown', 'expired')"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = _new("msg")
    line_id: Mapped[int] = mapped_column(Integer)
    direction: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text)
    contact_id: Mapped[str | None] = mapped_column(Id("con"))
    text: Mapped[str] = mapped_column(Text)
    content: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(Text)
    priority: Mapped[int] = mapped_column(SmallInteger, default=0)
    attempt: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None]
    valid_until: Mapped[datetime | None]
    reference: Mapped[str | None] = mapped_column(Text)
    network_id: Mapped[str | None] = mapped_column(Text)
    country: Mapped[str] = mapped_column(Text, default="")
    category: Mapped[str] = mapped_column(Text, default="")
    quoted_usd: Mapped[Decimal] = mapped_column(USD, default=Decimal(0))
    cost_usd: Mapped[Decimal] = mapped_column(USD, default=Decimal(0))
    test: Mapped[bool] = mapped_column(default=False)
    error_code: Mapped[str | None] = mapped_column(Text)
    error_text: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class MessageChange(Base, TenantOwned):
    """The timeline: every change of state with its time and cause."""

    __tablename__ = "message_changes"
    __table_args__ = ({"postgresql_partition_by": "RANGE (message_id)"},)

    message_id: Mapped[str] = mapped_column(Id("msg"), primary_key=True)
    id: Mapped[str] = _new("chg")
    at: Mapped[datetime] = mapped_column(default=now)
    state: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text, default="")


class NetworkId(Base, TenantOwned):
    """Finds a message by the network's id without looking through the months."""

    __tablename__ = "network_ids"

    network_id: Mapped[str] = mapped_column(Text, primary_key=True)
    message_id: Mapped[str] = mapped_column(Id("msg"))


class LedgerEntry(Base, TenantOwned):
    """Append-only: what was quoted, what the network settled, what was given back."""

    __tablename__ = "ledger_entries"
    __table_args__ = (Index("ledger_entries_message_idx", "tenant_id", "message_id"),)

    id: Mapped[str] = _new("led")
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
    """The rate card: what one message costs, since when. Global, edited by operators."""

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


class ReceivedHook(Base, TenantOwned):
    """What somebody posted to us, as it came, until it is understood."""

    __tablename__ = "received_hooks"
    __table_args__ = (
        Index(
            "received_hooks_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = _new("hook")
    kind: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    body: Mapped[bytes]
    state: Mapped[str] = mapped_column(Text, default="waiting")
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    error: Mapped[str | None] = mapped_column(Text)
    received_at: Mapped[datetime] = mapped_column(default=now)
