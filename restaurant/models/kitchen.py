"""What the kitchen's times teach, and what guests answer after the meal."""

from datetime import datetime

from sqlalchemy import REAL, Index, Text, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import tenant_foreign_key


class DishTimes(Base, TenantOwned):
    """How long a dish takes at a station: a decaying histogram for each level of load.

    The row without a dish holds all dishes of the station.
    """

    __tablename__ = "dish_times"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    dish: Mapped[str] = mapped_column(Text, primary_key=True)
    """itm_… or empty"""
    station: Mapped[str] = mapped_column(Text, primary_key=True)
    weights: Mapped[list[float]] = mapped_column(ARRAY(REAL))
    """`restaurant.orders.kitchen.times` reads and writes it."""
    changed_at: Mapped[datetime] = mapped_column(default=now)
    """When the weights were last decayed."""


class OrderFeedback(Base, TenantOwned):
    """The question after the meal, and its answer."""

    __tablename__ = "order_feedback"
    __table_args__ = (
        tenant_foreign_key(["order_id"], "orders", ["id"], ondelete="CASCADE"),
        Index(
            "order_feedback_due_idx",
            "tenant_id",
            "due_at",
            postgresql_where=text("asked_at IS NULL AND skipped = ''"),
        ),
        Index(
            "order_feedback_unhappy_idx",
            "tenant_id",
            "answered_at",
            postgresql_where=text("answer = 'bad' AND handled_at IS NULL"),
        ),
    )

    order_id: Mapped[str] = mapped_column(Id("ord"), primary_key=True)
    site_id: Mapped[str] = mapped_column(Id("sit"))
    due_at: Mapped[datetime]
    asked_at: Mapped[datetime | None]
    skipped: Mapped[str] = mapped_column(Text, default="")
    """Why the guest was not asked: opted_out, blocked, window_closed or refused."""
    answer: Mapped[str] = mapped_column(Text, default="")
    """good, okay, bad or empty"""
    answered_at: Mapped[datetime | None]
    handled_at: Mapped[datetime | None]
    """When the manager took care of an unhappy guest."""
    handled_by: Mapped[str] = mapped_column(Text, default="")
