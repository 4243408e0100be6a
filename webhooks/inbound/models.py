"""The table of received hooks."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    Index,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.sql.columns import id_column


class ReceivedHook(Base, TenantOwned):
    """A hook as it was received, until it has been processed."""

    __tablename__ = "received_hooks"
    __table_args__ = (
        Index(
            "received_hooks_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index(
            "received_hooks_parked_idx",
            "tenant_id",
            "id",
            postgresql_where=text("state = 'parked'"),
        ),
        Index(
            "received_hooks_target_idx",
            "tenant_id",
            "kind",
            "target",
            "id",
            postgresql_where=text("kind <> 'cloud'"),
        ),
        Index(
            "received_hooks_connection_idx",
            "tenant_id",
            "target",
            "id",
            postgresql_where=text("kind <> 'cloud'"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = id_column("hook")
    kind: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    body: Mapped[bytes]
    facts: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    """The values from its headers that are needed to process it."""
    state: Mapped[str] = mapped_column(Text, default="waiting")
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    error: Mapped[str | None] = mapped_column(Text)
    received_at: Mapped[datetime] = mapped_column(default=now)
