"""The phone lines of a tenant."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    Integer,
    Numeric,
    Text,
    event,
)
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned, invalidate_tenant_cache
from core.security.encryption import EncryptedText
from core.sql.columns import tenant_foreign_key


class Line(Base, TenantOwned):
    """One phone number that a tenant sends from; "instance" in the API."""

    __tablename__ = "lines"
    __table_args__ = (tenant_foreign_key(["fallback_line_id"], "lines", ["id"]),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(Text)
    network: Mapped[str] = mapped_column(Text)
    test: Mapped[bool] = mapped_column(default=False)
    name: Mapped[str] = mapped_column(Text)
    phone: Mapped[str] = mapped_column(Text, default="")
    state: Mapped[str] = mapped_column(Text)
    state_because: Mapped[str] = mapped_column(Text, default="")
    """Of messaging/reasons.py, as is `templates_error`."""
    state_at: Mapped[datetime] = mapped_column(default=now)
    enabled: Mapped[bool] = mapped_column(default=True)
    is_default: Mapped[bool] = mapped_column(default=False)
    phone_number_id: Mapped[str | None] = mapped_column(Text)
    account_id: Mapped[str | None] = mapped_column(Text)
    token: Mapped[str | None] = mapped_column(EncryptedText("lines.token", per_tenant=True))
    app_secret: Mapped[str | None] = mapped_column(
        EncryptedText("lines.app_secret", per_tenant=True)
    )
    verify_token: Mapped[str | None] = mapped_column(Text)
    hook_token: Mapped[str | None] = mapped_column(Text)
    per_second: Mapped[Decimal] = mapped_column(Numeric(8, 3))
    paused_until: Mapped[datetime | None]
    fallback_line_id: Mapped[int | None] = mapped_column(Integer)
    told_state: Mapped[str] = mapped_column(Text, default="connected")
    """The last state that the tenant's admins were notified of."""
    templates_at: Mapped[datetime | None]
    """When templates were last synced from the network; None if never."""
    templates_error: Mapped[str] = mapped_column(Text, default="")
    quality: Mapped[str] = mapped_column(Text, default="")
    """green, yellow or red; empty if the network has not reported it."""
    recipient_limit: Mapped[str] = mapped_column(Text, default="")
    """How many different people the portfolio may write to first in 24 hours: a number, `unlimited`
    or empty if unknown."""
    portfolio_id: Mapped[str] = mapped_column(Text, default="")
    """The business portfolio, whose lines share the limit; empty if unknown."""
    on_business_app: Mapped[bool] = mapped_column(default=False)
    """The number is also used in the WhatsApp Business app, which lowers its pace."""
    direct_send: Mapped[str] = mapped_column(Text, default="off")
    """One of DIRECT_SEND_STATES."""
    direct_send_at: Mapped[datetime | None]
    """When `direct_send` last changed."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class TestClock(Base, TenantOwned):
    """How far the tenant has moved the clock of its test mode; see messaging/simulated_clock.py."""

    __tablename__ = "test_clocks"
    __test__ = False  # for pytest: a table, not a test

    seconds_ahead: Mapped[int] = mapped_column(BigInteger)
    changed_at: Mapped[datetime]


@event.listens_for(Line, "after_insert")
@event.listens_for(Line, "after_update")
def _clear_route_caches(*_: Any) -> None:
    """Entry points cache the lines that a tenant may send from."""
    invalidate_tenant_cache()
