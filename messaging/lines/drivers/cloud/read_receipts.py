"""Tell the network that a customer's message was read: the blue ticks on their phone."""

import json
from typing import Any
from urllib.parse import quote

from core.http import OutboundError
from core.http.async_client import Client
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.responses import bearer_header


async def send_read_receipt(
    client: Client,
    base_url: str,
    version: str,
    facts: LineFacts,
    network_id: str,
    *,
    typing: bool = False,
) -> bool:
    """With `typing`, the customer also sees that somebody types, for 25 seconds.

    Return False if the network did not accept it. Read receipts are optional and not retried."""
    authorization = bearer_header(facts.token)
    if authorization is None or not facts.phone_number_id:
        return False
    body: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": network_id,
    }
    if typing:
        body["typing_indicator"] = {"type": "text"}
    try:
        reply = await client.request(
            "POST",
            f"{base_url}/{version}/{quote(facts.phone_number_id, safe='')}/messages",
            headers={"Authorization": authorization, "Content-Type": "application/json"},
            body=json.dumps(body).encode(),
        )
    except OutboundError:
        return False
    return reply.ok
