"""The worker's first steps with a message: claim it, begin it. Each is one short transaction.

`attempt` is the fencing token: a worker that was paused past its lease writes nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid
from messaging.lines import Envelope
from messaging.timeline import note_changes

HOLDS_BACK = timedelta(minutes=10)

CLAIM = text("""
WITH due AS (
    SELECT m.id FROM messages m
     WHERE m.tenant_id = :tenant_id AND m.due_at <= :now AND m.state IN ('queued', 'scheduled')
       AND m.line_id <> ALL(:not_lines)
       AND NOT EXISTS (
           SELECT 1 FROM messages e
            WHERE e.tenant_id = :tenant_id AND e.phone = m.phone AND e.line_id = m.line_id
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
          messages.text, messages.content, messages.priority
""")

BEGIN = text("""
UPDATE messages SET state = 'sending', due_at = :lease_until, changed_at = :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[])) AS mine (id, attempt)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = 'queued'
RETURNING messages.id
""")


@dataclass(frozen=True)
class Claimed:
    uuid: str
    envelope: Envelope
    priority: int


def claim(most: int, lease: float, not_lines: list[int]) -> list[Claimed]:
    """Take what is due, oldest first, transactional before bulk. Still `queued`, under a lease."""
    moment, tenant_id = now(), current_tenant_id()
    rows = db.session.execute(
        CLAIM,
        {
            "tenant_id": tenant_id,
            "now": moment,
            "held_since": moment - HOLDS_BACK,
            "most": most,
            "not_lines": not_lines,
            "lease_until": moment + timedelta(seconds=lease),
        },
    ).all()
    rows = sorted(rows, key=lambda row: (row.priority, row.id))
    return [
        Claimed(
            uuid=str(row.id),
            priority=row.priority,
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
        for row in rows
    ]


def next_due(not_lines: list[int]) -> datetime | None:
    """When this tenant's next message has to be looked at."""
    found: datetime | None = db.session.execute(
        text(
            "SELECT min(due_at) FROM messages WHERE tenant_id = :tenant_id"
            " AND due_at IS NOT NULL AND line_id <> ALL(:not_lines)"
        ),
        {"tenant_id": current_tenant_id(), "not_lines": not_lines},
    ).scalar()
    return found


def begin(group: list[Claimed], lease: float) -> list[Claimed]:
    """Said just before the bytes leave: a crash strands this group at most."""
    moment = now()
    begun = set(
        db.session.execute(
            BEGIN,
            {
                "tenant_id": current_tenant_id(),
                "now": moment,
                "lease_until": moment + timedelta(seconds=lease),
                "ids": [one.uuid for one in group],
                "attempts": [one.envelope.attempt for one in group],
            },
        ).scalars()
    )
    mine = [one for one in group if one.uuid in {str(uuid) for uuid in begun}]
    note_changes([one.uuid for one in mine], ["sending"] * len(mine), [""] * len(mine), moment)
    return mine


def put_back(group: list[Claimed], seconds: float = 0.0) -> None:
    """Not sent after all: the line has no room now."""
    if group:
        db.session.execute(
            text(
                "UPDATE messages SET due_at = :due_at WHERE tenant_id = :tenant_id"
                " AND (id, attempt) IN (SELECT * FROM unnest(CAST(:ids AS uuid[]),"
                " CAST(:attempts AS integer[]))) AND state = 'queued' RETURNING id"
            ),
            {
                "tenant_id": current_tenant_id(),
                "due_at": now() + timedelta(seconds=seconds),
                "ids": [one.uuid for one in group],
                "attempts": [one.envelope.attempt for one in group],
            },
        )
