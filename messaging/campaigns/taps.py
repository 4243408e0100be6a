"""Taps on the buttons and lists of campaigns: which choice each recipient made last.

A tap names the network id of the message that it answers, also on a linked phone, where the guest
types the number of the choice. Quick replies of templates arrive in the same way.
"""

from sqlalchemy import select, text

from core.clock import reported_time
from core.db import current_tenant_id, db
from core.ids import BadId, canonical_id, to_uuid
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.linked.choices import CHOICE_KIND
from messaging.models import Message, NetworkId

LONGEST_TITLE = 200

RECORD_TAP = text("""
UPDATE campaign_recipients SET tapped = :title, tapped_at = :at
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND contact_id = :contact_id
   AND state = 'handed' AND (tapped_at IS NULL OR tapped_at <= :at)
RETURNING contact_id
""")


def is_tap(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    return message.kind == CHOICE_KIND and bool(message.content.get("reply_to") and message.text)


def record_tap(message: InboundMessage, message_id: str) -> bool:
    """Record the choice if it answers a campaign. The latest choice of a recipient counts.

    Runs in the transaction that stored the message, which has the id `message_id`.
    """
    campaign_id = _campaign_of(str(message.content["reply_to"]))
    contact_id = _sender(message_id) if campaign_id else None
    if campaign_id is None or contact_id is None:
        return False
    title = str(message.content.get("title") or message.text)[:LONGEST_TITLE]
    row = db.session.execute(
        RECORD_TAP,
        {
            "tenant_id": current_tenant_id(),
            "campaign_id": str(to_uuid("cmp", campaign_id)),
            "contact_id": str(to_uuid("con", contact_id)),
            "title": title,
            "at": reported_time(message.at),
        },
    ).first()
    return row is not None


def _campaign_of(network_id: str) -> str | None:
    """The campaign whose message has this network id. Programs may set any reference."""
    tenant_id = current_tenant_id()
    sent_id = db.session.scalar(
        select(NetworkId.message_id).where(
            NetworkId.tenant_id == tenant_id, NetworkId.network_id == network_id
        )
    )
    if sent_id is None:
        return None
    reference = db.session.scalar(
        select(Message.reference).where(
            Message.tenant_id == tenant_id, Message.id == sent_id, Message.direction == "out"
        )
    )
    try:
        return canonical_id("cmp", reference) if reference else None
    except BadId:
        return None


def _sender(message_id: str) -> str | None:
    return db.session.scalar(
        select(Message.contact_id).where(
            Message.tenant_id == current_tenant_id(), Message.id == message_id
        )
    )
