"""Events that leave. Delivery to a tenant's endpoints is built on these rows."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id, new_id


class Event(Base, TenantOwned):
    __tablename__ = "events"
    __table_args__ = (
        Index("events_waiting_idx", "tenant_id", "id", postgresql_where=text("sequence IS NULL")),
        Index(
            "events_sequence_idx",
            "tenant_id",
            "sequence",
            postgresql_where=text("sequence IS NOT NULL"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = mapped_column(Id("evt"), primary_key=True, default=lambda: new_id("evt"))
    type: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, Any]]
    occurred_at: Mapped[datetime] = mapped_column(default=now)
    sequence: Mapped[int | None] = mapped_column(BigInteger)
