"""Send by a backup line while a line is down, and by the line again when it is up.

Only messages that have not been sent yet are moved, so each goes out once, by one of the lines.
"""

from collections.abc import Mapping

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from messaging import reasons
from messaging.lines.capabilities import sendable_kinds
from messaging.lines.repository import SENDING_STATES
from messaging.messages.timeline import insert_changes
from messaging.models import Line
from messaging.reasons import with_detail
from messaging.templates.repository import template_account

MAX_MOVED = 500

MOVE_MESSAGES = text("""
WITH mine AS (
    SELECT m.id FROM messages m
     WHERE m.tenant_id = :tenant_id AND m.line_id = :line_id AND m.due_at <= :now
       AND m.state IN ('queued', 'scheduled') AND m.content -> 'stays' IS NULL
       AND m.kind = ANY(:kinds)
       -- An id of the network is valid only for lines of the same account.
       AND (:same_account OR m.phone ~ '^[0-9]+$')
       AND (m.kind <> 'template' OR :same_account OR EXISTS (
           SELECT 1 FROM templates t
            WHERE t.tenant_id = :tenant_id AND t.account_id = :account_id
              AND t.name = m.content ->> 'name' AND t.language = m.content ->> 'language'
              AND t.state = 'approved'))
     ORDER BY m.priority, m.due_at, m.id
     LIMIT :most
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE messages
   SET line_id = :other_id,
       content = jsonb_set(messages.content, '{own_line}', to_jsonb(CAST(:line_id AS integer)))
  FROM mine
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
RETURNING messages.id
""")


def move_waiting_messages(lines: Mapping[int, Line]) -> int:
    """Move the waiting messages of each line that is down to the backup line the tenant chose.

    Returns how many messages were moved.
    """
    moved = 0
    for line in lines.values():
        other = failover_line_for(line, lines)
        if other is not None:
            moved += _move_messages(line, other)
    return moved


def failover_line_for(line: Line, lines: Mapping[int, Line]) -> Line | None:
    """Return the line that takes over for `line`. None if `line` works or has no usable backup."""
    if (
        line.state in SENDING_STATES or not line.enabled
    ):  # a line that was switched off keeps its messages
        return None
    other = lines.get(line.fallback_line_id or 0)
    if (
        other is None
        or not other.enabled
        or other.state not in SENDING_STATES
        or other.test != line.test
    ):
        return None
    paused = other.paused_until is not None and other.paused_until > now()
    return None if paused else other


def _move_messages(line: Line, other: Line) -> int:
    moment, account_id = now(), template_account(other)
    moved = [
        str(uuid)
        for uuid in db.session.execute(
            MOVE_MESSAGES,
            {
                "tenant_id": current_tenant_id(),
                "line_id": line.id,
                "other_id": other.id,
                "now": moment,
                "same_account": bool(account_id) and account_id == template_account(line),
                "account_id": account_id,
                "kinds": sendable_kinds(other.kind),
                "most": MAX_MOVED,
            },
        ).scalars()
    ]
    cause = with_detail(reasons.SENT_BY_OTHER_LINE, other.name)
    insert_changes(moved, ["queued"] * len(moved), [cause] * len(moved), moment)
    return len(moved)
