"""Snooze: a conversation leaves the open list until a time, or until the customer writes."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, invalid
from core.ids import from_uuid, to_uuid
from core.queue import lanes
from messaging.inbox import conversation_actions
from messaging.inbox import conversations as inbox_conversations
from messaging.messages.inbound.cases import LANE
from tenants import audit
from webhooks.events import publish_webhook_event

MORNING = time(9, 0)
LATER_TODAY = timedelta(hours=3)
LONGEST = timedelta(days=365)
AT_ONCE = 100

SNOOZE = text("""
UPDATE conversations SET snoozed_until = :until, returned_at = NULL, unread = 0
 WHERE tenant_id = :tenant_id AND id = :id AND closed_at IS NULL
   AND snoozed_until IS DISTINCT FROM CAST(:until AS timestamptz) RETURNING id
""")
UNSNOOZE = text("""
UPDATE conversations SET snoozed_until = NULL
 WHERE tenant_id = :tenant_id AND id = :id AND snoozed_until IS NOT NULL RETURNING id
""")
RETURN_DUE = text("""
UPDATE conversations SET snoozed_until = NULL, returned_at = :now, unread = greatest(unread, 1)
 WHERE tenant_id = :tenant_id AND id = ANY (ARRAY(
       SELECT id FROM conversations
        WHERE tenant_id = :tenant_id AND snoozed_until <= :now
        ORDER BY snoozed_until LIMIT :most FOR UPDATE SKIP LOCKED))
RETURNING id
""")
NEXT_RETURN = text("""
SELECT min(snoozed_until) FROM conversations
 WHERE tenant_id = :tenant_id AND snoozed_until IS NOT NULL
""")


def suggested_times(zone: ZoneInfo) -> dict[str, datetime]:
    """The times that the page offers; "later today" only while it is before nine in the evening."""
    local = now().astimezone(zone)
    later = (local + LATER_TODAY).replace(minute=0, second=0, microsecond=0)
    tomorrow = local.date() + timedelta(days=1)
    monday = local.date() + timedelta(days=7 - local.weekday())
    offered = {"tomorrow": _morning(tomorrow, zone), "next_week": _morning(monday, zone)}
    if later.date() == local.date() and later.hour <= 21:
        return {"later_today": later, **offered}
    return offered


def _morning(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, MORNING, zone)


def snooze(conversation_id: str, until: datetime) -> bool:
    moment = now()
    if until <= moment:
        raise invalid("until", "time_passed", "Choose a time in the future.")
    if until > moment + LONGEST:
        raise invalid("until", "time_too_far", "Choose a time within the next 12 months.")
    talk = inbox_conversations.get(conversation_id)
    if talk.closed_at is not None:
        raise Conflict("conversation_closed", "Reopen the conversation before you snooze it.")
    params = {**_where(conversation_id), "until": until}
    if db.session.execute(SNOOZE, params).first() is None:
        return False
    lanes.mark_later(LANE, current_tenant_id(), until)
    conversation_actions.add_event_note(conversation_id, "snoozed", text=until.isoformat())
    audit.record("inbox.snoozed", conversation_id, until=until.isoformat())
    publish_webhook_event(
        "conversations.snoozed", conversation_actions.event_about(talk, snoozed_until=until)
    )
    return True


def unsnooze(conversation_id: str) -> bool:
    """A member takes it back into the open list."""
    talk = inbox_conversations.get(conversation_id)
    if db.session.execute(UNSNOOZE, _where(conversation_id)).first() is None:
        return False
    conversation_actions.add_event_note(conversation_id, "returned")
    audit.record("inbox.unsnoozed", conversation_id)
    publish_webhook_event(
        "conversations.reopened", conversation_actions.event_about(talk, reason="member")
    )
    return True


def return_due() -> int:
    """Return the conversations whose time has come. A worker repeats it until it returns 0."""
    params = {"tenant_id": current_tenant_id(), "now": now(), "most": AT_ONCE}
    returned = [from_uuid("cnv", row.id) for row in db.session.execute(RETURN_DUE, params)]
    for conversation_id in returned:
        talk = inbox_conversations.get(conversation_id)
        conversation_actions.add_event_note(conversation_id, "returned")
        publish_webhook_event(
            "conversations.reopened", conversation_actions.event_about(talk, reason="snooze_ended")
        )
    return len(returned)


def next_return() -> datetime | None:
    found: datetime | None = db.session.scalar(NEXT_RETURN, {"tenant_id": current_tenant_id()})
    return found


def _where(conversation_id: str) -> dict[str, object]:
    return {"tenant_id": current_tenant_id(), "id": str(to_uuid("cnv", conversation_id))}
