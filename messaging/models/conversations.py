"""Conversations of the inbox, their notes, search words and quick replies."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key

OPEN = text("closed_at IS NULL")


class Conversation(Base, TenantOwned):
    """One contact on one line."""

    __tablename__ = "conversations"
    __table_args__ = (
        UniqueConstraint("tenant_id", "line_id", "contact_id"),
        tenant_foreign_key(["line_id"], "lines", ["id"]),
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index("conversations_last_idx", "tenant_id", "last_at", "id"),
        Index("conversations_open_idx", "tenant_id", "last_at", "id", postgresql_where=OPEN),
        Index(
            "conversations_closed_idx",
            "tenant_id",
            "last_at",
            "id",
            postgresql_where=text("closed_at IS NOT NULL"),
        ),
        Index(
            "conversations_unread_idx",
            "tenant_id",
            "last_at",
            "id",
            postgresql_where=text("unread > 0"),
        ),
        Index(
            "conversations_assigned_idx",
            "tenant_id",
            "assigned_to",
            "last_at",
            "id",
            postgresql_where=OPEN,
        ),
        Index("conversations_line_idx", "tenant_id", "line_id", "last_at", "id"),
        Index("conversations_contact_idx", "tenant_id", "contact_id"),
        Index(
            "conversations_entry_point_idx",
            "tenant_id",
            "entry_point_until",
            postgresql_where=text("entry_point_until IS NOT NULL"),
        ),
        Index(
            "conversations_snoozed_idx",
            "tenant_id",
            "snoozed_until",
            "id",
            postgresql_where=text("snoozed_until IS NOT NULL"),
        ),
        Index(
            "conversations_queued_idx",
            "tenant_id",
            "queued_at",
            "id",
            postgresql_where=text("queued_at IS NOT NULL"),
        ),
        Index(
            "conversations_waiting_idx",
            "tenant_id",
            "waiting_since",
            "id",
            postgresql_where=text("waiting_since IS NOT NULL AND assigned_to IS NOT NULL"),
        ),
        Index(
            "conversations_tell_idx",
            "tenant_id",
            "id",
            postgresql_where=text("tell_read IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("cnv")
    line_id: Mapped[int] = mapped_column(Integer)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    last_message_id: Mapped[str] = mapped_column(Id("msg"))
    last_at: Mapped[datetime]
    window_until: Mapped[datetime | None]
    entry_point_until: Mapped[datetime | None]
    """Messages are free until then, because the customer came from an ad."""
    held_by: Mapped[str | None] = mapped_column(Text)
    """meta_agent while the network's own agent answers; None: the team and its programs answer."""
    held_at: Mapped[datetime | None]
    """When the network last reported who holds the conversation."""
    unread: Mapped[int] = mapped_column(default=0)
    assigned_to: Mapped[str | None] = mapped_column(Id("per"))
    closed_at: Mapped[datetime | None]
    tell_read: Mapped[str | None] = mapped_column(Text)
    """The network id of a read message whose read receipt has not been sent yet."""
    draft: Mapped[str] = mapped_column(Text, default="", server_default="")
    """A suggested reply that a member completes; empty after the next reply."""
    typing_at: Mapped[datetime | None]
    """When the customer was last shown that somebody types."""
    snoozed_until: Mapped[datetime | None]
    """Not in the list of open conversations until then, or until the customer writes."""
    returned_at: Mapped[datetime | None]
    """When it last came back from a snooze, until somebody reads or answers it."""
    queued_at: Mapped[datetime | None]
    """Since when it waits for automatic assignment."""
    assigned_at: Mapped[datetime | None]
    released_from: Mapped[str | None] = mapped_column(Id("per"))
    """The member who did not answer in time; it goes to somebody else."""
    waiting_since: Mapped[datetime | None]
    """The customer's first message that nobody has answered yet."""
    case_id: Mapped[str | None] = mapped_column(Id("cse"))
    """The case that is open; None after the conversation was closed."""


class ConversationNote(Base, TenantOwned):
    """Shown to members only: a note, or a record of who was assigned, closed or reopened it."""

    __tablename__ = "conversation_notes"
    __table_args__ = (
        tenant_foreign_key(["conversation_id"], "conversations", ["id"], ondelete="CASCADE"),
    )

    conversation_id: Mapped[str] = mapped_column(Id("cnv"), primary_key=True)
    id: Mapped[str] = id_column("note")
    kind: Mapped[str] = mapped_column(Text)
    """note, assigned, auto_assigned, closed, reopened, snoozed, returned, rated or not_sent"""
    by_person: Mapped[str | None] = mapped_column(Id("per"))
    by_name: Mapped[str] = mapped_column(Text)
    about_name: Mapped[str] = mapped_column(Text, default="")
    text: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime] = mapped_column(default=now)


class ConversationWord(Base, TenantOwned):
    """Finds conversations by beginnings of words: of texts, names and numbers.

    PostgreSQL's own full-text index would span all tenants, and row-level security would keep the
    planner from using it.
    """

    __tablename__ = "conversation_words"
    __table_args__ = (
        tenant_foreign_key(["conversation_id"], "conversations", ["id"], ondelete="CASCADE"),
        Index("conversation_words_back_idx", "tenant_id", "conversation_id", "word"),
    )

    word: Mapped[str] = mapped_column(Text(collation="C"), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(Id("cnv"), primary_key=True)


class QuickReply(Base, TenantOwned):
    """A saved reply with a shortcut."""

    __tablename__ = "quick_replies"
    __table_args__ = (UniqueConstraint("tenant_id", "shortcut"),)

    id: Mapped[str] = id_column("qr")
    shortcut: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    content: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict, server_default="{}")
    """The buttons or the list below the text, as `messaging.inbox.composed` stores them."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
