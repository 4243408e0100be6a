"""Publish webhook events: an event is a row in the transaction of the change it reports."""

from typing import Any

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from webhooks.event_types import EVENT_TYPES
from webhooks.models import Event


def publish_webhook_event(kind: str, body: dict[str, Any]) -> Event:
    """Raises RuntimeError for a type that nobody could subscribe to."""
    if kind not in EVENT_TYPES:
        raise RuntimeError(f"{kind} is not in webhooks/event_types.py")
    event = Event(
        tenant_id=current_tenant_id(), type=kind, body={"event": kind, **body}, occurred_at=now()
    )
    db.session.add(event)
    wake_delivery_worker(kind)
    return event


def wake_delivery_worker(*types: str) -> None:
    """After the commit: this tenant has new events of these types, or deliveries that are due.

    Without a type a worker is always woken; otherwise only if an endpoint subscribes to one of
    them. The sweep finds events whose wake-up is lost.
    """
    notify_workers("jobs.webhooks.worker.drain", current_tenant_id(), *types)
