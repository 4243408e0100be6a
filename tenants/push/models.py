"""Browsers that receive notifications, and the notifications that wait to be sent."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id, new_id
from core.sql.columns import id_column, tenant_foreign_key


class PushSubscription(Base, TenantOwned):
    """One browser of one member in one business."""

    __tablename__ = "push_subscriptions"
    __table_args__ = (UniqueConstraint("tenant_id", "person_id", "endpoint_hash"),)

    id: Mapped[str] = id_column("psh")
    person_id: Mapped[str] = mapped_column(Id("per"))
    endpoint: Mapped[str] = mapped_column(Text)
    endpoint_hash: Mapped[str] = mapped_column(Text)
    public_key: Mapped[str] = mapped_column(Text)
    auth_secret: Mapped[str] = mapped_column(Text)
    device: Mapped[str] = mapped_column(Text)
    topics: Mapped[list[str]] = mapped_column(ARRAY(Text))
    shows_text: Mapped[bool] = mapped_column(default=False)
    """Whether names and words of messages may appear on the lock screen."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    delivered_at: Mapped[datetime | None]


class PushNotification(Base, TenantOwned):
    """Waits to be sent. A newer one about the same thing replaces it."""

    __tablename__ = "push_notifications"
    __table_args__ = (
        tenant_foreign_key(["subscription_id"], "push_subscriptions", ["id"], ondelete="CASCADE"),
        Index("push_notifications_due_idx", "tenant_id", "due_at"),
    )

    subscription_id: Mapped[str] = mapped_column(Id("psh"), primary_key=True)
    tag: Mapped[str] = mapped_column(Text, primary_key=True)
    id: Mapped[str] = mapped_column(Id("pnt"), default=lambda: new_id("pnt"))
    topic: Mapped[str] = mapped_column(Text)
    facts: Mapped[dict[str, Any]]
    path: Mapped[str] = mapped_column(Text)
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime] = mapped_column(default=now)
    created_at: Mapped[datetime] = mapped_column(default=now)
