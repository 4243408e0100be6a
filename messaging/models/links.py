"""Short links in campaigns."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Index, Integer, Numeric, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import tenant_foreign_key


class ShortLink(Base, TenantOwned):
    """One link of one recipient. The address is stored here and never in the link."""

    __tablename__ = "short_links"
    __table_args__ = (
        tenant_foreign_key(["campaign_id"], "campaigns", ["id"], ondelete="CASCADE"),
        Index("short_links_campaign_idx", "tenant_id", "campaign_id", "contact_id"),
        Index("short_links_contact_idx", "tenant_id", "contact_id"),
    )

    code: Mapped[str] = mapped_column(Text, primary_key=True)
    campaign_id: Mapped[str] = mapped_column(Id("cmp"))
    contact_id: Mapped[str] = mapped_column(Id("con"))
    url: Mapped[str] = mapped_column(Text)
    menu: Mapped[bool] = mapped_column(default=False)
    """Whether it opens a menu of the tenant, whose cart can be joined with it."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    clicks: Mapped[int] = mapped_column(Integer, default=0)
    """By people; link previews are not counted."""
    clicked_at: Mapped[datetime | None]
    """The first click."""
    visited_at: Mapped[datetime | None]
    """When the menu was first opened from it."""
    cart_at: Mapped[datetime | None]
    """When the first cart was made after that."""
    orders: Mapped[int] = mapped_column(Integer, default=0)
    spent: Mapped[Decimal] = mapped_column(Numeric(14, 3), default=Decimal(0))
