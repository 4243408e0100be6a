"""Carts, orders and everything recorded for an order."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Date, Index, Integer, SmallInteger, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY, PERCENT


class Cart(Base, TenantOwned):
    """A priced cart with a short code, until its chat message arrives."""

    __tablename__ = "carts"
    __table_args__ = (
        UniqueConstraint("tenant_id", "code"),
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index("carts_made_idx", "tenant_id", "site_id", "made_at"),
        Index("carts_link_idx", "tenant_id", "link_code", postgresql_where=text("link_code <> ''")),
    )

    id: Mapped[str] = id_column("crt")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    code: Mapped[str] = mapped_column(Text)
    order_type: Mapped[str] = mapped_column(Text)
    payment_method: Mapped[str] = mapped_column(Text)
    table_id: Mapped[str | None] = mapped_column(Id("tbl"))
    table_number: Mapped[str] = mapped_column(Text, default="")
    seated: Mapped[bool] = mapped_column(default=False)
    """Whether the table's token was valid."""
    language: Mapped[str] = mapped_column(Text)
    menu_id: Mapped[str] = mapped_column(Id("mnu"))
    menu_version: Mapped[int]
    lines: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    """As returned by restaurant.menus.pricing; prices are text."""
    sums: Mapped[dict[str, Any]] = mapped_column(JSONB)
    total: Mapped[Decimal] = mapped_column(MONEY)
    notes: Mapped[str] = mapped_column(Text, default="")
    address: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    coupon: Mapped[str] = mapped_column(Text, default="")
    text: Mapped[str] = mapped_column(Text)
    """Exactly the text the diner was given to send, to detect edits."""
    visitor: Mapped[str] = mapped_column(Text, default="")
    """Digest of the client's network, with a key that changes daily, for the hourly limits."""
    replaces_order_id: Mapped[str | None] = mapped_column(Id("ord"))
    """The guest changes this order."""
    link_code: Mapped[str] = mapped_column(Text, default="")
    """The short link of a campaign from which the diner came."""
    due_at: Mapped[datetime | None]
    """The time that the diner chose; None: as soon as possible."""
    made_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    order_id: Mapped[str | None] = mapped_column(Id("ord"))
    tab_id: Mapped[str | None] = mapped_column(Id("tab"))
    """The tab whose guests chose the items; the lines then have the guest."""


