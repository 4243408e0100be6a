"""Send queue of a linked line: a host holds a few messages and sends them one by one.

A linked line sends at a human pace, so held messages stay `queued` under a lease and can be
cancelled until they are sent. `attempt` is the fencing token.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid
from messaging.lines.drivers.base import Envelope
from messaging.messages.claim import RECIPIENT_ORDER_HOLD, ClaimedMessage, pending_id_range
from messaging.messages.timeline import insert_changes

HOLD_MESSAGES = text("""
WITH due AS (
    SELECT m.id FROM messages m
     WHERE m.tenant_id = :tenant_id AND m.line_id = :line_id AND m.due_at <= :now
       AND m.id BETWEEN :oldest AND :newest AND m.state IN ('queued', 'scheduled')
       AND NOT EXISTS (
           SELECT 1 FROM messages e
            WHERE e.tenant_id = :tenant_id AND e.line_id = :line_id AND e.phone = m.phone
              AND e.id BETWEEN :oldest AND :newest
              AND e.id < m.id AND e.due_at > :now AND e.state IN ('queued', 'sending')
              AND e.changed_at > :held_since)
     ORDER BY m.priority, m.due_at, m.id
     LIMIT :most
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE messages SET state = 'queued', due_at = :lease_until, attempt = attempt + 1
  FROM due
 WHERE messages.tenant_id = :tenant_id AND messages.id = due.id
RETURNING messages.id, messages.attempt, messages.line_id, messages.phone, messages.kind,
          messages.text, messages.content, messages.priority, messages.reference,
          messages.quoted_usd, messages.test
""")

NEXT_DUE = text("""
SELECT min(due_at) FROM messages
 WHERE tenant_id = :tenant_id AND line_id = :line_id AND due_at IS NOT NULL
   AND id BETWEEN :oldest AND :newest
""")

BEGIN_SENDING = text("""
UPDATE messages SET state = 'sending', due_at = :lease_until, changed_at = :now
 WHERE tenant_id = :tenant_id AND id = :id AND attempt = :attempt AND state = 'queued'
RETURNING id
""")

RELEASE_MESSAGES = text("""
UPDATE messages SET due_at = :due_at
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[])) AS mine (id, attempt)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = 'queued'
RETURNING messages.id
""")


def hold_messages(line_id: int, most: int, lease: float) -> list[ClaimedMessage]:
    """Hold due messages: transactional before bulk, oldest first."""
    moment, tenant_id = now(), current_tenant_id()
    rows = db.session.execute(
        HOLD_MESSAGES,
        {
            "tenant_id": tenant_id,
            "line_id": line_id,
            "now": moment,
            "held_since": moment - RECIPIENT_ORDER_HOLD,
            "most": most,
            "lease_until": moment + timedelta(seconds=lease),
            **pending_id_range(moment),
        },
    ).all()
    return [
        ClaimedMessage(
            uuid=str(row.id),
            reference=row.reference,
            quoted_usd=row.quoted_usd,
            test=row.test,
            envelope=Envelope(
                message_id=from_uuid("msg", row.id),
                attempt=row.attempt,
                tenant_id=tenant_id,
                line_id=row.line_id,
                phone=row.phone,
                kind=row.kind,
                text=row.text,
                content=row.content,
            ),
        )
        for row in sorted(rows, key=lambda row: (row.priority, row.id))
    ]


def next_due(line_id: int) -> datetime | None:
    """Return when this line's next message is due; None if none waits."""
    found: datetime | None = db.session.execute(
        NEXT_DUE, {"tenant_id": current_tenant_id(), "line_id": line_id, **pending_id_range(now())}
    ).scalar()
    return found


def begin_sending(one: ClaimedMessage, lease: float) -> bool:
    """Mark a message as `sending`, right before it is sent.

    Returns False if it was cancelled or another host has it.
    """
    moment = now()
    begun = db.session.execute(
        BEGIN_SENDING,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "lease_until": moment + timedelta(seconds=lease),
            "id": one.uuid,
            "attempt": one.envelope.attempt,
        },
    ).first()
    if begun is None:
        return False
    insert_changes([one.uuid], ["sending"], [""], moment)
    return True


def release_messages(group: Sequence[ClaimedMessage], seconds: float = 0.0) -> None:
    """Release held messages unsent, because the line cannot send them now."""
    if group:
        db.session.execute(
            RELEASE_MESSAGES,
            {
                "tenant_id": current_tenant_id(),
                "due_at": now() + timedelta(seconds=seconds),
                "ids": [one.uuid for one in group],
                "attempts": [one.envelope.attempt for one in group],
            },
        )
