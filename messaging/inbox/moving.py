"""What programs and automations send moves its conversation up the list, as an answer does."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid
from core.news import tell
from messaging.claiming import Claimed
from messaging.contacts import filed_under

# Nothing is waited for: a conversation somebody holds just now is changed by them anyway.
MOVE_UP = text("""
UPDATE conversations
   SET last_message_id = found.message_id, last_at = greatest(conversations.last_at, :now)
  FROM (SELECT talk.id, mine.message_id
          FROM unnest(CAST(:message_ids AS uuid[]), CAST(:line_ids AS integer[]),
                      CAST(:kinds AS text[]), CAST(:values AS text[]))
               AS mine (message_id, line_id, kind, value)
          JOIN identities
            ON identities.tenant_id = :tenant_id AND identities.kind = mine.kind
           AND identities.value = mine.value
          JOIN conversations AS talk
            ON talk.tenant_id = :tenant_id AND talk.contact_id = identities.contact_id
           AND talk.line_id = mine.line_id AND talk.last_message_id < mine.message_id
           FOR UPDATE OF talk SKIP LOCKED) AS found
 WHERE conversations.tenant_id = :tenant_id AND conversations.id = found.id
RETURNING conversations.id, found.message_id
""")


def move_up(sent: Sequence[Claimed], moment: datetime) -> None:
    """Last in the transaction that settles them. Who never wrote to us has no conversation."""
    newest: dict[tuple[int, str, str], str] = {}
    for one in sent:
        place = (one.envelope.line_id, *filed_under(one.envelope.phone))
        newest[place] = max(one.uuid, newest.get(place, ""))
    if not newest:
        return
    rows = db.session.execute(
        MOVE_UP,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "message_ids": list(newest.values()),
            "line_ids": [line_id for line_id, _, _ in newest],
            "kinds": [kind for _, kind, _ in newest],
            "values": [value for _, _, value in newest],
        },
    )
    for row in rows:
        message_id = from_uuid("msg", row.message_id)
        tell("conversations.changed", id=from_uuid("cnv", row.id), message=message_id)