class Order(Base, TenantOwned):
    __tablename__ = "orders"
    __table_args__ = (
        UniqueConstraint("tenant_id", "number"),
        tenant_foreign_key(["site_id"], "sites", ["id"]),
        Index("orders_site_idx", "tenant_id", "site_id", "id"),
        Index(
            "orders_open_idx",
            "tenant_id",
            "site_id",
            "placed_at",
            postgresql_where=text("ended_at IS NULL"),
        ),
        Index("orders_day_idx", "tenant_id", "site_id", "business_day", "sequence"),
        Index("orders_contact_idx", "tenant_id", "contact_id", "id"),
        Index("orders_phone_idx", "tenant_id", "customer_phone", "id"),
        Index("orders_state_idx", "tenant_id", "state", "id"),
        Index("orders_table_idx", "tenant_id", "table_number", "id"),
        Index(
            "orders_scheduled_idx",
            "tenant_id",
            "fires_at",
            postgresql_where=text("state = 'scheduled'"),
        ),
        Index(
            "orders_promised_idx",
            "tenant_id",
            "promised_at",
            postgresql_where=text(
                "ended_at IS NULL AND promised_at IS NOT NULL AND late_told_at IS NULL"
            ),
        ),
        Index("orders_tab_idx", "tenant_id", "tab_id", postgresql_where=text("tab_id IS NOT NULL")),
    )

    id: Mapped[str] = id_column("ord")
    number: Mapped[str] = mapped_column(Text)
    """`order_id` in the API, for example ORD-20261115-0007."""
    site_id: Mapped[str] = mapped_column(Id("sit"))
    business_day: Mapped[date] = mapped_column(Date)
    sequence: Mapped[int]
    state: Mapped[str] = mapped_column(Text)
    order_type: Mapped[str] = mapped_column(Text)
    payment_method: Mapped[str] = mapped_column(Text)
    paid_at: Mapped[datetime | None]
    table_id: Mapped[str | None] = mapped_column(Id("tbl"))
    table_number: Mapped[str] = mapped_column(Text, default="")
    waiter_id: Mapped[str | None] = mapped_column(Id("mem"))
    waiter: Mapped[str] = mapped_column(Text, default="")
    contact_id: Mapped[str | None] = mapped_column(Id("con"))
    customer_phone: Mapped[str] = mapped_column(Text, default="")
    customer_name: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str] = mapped_column(Text)
    notes: Mapped[str] = mapped_column(Text, default="")
    staff_note: Mapped[str] = mapped_column(Text, default="")
    """Why it needs confirmation, or what was odd about its message: a reason in each line, of
    restaurant/orders/hold_reasons.py."""
    currency: Mapped[str] = mapped_column(Text)
    sums: Mapped[dict[str, Any]] = mapped_column(JSONB)
    total: Mapped[Decimal] = mapped_column(MONEY)
    source: Mapped[str] = mapped_column(Text)
    """chat, staff or api"""
    line_id: Mapped[int | None] = mapped_column(Integer)
    message_id: Mapped[str | None] = mapped_column(Id("msg"))
    cart_id: Mapped[str | None] = mapped_column(Id("crt"))
    address: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    batch: Mapped[int] = mapped_column(default=1)
    """The number of the last batch; the original order is the first."""
    version: Mapped[int] = mapped_column(default=1)
    """Raised with every change, so that nobody acts on an outdated view of the order."""
    test: Mapped[bool] = mapped_column(default=False)
    placed_at: Mapped[datetime] = mapped_column(default=now)
    due_at: Mapped[datetime | None]
    """When the guest wants it; None: as soon as possible."""
    fires_at: Mapped[datetime | None]
    """When an order for later is sent to the kitchen, or was."""
    slot_at: Mapped[datetime | None]
    """The quarter of an hour whose capacity it uses."""
    slot_load: Mapped[dict[str, int]] = mapped_column(JSONB, default=dict)
    """What it uses of that capacity, by station; "" counts orders."""
    holds_released: Mapped[bool] = mapped_column(default=False)
    """Its stock and capacity were returned: it was cancelled, or its payment link expired."""
    changed_at: Mapped[datetime] = mapped_column(default=now)
    alarmed_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    guest_request: Mapped[str] = mapped_column(Text, default="")
    """What the guest asks for after the kitchen began: cancel, change or nothing."""
    guest_request_at: Mapped[datetime | None]
    promise_minutes: Mapped[int | None] = mapped_column(SmallInteger)
    """How long the kitchen was expected to take, from `restaurant.orders.kitchen.promise`."""
    promised_at: Mapped[datetime | None]
    """When it should be ready; empty while the kitchen's times are not known."""
    late_told_at: Mapped[datetime | None]
    """When the guest was told that the order is late."""
    taken: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    """The sum of the payments that staff recorded and did not undo."""
    tab_id: Mapped[str | None] = mapped_column(Id("tab"))
    """The seating that the order belongs to."""
    paid_online: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0), server_default="0")
    """The part of the order that guests paid online from the tab."""

    @property
    def ordered_at(self) -> datetime:
        """When the kitchen could begin: an order for later does not wait before its time."""
        return self.placed_at if self.fires_at is None else max(self.placed_at, self.fires_at)

    @property
    def paid_amount(self) -> Decimal:
        """Recorded by staff or paid from the tab. The link of an order is for the whole order."""
        online = self.payment_method == "card_link" and self.paid_at is not None
        return self.total if online else self.taken + self.paid_online

    @property
    def open_amount(self) -> Decimal:
        """Negative if items were voided after they were paid."""
        return self.total - self.paid_amount


class OrderItem(Base, TenantOwned):
    __tablename__ = "order_lines"
    __table_args__ = (tenant_foreign_key(["order_id"], "orders", ["id"], ondelete="CASCADE"),)

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    batch: Mapped[int] = mapped_column(default=1)
    item_id: Mapped[str | None] = mapped_column(Id("itm"))
    name: Mapped[str] = mapped_column(Text)
    """In the restaurant's main language; `said` is in the diner's."""
    said: Mapped[str] = mapped_column(Text, default="")
    quantity: Mapped[int]
    unit_price: Mapped[Decimal] = mapped_column(MONEY)
    """Price of one piece including its options."""
    regular_price: Mapped[Decimal | None] = mapped_column(MONEY)
    """What one piece costs outside the happy hour."""
    offer: Mapped[str] = mapped_column(Text, default="")
    """The name of the happy hour."""
    tax_percent: Mapped[Decimal] = mapped_column(PERCENT, default=Decimal(0))
    options: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """{name, said, price, removal}"""
    note: Mapped[str] = mapped_column(Text, default="")
    stations: Mapped[list[str]] = mapped_column(ARRAY(Text))
    marks: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """Of the dish, for the kitchen: `pork`."""
    course: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    """0: made at once. Others wait until `restaurant.orders.kitchen.courses` fires them."""
    fired_at: Mapped[datetime | None]
    """When the kitchen got it."""
    fired_load: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    """How many orders were in the kitchen then."""
    voided: Mapped[int] = mapped_column(default=0)
    """How many pieces were voided."""
    void_because: Mapped[str] = mapped_column(Text, default="")
    counted: Mapped[dict[str, int]] = mapped_column(JSONB, default=dict)
    """Pieces taken from the countdown stock, by item."""


