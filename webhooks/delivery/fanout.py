"""Fan-out: number each event and create one delivery for every endpoint subscribed to it.

Numbers are assigned under the lock of the tenant's feed and become visible with its commit, so no
reader ever sees a number before all smaller ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid, to_uuid
from webhooks.event_types import ALL_EVENTS, TEST_EVENT, is_subscribed
from webhooks.events import publish_webhook_event, wake_delivery_worker
from webhooks.filters import EventFilter, conversation_of
from webhooks.models import Endpoint, EventFeed

BATCH_SIZE = 1000

# The body of an event contains whether it belongs to test mode.
IS_TEST = "coalesce(events.body ->> 'test', events.body #>> '{data,test}', '') = 'true'"

# Bodies are read only if an endpoint filters events or keeps their order.
NEEDS_BODIES = """EXISTS (
              SELECT 1 FROM endpoints AS p
               WHERE p.tenant_id = :tenant_id AND p.enabled AND p.removed_at IS NULL
                 AND (p.ordered OR p.line_ids IS NOT NULL OR p.filters <> '[]'))"""

UNNUMBERED = text("""
SELECT 1 FROM events WHERE tenant_id = :tenant_id AND sequence IS NULL LIMIT 1
""")
TO_FAN_OUT = text("""
SELECT 1 FROM events AS e
  JOIN endpoints AS p ON p.tenant_id = :tenant_id AND p.enabled AND p.removed_at IS NULL
   AND (e.type = ANY (p.events) OR :all_events = ANY (p.events))
 WHERE e.tenant_id = :tenant_id AND e.sequence IS NULL AND e.type <> :test_event LIMIT 1
""")
LOCK = text("SELECT last_sequence FROM event_feeds WHERE tenant_id = :tenant_id FOR UPDATE")
NUMBER = text(f"""
UPDATE events SET sequence = :last + mine.place
  FROM (SELECT id, row_number() OVER (ORDER BY id) AS place
          FROM (SELECT id FROM events WHERE tenant_id = :tenant_id AND sequence IS NULL
                 ORDER BY id LIMIT :most) AS waiting) AS mine
 WHERE events.tenant_id = :tenant_id AND events.id = mine.id
RETURNING events.id, events.type, events.sequence, {IS_TEST} AS test,
          coalesce(events.published_at, events.occurred_at) AS published_at,
          CASE WHEN {NEEDS_BODIES} THEN events.body END AS body
""")  # noqa: S608
NUMBER_ONE = text("""
UPDATE events SET sequence = :last + 1
 WHERE tenant_id = :tenant_id AND id = :id AND sequence IS NULL
RETURNING id, type, sequence
""")
ADVANCE = text("""
UPDATE event_feeds SET last_sequence = :last WHERE tenant_id = :tenant_id
""")
DELIVER = text("""
INSERT INTO deliveries (tenant_id, id, endpoint_id, event_id, type, sequence, cause, state,
                        attempt, step, due_at, created_at, changed_at, conversation)
SELECT :tenant_id, mine.id, mine.endpoint_id, mine.event_id, mine.type, mine.sequence, :cause,
       'waiting', 0, 0, :now, :now, :now, mine.conversation
  FROM unnest(CAST(:ids AS uuid[]), CAST(:endpoint_ids AS uuid[]), CAST(:event_ids AS uuid[]),
              CAST(:types AS text[]), CAST(:sequences AS bigint[]), CAST(:conversations AS text[]))
       AS mine (id, endpoint_id, event_id, type, sequence, conversation)
