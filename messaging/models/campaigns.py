"""Campaigns: one message to many contacts, at most once to each."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, Integer, Numeric, SmallInteger, Text, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from messaging.models.columns import USD


class Audience(Base, TenantOwned):
    """A saved filter over contacts and their orders. It is evaluated when it is used."""

    __tablename__ = "audiences"

    id: Mapped[str] = id_column("aud")
    name: Mapped[str] = mapped_column(Text)
    filters: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class Campaign(Base, TenantOwned):
    """`due_at` is when the campaign needs work again; None if it does not."""

    __tablename__ = "campaigns"
    __table_args__ = (
        Index(
            "campaigns_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index("campaigns_state_idx", "tenant_id", "state", "id"),
    )

    id: Mapped[str] = id_column("cmp")
    name: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text, default="draft")
    """draft, scheduled, running, paused, finished or stopped"""
    because: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Why it was paused automatically: a code, a sentence and its values."""
    audience_id: Mapped[str | None] = mapped_column(Id("aud"))
    filters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """A copy, so that a later change of the audience does not change a confirmed campaign."""
    line_id: Mapped[int | None] = mapped_column(Integer)
    text: Mapped[str] = mapped_column(Text, default="")
    card: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Buttons, a list or a link below the text; see inbox/composed.py."""
    template: Mapped[dict[str, Any]] = mapped_column(default=dict)
    header_blob_key: Mapped[str | None] = mapped_column(Text)
    """The uploaded file for the template's header, if any."""
    gift: Mapped[str | None] = mapped_column(Text)
    """What each recipient gets a coupon for, as the coupon provider writes it; see
    campaigns/coupon_port.py.
    """
    quiet_from: Mapped[int | None] = mapped_column(SmallInteger)
    """Minutes after midnight, in the recipient's time zone; None means no quiet hours."""
    quiet_until: Mapped[int | None] = mapped_column(SmallInteger)
    rest_days: Mapped[int] = mapped_column(SmallInteger, default=1)
    """Contacts who got marketing within these days are left out."""
    follow_days: Mapped[int] = mapped_column(SmallInteger, default=7)
    """Orders within these days after the message count as its result."""
    holdout_percent: Mapped[int] = mapped_column(SmallInteger, default=0)
    """How many of the recipients get no message, to compare their orders with the others'."""
    weight: Mapped[int] = mapped_column(SmallInteger, default=50)
    """The share of the campaign's own message, variant A, among the variants."""
    variants: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """Further messages, B to D; see experiments/variants.py."""
    stand_in: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """The template that takes over if the network pauses another one of the campaign."""
    replaced: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """Templates, as name/language, for which the stand-in has taken over."""
    count_clicks: Mapped[bool] = mapped_column(default=False)
    """Links in the message become short links."""
    test: Mapped[bool] = mapped_column(default=False)
    scheduled_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    gathered_at: Mapped[datetime | None]
    """When the last recipient was added."""
    reached: Mapped[str | None] = mapped_column(Id("con"))
    """The last contact that was added as a recipient."""
    due_at: Mapped[datetime | None]
    counts: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """The numbers that pages show. A job counts them, never a request."""
    author: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class CampaignRecipient(Base, TenantOwned):
    """One row, and so one message, per contact and campaign: the primary key ensures it."""

    __tablename__ = "campaign_recipients"
    __table_args__ = (
        tenant_foreign_key(["campaign_id"], "campaigns", ["id"], ondelete="CASCADE"),
        Index(
            "campaign_recipients_due_idx",
            "tenant_id",
            "campaign_id",
            "due_at",
            "contact_id",
            postgresql_where=text("state = 'waiting'"),
        ),
        Index(
            "campaign_recipients_open_idx",
            "tenant_id",
            "campaign_id",
            "contact_id",
            postgresql_where=text("outcome IN ('queued', 'sending', 'sent', 'unknown')"),
        ),
        Index("campaign_recipients_state_idx", "tenant_id", "campaign_id", "state", "contact_id"),
        Index("campaign_recipients_contact_idx", "tenant_id", "contact_id"),
        Index(
            "campaign_recipients_tapped_idx",
            "tenant_id",
            "campaign_id",
            "tapped",
            "contact_id",
            postgresql_where=text("tapped_at IS NOT NULL"),
        ),
    )

    campaign_id: Mapped[str] = mapped_column(Id("cmp"), primary_key=True)
    contact_id: Mapped[str] = mapped_column(Id("con"), primary_key=True)
    state: Mapped[str] = mapped_column(Text)
    """waiting, handed, holdout, left_out or stopped"""
    reason: Mapped[str] = mapped_column(Text, default="")
    """Why the contact was left out, as a code; see contacts/marketing_eligibility.py and
    campaigns/recipients.py.
    """
    variant: Mapped[str] = mapped_column(Text, default="")
    """A to D, `holdout`, or empty in a campaign with one message for all."""
    zone: Mapped[str] = mapped_column(Text, default="")
    due_at: Mapped[datetime]
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    handed_at: Mapped[datetime | None]
    coupon: Mapped[str] = mapped_column(Text, default="")
    outcome: Mapped[str] = mapped_column(Text, default="")
    """The message's state when it was last read."""
    cause: Mapped[str] = mapped_column(Text, default="")
    """The error code if it failed."""
    cost_usd: Mapped[Decimal] = mapped_column(USD, default=Decimal(0))
    replied_at: Mapped[datetime | None]
    tapped: Mapped[str] = mapped_column(Text, default="")
    """The title of the button or list row that was tapped last."""
    tapped_at: Mapped[datetime | None]
    clicked_at: Mapped[datetime | None]
    """The first click on a short link of the message."""
    opted_out_at: Mapped[datetime | None]
    orders: Mapped[int] = mapped_column(Integer, default=0)
    spent: Mapped[Decimal] = mapped_column(Numeric(14, 3), default=Decimal(0))


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
