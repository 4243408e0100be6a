"""Loyalty: a programme for each site, its ledger, rewards and their coupons, messages."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Index, Integer, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY


class LoyaltyProgramme(Base, TenantOwned):
    """A site's programme: points per amount spent, or a stamp per visit."""

    __tablename__ = "loyalty_programmes"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    kind: Mapped[str] = mapped_column(Text)
    """points or stamps"""
    active: Mapped[bool] = mapped_column(default=True)
    amount: Mapped[Decimal] = mapped_column(MONEY)
    """Points are given for each full multiple of this; a stamp requires an order of at least it."""
    points: Mapped[int] = mapped_column(default=1)
    keywords: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """A guest who writes one of these gets the balance."""
    gift_id: Mapped[str | None] = mapped_column(Id("rwd"))
    """The reward that is given automatically as soon as the balance covers it."""
    quiet_from: Mapped[str] = mapped_column(Text, default="21:00")
    quiet_until: Mapped[str] = mapped_column(Text, default="10:00")
    changed_at: Mapped[datetime] = mapped_column(default=now)


class LoyaltyMember(Base, TenantOwned):
    """A guest's balance at a site: the sum of the ledger, stored so that it can be locked and
    sorted.

    Contacts are referenced without a foreign key, as in orders: the ledger outlives the contact.
    """

    __tablename__ = "loyalty_members"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index("loyalty_members_contact_idx", "tenant_id", "contact_id"),
        Index("loyalty_members_last_idx", "tenant_id", "site_id", "last_at", "contact_id"),
    )

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)
    balance: Mapped[int] = mapped_column(Integer, default=0)
    visits: Mapped[int] = mapped_column(Integer, default=0)
    first_at: Mapped[datetime] = mapped_column(default=now)
    last_at: Mapped[datetime] = mapped_column(default=now)
    """The last visit."""


class LoyaltyEntry(Base, TenantOwned):
    """A ledger entry. Entries are added, never changed."""

    __tablename__ = "loyalty_entries"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        UniqueConstraint("tenant_id", "order_id", "step"),
        Index("loyalty_entries_contact_idx", "tenant_id", "contact_id", "id"),
    )

    id: Mapped[str] = id_column("lpt")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    contact_id: Mapped[str] = mapped_column(Id("con"))
    amount: Mapped[int]
    kind: Mapped[str] = mapped_column(Text)
    """earned, changed, taken_back, exchanged, returned or corrected"""
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    step: Mapped[int | None]
    """The entry's number within its order; unique, so that two writers cannot both add it."""
    coupon_id: Mapped[str | None] = mapped_column(Id("cpn"))
    because: Mapped[str] = mapped_column(Text, default="")
    by: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime] = mapped_column(default=now)


class Reward(Base, TenantOwned):
    """What a coupon gives. Issued coupons keep their own copy of the terms."""

    __tablename__ = "loyalty_rewards"

    id: Mapped[str] = id_column("rwd")
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    """percent, amount or item"""
    value: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    most: Mapped[Decimal | None] = mapped_column(MONEY)
    """The maximum discount of a percentage."""
    minimum: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    currency: Mapped[str] = mapped_column(Text)
    item_id: Mapped[str | None] = mapped_column(Id("itm"))
    item_name: Mapped[str] = mapped_column(Text, default="")
    site_ids: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """Empty: all sites with this currency."""
    valid_days: Mapped[int] = mapped_column(default=30)
    per_contact: Mapped[int] = mapped_column(default=0)
    """How often one guest may use it; 0 means no limit."""
    cost: Mapped[int | None]
    """In points or stamps; empty: it cannot be exchanged, only given."""
    active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class Coupon(Base, TenantOwned):
    """A single-use code."""

    __tablename__ = "loyalty_coupons"
    __table_args__ = (
        UniqueConstraint("tenant_id", "code"),
        UniqueConstraint("tenant_id", "cause"),
        tenant_foreign_key(["reward_id"], "loyalty_rewards", ["id"]),
        Index("loyalty_coupons_contact_idx", "tenant_id", "contact_id", "id"),
        Index("loyalty_coupons_state_idx", "tenant_id", "state", "id"),
        Index("loyalty_coupons_reward_idx", "tenant_id", "reward_id", "id"),
        Index(
            "loyalty_coupons_order_idx",
            "tenant_id",
            "order_id",
            postgresql_where=text("order_id IS NOT NULL"),
        ),
    )

    id: Mapped[str] = id_column("cpn")
    code: Mapped[str] = mapped_column(Text)
    reward_id: Mapped[str] = mapped_column(Id("rwd"))
    terms: Mapped[dict[str, Any]] = mapped_column(JSONB)
    contact_id: Mapped[str | None] = mapped_column(Id("con"))
    """The guest it belongs to; empty: anybody can use it."""
    state: Mapped[str] = mapped_column(Text, default="open")
    """open, used or cancelled; expiry follows from `expires_at`"""
    source: Mapped[str] = mapped_column(Text)
    """staff, api, campaign, message or exchange"""
    cause: Mapped[str | None] = mapped_column(Text)
    """Why it was issued; a cause gives at most one coupon."""
    issued_by: Mapped[str] = mapped_column(Text, default="")
    issued_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    discount: Mapped[Decimal | None] = mapped_column(MONEY)
    """The discount on the order it was used for."""
    cancelled_at: Mapped[datetime | None]
    cancelled_because: Mapped[str] = mapped_column(Text, default="")


class LoyaltyMessage(Base, TenantOwned):
    """An automatic message with the site's texts."""

    __tablename__ = "loyalty_messages"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    cause: Mapped[str] = mapped_column(Text, primary_key=True)
    """welcome, visit, birthday, missed or gift"""
    active: Mapped[bool] = mapped_column(default=False)
    texts: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """By language; where one is missing, the site's first language is used."""
    number: Mapped[int] = mapped_column(default=0)
    """The number of the visit, or of the days without a visit."""
    reward_id: Mapped[str | None] = mapped_column(Id("rwd"))
    template: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """For a cloud line outside the free window: name, language, parameters."""
    changed_at: Mapped[datetime] = mapped_column(default=now)


class LoyaltySend(Base, TenantOwned):
    """One row for each trigger and guest, so that nothing is sent twice."""

    __tablename__ = "loyalty_sends"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index(
            "loyalty_sends_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("state = 'waiting'"),
        ),
        Index("loyalty_sends_contact_idx", "tenant_id", "contact_id"),
    )

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)
    cause: Mapped[str] = mapped_column(Text, primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Which occurrence of the trigger: the visit, the year, or the day of the last visit."""
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """waiting, sent or left_out"""
    because: Mapped[str] = mapped_column(Text, default="")
    due_at: Mapped[datetime]
    coupon_id: Mapped[str | None] = mapped_column(Id("cpn"))
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    at: Mapped[datetime] = mapped_column(default=now)
