"""Members' actions on a conversation: assign, mark as read, close, reopen, add a note."""

from datetime import timedelta
from typing import Any

from sqlalchemy import TextClause, insert, text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, NotFound, invalid
from core.ids import from_uuid, new_id, to_uuid
from core.live_updates import publish_update
from core.queue import lanes
from core.values.text import BadText, normalize_text
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import read_receipts
from messaging.inbox.conversations import ConversationSummary
from messaging.inbox.team import settings as team_settings
from messaging.messages.inbound import cases
from messaging.messages.inbound.cases import LANE
from messaging.models import ConversationNote
from tenants import audit, team
from tenants.audit import current_actor
from tenants.push import notifications
from tenants.rights import role_may
from webhooks.events import publish_webhook_event

LONGEST_NOTE = 4000
ASK_DELAY = timedelta(seconds=5)
"""A conversation that was closed by mistake can be reopened before the customer is asked."""

ASSIGN = text("""
UPDATE conversations
   SET assigned_to = CAST(:person_id AS uuid), queued_at = NULL, released_from = NULL,
       assigned_at = CASE WHEN CAST(:person_id AS uuid) IS NULL THEN NULL
                          ELSE CAST(:now AS timestamptz) END
 WHERE tenant_id = :tenant_id AND id = :id
   AND assigned_to IS DISTINCT FROM CAST(:person_id AS uuid) RETURNING id
""")
CLOSE = text("""
UPDATE conversations
   SET closed_at = :now, unread = 0, snoozed_until = NULL, returned_at = NULL, queued_at = NULL,
       waiting_since = NULL
 WHERE tenant_id = :tenant_id AND id = :id AND closed_at IS NULL RETURNING id
""")
# A conversation without a case, such as one that the team began, is not asked for a rating.
CLOSE_CASE = text("""
UPDATE conversation_cases AS k
   SET closed_at = :now, closed_by = CAST(:person_id AS uuid), ask_at = :ask_at
  FROM conversations AS c
 WHERE c.tenant_id = :tenant_id AND c.id = :id AND k.tenant_id = :tenant_id AND k.id = c.case_id
   AND k.closed_at IS NULL
""")
LEAVE_CASE = text("""
UPDATE conversations SET case_id = NULL WHERE tenant_id = :tenant_id AND id = :id
""")
SKIP_QUESTION = text("""
UPDATE conversation_cases SET ask_at = NULL, ask_result = 'reopened'
 WHERE tenant_id = :tenant_id AND conversation_id = :id AND ask_at IS NOT NULL
""")
REOPEN = text("""
UPDATE conversations SET closed_at = NULL
 WHERE tenant_id = :tenant_id AND id = :id AND closed_at IS NOT NULL RETURNING id
""")
# Marks only messages that were seen: one that arrived while the page loaded stays unread.
MARK_READ = text("""
UPDATE conversations SET unread = 0, returned_at = NULL, tell_read = (
    SELECT network_id FROM messages
     WHERE messages.tenant_id = :tenant_id AND messages.id = conversations.last_message_id
       AND messages.direction = 'in')
 WHERE tenant_id = :tenant_id AND id = :id AND unread > 0
   AND (CAST(:seen AS uuid) IS NULL OR last_message_id <= CAST(:seen AS uuid)) RETURNING tell_read
""")
MARK_UNREAD = text("""
UPDATE conversations SET unread = 1
 WHERE tenant_id = :tenant_id AND id = :id AND unread = 0 RETURNING id
""")
# Only this message: earlier ones that wait for a person stay unread.
SUBTRACT_AUTOMATIC_REPLY = text("""
UPDATE conversations AS c SET unread = c.unread - 1
  FROM messages AS m
 WHERE m.tenant_id = :tenant_id AND m.id = :message_id
   AND c.tenant_id = :tenant_id AND c.line_id = m.line_id AND c.contact_id = m.contact_id
   AND c.unread > 0
""")
SUGGEST_REPLY = text("""
UPDATE conversations SET draft = :draft, closed_at = NULL
 WHERE tenant_id = :tenant_id AND line_id = :line_id AND contact_id = :contact_id RETURNING id
""")
FIND = text("""
SELECT id FROM conversations
 WHERE tenant_id = :tenant_id AND line_id = :line_id AND contact_id = :contact_id
""")
EXISTS = text("SELECT 1 FROM conversations WHERE tenant_id = :tenant_id AND id = :id")


