"""Show the customer that somebody types, until the reply arrives or 25 seconds have passed."""

from datetime import timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from core.sql.partitions import id_at
from messaging.inbox import read_receipts
from messaging.inbox.conversations import ConversationSummary

SHOWN_FOR = timedelta(seconds=25)
REPEATED_AFTER = timedelta(seconds=15)
"""A repeated call within this time changes nothing."""
OLDEST_MESSAGE = timedelta(days=30)

# The network shows it together with a read receipt, so it needs a message of the customer.
SHOW_TYPING = text("""
UPDATE conversations SET typing_at = :now, tell_read = latest.network_id
  FROM (SELECT network_id FROM messages
         WHERE tenant_id = :tenant_id AND phone = ANY(CAST(:places AS text[]))
           AND id > CAST(:since AS uuid) AND line_id = :line_id AND direction = 'in'
           AND network_id IS NOT NULL
         ORDER BY id DESC LIMIT 1) AS latest
 WHERE conversations.tenant_id = :tenant_id AND conversations.id = :id
   AND (typing_at IS NULL OR typing_at <= :repeated_before)
RETURNING conversations.id
""")


def show_typing(talk: ConversationSummary) -> bool:
    """Returns False if the customer has not written lately or sees it already."""
    moment = now()
    row = db.session.execute(
        SHOW_TYPING,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("cnv", talk.id)),
            "line_id": talk.line_id,
            "places": talk.places,
            "since": id_at(moment - OLDEST_MESSAGE),
            "now": moment,
            "repeated_before": moment - REPEATED_AFTER,
        },
    ).first()
    if row is None:
        return False
    read_receipts.wake_senders()
    return True
