"""Messages, their timelines, and the lookup by network id."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    Index,
    Integer,
    SmallInteger,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column
from messaging.models.columns import USD


class Message(Base, TenantOwned):
    """`due_at` is when the message needs work again; None if it does not."""

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
        Index(
            "messages_pending_idx",
            "tenant_id",
            "line_id",
            "phone",
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
        Index(
            "messages_received_idx",
            "tenant_id",
            "id",
            postgresql_where=text("direction = 'in'"),
        ),
        Index(
            "messages_cancelled_idx",
            "tenant_id",
            "id",
            postgresql_where=text("state = 'cancelled'"),
        ),
        Index(
            "messages_template_idx",
            "tenant_id",
            text("(content ->> 'name')"),
            "id",
            postgresql_where=text("kind = 'template'"),
        ),
        Index(
            "messages_referral_idx",
            "tenant_id",
            "id",
            postgresql_where=text("direction = 'in' AND jsonb_exists(content, 'referral')"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = id_column("msg")
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
    free_reason: Mapped[str | None] = mapped_column(Text)
    """Why the network did not bill it (`rates.FREE_REASONS`); set by a receipt."""
    test: Mapped[bool] = mapped_column(default=False)
    error_code: Mapped[str | None] = mapped_column(Text)
    error_reason: Mapped[str | None] = mapped_column("error_text", Text)
    """Of messaging/reasons.py."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class MessageChange(Base, TenantOwned):
    """The timeline: every change of state with its time and cause."""

    __tablename__ = "message_changes"
    __table_args__ = ({"postgresql_partition_by": "RANGE (message_id)"},)

    message_id: Mapped[str] = mapped_column(Id("msg"), primary_key=True)
    id: Mapped[str] = id_column("chg")
    at: Mapped[datetime] = mapped_column(default=now)
    state: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text, default="")
    """Of messaging/messages/causes.py."""


class NetworkId(Base, TenantOwned):
    """Finds a message by the network's id without scanning the monthly partitions."""

    __tablename__ = "network_ids"

    network_id: Mapped[str] = mapped_column(Text, primary_key=True)
    message_id: Mapped[str] = mapped_column(Id("msg"))


class EarlyEdit(Base, TenantOwned):
    """Edits and deletions that arrived before their message. The message gets the id given here."""

    __tablename__ = "early_edits"

    network_id: Mapped[str] = mapped_column(Text, primary_key=True)
    message_id: Mapped[str] = mapped_column(Id("msg"))
    line_id: Mapped[int] = mapped_column(Integer)
    changes: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    created_at: Mapped[datetime] = mapped_column(default=now)
