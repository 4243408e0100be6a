"""Delivery zones, couriers, and the courier trip of each order."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import Index, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY


class DeliveryZone(Base, TenantOwned):
    """A circle around the restaurant or a polygon."""

    __tablename__ = "delivery_zones"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index("delivery_zones_site_idx", "tenant_id", "site_id"),
    )

    id: Mapped[str] = id_column("zon")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    """radius or polygon"""
    radius_m: Mapped[int | None]
    corners: Mapped[list[list[str]]] = mapped_column(JSONB, default=list)
    """[latitude, longitude] pairs as text, with 6 decimals."""
    fee: Mapped[Decimal] = mapped_column(MONEY)
    minimum: Mapped[Decimal] = mapped_column(MONEY)
    """Minimum price of the items, before service, fee and tip."""
    created_at: Mapped[datetime] = mapped_column(default=now)


class Courier(Base, TenantOwned):
    """A contact who delivers for a restaurant. Never deleted, because past orders refer to it."""

    __tablename__ = "couriers"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index("couriers_site_idx", "tenant_id", "site_id"),
        Index("couriers_phone_idx", "tenant_id", "phone"),
    )

    id: Mapped[str] = id_column("cou")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    contact_id: Mapped[str | None] = mapped_column(Id("con"))
    name: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text)
    language: Mapped[str] = mapped_column(Text)
    active: Mapped[bool] = mapped_column(default=True)
    link_version: Mapped[int] = mapped_column(default=1)
    """Raised to invalidate all links that were given out before."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class Trip(Base, TenantOwned):
    """The delivery of an order by a courier: assigned, picked up and delivered."""

    __tablename__ = "trips"
    __table_args__ = (
        tenant_foreign_key(["order_id"], "orders", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["courier_id"], "couriers", ["id"]),
        Index("trips_courier_idx", "tenant_id", "courier_id", "assigned_at"),
        Index("trips_open_idx", "tenant_id", "site_id", postgresql_where=text("ended_at IS NULL")),
    )

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    site_id: Mapped[str] = mapped_column(Id("sit"))
    courier_id: Mapped[str] = mapped_column(Id("cou"))
    told: Mapped[bool] = mapped_column(default=False)
    """Whether the courier's message was expected to arrive when the order was assigned."""
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    """The message to the courier; its state shows whether it arrived."""
    assigned_at: Mapped[datetime] = mapped_column(default=now)
    picked_up_at: Mapped[datetime | None]
    delivered_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    """When it was delivered or cancelled."""
    problem: Mapped[str] = mapped_column(Text, default="")
    problem_note: Mapped[str] = mapped_column(Text, default="")
    problem_at: Mapped[datetime | None]
    collected: Mapped[Decimal | None] = mapped_column(MONEY)
    """The amount that the courier collected."""
    collected_by: Mapped[str] = mapped_column(Text, default="")
    """cash or card; empty if nothing had to be collected"""
