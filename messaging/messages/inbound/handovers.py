"""Who holds a conversation: the team and its programs, or the network's own agent."""

from datetime import UTC, datetime

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.live_updates import publish_update
from messaging.contacts import identities as contact_identities
from messaging.lines.drivers.base import LineUpdate
from messaging.models import Line

# A conversation that the agent hands over waits for a person, so it becomes unread.
CHANGE_HOLDER = text("""
UPDATE conversations
   SET held_by = CAST(:holder AS text), held_at = :at,
       unread = CASE WHEN CAST(:holder AS text) IS NULL AND held_by IS NOT NULL
                     THEN greatest(unread, 1) ELSE unread END,
       closed_at = CASE WHEN CAST(:holder AS text) IS NULL THEN NULL ELSE closed_at END
 WHERE tenant_id = :tenant_id AND line_id = :line_id AND contact_id = :contact_id
   AND (held_at IS NULL OR held_at <= :at)
RETURNING id
""")
TAKE_OVER = text("""
UPDATE conversations SET held_by = NULL, held_at = :now
 WHERE tenant_id = :tenant_id AND id = :id AND held_by IS NOT NULL
RETURNING id
""")


def apply_handover(line: Line, update: LineUpdate) -> None:
    """Store the holder that the network reports. An older report changes nothing."""
    detail = update.detail
    contact_id = contact_identities.find_contact(detail["phone"], detail["network_id"])
    if contact_id is None:
        return
    row = db.session.execute(
        CHANGE_HOLDER,
        {
            "tenant_id": current_tenant_id(),
            "line_id": line.id,
            "contact_id": str(to_uuid("con", contact_id)),
            "holder": detail["holder"] or None,
            "at": min(datetime.fromtimestamp(detail["at"], UTC), now()),
        },
    ).first()
    if row is not None:
        publish_update("conversations.changed", id=from_uuid("cnv", row.id))


def take_over(conversation_id: str) -> None:
    """A reply takes the conversation from the agent: the network then sends us its messages."""
    db.session.execute(
        TAKE_OVER,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("cnv", conversation_id)),
            "now": now(),
        },
    )