RETURNING id
""")
# One round trip for both.
DELIVER_AND_ADVANCE = text(f"{DELIVER.text}; {ADVANCE.text}")


@dataclass(frozen=True)
class Subscriber:
    id: str
    events: list[str]
    since: datetime
    test: bool
    """The endpoint gets only events of test mode."""
    filter: EventFilter
    ordered: bool

    def wants(self, event: Any) -> bool:
        return (
            is_subscribed(self.events, event.type)
            and event.published_at >= self.since
            and (event.test or not self.test)
            and (self.filter.accepts_all or self.filter.accepts(event.body))
        )

    def planned_for(self, event: Any) -> "PlannedDelivery":
        conversation = conversation_of(event.body) if self.ordered else None
        return PlannedDelivery(self.id, event, conversation)


class PlannedDelivery(NamedTuple):
    """An event that an endpoint gets, and the conversation it is kept in order by."""

    endpoint_id: str
    event: Any
    conversation: str | None = None


def number_events(most: int = BATCH_SIZE) -> int:
    """Number the events that have no number yet, oldest first, and create their deliveries. Returns
    how many events there were. For workers, which send the deliveries next.
    """
    return _number_events(most)[0]


def number_for_reader() -> int:
    """As `number_events`, if there is an event without a number. Wakes a worker for deliveries."""
    if not has_unnumbered_events():
        return 0
    events, deliveries = _number_events(BATCH_SIZE)
    if deliveries:
        wake_delivery_worker()
    return events


def number_all_events() -> None:
    """In batches, for callers that need the number of every event. Wakes a worker for
    deliveries.
    """
    while number_for_reader():
        pass


def has_unnumbered_events() -> bool:
    found = db.session.execute(UNNUMBERED, {"tenant_id": current_tenant_id()})
    return found.first() is not None


def has_events_to_fan_out() -> bool:
    """Whether an enabled endpoint subscribes to an event that has no number yet."""
    params = {"tenant_id": current_tenant_id(), "all_events": ALL_EVENTS, "test_event": TEST_EVENT}
    return db.session.execute(TO_FAN_OUT, params).first() is not None


def _number_events(most: int) -> tuple[int, int]:
    """How many events were numbered, and how many deliveries were created."""
    last = lock_feed()
    rows = db.session.execute(
        NUMBER, {"tenant_id": current_tenant_id(), "last": last, "most": most}
    ).all()
    if not rows:
        return 0, 0
    return len(rows), len(_fan_out(rows, list_subscribers(), last + len(rows)))


def lock_feed() -> int:
    """The last number that was assigned. Locks the feed until the transaction ends, so that
    numbering and changes of subscribers wait for each other.
    """
    tenant_id = current_tenant_id()
    last: int | None = db.session.execute(LOCK, {"tenant_id": tenant_id}).scalar()
    if last is not None:
        return last
    db.session.execute(
        insert(EventFeed).values(tenant_id=tenant_id, last_sequence=0).on_conflict_do_nothing()
    )
    return int(db.session.execute(LOCK, {"tenant_id": tenant_id}).scalar_one())


def list_subscribers() -> list[Subscriber]:
    rows = db.session.execute(
        select(
            Endpoint.id,
            Endpoint.events,
            Endpoint.listens_since,
            Endpoint.test,
            Endpoint.line_ids,
            Endpoint.filters,
            Endpoint.ordered,
        ).where(
            Endpoint.tenant_id == current_tenant_id(),
            Endpoint.enabled,
            Endpoint.removed_at.is_(None),
        )
    )
    return [
        Subscriber(
            row.id,
            row.events,
            row.listens_since,
            row.test,
            EventFilter.of(row.line_ids, row.filters),
            row.ordered,
        )
        for row in rows
    ]


def create_test_delivery(endpoint: Endpoint) -> str:
    """Publish an event for this endpoint alone. Returns the id of its delivery."""
    event = publish_webhook_event(
        TEST_EVENT,
        {
            "data": {
                "endpoint_id": endpoint.id,
                "message": "Hello! If you can read this, the endpoint works.",
                "timestamp": int(now().timestamp()),
            }
        },
    )
    db.session.flush()
    last = lock_feed()
    row = db.session.execute(
        NUMBER_ONE,
        {"tenant_id": current_tenant_id(), "last": last, "id": str(to_uuid("evt", event.id))},
    ).one()
    return create_deliveries([PlannedDelivery(endpoint.id, row)], cause="test", last=last + 1)[0]


def create_deliveries(
    planned: Iterable[PlannedDelivery], cause: str, last: int | None = None
) -> list[str]:
    """Create a delivery for each endpoint and numbered event. Returns their ids.

    `last`: the new last number of the feed, if it changes in the same call.
    """
    planned = sorted(planned, key=lambda one: one.event.sequence)
    ids = [new_uuid() for _ in planned]
    uuids = {one: str(to_uuid("ep", one)) for one in {each.endpoint_id for each in planned}}
    if planned or last is not None:
        db.session.execute(
            DELIVER if last is None else DELIVER_AND_ADVANCE,
            {
                "last": last,
                "tenant_id": current_tenant_id(),
                "now": now(),
                "cause": cause,
                "ids": [str(one) for one in ids],
                "endpoint_ids": [uuids[one.endpoint_id] for one in planned],
                "event_ids": [str(one.event.id) for one in planned],
                "types": [one.event.type for one in planned],
                "sequences": [one.event.sequence for one in planned],
                "conversations": [one.conversation for one in planned],
            },
        )
    return [from_uuid("dlv", one) for one in ids]


def _fan_out(rows: Sequence[Any], listening: list[Subscriber], last: int) -> list[str]:
    """Returns the ids of the deliveries."""
    planned = (one.planned_for(row) for row in rows for one in listening if one.wants(row))
    return create_deliveries(planned, cause="event", last=last)
