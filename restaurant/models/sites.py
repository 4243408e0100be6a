"""A restaurant's settings, its areas, tables and stations."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import Integer, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.security.encryption import EncryptedText
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import DEGREES, MONEY, PERCENT


class Site(Base, TenantOwned):
    __tablename__ = "sites"
    __table_args__ = (
        UniqueConstraint("tenant_id", "prefix"),
        UniqueConstraint("tenant_id", "slug"),
        tenant_foreign_key(["line_id"], "lines", ["id"]),
    )

    id: Mapped[str] = id_column("sit")
    name: Mapped[str] = mapped_column(Text)
    slug: Mapped[str] = mapped_column(Text)
    """Part of the menu's URL; unique in the whole service (enforced by core.lookups)."""
    host: Mapped[str] = mapped_column(Text, default="")
    """The restaurant's own host name for the menu, or empty."""
    host_pending: Mapped[str] = mapped_column(Text, default="", server_default="")
    """Requested, but not served until the operator confirms it."""
    prefix: Mapped[str] = mapped_column(Text)
    """The prefix of the site's order numbers."""
    currency: Mapped[str] = mapped_column(Text)
    time_zone: Mapped[str] = mapped_column(Text)
    country: Mapped[str] = mapped_column(Text)
    languages: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """The first is the menu's main language; the others are translations."""
    address: Mapped[str] = mapped_column(Text, default="")
    phone: Mapped[str] = mapped_column(Text, default="")
    latitude: Mapped[Decimal | None] = mapped_column(DEGREES)
    longitude: Mapped[Decimal | None] = mapped_column(DEGREES)
    line_id: Mapped[int | None] = mapped_column(Integer)
    """The site's own line; None means the tenant's default line."""
    hours: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Weekday 0 (Monday) to 6: a list of ["11:00", "23:30"]; past midnight is allowed."""
    special_days: Mapped[list[Any]] = mapped_column(JSONB, default=list, server_default="[]")
    """Dates with their own hours, checked by `restaurant.sites.hours.checked_special_days`."""
    day_starts: Mapped[str] = mapped_column(Text, default="04:00")
    """When a new business day begins, in the site's time zone."""
    order_types: Mapped[list[str]] = mapped_column(ARRAY(Text))
    payment_methods: Mapped[list[str]] = mapped_column(ARRAY(Text))
    tax_included: Mapped[bool] = mapped_column(default=True)
    service_percent: Mapped[Decimal] = mapped_column(PERCENT, default=Decimal(0))
    """As it was set; `applied_service_percent` is what guests pay."""
    service_order_types: Mapped[list[str]] = mapped_column(ARRAY(Text), default=lambda: ["dine_in"])
    """The order types that the service charge is added to."""
    tip_percents: Mapped[list[int]] = mapped_column(ARRAY(Integer), default=list)
    told_states: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """The customer gets a message when the order reaches one of these states."""
    accept_minutes: Mapped[int] = mapped_column(default=5)
    """An alarm is raised for an order that waits longer for confirmation."""
    guest_cancel_minutes: Mapped[int] = mapped_column(default=5, server_default="5")
    """How long guests can cancel in the chat after the order reached the kitchen, if the kitchen
    has not started. 0: only before."""
    preparation_minutes: Mapped[int] = mapped_column(default=20, server_default="20")
    """How long the kitchen usually takes for an order."""
    delivery_minutes: Mapped[int] = mapped_column(default=20, server_default="20")
    """How long a delivery takes after that."""
    later_days: Mapped[int] = mapped_column(default=0, server_default="0")
    """How many days ahead guests can order. 0: only now. 1: also for later today."""
    slot_orders: Mapped[int | None]
    """The most orders in a quarter of an hour; None: no limit."""
    slot_minutes: Mapped[dict[str, int]] = mapped_column(JSONB, default=dict, server_default="{}")
    """The most minutes of work in a quarter of an hour, by station."""
    slot_order_types: Mapped[list[str]] = mapped_column(
        ARRAY(Text),
        default=lambda: ["takeaway", "delivery"],
        server_default="{takeaway,delivery}",
    )
    """The order types that the limits apply to."""
    kitchen_warn_minutes: Mapped[int] = mapped_column(default=10, server_default="10")
    """The kitchen display shows a ticket in yellow after this time, then in red."""
    kitchen_late_minutes: Mapped[int] = mapped_column(default=20, server_default="20")
    prints_ticket_codes: Mapped[bool] = mapped_column(default=False, server_default="false")
    """Whether kitchen tickets have a code that marks them ready when it is scanned."""
    shows_promise: Mapped[bool] = mapped_column(default=True, server_default="true")
    """Whether guests see how long the kitchen will take."""
    feedback_minutes: Mapped[int] = mapped_column(default=0, server_default="0")
    """Guests are asked how their meal was this long after the order is completed. 0: never."""
    review_url: Mapped[str] = mapped_column(Text, default="", server_default="")
    """Where happy guests can write a review."""
    manager_phone: Mapped[str] = mapped_column(Text, default="")
    prints_bills: Mapped[bool] = mapped_column(default=False)
    """Whether the bill is printed as soon as a guest asks for it."""
    table_orders_per_hour: Mapped[int] = mapped_column(default=20)
    phone_orders_per_hour: Mapped[int] = mapped_column(default=6)
    address_orders_per_hour: Mapped[int] = mapped_column(default=40)
    newcomer_limit: Mapped[Decimal | None] = mapped_column(MONEY)
    """An order above this amount from a new phone number needs confirmation."""
    orders_in_words: Mapped[bool] = mapped_column(default=False, server_default="false")
    """Guests can order in the chat in their own words."""
    paused_until: Mapped[datetime | None]
    logo: Mapped[str] = mapped_column(Text, default="")
    tone: Mapped[str] = mapped_column(Text, default="")
    """The accent colour of the menu, six hex digits; empty means our default."""
    welcome: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """A sentence at the top of the menu, by language."""
    menu_id: Mapped[str | None] = mapped_column(Id("mnu"))
    ticket_letter_at: Mapped[datetime | None]
    """When the last e-mail about unprinted tickets was sent."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    closed_at: Mapped[datetime | None]

    NO_SERVICE_CHARGE: ClassVar[frozenset[str]] = frozenset({"TR"})
    """Countries that forbid service, table and cover charges: Turkey since 30 January 2026."""

    @property
    def applied_service_percent(self) -> Decimal:
        """The service charge, or 0 where the law does not allow one."""
        return Decimal(0) if self.country in self.NO_SERVICE_CHARGE else self.service_percent

    def service_for(self, order_type: str) -> Decimal:
        """The service charge for this order type, in percent."""
        if order_type not in self.service_order_types:
            return Decimal(0)
        return self.applied_service_percent


class Area(Base, TenantOwned):
    __tablename__ = "areas"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    id: Mapped[str] = id_column("are")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    name: Mapped[str] = mapped_column(Text)
    position: Mapped[int] = mapped_column(default=0)


class Table(Base, TenantOwned):
    __tablename__ = "dining_tables"
    __table_args__ = (
        UniqueConstraint("tenant_id", "site_id", "number"),
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["area_id"], "areas", ["id"]),
    )

    id: Mapped[str] = id_column("tbl")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    area_id: Mapped[str | None] = mapped_column(Id("are"))
    number: Mapped[str] = mapped_column(Text)
    seats: Mapped[int] = mapped_column(default=4)
    token: Mapped[str] = mapped_column(EncryptedText("dining_tables.token", per_tenant=True))
    """Part of the printed code; proves that a guest sits there. Encrypted, for reprints."""
    waiter_id: Mapped[str | None] = mapped_column(Id("mem"))
    position: Mapped[int] = mapped_column(default=0)


class Station(Base, TenantOwned):
    """Where an item is made: kitchen, bar, or a station that the restaurant added."""

    __tablename__ = "stations"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    code: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    position: Mapped[int] = mapped_column(default=0)
    display_only: Mapped[bool] = mapped_column(default=False)
    """The station works from the kitchen display and needs no printer."""
    scanner_version: Mapped[int] = mapped_column(default=1, server_default="1")
    """Raised to make the links of the station's scanners invalid."""
