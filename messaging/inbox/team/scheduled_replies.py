"""Replies that a member writes now and that are sent at a later time.

A reply becomes a message only when it is due: the window, the line and the contact are checked
again then, and the message stands in the conversation at the time when it was sent.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, DomainError, Invalid, NotFound, invalid
from core.ids import from_uuid, new_id
from core.live_updates import publish_update
from core.queue import lanes
from messaging import search_index
from messaging.inbox import conversation_actions, replies
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationSummary
from messaging.inbox.replies import LONGEST_CAPTION, LONGEST_TEXT, WINDOW_CLOSED, Reply
from messaging.lines.capabilities import check_capability
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.inbound.cases import LANE
from messaging.messages.media import uploads as media_uploads
from messaging.models import Line, ScheduledReply
from tenants import audit
from tenants.audit import current_actor
from tenants.plans.catalog import current_tenant_facts

SCHEDULED, SENT, CANCELLED, FAILED = "scheduled", "sent", "cancelled", "failed"
LONGEST_WAIT = timedelta(days=90)
SHORTEST_WAIT = timedelta(minutes=1)
MOST_OF_CONVERSATION = 20
AT_ONCE = 20
HEADER_FILE = "header_file"
RETENTION = timedelta(days=90)

CLAIM = text("""
UPDATE scheduled_replies SET state = 'sending', changed_at = :now
 WHERE tenant_id = :tenant_id AND id = ANY (ARRAY(
       SELECT id FROM scheduled_replies
        WHERE tenant_id = :tenant_id AND state = 'scheduled' AND due_at <= :now
        ORDER BY due_at, id LIMIT :most FOR UPDATE SKIP LOCKED))
RETURNING id
""")
NEXT_DUE = text("""
SELECT min(due_at) FROM scheduled_replies WHERE tenant_id = :tenant_id AND state = 'scheduled'
""")
DELETE_OLD = text("""
DELETE FROM scheduled_replies
 WHERE tenant_id = :tenant_id AND state <> 'scheduled' AND changed_at < :before
""")


@dataclass(frozen=True)
class WindowAtTime:
    """Whether a free-form reply is possible at a time."""

    closed: bool
    window_until: datetime | None


def schedule(talk: ConversationSummary, answer: Reply, at: datetime) -> ScheduledReply:
    """Store a reply for later. Raises Conflict with `window_closed` if only a template can be
    sent at that time.
    """
    line = _sending_line(talk)
    _check_time(at)
    draft = message_accept.check_template_draft(replies.draft_of(talk, answer), line)
    _check_window(talk, line, draft.kind, at)
    check_capability(line.kind, draft.kind, draft.content)
    if len(list_of(talk.id)) >= MOST_OF_CONVERSATION:
        raise Conflict(
            "too_many_scheduled",
            "At most {most} replies can be scheduled in one conversation.",
            most=MOST_OF_CONVERSATION,
        )
    actor = current_actor()
    reply = ScheduledReply(
        tenant_id=current_tenant_id(),
        id=new_id("srp"),
        conversation_id=talk.id,
        kind=draft.kind,
        text=draft.text,
        content=_with_file(draft.content, answer),
        category=draft.category,
        state=SCHEDULED,
        due_at=at,
        by_person=actor.id if actor.kind == "person" else None,
        by_name=actor.name,
    )
    db.session.add(reply)
    lanes.mark_later(LANE, current_tenant_id(), at)
    audit.record("inbox.reply_scheduled", talk.id, at=at.isoformat())
    publish_update("conversations.changed", id=talk.id)
    return reply


def list_of(conversation_id: str) -> list[ScheduledReply]:
    """What waits in a conversation, the next one first, and what could not be sent."""
    query = select(ScheduledReply).where(
        ScheduledReply.tenant_id == current_tenant_id(),
        ScheduledReply.conversation_id == conversation_id,
        ScheduledReply.state.in_((SCHEDULED, FAILED)),
    )
    return list(db.session.scalars(query.order_by(ScheduledReply.due_at, ScheduledReply.id)))


def get(conversation_id: str, reply_id: str) -> ScheduledReply:
    found = db.session.get(ScheduledReply, (current_tenant_id(), reply_id))
    if found is None or found.conversation_id != conversation_id:
        raise NotFound()
    return found


def change(
    talk: ConversationSummary, reply_id: str, at: datetime, new_text: str | None = None
) -> ScheduledReply:
    """Change the time, and the text of a reply that has one. A failed reply is scheduled again."""
    reply = _locked(talk.id, reply_id, (SCHEDULED, FAILED))
    line = _sending_line(talk)
    _check_time(at)
    _check_window(talk, line, reply.kind, at)
    if new_text is not None and has_own_text(reply):
        most = LONGEST_TEXT if reply.kind == "text" else LONGEST_CAPTION
        reply.text = replies.checked_text(new_text, "text", most)
    reply.due_at, reply.state, reply.error, reply.changed_at = at, SCHEDULED, "", now()
    lanes.mark_later(LANE, current_tenant_id(), at)
    audit.record("inbox.reply_rescheduled", talk.id, at=at.isoformat())
    publish_update("conversations.changed", id=talk.id)
    return reply


def cancel(conversation_id: str, reply_id: str) -> bool:
    """Returns False if it was cancelled before. Raises Conflict if it is sent already."""
    if get(conversation_id, reply_id).state == CANCELLED:
        return False
    reply = _locked(conversation_id, reply_id, (SCHEDULED, FAILED))
    reply.state, reply.changed_at = CANCELLED, now()
    audit.record("inbox.reply_cancelled", conversation_id)
    publish_update("conversations.changed", id=conversation_id)
    return True


def has_own_text(reply: ScheduledReply) -> bool:
    return reply.kind in ("text", "image", "video", "document")


def send_due() -> int:
    """Send what is due, in this transaction. Returns how many were decided."""
    params = {"tenant_id": current_tenant_id(), "now": now(), "most": AT_ONCE}
    due = db.session.execute(CLAIM, params).all()
    for row in due:
        reply = db.session.get(
            ScheduledReply, (current_tenant_id(), from_uuid("srp", row.id)), populate_existing=True
        )
        if reply is not None:
            _send(reply)
    return len(due)


def _send(reply: ScheduledReply) -> None:
    talk = inbox_conversations.get(reply.conversation_id)
    moment = now()
    try:
        line = _sending_line(talk)
        _check_window(talk, line, reply.kind, moment)
        draft = MessageDraft(
            reply.kind, talk.address, reply.text, _sent_content(reply), category=reply.category
        )
        draft = message_accept.check_template_draft(draft, line)
        accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    except DomainError as error:
        reply.state, reply.error, reply.changed_at = FAILED, error.code[:60], moment
        conversation_actions.add_event_note(talk.id, "not_sent", text=error.code[:60])
        conversation_actions.mark_unread(talk.id)
        return
    reply.state, reply.message_id, reply.changed_at = SENT, accepted.id, moment
    replies.record_reply(talk, accepted.id, reply.by_person)
    search_index.add_words(talk.id, search_index.words_of(draft.text))
    publish_update("conversations.changed", id=talk.id, message=accepted.id)


def _with_file(content: dict[str, Any], answer: Reply) -> dict[str, Any]:
    """Remember the file above a template's text: its link may expire before it is sent."""
    file = answer.template_file
    if file is None:
        return content
    return {**content, HEADER_FILE: [file.key, file.mime_type, file.filename]}


