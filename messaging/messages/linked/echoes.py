"""Echoes of messages that a linked phone sent.

They settle a message whose send response was lost. All others were typed on the phone.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid
from core.values.network_address import address_variants
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import EchoedMessage, Receipt
from messaging.lines.drivers.linked.client import EchoReceived
from messaging.messages.inbound.echoes import store_echo
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.receipts import receive_receipt
from messaging.models import Line

CLOCK_SKEW = timedelta(minutes=2)

# An echo does not contain our id. The match is the oldest message with the same text to the same
# person that was created before the echo and has no network id yet. The text of a place, a card or
# a reaction is not sent as a text.
FIND_UNANSWERED = text("""
SELECT id, kind, content FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND line_id = :line_id
   AND direction = 'out' AND state IN ('sending', 'unknown') AND network_id IS NULL
   AND ((kind = :kind AND (text = :text OR kind IN ('location', 'contacts', 'reaction')))
        OR kind = ANY(:sent_as_text))
   AND created_at <= :at
 ORDER BY id LIMIT 20
""")
IS_KNOWN_NETWORK_ID = text(
    "SELECT 1 FROM network_ids WHERE tenant_id = :tenant_id AND network_id = :network_id"
)


def receive_echo(line: Line, echo: EchoReceived, tally: UsageTally) -> bool:
    """Settle the message that Comanda sent, or store the one that was typed on the phone.

    Returns True if it settled one of our messages.
    """
    tenant_id = current_tenant_id()
    named = {"tenant_id": tenant_id, "network_id": echo.network_id}
    if db.session.execute(IS_KNOWN_NETWORK_ID, named).first() is not None:
        return False
    rows = db.session.execute(
        FIND_UNANSWERED,
        {
            "tenant_id": tenant_id,
            "line_id": line.id,
            "phones": sorted(address_variants(echo.phone)),
            "kind": echo.kind,
            "text": echo.text,
            "sent_as_text": [code for code, kind in MESSAGE_KINDS.items() if kind.plain_text],
            "at": datetime.fromtimestamp(echo.at, UTC) + CLOCK_SKEW,
        },
    )
    found = next((row.id for row in rows if _matches(row, echo)), None)
    if found is None:
        store_echo(line, _typed_on_phone(echo))
        return False
    receipt = Receipt(echo.network_id, "sent", echo.at, our_id=from_uuid("msg", found))
    return receive_receipt(line, receipt, tally)


def _matches(row: Any, echo: EchoReceived) -> bool:
    """The statement has compared the text of other kinds."""
    kind = MESSAGE_KINDS[row.kind]
    return kind.plain_text is None or kind.plain_text(row.content) == echo.text


def _typed_on_phone(echo: EchoReceived) -> EchoedMessage:
    phone = echo.phone if echo.phone.isdecimal() else ""
    return EchoedMessage(
        network_id=echo.network_id,
        phone=phone,
        recipient_network_id="" if phone else echo.phone,
        at=echo.at,
        kind=echo.kind,
        text=echo.text,
        content=echo.content,
    )
