"""The table's tab: one for each seating, with its guests, shared cart and shares of the bill."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY


class Tab(Base, TenantOwned):
    """One seating at a table. Its row is locked before the rows of its orders and links."""

    __tablename__ = "tabs"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index(
            "tabs_open_idx",
            "tenant_id",
            "table_id",
            "test",
            unique=True,
            postgresql_where=text("ended_at IS NULL"),
        ),
        Index("tabs_site_idx", "tenant_id", "site_id", "id"),
        Index(
            "tabs_open_site_idx",
            "tenant_id",
            "site_id",
            postgresql_where=text("ended_at IS NULL"),
        ),
    )

    id: Mapped[str] = id_column("tab")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    table_id: Mapped[str] = mapped_column(Id("tbl"))
    table_number: Mapped[str] = mapped_column(Text)
    test: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str] = mapped_column(Text, default="open")
    """open, settled (paid in full), closed (by the staff, or left empty) or merged"""
    join_code: Mapped[str] = mapped_column(Text)
    """Four digits that let a further guest in."""
    merged_into: Mapped[str | None] = mapped_column(Id("tab"))
    version: Mapped[int] = mapped_column(default=1)
    """Raised with every change that a guest or the staff can see."""
    opened_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    ended_at: Mapped[datetime | None]


class TabGuest(Base, TenantOwned):
    """A phone at the table."""

    __tablename__ = "tab_guests"
    __table_args__ = (
        tenant_foreign_key(["tab_id"], "tabs", ["id"], ondelete="CASCADE"),
        Index("tab_guests_tab_idx", "tenant_id", "tab_id"),
    )

    id: Mapped[str] = id_column("tgs")
    tab_id: Mapped[str] = mapped_column(Id("tab"))
    name: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    """waiting (asked to join), joined or refused"""
    failed_codes: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime] = mapped_column(default=now)


class TabCartItem(Base, TenantOwned):
    """What a guest chose for the next round. The guest's phone writes all of its rows at once."""

    __tablename__ = "tab_cart_items"
    __table_args__ = (tenant_foreign_key(["tab_id"], "tabs", ["id"], ondelete="CASCADE"),)

    tab_id: Mapped[str] = mapped_column(Id("tab"), primary_key=True)
    guest_id: Mapped[str] = mapped_column(Id("tgs"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    item_id: Mapped[str] = mapped_column(Id("itm"))
    quantity: Mapped[int]
    options: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    note: Mapped[str] = mapped_column(Text, default="")


class TabItem(Base, TenantOwned):
    """Who ordered a line of an order. Lines that the staff entered have no row."""

    __tablename__ = "tab_items"
    __table_args__ = (
        tenant_foreign_key(
            ["order_id", "position"], "order_lines", ["order_id", "position"], ondelete="CASCADE"
        ),
    )

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    guest_id: Mapped[str] = mapped_column(Id("tgs"))
    guest: Mapped[str] = mapped_column(Text)


class TabShare(Base, TenantOwned):
    """A part of the bill that one guest pays online, with a payment link of its own.

    It is reserved while its link can be paid, and paid once `paid_at` is set.
    """

    __tablename__ = "tab_shares"
    __table_args__ = (
        tenant_foreign_key(["tab_id"], "tabs", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["link_id"], "payment_links", ["id"], ondelete="CASCADE"),
        Index("tab_shares_tab_idx", "tenant_id", "tab_id"),
        Index("tab_shares_link_idx", "tenant_id", "link_id", unique=True),
    )

    id: Mapped[str] = id_column("tsh")
    tab_id: Mapped[str] = mapped_column(Id("tab"))
    guest_id: Mapped[str | None] = mapped_column(Id("tgs"))
    guest: Mapped[str] = mapped_column(Text, default="")
    kind: Mapped[str] = mapped_column(Text)
    """all, equal, items or amount"""
    people: Mapped[int] = mapped_column(default=0)
    """For an equal share: between how many people."""
    amount: Mapped[Decimal] = mapped_column(MONEY)
    """The part of the bill, without the tip."""
    tip: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    surplus: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    """The part of a paid amount that the bill no longer has: it is in the refund review."""
    link_id: Mapped[str] = mapped_column(Id("plk"))
    at: Mapped[datetime] = mapped_column(default=now)
    paid_at: Mapped[datetime | None]


class TabShareItem(Base, TenantOwned):
    """The pieces of an order's line that a share of the kind `items` pays."""

    __tablename__ = "tab_share_items"
    __table_args__ = (
        tenant_foreign_key(["share_id"], "tab_shares", ["id"], ondelete="CASCADE"),
        Index("tab_share_items_order_idx", "tenant_id", "order_id"),
    )

    share_id: Mapped[str] = mapped_column(Id("tsh"), primary_key=True)
    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    quantity: Mapped[int]
    amount: Mapped[Decimal] = mapped_column(MONEY)
    """For all of the pieces."""