def _sent_content(reply: ScheduledReply) -> dict[str, Any]:
    """With new links to files, because those of the day of writing may have expired."""
    content = dict(reply.content)
    if header := content.pop(HEADER_FILE, None):
        url = media_uploads.url_for_network(*header)
        parameters = dict(content["parameters"])
        parameters["header"] = {
            name: url if name != "filename" else value
            for name, value in parameters["header"].items()
        }
        content["parameters"] = parameters
    elif content.get("blob"):
        content["url"] = media_uploads.url_for_network(
            content["blob"], content["mime_type"], content["filename"]
        )
    return content


def window_at(talk: ConversationSummary, line: Line | None, at: datetime) -> WindowAtTime:
    limited = line is not None and DRIVERS[line.kind].has_reply_window
    closed = limited and (talk.window_until is None or talk.window_until <= at)
    return WindowAtTime(closed, talk.window_until if limited else None)


def next_due() -> datetime | None:
    found: datetime | None = db.session.scalar(NEXT_DUE, {"tenant_id": current_tenant_id()})
    return found


def delete_old() -> None:
    """Nightly: what was sent or cancelled is kept for 90 days."""
    params = {"tenant_id": current_tenant_id(), "before": now() - RETENTION}
    db.session.execute(DELETE_OLD, params)


def _sending_line(talk: ConversationSummary) -> Line:
    line = replies.conversation_line(talk)
    hurdle = replies.reply_obstacle(talk, line)
    if line is None or (hurdle and hurdle != WINDOW_CLOSED):
        raise Conflict(
            hurdle or "line_removed", "Messages cannot be sent in this conversation now."
        )
    return line


def _check_time(at: datetime) -> None:
    moment = now()
    if at < moment + SHORTEST_WAIT:
        raise invalid("send_at", "time_passed", "Choose a time in the future.")
    if at > moment + LONGEST_WAIT:
        raise invalid("send_at", "time_too_far", "Choose a time within the next 90 days.")


def _check_window(talk: ConversationSummary, line: Line, kind: str, at: datetime) -> None:
    if kind != "template" and window_at(talk, line, at).closed:
        raise Invalid(
            WINDOW_CLOSED,
            "At that time, the customer’s last message is more than 24 hours old, so only a "
            "template can be sent. Choose an earlier time, or schedule a template.",
        )


def _locked(conversation_id: str, reply_id: str, states: tuple[str, ...]) -> ScheduledReply:
    get(conversation_id, reply_id)
    query = select(ScheduledReply).where(
        ScheduledReply.tenant_id == current_tenant_id(), ScheduledReply.id == reply_id
    )
    reply = db.session.scalars(
        query.with_for_update().execution_options(populate_existing=True)
    ).one()
    if reply.state not in states:
        raise Conflict("already_sent", "This reply was already sent or cancelled.")
    return reply
