"""Webhook events of held messages."""

from datetime import datetime
from typing import Any

from core.clock import rfc3339
from messaging.models import HeldMessage
from webhooks.events import publish_webhook_event


def publish_held(held: HeldMessage) -> None:
    data = _common(held.id, held, held.created_at) | {
        "status_code": "held",
        "for_person": held.for_person,
        "type": held.kind,
        "text": held.text,
        "expires_at": rfc3339(held.expires_at),
    }
    publish_webhook_event("messages.held", {"instance_id": held.line_id, "data": data})


def publish_decided(
    message_id: str, held: Any, moment: datetime, decision: str, decided_by: str | None
) -> None:
    """`held` is the message, or a row with the same columns."""
    data = _common(message_id, held, moment) | {"decision": decision, "decided_by": decided_by}
    publish_webhook_event("messages.decided", {"instance_id": held.line_id, "data": data})


def _common(message_id: str, held: Any, moment: datetime) -> dict[str, Any]:
    return {
        "id": message_id,
        "to": held.phone,
        "timestamp": int(moment.timestamp()),
        "reference": held.reference,
        "app": held.app_name,
        "test": held.test,
    }