class KitchenItem(Base, TenantOwned):
    """The progress of one line at one station. Without a row it has not been started."""

    __tablename__ = "kitchen_items"
    __table_args__ = (
        tenant_foreign_key(
            ["order_id", "position"], "order_lines", ["order_id", "position"], ondelete="CASCADE"
        ),
    )

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    station: Mapped[str] = mapped_column(Text, primary_key=True)
    started_at: Mapped[datetime | None]
    started_by: Mapped[str] = mapped_column(Text, default="")
    ready_at: Mapped[datetime | None]
    ready_by: Mapped[str] = mapped_column(Text, default="")
    counted: Mapped[bool] = mapped_column(default=False, server_default="false")
    """Its time is part of the learned times of the dish."""


class TillPayment(Base, TenantOwned):
    """A payment that staff recorded, for the whole order or part of it."""

    __tablename__ = "till_payments"
    __table_args__ = (
        tenant_foreign_key(["order_id"], "orders", ["id"], ondelete="CASCADE"),
        Index("till_payments_order_idx", "tenant_id", "order_id"),
        Index("till_payments_day_idx", "tenant_id", "site_id", "business_day"),
    )

    id: Mapped[str] = id_column("tpy")
    order_id: Mapped[str] = mapped_column(Id("ord"))
    site_id: Mapped[str] = mapped_column(Id("sit"))
    business_day: Mapped[date] = mapped_column(Date)
    """The day on which the money was taken; the order may be older."""
    method: Mapped[str] = mapped_column(Text)
    """cash or card"""
    amount: Mapped[Decimal] = mapped_column(MONEY)
    tip: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    """In addition to the amount."""
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=now)
    undone_at: Mapped[datetime | None]
    undone_by: Mapped[str] = mapped_column(Text, default="")
    undone_because: Mapped[str] = mapped_column(Text, default="")


class OrderChange(Base, TenantOwned):
    """The history of an order: every change with its actor and time."""

    __tablename__ = "order_changes"
    __table_args__ = (tenant_foreign_key(["order_id"], "orders", ["id"], ondelete="CASCADE"),)

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    id: Mapped[str] = id_column("och")
    at: Mapped[datetime] = mapped_column(default=now)
    what: Mapped[str] = mapped_column(Text)
    """moved, recalled, added, replaced, voided, fired, late, unhappy, table, waiter, courier,
    location, problem, coupon, payment, note, request or alarm"""
    state: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    because: Mapped[str] = mapped_column(Text, default="")
    """Reasons of restaurant/orders/hold_reasons.py, one in each line."""


class OrderNumberCounter(Base, TenantOwned):
    """Assigns order numbers: one row per site and business day, locked during assignment."""

    __tablename__ = "order_days"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    business_day: Mapped[date] = mapped_column(Date, primary_key=True)
    last: Mapped[int]
    last_test: Mapped[int] = mapped_column(default=0)
    """Test orders have their own sequence."""


class SlotLoad(Base, TenantOwned):
    """How much of a quarter of an hour's capacity is used, in orders or minutes of a station."""

    __tablename__ = "slot_loads"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    starts_at: Mapped[datetime] = mapped_column(primary_key=True)
    station: Mapped[str] = mapped_column(Text, primary_key=True)
    """Empty: the number of orders."""
    used: Mapped[int]


class WaiterCall(Base, TenantOwned):
    """A diner called the waiter or asked for the bill."""

    __tablename__ = "table_calls"
    __table_args__ = (
        tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),
        Index(
            "table_calls_open_idx",
            "tenant_id",
            "site_id",
            "at",
            postgresql_where=text("answered_at IS NULL"),
        ),
    )

    id: Mapped[str] = id_column("cal")
    site_id: Mapped[str] = mapped_column(Id("sit"))
    table_id: Mapped[str | None] = mapped_column(Id("tbl"))
    table_number: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    """waiter or bill"""
    at: Mapped[datetime] = mapped_column(default=now)
    answered_at: Mapped[datetime | None]
    answered_by: Mapped[str] = mapped_column(Text, default="")