def mark_answered_automatically(message_id: str) -> None:
    """Do not count a message as unread that was answered automatically, such as an order."""
    db.session.execute(
        SUBTRACT_AUTOMATIC_REPLY,
        {"tenant_id": current_tenant_id(), "message_id": str(to_uuid("msg", message_id))},
    )


def suggest_reply(line_id: int, contact_id: str, draft: str, note: str) -> None:
    """Hand a conversation to the team: a note tells why, and the reply box has a draft in it."""
    row = db.session.execute(
        SUGGEST_REPLY,
        {
            "tenant_id": current_tenant_id(),
            "line_id": line_id,
            "contact_id": str(to_uuid("con", contact_id)),
            "draft": draft[:LONGEST_NOTE],
        },
    ).first()
    if row is not None:
        conversation_id = from_uuid("cnv", row.id)
        _add_note(conversation_id, "note", note=note[:LONGEST_NOTE])
        _send_live_update(conversation_id)


def add_system_note(line_id: int, contact_id: str, note: str) -> None:
    """A step that the service took by itself, in the conversation's timeline."""
    where = {
        "tenant_id": current_tenant_id(),
        "line_id": line_id,
        "contact_id": str(to_uuid("con", contact_id)),
    }
    row = db.session.execute(FIND, where).first()
    if row is not None:
        conversation_id = from_uuid("cnv", row.id)
        _add_note(conversation_id, "note", note=note[:LONGEST_NOTE])
        _send_live_update(conversation_id)


def assign(conversation_id: str, person_id: str | None) -> bool:
    """Assign to a member who may reply, or to nobody. Returns False if nothing changed."""
    name = _assignable_person(person_id) if person_id else ""
    changed = _update_conversation(
        ASSIGN,
        conversation_id,
        person_id=str(to_uuid("per", person_id)) if person_id else None,
        now=now(),
    )
    if changed:
        announce_assignment(inbox_conversations.get(conversation_id), person_id, name)
    return changed


def announce_assignment(
    talk: ConversationSummary, person_id: str | None, name: str, *, automatic: bool = False
) -> None:
    """Record an assignment that was made: note, audit, event, live update, notification."""
    kind = "auto_assigned" if automatic else "assigned"
    add_event_note(talk.id, kind, about_name=name)
    audit.record("inbox.assigned", talk.id, to=name)
    publish_webhook_event(
        "conversations.assigned",
        event_about(talk, assigned_to=person_id, automatic=automatic),
    )
    if person_id and not (current_actor().kind == "person" and current_actor().id == person_id):
        notifications.announce(
            "assigned",
            notifications.conversation_tag(talk.id),
            notifications.conversation_path(talk.id),
            {"name": talk.title, "text": talk.last_text[: notifications.LONGEST_TEXT]},
            only=person_id,
        )


def close(conversation_id: str) -> bool:
    moment, actor = now(), current_actor()
    changed = _update_conversation(CLOSE, conversation_id, now=moment)
    if changed:
        talk = inbox_conversations.get(conversation_id)
        ask_at = moment + ASK_DELAY
        where = {"tenant_id": current_tenant_id(), "id": str(to_uuid("cnv", conversation_id))}
        asks = team_settings.get().asks_on(talk.line_id)
        person_id = str(to_uuid("per", actor.id)) if actor.kind == "person" else None
        db.session.execute(
            CLOSE_CASE,
            {**where, "now": moment, "person_id": person_id, "ask_at": ask_at if asks else None},
        )
        db.session.execute(LEAVE_CASE, where)
        if asks:
            lanes.mark_later(LANE, current_tenant_id(), ask_at)
        add_event_note(conversation_id, "closed")
        audit.record("inbox.closed", conversation_id)
        publish_webhook_event("conversations.closed", event_about(talk))
    return changed


