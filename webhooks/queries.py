"""Read the event feed, deliveries and attempts; resend deliveries and replay events."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import select, text, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound, invalid
from core.ids import to_uuid
from core.sql.partitions import id_at
from tenants import audit
from webhooks import endpoints
from webhooks.delivery import fanout
from webhooks.delivery.claim import wire_fields
from webhooks.delivery.fanout import PlannedDelivery
from webhooks.event_types import EVENT_TYPES, is_subscribed
from webhooks.events import wake_delivery_worker
from webhooks.filters import EventFilter, conversation_of
from webhooks.models import EndpointDay, Event, WebhookAttempt, WebhookDelivery

STATES = ("waiting", "sending", "delivered", "failed", "cancelled")
MAX_REPLAYED = 10_000
EPOCH = datetime(1970, 1, 2, tzinfo=UTC)
SLACK = timedelta(hours=1)  # between an event's own time and that of its id

IN_RANGE = text(f"""
SELECT id, type, sequence, body FROM events
 WHERE tenant_id = :tenant_id AND id >= CAST(:oldest AS uuid)
   AND (occurred_at BETWEEN :since AND :until OR published_at BETWEEN :since AND :until)
   AND type = ANY(:types) AND sequence IS NOT NULL
   AND (NOT :test OR {fanout.IS_TEST})
 ORDER BY id LIMIT :most
""")  # noqa: S608
ALREADY_DELIVERED = text("""
SELECT event_id FROM deliveries
 WHERE tenant_id = :tenant_id AND endpoint_id = :endpoint_id
   AND event_id = ANY(CAST(:event_ids AS uuid[])) AND state IN ('delivered', 'waiting', 'sending')
