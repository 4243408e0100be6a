"""A customer's message begins or continues a case, and may queue its conversation for the team.

`messaging.inbox.team` works with what is marked here.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text

from core.clock import rfc3339
from core.db import current_tenant_id, db, notify_workers
from core.ids import from_uuid, to_uuid
from core.queue import lanes
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.linked.choices import CHOICE_KIND
from messaging.models import Line
from tenants.push import notifications
from webhooks.events import publish_webhook_event

LANE = "inbox"
JOB = "jobs.inbox.drain"
RATING_PREFIX = "rating:"
"""The ids of the satisfaction question's buttons: `rating:<case>:<rating>`."""

PREVIOUS_CASE = text("""
SELECT closed_at FROM conversation_cases
 WHERE tenant_id = :tenant_id AND conversation_id = :conversation_id ORDER BY id DESC LIMIT 1
""")
OPEN_CASE = text("""
INSERT INTO conversation_cases (tenant_id, id, conversation_id, line_id, label_ids, opened_at)
SELECT c.tenant_id, CAST(:id AS uuid), c.id, c.line_id,
       ARRAY(SELECT l.label_id FROM conversation_labels AS l
              WHERE l.tenant_id = :tenant_id AND l.conversation_id = c.id ORDER BY l.label_id),
       CAST(:at AS timestamptz)
  FROM conversations AS c WHERE c.tenant_id = :tenant_id AND c.id = :conversation_id
RETURNING id
""")
HAS_ASSIGNMENT = text("""
SELECT 1 FROM inbox_settings WHERE tenant_id = :tenant_id AND assignment <> 'off'
""")
RECORD_FIRST_REPLY = text("""
UPDATE conversation_cases AS k
   SET replied_at = greatest(CAST(:at AS timestamptz), k.opened_at),
       replied_by = CAST(:person_id AS uuid)
  FROM conversations AS c
 WHERE c.tenant_id = :tenant_id AND c.id = :conversation_id
   AND k.tenant_id = :tenant_id AND k.id = c.case_id AND k.replied_at IS NULL
""")


def is_rating_answer(message: InboundMessage) -> bool:
    """An answer to the satisfaction question leaves the conversation closed."""
    choice = str(message.content.get("id") or "")
    return message.kind == CHOICE_KIND and choice.startswith(RATING_PREFIX)


def follow_up(
    line: Line,
    message: InboundMessage,
    conversation_id: str,
    row: Any,
    new_case: UUID,
    at: datetime,
) -> None:
    """`row` is the conversation after a message that waits for the team was stored."""
    where = {
        "tenant_id": current_tenant_id(),
        "conversation_id": str(to_uuid("cnv", conversation_id)),
    }
    if row.case_id == new_case:
        before = db.session.execute(PREVIOUS_CASE, where).first()
        db.session.execute(OPEN_CASE, {**where, "id": str(new_case), "at": at})
        if before is not None and before.closed_at is not None:
            _publish_reopened(line.id, conversation_id, row, "customer_wrote", line.test)
    if row.returned_at == at:
        _publish_reopened(line.id, conversation_id, row, "customer_wrote", line.test)
    if row.queued_at == at and db.session.execute(HAS_ASSIGNMENT, where).first() is not None:
        wake_inbox()
    notifications.announce(
        "messages",
        notifications.conversation_tag(conversation_id),
        notifications.conversation_path(conversation_id),
        {
            "name": message.sender_name or message.sender_phone or message.sender_username,
            "text": message.text[: notifications.LONGEST_TEXT],
        },
        assignee=from_uuid("per", row.assigned_to) if row.assigned_to else None,
    )


def record_first_reply(conversation_id: str, person_id: str | None, at: datetime) -> None:
    db.session.execute(
        RECORD_FIRST_REPLY,
        {
            "tenant_id": current_tenant_id(),
            "conversation_id": str(to_uuid("cnv", conversation_id)),
            "person_id": str(to_uuid("per", person_id)) if person_id else None,
            "at": at,
        },
    )


def wake_inbox() -> None:
    """The tenant's inbox has work that is due now."""
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.inbox.drain")


def event_body(line_id: int, conversation_id: str, test: bool, **data: Any) -> dict[str, Any]:
    """The body of a conversation's event. Times are written as the API writes them."""
    told = {
        name: rfc3339(value) if isinstance(value, datetime) else value
        for name, value in data.items()
    }
    body = {"conversation_id": conversation_id, **told}
    if test:
        body["test"] = True
    return {"instance_id": line_id, "data": body}


def _publish_reopened(
    line_id: int, conversation_id: str, row: Any, reason: str, test: bool
) -> None:
    assigned_to = from_uuid("per", row.assigned_to) if row.assigned_to else None
    publish_webhook_event(
        "conversations.reopened",
        event_body(line_id, conversation_id, test, reason=reason, assigned_to=assigned_to, by=None),
    )
