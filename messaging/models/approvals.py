"""Messages of apps that wait for a person, the policy of each app, and members' approval chats."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Integer, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column
from messaging.models.columns import USD


class HeldMessage(Base, TenantOwned):
    """A message that an app asked for. An approved one becomes a row of `messages` with its id."""

    __tablename__ = "held_messages"
    __table_args__ = (
        Index(
            "held_messages_waiting_idx",
            "tenant_id",
            "expires_at",
            postgresql_where=text("state = 'held'"),
        ),
        Index("held_messages_phone_idx", "tenant_id", "phone"),
    )

    id: Mapped[str] = id_column("msg")
    key_id: Mapped[str] = mapped_column(Id("key"))
    app_name: Mapped[str] = mapped_column(Text)
    for_person: Mapped[str] = mapped_column(Text)
    line_id: Mapped[int] = mapped_column(Integer)
    conversation_id: Mapped[str | None] = mapped_column(Id("cnv"))
    kind: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    content: Mapped[dict[str, Any]]
    category: Mapped[str] = mapped_column(Text)
    reference: Mapped[str | None] = mapped_column(Text)
    quoted_usd: Mapped[Decimal] = mapped_column(USD)
    test: Mapped[bool]
    state: Mapped[str] = mapped_column(Text, default="held")
    """held, approved, cancelled (rejected by a member or cancelled by the app), expired"""
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    notified_at: Mapped[datetime | None]
    """When it was sent to the chats of members, or found that nobody has one."""
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(Text, default="")


class SendPolicy(Base, TenantOwned):
    """What an app may send. A key without a row has the defaults of approvals/policies.py."""

    __tablename__ = "send_policies"

    key_id: Mapped[str] = mapped_column(Id("key"), primary_key=True)
    mode: Mapped[str] = mapped_column(Text)
    only_who_wrote: Mapped[bool]
    no_marketing: Mapped[bool]
    daily_messages: Mapped[int]
    daily_usd: Mapped[Decimal] = mapped_column(USD)
    hold_hours: Mapped[int]


class SendPolicyDay(Base, TenantOwned):
    """What an app has asked for on a day (UTC), counted in the transaction that uses it."""

    __tablename__ = "send_policy_days"

    key_id: Mapped[str] = mapped_column(Id("key"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    messages: Mapped[int]
    spend_usd: Mapped[Decimal] = mapped_column(USD)


class ApprovalChat(Base, TenantOwned):
    """A member's own chat, where held messages arrive with buttons.

    `phone` is empty until the member has sent the code from it.
    """

    __tablename__ = "approval_chats"
    __table_args__ = (Index("approval_chats_code_idx", "tenant_id", "code", unique=True),)

    person_id: Mapped[str] = mapped_column(Id("per"), primary_key=True)
    line_id: Mapped[int] = mapped_column(Integer)
    code: Mapped[str] = mapped_column(Text)
    code_expires_at: Mapped[datetime]
    phone: Mapped[str | None] = mapped_column(Text)
    connected_at: Mapped[datetime | None]
