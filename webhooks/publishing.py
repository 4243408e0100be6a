"""Tell the outside world: an event is a row, written in the transaction of what it tells of."""

from typing import Any

from core.clock import now
from core.db import current_tenant_id, db, ring
from webhooks.models import Event


def publish(kind: str, body: dict[str, Any]) -> Event:
    event = Event(
        tenant_id=current_tenant_id(), type=kind, body={"event": kind, **body}, occurred_at=now()
    )
    db.session.add(event)
    announce()
    return event


def announce() -> None:
    """After the commit: this tenant has new events. A ring that is lost is found by the clock."""
    ring("jobs.deliveries.drain", current_tenant_id())
