"""Tell the outside world: an event is a row, written in the transaction of what it tells of."""

from typing import Any

from core.db import current_tenant_id, db
from webhooks.models import Event


def publish(kind: str, body: dict[str, Any]) -> Event:
    event = Event(tenant_id=current_tenant_id(), type=kind, body={"event": kind, **body})
    db.session.add(event)
    return event
