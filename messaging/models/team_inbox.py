"""How a team shares the inbox: labels, automatic assignment, cases and replies for later."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer, SmallInteger, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.dialects.postgresql import UUID as UUID_COLUMN
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key


class InboxSettings(Base, TenantOwned):
    """A tenant without a row has the defaults."""

    __tablename__ = "inbox_settings"

    assignment: Mapped[str] = mapped_column(Text, default="off")
    """off or round_robin"""
    return_minutes: Mapped[int | None]
    """After how many minutes without an answer a conversation goes to somebody else."""
    rating: Mapped[str] = mapped_column(Text, default="off")
    """off, numbers (1 to 5) or faces (three)"""
    rating_text: Mapped[str] = mapped_column(Text, default="")
    """The question; "" for the default of the tenant's language."""
    rating_lines: Mapped[list[int]] = mapped_column(ARRAY(Integer), default=list)
    """Only on these lines; empty: on all."""
    changed_at: Mapped[datetime] = mapped_column(default=now)


class MemberTurn(Base, TenantOwned):
    """Whether a member takes new conversations, and when they last got one automatically."""

    __tablename__ = "member_turns"

    person_id: Mapped[str] = mapped_column(Id("per"), primary_key=True)
    away: Mapped[bool] = mapped_column(default=False)
    assigned_at: Mapped[datetime | None]


class Label(Base, TenantOwned):
    """Says what a conversation is about. A contact's tags say who the person is."""

    __tablename__ = "labels"
    __table_args__ = (UniqueConstraint("tenant_id", "name_key"),)

    id: Mapped[str] = id_column("lbl")
    name: Mapped[str] = mapped_column(Text)
    name_key: Mapped[str] = mapped_column(Text)
    colour: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)


class ConversationLabel(Base, TenantOwned):
    __tablename__ = "conversation_labels"
    __table_args__ = (
        tenant_foreign_key(["label_id"], "labels", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["conversation_id"], "conversations", ["id"], ondelete="CASCADE"),
        Index("conversation_labels_back_idx", "tenant_id", "conversation_id"),
    )

    label_id: Mapped[str] = mapped_column(Id("lbl"), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(Id("cnv"), primary_key=True)


class ConversationCase(Base, TenantOwned):
    """From the customer's first message until the conversation is closed; for reports and ratings.

    A message after 24 hours of silence begins a new case, also if nobody closed the conversation.
    """

    __tablename__ = "conversation_cases"
    __table_args__ = (
        tenant_foreign_key(["conversation_id"], "conversations", ["id"], ondelete="CASCADE"),
        Index("conversation_cases_opened_idx", "tenant_id", "opened_at", "id"),
        Index("conversation_cases_of_idx", "tenant_id", "conversation_id", "id"),
        Index(
            "conversation_cases_ask_idx",
            "tenant_id",
            "ask_at",
            postgresql_where=text("ask_at IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("cse")
    conversation_id: Mapped[str] = mapped_column(Id("cnv"))
    line_id: Mapped[int] = mapped_column(Integer)
    label_ids: Mapped[list[Any]] = mapped_column(ARRAY(UUID_COLUMN(as_uuid=True)), default=list)
    opened_at: Mapped[datetime]
    replied_at: Mapped[datetime | None]
    """The first reply of a member."""
    replied_by: Mapped[str | None] = mapped_column(Id("per"))
    closed_at: Mapped[datetime | None]
    closed_by: Mapped[str | None] = mapped_column(Id("per"))
    ask_at: Mapped[datetime | None]
    """When the satisfaction question is due; None: not at all, or already decided."""
    asked_at: Mapped[datetime | None]
    ask_result: Mapped[str] = mapped_column(Text, default="", server_default="")
    """asked, or why it was not asked: window_closed, newer_message, opted_out, …"""
    scale: Mapped[str] = mapped_column(Text, default="", server_default="")
    """numbers (1 to 5) or faces (1 to 3)"""
    rating: Mapped[int | None] = mapped_column(SmallInteger)
    rated_at: Mapped[datetime | None]


class ScheduledReply(Base, TenantOwned):
    """A member's reply that is sent at a later time. It becomes a message only then."""

    __tablename__ = "scheduled_replies"
    __table_args__ = (
        tenant_foreign_key(["conversation_id"], "conversations", ["id"], ondelete="CASCADE"),
        Index(
            "scheduled_replies_due_idx",
            "tenant_id",
            "due_at",
            "id",
            postgresql_where=text("state = 'scheduled'"),
        ),
        Index("scheduled_replies_of_idx", "tenant_id", "conversation_id", "id"),
    )

    id: Mapped[str] = id_column("srp")
    conversation_id: Mapped[str] = mapped_column(Id("cnv"))
    kind: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    content: Mapped[dict[str, Any]] = mapped_column(JSONB)
    category: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="scheduled")
    """scheduled, sent, cancelled or failed"""
    due_at: Mapped[datetime]
    by_person: Mapped[str | None] = mapped_column(Id("per"))
    by_name: Mapped[str] = mapped_column(Text, default="")
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    error: Mapped[str] = mapped_column(Text, default="")
    """Why it was not sent, as a code."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
