"""Templates of the network."""

from datetime import datetime
from typing import Any

from sqlalchemy import Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.sql.columns import id_column


class Template(Base, TenantOwned):
    """A copy: every sync overwrites it with the network's data, except the header's file and
    the stand-in."""

    __tablename__ = "templates"
    __table_args__ = (UniqueConstraint("tenant_id", "account_id", "name", "language"),)

    id: Mapped[str] = id_column("tpl")
    account_id: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    language: Mapped[str] = mapped_column(Text)
    network_id: Mapped[str] = mapped_column(Text)
    category: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text, default="")
    quality: Mapped[str] = mapped_column(Text, default="")
    parameter_format: Mapped[str] = mapped_column(Text, default="positional")
    components: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    header_file: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """The sample file of the header, if it was uploaded here; see StoredHeaderFile."""
    next_category: Mapped[str] = mapped_column(Text, default="")
    """A category that the network has announced and not applied yet."""
    stand_in: Mapped[str] = mapped_column(Text, default="")
    """The name of the template that campaigns send instead when the network pauses this one."""
    changed_at: Mapped[datetime] = mapped_column(default=now)
    synced_at: Mapped[datetime] = mapped_column(default=now)
