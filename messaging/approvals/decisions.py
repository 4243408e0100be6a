"""Decide about held messages: approve, reject, cancel, or let them expire.

A conditional update decides who was first. What it changed is rolled back together with a message
that could not be accepted, so that a refused approval leaves the message held.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound
from core.ids import from_uuid, to_uuid
from core.live_updates import publish_update
from core.queue import lanes
from messaging import search_index
from messaging.approvals import events, policies
from messaging.approvals.queries import find
from messaging.approvals.submit import LANE, check_window, conversation_on_line
from messaging.contacts import identities
from messaging.inbox import replies
from messaging.lines import repository as line_repository
from messaging.messages import accept as message_accept
from messaging.messages.accept import AcceptedMessage, MessageDraft
from messaging.messages.inbound import handovers
from messaging.messages.timeline import insert_changes, state_event_body
from messaging.models import HeldMessage, Line
from tenants import audit
from tenants.audit import current_actor
from tenants.plans.catalog import current_tenant_facts
from webhooks.events import publish_webhook_event

RETENTION = timedelta(days=90)
EXPIRED_AT_ONCE = 200

DECIDE = text("""
UPDATE held_messages SET state = :state, decided_at = :now, decided_by = :by
 WHERE tenant_id = :tenant_id AND id = :id AND state = 'held' AND expires_at > :now
RETURNING id
""")
EXPIRE = text("""
UPDATE held_messages SET state = 'expired', decided_at = :now
 WHERE tenant_id = :tenant_id AND state = 'held' AND id = ANY (ARRAY(
       SELECT id FROM held_messages
        WHERE tenant_id = :tenant_id AND state = 'held' AND expires_at <= :now
        ORDER BY expires_at LIMIT :most))
RETURNING id, key_id, app_name, line_id, phone, reference, NULL AS network_id, quoted_usd, test,
          state, created_at
""")
NEXT_EXPIRY = text("""
SELECT min(expires_at) FROM held_messages WHERE tenant_id = :tenant_id AND state = 'held'
""")
DELETE_OLD = text("""
DELETE FROM held_messages WHERE tenant_id = :tenant_id AND state <> 'held' AND created_at < :before
""")
DELETE_OLD_DAYS = text("""
DELETE FROM send_policy_days WHERE tenant_id = :tenant_id AND day < :before
""")


def approve(message_id: str) -> AcceptedMessage:
    """Send a held message in the name of the current person. Exactly one approval sends it.

    Raises Conflict if it was decided before, and every refusal of a send: quota, opt-out, blocked
    contact, closed window, removed line. The message is then still held.
    """
    held = find(message_id, None)
    moment = _decide(held, "approved")
    line = _line_of(held)
    talk = conversation_on_line(identities.find_by_address(held.phone), line)
    check_window(held.kind, line, talk)
    draft = message_accept.check_template_draft(
        MessageDraft(
            held.kind,
            held.phone,
            held.text,
            {**held.content, **message_accept.author_field()},
            held.reference,
            category=held.category,
        ),
        line,
    )
    uuid = to_uuid("msg", held.id)
    insert_changes([str(uuid)], ["held"], [held.app_name], held.created_at)
    accepted = message_accept.accept_message(draft, line, current_tenant_facts(), uuid)
    if talk is not None:
        replies.record_reply(talk, accepted.id)
        if talk.held_by:
            handovers.take_over(talk.id)
        search_index.add_words(talk.id, search_index.words_of(draft.text))
        publish_update("conversations.changed", id=talk.id, message=accepted.id)
    events.publish_decided(held.id, held, moment, "approved", current_actor().name)
    _record("approvals.approved", held)
    return accepted


def reject(message_id: str) -> HeldMessage:
    """A member decides that the message is not sent. Raises Conflict if it was decided before."""
    return _call_off(find(message_id, None), "approvals.rejected")


def cancel(message_id: str, key_id: str) -> HeldMessage:
    """The app withdraws its own message."""
    held = find(message_id, None)
    if held.key_id != key_id:
        raise NotFound()
    return _call_off(held, "approvals.cancelled")


def expire_due() -> int:
    """Expire held messages that nobody decided about, a batch at a time. Returns how many."""
    moment = now()
    rows = db.session.execute(EXPIRE, _params(now=moment, most=EXPIRED_AT_ONCE)).all()
    for row in rows:
        policies.release_spend(from_uuid("key", row.key_id), row.quoted_usd, row.created_at)
        events.publish_decided(from_uuid("msg", row.id), row, moment, "expired", None)
    _publish_end(rows, moment)
    return len(rows)


def mark_next_expiry() -> bool:
    """After the lane was released. True: more are due now, so the caller wakes a worker."""
    due_at = db.session.scalar(NEXT_EXPIRY, _params())
    return lanes.mark_next(LANE, current_tenant_id(), due_at)


def delete_old() -> None:
    """Nightly: decided requests and daily counts are kept for 90 days."""
    before = now() - RETENTION
    db.session.execute(DELETE_OLD, _params(before=before))
    db.session.execute(DELETE_OLD_DAYS, _params(before=before.date()))


def _line_of(held: HeldMessage) -> Line:
    try:
        line = line_repository.get(held.line_id)
    except NotFound:
        raise Conflict("line_removed", "The line of this message was removed.") from None
    if not line.enabled:
        raise Conflict("line_disabled", "This line is turned off.")
    return line


def _call_off(held: HeldMessage, act: str) -> HeldMessage:
    moment = _decide(held, "cancelled")
    policies.release_spend(held.key_id, held.quoted_usd, held.created_at)
    decision = "rejected" if act == "approvals.rejected" else "withdrawn"
    events.publish_decided(held.id, held, moment, decision, current_actor().name)
    _record(act, held)
    _publish_end([_EndedMessage(held)], moment)
    return held


def _decide(held: HeldMessage, state: str) -> datetime:
    moment = now()
    decided = db.session.execute(
        DECIDE,
        _params(id=str(to_uuid("msg", held.id)), state=state, now=moment, by=current_actor().name),
    )
    first = decided.first() is not None
    db.session.refresh(held)
    if not first:
        raise Conflict(
            "already_decided", "Somebody has already decided about this message, or it has expired."
        )
    publish_update("approvals.changed", id=held.id, state=state)
    return moment


def _record(act: str, held: HeldMessage) -> None:
    audit.record(act, held.phone, message=held.id, app=held.app_name, for_person=held.for_person)


class _EndedMessage:
    """A held message as `state_event_body` reads it."""

    def __init__(self, held: HeldMessage) -> None:
        self.id, self.line_id, self.phone = to_uuid("msg", held.id), held.line_id, held.phone
        self.reference, self.quoted_usd, self.test = held.reference, held.quoted_usd, held.test
        self.state, self.network_id = held.state, None


def _publish_end(rows: Sequence[Any], moment: datetime) -> None:
    """The same events as for other messages that were cancelled or have expired."""
    for row in rows:
        kind = f"messages.{row.state}"
        body = state_event_body(kind, row, moment)
        publish_webhook_event(kind, {name: body[name] for name in ("instance_id", "data")})
        publish_update("approvals.changed", id=from_uuid("msg", row.id), state=row.state)


def _params(**more: Any) -> dict[str, Any]:
    return {"tenant_id": current_tenant_id(), **more}
