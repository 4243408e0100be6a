"""Lines, inbound messages and receipts for tests."""

import hashlib
import hmac
import json
import time
from decimal import Decimal
from itertools import count
from typing import Any

from sqlalchemy import insert, select

from core.db import db
from core.ids import new_id
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage, Receipt
from messaging.models import Line, Message, NetworkId
from webhooks.models import Event

APP_SECRET = "the app's secret"
_numbers = count(1)


def add_line(business: Any, **more: Any) -> Line:
    with business.scope():
        return line_repository.add_cloud_line(
            "Front desk",
            "905321112200",
            f"1{time.time_ns()}{next(_numbers)}",
            "token",
            APP_SECRET,
            **{"network": "simulator", "default": True, **more},
        )


def wrote(text: str = "Merhaba", **more: Any) -> InboundMessage:
    """What a customer wrote."""
    return InboundMessage(
        **{
            "network_id": f"wamid.in{next(_numbers)}-{time.time_ns()}",
            "sender_phone": "905321112233",
            "sender_network_id": "",
            "sender_name": "Ayşe",
            "at": int(time.time()) - 60,
            "kind": "text",
            "text": text,
            **more,
        }
    )


def sent_message(line: Line, state: str = "sent", **more: Any) -> tuple[str, str]:
    """In the open scope: an outbound message in this state. Returns our id and the network's."""
    message_id, network_id = new_id("msg"), f"wamid.out{next(_numbers)}-{time.time_ns()}"
    known = state not in ("queued", "sending", "unknown")
    db.session.execute(
        insert(Message).values(
            **{
                "tenant_id": line.tenant_id,
                "id": message_id,
                "line_id": line.id,
                "direction": "out",
                "kind": "text",
                "phone": "905321112233",
                "text": "Your table is ready",
                "content": {},
                "state": state,
                "network_id": network_id if known else None,
                "country": "TR",
                "category": "utility",
                "quoted_usd": Decimal("0.0009"),
                **more,
            }
        )
    )
    if known:
        db.session.execute(
            insert(NetworkId).values(
                tenant_id=line.tenant_id, network_id=network_id, message_id=message_id
            )
        )
    return message_id, network_id


def receipt(network_id: str, state: str, our_id: str = "", **more: Any) -> Receipt:
    priced = state in ("sent", "delivered")
    return Receipt(
        **{
            "network_id": network_id,
            "state": state,
            "at": int(time.time()) - 5,
            "our_id": our_id,
            "category": "utility" if priced else "",
            "billable": True if priced else None,
            **more,
        }
    )


def message_row(tenant_id: int, message_id: str) -> Message:
    return db.session.scalars(
        select(Message)
        .where(Message.tenant_id == tenant_id, Message.id == message_id)
        .execution_options(populate_existing=True)
    ).one()


def events_of(tenant_id: int, kind: str = "") -> list[dict[str, Any]]:
    rows = db.session.scalars(select(Event).where(Event.tenant_id == tenant_id).order_by(Event.id))
    return [row.body for row in rows if not kind or row.type == kind]


def signed(body: bytes, secret: str = APP_SECRET) -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Hub-Signature-256": f"sha256={digest}", "Content-Type": "application/json"}


def cloud_body(line: Line, *values: dict[str, Any]) -> bytes:
    """One entry for each value, as the network posts them."""
    entries = [
        {
            "id": "account",
            "changes": [
                {
                    "field": "messages",
                    "value": {
                        "messaging_product": "whatsapp",
                        "metadata": {"phone_number_id": line.phone_number_id},
                        **value,
                    },
                }
            ],
        }
        for value in values
    ]
    return json.dumps({"object": "whatsapp_business_account", "entry": entries}).encode()


def text_value(text: str, network_id: str = "", phone: str = "905321112233") -> dict[str, Any]:
    return {
        "contacts": [{"wa_id": phone, "profile": {"name": "Ayşe"}}],
        "messages": [
            {
                "id": network_id or f"wamid.in{next(_numbers)}-{time.time_ns()}",
                "from": phone,
                "timestamp": str(int(time.time()) - 30),
                "type": "text",
                "text": {"body": text},
            }
        ],
    }


def status_value(network_id: str, state: str, our_id: str = "") -> dict[str, Any]:
    status: dict[str, Any] = {
        "id": network_id,
        "status": state,
        "timestamp": str(int(time.time())),
        "recipient_id": "905321112233",
        "biz_opaque_callback_data": our_id,
    }
    if state in ("sent", "delivered"):
        status["pricing"] = {"billable": True, "category": "utility", "pricing_model": "PMP"}
    return {"statuses": [status]}