def reopen(conversation_id: str) -> bool:
    changed = _update_conversation(REOPEN, conversation_id)
    if changed:
        where = {"tenant_id": current_tenant_id(), "id": str(to_uuid("cnv", conversation_id))}
        db.session.execute(SKIP_QUESTION, where)
        add_event_note(conversation_id, "reopened")
        audit.record("inbox.reopened", conversation_id)
        talk = inbox_conversations.get(conversation_id)
        publish_webhook_event("conversations.reopened", event_about(talk, reason="member"))
    return changed


def event_about(talk: ConversationSummary, test: bool = False, **data: Any) -> dict[str, Any]:
    """The body of an event about this conversation, with who changed it."""
    actor = current_actor()
    told = {
        "contact_id": talk.contact_id,
        "assigned_to": talk.assigned_to,
        "by": actor.id if actor.kind == "person" else None,
        **data,
    }
    return cases.event_body(talk.line_id, talk.id, test or talk.test, **told)


def add_event_note(conversation_id: str, kind: str, text: str = "", about_name: str = "") -> None:
    """A line in the thread that says what happened to the conversation."""
    _add_note(conversation_id, kind, note=text, about_name=about_name)
    _send_live_update(conversation_id)


def mark_read(conversation_id: str, shown_id: str = "") -> bool:
    """Mark as read. Returns False if nothing changed.

    `seen` is the newest message that the reader saw. A job sends the read receipt to the network.
    """
    row = db.session.execute(
        MARK_READ,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("cnv", conversation_id)),
            "seen": str(to_uuid("msg", shown_id)) if shown_id else None,
        },
    ).first()
    if row is None:
        _must_exist(conversation_id)
        return False
    if row.tell_read:
        read_receipts.wake_senders()
    _send_live_update(conversation_id)
    return True


def mark_unread(conversation_id: str) -> bool:
    changed = _update_conversation(MARK_UNREAD, conversation_id)
    if changed:
        _send_live_update(conversation_id)
    return changed


def add_note(conversation_id: str, text_given: str) -> str:
    """Add a note for colleagues. It is never sent."""
    try:
        note = normalize_text(text_given)
    except BadText as error:
        raise invalid("text", error.code, "{fault}", fault=str(error)) from None
    if not note:
        raise invalid("text", "empty_text", "Enter some text first.")
    if len(note) > LONGEST_NOTE:
        raise invalid("text", "long_text", "A note can have at most 4000 characters.")
    _must_exist(conversation_id)
    note_id = _add_note(conversation_id, "note", note=note)
    _send_live_update(conversation_id)
    return note_id


def _assignable_person(person_id: str) -> str:
    member = next((one for one in team.members() if one.person_id == person_id), None)
    if member is None or not role_may(member.role, "inbox.reply"):
        raise Invalid(
            "unknown_member",
            "Only members with permission to answer can be assigned a conversation.",
        )
    return member.name


def _update_conversation(statement: TextClause, conversation_id: str, **more: object) -> bool:
    params = {
        "tenant_id": current_tenant_id(),
        "id": str(to_uuid("cnv", conversation_id)),
        **more,
    }
    if db.session.execute(statement, params).first() is not None:
        return True
    _must_exist(conversation_id)
    return False


def _must_exist(conversation_id: str) -> None:
    where = {"tenant_id": current_tenant_id(), "id": str(to_uuid("cnv", conversation_id))}
    if db.session.execute(EXISTS, where).first() is None:
        raise NotFound()


def _add_note(conversation_id: str, kind: str, note: str = "", about_name: str = "") -> str:
    actor, note_id = current_actor(), new_id("note")
    db.session.execute(
        insert(ConversationNote).values(
            tenant_id=current_tenant_id(),
            conversation_id=conversation_id,
            id=note_id,
            kind=kind,
            by_person=actor.id if actor.kind == "person" else None,
            by_name=actor.name,
            about_name=about_name,
            text=note,
            at=now(),
        )
    )
    return note_id


def _send_live_update(conversation_id: str) -> None:
    publish_update("conversations.changed", id=conversation_id)
