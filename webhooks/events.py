"""Tell the outside world: an event is a row, written in the transaction of what it tells of."""

from typing import Any

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from webhooks.models import Event


def publish_webhook_event(kind: str, body: dict[str, Any]) -> Event:
    event = Event(
        tenant_id=current_tenant_id(), type=kind, body={"event": kind, **body}, occurred_at=now()
    )
    db.session.add(event)
    wake_delivery_worker()
    return event


def wake_delivery_worker() -> None:
    """After the commit: this tenant has new events. A ring that is lost is found by the clock."""
    notify_workers("jobs.webhooks.worker.drain", current_tenant_id())