""")


@dataclass(frozen=True)
class DeliveryFilters:
    endpoint_id: str | None = None
    event_id: str | None = None
    type: str | None = None
    state: str | None = None
    endpoint_ids: frozenset[str] | None = None
    """Only these endpoints; None: all."""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class ReplayRange:
    since: datetime
    until: datetime
    missed: bool = False
    """Only events that were never delivered."""


def list_deliveries(
    filters: DeliveryFilters, after: str | None, limit: int
) -> list[WebhookDelivery]:
    """Newest first."""
    query = (
        select(WebhookDelivery)
        .where(WebhookDelivery.tenant_id == current_tenant_id())
        .order_by(WebhookDelivery.id.desc())
        .limit(limit)
    )
    for column, value in (
        (WebhookDelivery.endpoint_id, filters.endpoint_id),
        (WebhookDelivery.event_id, filters.event_id),
        (WebhookDelivery.type, filters.type),
        (WebhookDelivery.state, filters.state),
    ):
        if value is not None:
            query = query.where(column == value)
    if filters.endpoint_ids is not None:
        query = query.where(WebhookDelivery.endpoint_id.in_(sorted(filters.endpoint_ids)))
    if filters.since is not None:
        oldest = UUID(id_at(max(filters.since, EPOCH) - SLACK))
        query = query.where(
            WebhookDelivery.created_at >= filters.since, WebhookDelivery.id >= oldest
        )
    if filters.until is not None:
        query = query.where(WebhookDelivery.created_at <= filters.until)
    if after:
        query = query.where(WebhookDelivery.id < after)
    return list(db.session.scalars(query))


def get_delivery(delivery_id: str) -> WebhookDelivery:
    found = db.session.get(WebhookDelivery, (current_tenant_id(), delivery_id))
    if found is None:
        raise NotFound()
    return found


def list_attempts(delivery_id: str) -> list[WebhookAttempt]:
    """Oldest first."""
    rows = db.session.scalars(
        select(WebhookAttempt)
        .where(
            WebhookAttempt.tenant_id == current_tenant_id(),
            WebhookAttempt.delivery_id == delivery_id,
        )
        .order_by(WebhookAttempt.number)
    )
    return list(rows)


def delivery_body(delivery: WebhookDelivery) -> dict[str, Any] | None:
    """The posted body; None if the event has been deleted."""
    event = db.session.get(Event, (current_tenant_id(), delivery.event_id))
    if event is None:
        return None
    return wire_fields(event.id, event.body, event.occurred_at, event.sequence)


def resend_delivery(delivery_id: str) -> WebhookDelivery:
    """Send it again at once, with all its retries. Raises NotFound or Conflict."""
    delivery = get_delivery(delivery_id)
    endpoint = endpoints.get(delivery.endpoint_id)
    endpoints.require_enabled(endpoint)
    moved = db.session.execute(
        update(WebhookDelivery)
        .where(
            WebhookDelivery.tenant_id == current_tenant_id(),
            WebhookDelivery.id == delivery_id,
            WebhookDelivery.state != "sending",
        )
        .values(state="waiting", step=0, due_at=now(), changed_at=now())
        .returning(WebhookDelivery.id)
    )
    if moved.first() is None:
        raise Conflict("being_sent", "This webhook delivery is being sent now.")
    endpoint.rests_until = None  # a person asked for it, so the pause ends
    audit.record("webhooks.resent", endpoint.url, delivery=delivery.id)
    wake_delivery_worker()
    db.session.flush()
    db.session.refresh(delivery)
    return delivery


def replay_events(endpoint_id: str, replay: ReplayRange) -> int:
    """Send the events of a time range to one endpoint again. Returns how many there are. Raises
    NotFound, Conflict or Invalid.
    """
    endpoint = endpoints.get(endpoint_id)
    endpoints.require_enabled(endpoint)
    if replay.since > replay.until:
        raise invalid("since", "invalid_range", "The end of the range must be after its start.")
    fanout.number_all_events()
    types = [kind for kind in EVENT_TYPES if is_subscribed(endpoint.events, kind)]
    rows = db.session.execute(
        IN_RANGE,
        {
            "tenant_id": current_tenant_id(),
            "oldest": id_at(max(replay.since, EPOCH) - SLACK),
            "since": replay.since,
            "until": replay.until,
            "types": types,
            "test": endpoint.test,
            "most": MAX_REPLAYED + 1,
        },
    ).all()
    if len(rows) > MAX_REPLAYED:
        raise invalid(
            "since",
            "range_too_long",
            "The range contains more than {most} events. Choose a shorter one.",
            most=MAX_REPLAYED,
        )
    arrived = _already_delivered(endpoint_id, rows) if replay.missed else set()
    wanted = EventFilter.of(endpoint.line_ids, endpoint.filters)
    again = [
        PlannedDelivery(endpoint_id, row, conversation_of(row.body) if endpoint.ordered else None)
        for row in rows
        if row.id not in arrived and wanted.accepts(row.body)
    ]
    fanout.create_deliveries(again, cause="replay")
    audit.record(
        "webhooks.replayed",
        endpoint.url,
        events=len(again),
        since=replay.since.isoformat(),
        until=replay.until.isoformat(),
    )
    wake_delivery_worker()
    return len(again)


def _already_delivered(endpoint_id: str, rows: Sequence[Any]) -> set[Any]:
    found = db.session.execute(
        ALREADY_DELIVERED,
        {
            "tenant_id": current_tenant_id(),
            "endpoint_id": str(to_uuid("ep", endpoint_id)),
            "event_ids": [str(row.id) for row in rows],
        },
    )
    return set(found.scalars())


def daily_counts(since: date) -> dict[str, list[EndpointDay]]:
    """By endpoint, oldest first."""
    found: dict[str, list[EndpointDay]] = {}
    for row in db.session.scalars(
        select(EndpointDay)
        .where(EndpointDay.tenant_id == current_tenant_id(), EndpointDay.day >= since)
        .order_by(EndpointDay.day)
    ):
        found.setdefault(row.endpoint_id, []).append(row)
    return found
