"""Tables of published events, endpoints, deliveries and attempts."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Date, Index, SmallInteger, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id, new_id
from core.security.encryption import EncryptedText
from core.security.signing import new_webhook_secret

LATE_DELIVERY = "state = 'failed' OR (state = 'waiting' AND attempt > 0)"


class Event(Base, TenantOwned):
    __tablename__ = "events"
    __table_args__ = (
        Index("events_waiting_idx", "tenant_id", "id", postgresql_where=text("sequence IS NULL")),
        Index(
            "events_sequence_idx",
            "tenant_id",
            "sequence",
            postgresql_where=text("sequence IS NOT NULL"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = mapped_column(Id("evt"), primary_key=True, default=lambda: new_id("evt"))
    type: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, Any]]
    occurred_at: Mapped[datetime] = mapped_column(default=now)
    sequence: Mapped[int | None] = mapped_column(BigInteger)
    published_at: Mapped[datetime | None] = mapped_column(server_default=func.clock_timestamp())
    """By the database's clock; `occurred_at` may come from the network. None: an old event."""


class EventFeed(Base, TenantOwned):
    """The last number of a tenant's events. The lock on its row keeps the numbers free of gaps."""

    __tablename__ = "event_feeds"

    last_sequence: Mapped[int] = mapped_column(BigInteger, default=0)


class Endpoint(Base, TenantOwned):
    __tablename__ = "endpoints"

    id: Mapped[str] = mapped_column(Id("ep"), primary_key=True, default=lambda: new_id("ep"))
    url: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text, default="")
    events: Mapped[list[str]] = mapped_column(ARRAY(Text))
    secret: Mapped[str] = mapped_column(
        EncryptedText("endpoints.secret", per_tenant=True), default=new_webhook_secret
    )
    old_secret: Mapped[str | None] = mapped_column(
        EncryptedText("endpoints.old_secret", per_tenant=True)
    )
    old_secret_until: Mapped[datetime | None]
    line_ids: Mapped[list[int] | None] = mapped_column(ARRAY(BigInteger))
    """Only events of these lines, and events without a line; None: of all."""
    filters: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    """Conditions on the body; see `webhooks/filters.py`."""
    headers: Mapped[str | None] = mapped_column(EncryptedText("endpoints.headers", per_tenant=True))
    """The endpoint's own headers, as JSON."""
    ordered: Mapped[bool] = mapped_column(default=False)
    """A delivery waits for the earlier ones of its conversation."""
    test: Mapped[bool] = mapped_column(default=False)
    """It gets only events of test mode; all other endpoints get every event."""
    enabled: Mapped[bool] = mapped_column(default=True)
    disabled_because: Mapped[str] = mapped_column(Text, default="")
    """`person`, `gone` (it answered 410) or `failing` (for five days)."""
    disabled_at: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(default=0)
    """Attempts in a row without a success."""
    failing_since: Mapped[datetime | None]
    letters: Mapped[int] = mapped_column(SmallInteger, default=0)
    """How many e-mails were sent about the current failure."""
    rests_until: Mapped[datetime | None]
    """The circuit breaker, or the pause that the endpoint itself requested."""
    busy_until: Mapped[datetime | None]
    """The lease of the worker that posts to it: one batch at a time."""
    last_success_at: Mapped[datetime | None]
    listens_since: Mapped[datetime] = mapped_column(default=func.clock_timestamp())
    """Events that were published before, or while it was off, are not sent to it. By the database's
    clock, like `Event.published_at`.
    """
    created_at: Mapped[datetime] = mapped_column(default=now)
    removed_at: Mapped[datetime | None]


class WebhookDelivery(Base, TenantOwned):
    """The delivery of one event to one endpoint."""

    __tablename__ = "deliveries"
    __table_args__ = (
        Index(
            "deliveries_due_idx",
            "tenant_id",
            "endpoint_id",
            "due_at",
            "sequence",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index(
            "deliveries_conversation_idx",
            "tenant_id",
            "endpoint_id",
            "conversation",
            "sequence",
            postgresql_where=text("due_at IS NOT NULL AND conversation IS NOT NULL"),
        ),
        Index("deliveries_endpoint_idx", "tenant_id", "endpoint_id", "id"),
        Index("deliveries_event_idx", "tenant_id", "event_id"),
        Index("deliveries_late_idx", "tenant_id", "id", postgresql_where=text(LATE_DELIVERY)),
        {"postgresql_partition_by": "RANGE (id)"},
    )

    id: Mapped[str] = mapped_column(Id("dlv"), primary_key=True, default=lambda: new_id("dlv"))
    endpoint_id: Mapped[str] = mapped_column(Id("ep"))
    event_id: Mapped[str] = mapped_column(Id("evt"))
    type: Mapped[str] = mapped_column(Text)
    sequence: Mapped[int] = mapped_column(BigInteger)
    conversation: Mapped[str | None] = mapped_column(Text)
    """Deliveries with the same value are sent in order; None: in any order."""
    cause: Mapped[str] = mapped_column(Text, default="event")
    """`event`, `replay` or `test`."""
    state: Mapped[str] = mapped_column(Text, default="waiting")
    """`waiting`, `sending`, `delivered`, `failed` or `cancelled`."""
    attempt: Mapped[int] = mapped_column(default=0)
    """Increases with every claim: only the newest claim can be settled."""
    step: Mapped[int] = mapped_column(SmallInteger, default=0)
    """Its place in the list of retry delays; a resend starts over."""
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    status: Mapped[int | None]
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class WebhookAttempt(Base, TenantOwned):
    __tablename__ = "delivery_attempts"
    __table_args__ = ({"postgresql_partition_by": "RANGE (delivery_id)"},)

    delivery_id: Mapped[str] = mapped_column(Id("dlv"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    millis: Mapped[int]
    status: Mapped[int | None]
    error: Mapped[str | None] = mapped_column(Text)
    signature: Mapped[str] = mapped_column(Text)
    headers: Mapped[dict[str, Any]]
    """The headers of the endpoint's response."""
    answer: Mapped[str] = mapped_column(Text)
    """The first bytes of the response's body."""


class EndpointDay(Base, TenantOwned):
    """Attempts by day, for the charts."""

    __tablename__ = "endpoint_days"

    endpoint_id: Mapped[str] = mapped_column(Id("ep"), primary_key=True)
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    delivered: Mapped[int]
    failed: Mapped[int]
    millis: Mapped[int] = mapped_column(BigInteger)
