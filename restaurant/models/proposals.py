"""Orders that guests write in their own words, until they send them to the kitchen."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Integer, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY


class OrderProposal(Base, TenantOwned):
    """What a guest's words were understood as. Only the guest's tap makes an order of it."""

    __tablename__ = "order_proposals"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["contact_id"], "contacts", ["id"], ondelete="CASCADE"),
        Index(
            "order_proposals_open_idx",
            "tenant_id",
            "contact_id",
            "line_id",
            unique=True,
            postgresql_where=text("state IN ('open', 'handed_over')"),
        ),
        Index("order_proposals_contact_idx", "tenant_id", "contact_id"),
        Index("order_proposals_site_idx", "tenant_id", "site_id"),
        Index("order_proposals_expires_idx", "tenant_id", "expires_at"),
    )

    id: Mapped[str] = id_column("prp")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    line_id: Mapped[int] = mapped_column(Integer)
    contact_id: Mapped[str] = mapped_column(Id("con"))
    language: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="open")
    """open, handed_over, sent, cancelled or expired"""
    items: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """Ids, quantities, options and notes; never a price."""
    unclear: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """Words that may be one of several dishes."""
    unknown: Mapped[list[str]] = mapped_column(JSONB, default=list)
    """Words of the last message that were not understood."""
    focus: Mapped[int] = mapped_column(default=-1)
    order_type: Mapped[str] = mapped_column(Text, default="")
    table_number: Mapped[str] = mapped_column(Text, default="")
    payment_method: Mapped[str] = mapped_column(Text, default="")
    address: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """text, latitude and longitude"""
    asking: Mapped[str] = mapped_column(Text, default="")
    """What the last message asked for: item, option, type, table, address, payment or send."""
    texts: Mapped[list[str]] = mapped_column(JSONB, default=list)
    """What the guest wrote."""
    total: Mapped[Decimal | None] = mapped_column(MONEY)
    """The total that the guest was shown."""
    revision: Mapped[int] = mapped_column(default=1)
    """In the ids of the buttons: a tap on an older message changes nothing."""
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
