"""Which event types each tenant's endpoints subscribe to, where workers and wake-ups look it up.

The types are in the tenant's row of `lookups` and, for all tenants, in Redis
(core/queue/listeners.py). Events of other types wake no worker; they are numbered when the feed is
read, with the tenant's next delivery, or by the sweep.
"""

from collections.abc import Iterable

from redis import RedisError
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from core.db import after_commit, current_tenant_id, db, global_scope
from core.logs import logger
from core.lookups import Lookup, remove_lookup
from core.queue.listeners import forget_listeners, listener_generation, store_listeners
from core.queue.wakeups import WakeUp, send_wakeups
from webhooks.event_types import ALL_EVENTS
from webhooks.models import Endpoint

log = logger(__name__)

LOOKUP = "deliveries"  # tenants with an enabled endpoint
JOB = "jobs.webhooks.worker.drain"
CACHE_SECONDS = 300  # it is renewed every minute, and whenever a subscription changes


def update_listeners() -> None:
    """After every change of endpoints, in its transaction. The lock on the tenant's row is held
    until the commit, so that concurrent changes see each other.
    """
    tenant_id = current_tenant_id()
    row = insert(Lookup).values(kind=LOOKUP, key=str(tenant_id), tenant_id=tenant_id, target="")
    before = db.session.scalar(
        row.on_conflict_do_update(
            index_elements=[Lookup.kind, Lookup.key], set_={"tenant_id": row.excluded.tenant_id}
        ).returning(Lookup.target)
    )
    types = " ".join(subscribed_types())
    if types == before:
        return
    if types:
        db.session.execute(
            update(Lookup)
            .where(
                Lookup.kind == LOOKUP, Lookup.key == str(tenant_id), Lookup.tenant_id == tenant_id
            )
            .values(target=types)
        )
    else:
        remove_lookup(LOOKUP, str(tenant_id))
    after_commit(_publish_change, None)


def subscribed_types() -> list[str]:
    """What this tenant's enabled endpoints subscribe to; `*` alone if one gets all events."""
    rows = db.session.scalars(
        select(Endpoint.events).where(
            Endpoint.tenant_id == current_tenant_id(),
            Endpoint.enabled,
            Endpoint.removed_at.is_(None),
        )
    )
    types = {kind for events in rows for kind in events}
    return [ALL_EVENTS] if ALL_EVENTS in types else sorted(types)


def refresh_listeners() -> dict[int, str]:
    """Renew the cache in Redis. Returns the tenants with an enabled endpoint, and the types that
    are stored for them.
    """
    try:
        generation = listener_generation(JOB)
        stored = _stored_types()
        # An earlier release stored no types.
        types = {tenant_id: names or ALL_EVENTS for tenant_id, names in stored.items()}
        store_listeners(JOB, generation, types, CACHE_SECONDS)
    except RedisError as error:
        log.warning("listeners not updated", job=JOB, error=type(error).__name__)
        return _stored_types()
    return stored


def _stored_types() -> dict[int, str]:
    with global_scope():
        query = select(Lookup.tenant_id, Lookup.target).where(Lookup.kind == LOOKUP)
        return {row.tenant_id: row.target for row in db.session.execute(query)}


def listening_among(tenant_ids: Iterable[int]) -> list[int]:
    """In a global transaction: those of the tenants that have an enabled endpoint."""
    rows = db.session.scalars(
        select(Lookup.tenant_id).where(
            Lookup.kind == LOOKUP, Lookup.key.in_([str(one) for one in tenant_ids])
        )
    )
    return list(rows)


def _publish_change(tenant_id: int, _changes: list[object]) -> None:
    """The cache first, then the wake-up: the worker finds the events that were committed before."""
    forget_listeners(JOB)
    send_wakeups([WakeUp("jobs.webhooks.worker.drain", (tenant_id,))])
