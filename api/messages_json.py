"""Messages as the API shows them."""

from typing import Any

from core.clock import rfc3339
from core.money import json_number
from messaging.models import Message
from messaging.sending import Ticket
from messaging.settling import Told


def ticket_json(ticket: Ticket, told: Told | None, unknown: list[str]) -> dict[str, Any]:
    """Spec 2.2 first, in its order. A test message quotes the real price."""
    cost = ticket.quoted_usd
    answer: dict[str, Any] = {
        "status": "success",
        "message_id": told.network_id if told else None,
        "status_code": told.state if told else ticket.state,
        "cost_usd": json_number(cost),
        "id": ticket.id,
        "instance_id": ticket.line_id,
        "phone": ticket.phone,
        "reference": ticket.reference,
        "test": ticket.test,
    }
    if unknown:
        answer["warnings"] = [f"unknown field ignored: {name}" for name in unknown]
    return answer


def message_json(message: Message) -> dict[str, Any]:
    error = None
    if message.error_code:
        error = {"code": message.error_code, "message": message.error_text}
    return {
        "id": message.id,
        "message_id": message.network_id,
        "direction": message.direction,
        "instance_id": message.line_id,
        "phone": message.phone,
        "type": message.kind,
        "text": message.text,
        "status_code": message.state,
        "reference": message.reference,
        "cost_usd": json_number(message.cost_usd),
        "test": message.test,
        "created_at": rfc3339(message.created_at),
        "error": error,
    }
