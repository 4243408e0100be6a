"""Connections to stores and forms, their events, and the automations that react to them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKeyConstraint, Index, Integer, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import id_column, tenant_foreign_key


class Connection(Base, TenantOwned):
    """One store or form that posts to its own hook address."""

    __tablename__ = "connections"

    id: Mapped[str] = id_column("cnx")
    kind: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    token: Mapped[str] = mapped_column(EncryptedText("connections.token", per_tenant=True))
    secret: Mapped[str | None] = mapped_column(EncryptedText("connections.secret", per_tenant=True))
    api_url: Mapped[str] = mapped_column(Text, default="", server_default="")
    """The address of the store itself, for journeys that confirm or cancel an order there."""
    api_key: Mapped[str | None] = mapped_column(
        EncryptedText("connections.api_key", per_tenant=True)
    )
    api_secret: Mapped[str | None] = mapped_column(
        EncryptedText("connections.api_secret", per_tenant=True)
    )
    country: Mapped[str] = mapped_column(Text, default="")
    """The country of national phone numbers that come without an address."""
    mapping: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    enabled: Mapped[bool] = mapped_column(default=True)
    refused: Mapped[int] = mapped_column(Integer, default=0)
    refused_at: Mapped[datetime | None]
    first_event_at: Mapped[datetime | None]
    last_event_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class HookKey(Base, TenantOwned):
    """Keys of posts that were received, to detect repeats."""

    __tablename__ = "hook_keys"
    __table_args__ = (Index("hook_keys_at_idx", "tenant_id", "at"),)

    connection_id: Mapped[str] = mapped_column(Id("cnx"), primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)


class StoreEvent(Base, TenantOwned):
    """The event that was parsed from a hook."""

    __tablename__ = "store_events"
    __table_args__ = (
        tenant_foreign_key(["connection_id"], "connections", ["id"]),
        Index("store_events_kind_idx", "tenant_id", "connection_id", "kind", "id"),
        Index("store_events_subject_idx", "tenant_id", "connection_id", "subject", "id"),
        Index("store_events_hook_idx", "tenant_id", "hook_id"),
        Index(
            "store_events_phone_idx",
            "tenant_id",
            "phone",
            "id",
            postgresql_where=text("kind = 'order.created'"),
        ),
    )

    id: Mapped[str] = id_column("sev")
    connection_id: Mapped[str] = mapped_column(Id("cnx"))
    hook_id: Mapped[str | None] = mapped_column(Id("hook"))
    kind: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text, default="")
    no_phone: Mapped[str] = mapped_column(Text, default="")
    """Why there is no phone."""
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime] = mapped_column(default=now)


class StoreLink(Base, TenantOwned):
    """Links an order to its checkout, whichever of the two arrives first."""

    __tablename__ = "store_links"
    __table_args__ = (Index("store_links_at_idx", "tenant_id", "at"),)

    connection_id: Mapped[str] = mapped_column(Id("cnx"), primary_key=True)
    link: Mapped[str] = mapped_column(Text, primary_key=True)
    side: Mapped[str] = mapped_column(Text, primary_key=True)
    """order or checkout"""
    subject: Mapped[str] = mapped_column(Text, primary_key=True)
    event_id: Mapped[str] = mapped_column(Id("sev"))
    at: Mapped[datetime] = mapped_column(default=now)


class Automation(Base, TenantOwned):
    """Trigger, conditions, delay and message."""

    __tablename__ = "automations"
    __table_args__ = (
        tenant_foreign_key(["connection_id"], "connections", ["id"]),
        tenant_foreign_key(["line_id"], "lines", ["id"]),
    )

    id: Mapped[str] = id_column("aut")
    recipe: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    enabled: Mapped[bool] = mapped_column(default=True)
    connection_id: Mapped[str | None] = mapped_column(Id("cnx"))
    line_id: Mapped[int | None] = mapped_column(Integer)
    conditions: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    delay_minutes: Mapped[int] = mapped_column(Integer, default=0)
    to_phone: Mapped[str] = mapped_column(Text, default="")
    """Empty to write to the customer; else the phone of the owner, who is notified."""
    text: Mapped[str] = mapped_column(Text, default="")
    template: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    card: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict, server_default="{}")
    """Buttons, a list or a link below the text, as `messaging.inbox.composed` stores them."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class AutomationRun(Base, TenantOwned):
    """One per cause: the message that was sent for it, or why none was."""

    __tablename__ = "automation_runs"
    __table_args__ = (
        UniqueConstraint("tenant_id", "automation_id", "connection_id", "cause"),
        ForeignKeyConstraint(
            ["tenant_id", "automation_id"], ["automations.tenant_id", "automations.id"]
        ),
        Index("automation_runs_listed_idx", "tenant_id", "automation_id", "id"),
        Index("automation_runs_subject_idx", "tenant_id", "connection_id", "subject"),
        Index("automation_runs_event_idx", "tenant_id", "event_id"),
        Index(
            "automation_runs_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("run")
    automation_id: Mapped[str] = mapped_column(Id("aut"))
    connection_id: Mapped[str] = mapped_column(Id("cnx"))
    event_id: Mapped[str] = mapped_column(Id("sev"))
    subject: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, sent, skipped, cancelled, failed"""
    because: Mapped[str] = mapped_column(Text, default="")
    """Of messaging/automations/reasons.py."""
    phone: Mapped[str] = mapped_column(Text, default="")
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    tries: Mapped[int] = mapped_column(Integer, default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    created_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]
