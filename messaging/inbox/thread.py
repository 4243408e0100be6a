"""The messages of a conversation, with the notes of colleagues in between."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

from core.db import current_tenant_id, db, read_rows
from core.ids import from_uuid, to_uuid
from messaging.inbox.conversations import ConversationSummary
from messaging.messages.kinds.registry import has_file
from messaging.messages.media import files as media_files
from messaging.models import MediaFile, Message

PAGE = 40
LONGEST_QUOTE = 140

# By address: an outbound message is stored with a phone, not always with a contact. A number may
# have had another owner, whose messages are left out. Of a former number, only messages that are
# known to be the contact's are shown.
SELECT_MESSAGES_BEFORE = text("""
SELECT m.* FROM unnest(CAST(:places AS text[])) AS place
 CROSS JOIN LATERAL (
   SELECT id, direction, kind, text, content, state, network_id,
          error_text AS error_reason, error_code, phone, created_at, changed_at, due_at
     FROM messages
    WHERE tenant_id = :tenant_id AND phone = place AND line_id = :line_id AND id < :bound
      AND (contact_id = :contact_id OR place = ANY(CAST(:current AS text[])) AND NOT EXISTS (
           SELECT 1 FROM former_identities AS former
            WHERE former.tenant_id = :tenant_id AND former.contact_id = messages.contact_id
              AND messages.phone IN (former.value, former.spelling)))
    ORDER BY id DESC LIMIT :limit) AS m
 ORDER BY m.id DESC LIMIT :limit
""")
SELECT_MESSAGES_AFTER = text("""
SELECT m.* FROM unnest(CAST(:places AS text[])) AS place
 CROSS JOIN LATERAL (
   SELECT id, direction, kind, text, content, state, network_id,
          error_text AS error_reason, error_code, phone, created_at, changed_at, due_at
     FROM messages
    WHERE tenant_id = :tenant_id AND phone = place AND line_id = :line_id AND id > :bound
      AND (contact_id = :contact_id OR place = ANY(CAST(:current AS text[])) AND NOT EXISTS (
           SELECT 1 FROM former_identities AS former
            WHERE former.tenant_id = :tenant_id AND former.contact_id = messages.contact_id
              AND messages.phone IN (former.value, former.spelling)))
    ORDER BY id LIMIT :limit) AS m
 ORDER BY m.id LIMIT :limit
""")
SELECT_NOTES_BEFORE = text("""
SELECT id, kind, by_person, by_name, about_name, text, at FROM conversation_notes
 WHERE tenant_id = :tenant_id AND conversation_id = :conversation_id AND id < :bound
 ORDER BY id DESC LIMIT :limit
""")
SELECT_NOTES_AFTER = text("""
SELECT id, kind, by_person, by_name, about_name, text, at FROM conversation_notes
 WHERE tenant_id = :tenant_id AND conversation_id = :conversation_id AND id > :bound
 ORDER BY id LIMIT :limit
""")
FIRST_ID, LAST_ID = str(UUID(int=0)), str(UUID(int=2**128 - 1))
SELECT_MESSAGES_BY_ID = text("""
SELECT id, direction, kind, text, content, state, network_id,
       error_text AS error_reason, error_code, phone, created_at, changed_at, due_at
  FROM messages WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
   AND line_id = :line_id AND phone = ANY(CAST(:places AS text[]))
""")
SELECT_QUOTED = text("""
SELECT n.network_id, m.direction, m.kind, m.text, m.id,
       jsonb_exists(m.content, 'deleted_at') AS deleted
  FROM network_ids AS n
  JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = n.message_id
 WHERE n.tenant_id = :tenant_id AND n.network_id = ANY(CAST(:network_ids AS text[]))
""")


@dataclass(frozen=True)
class QuotedMessage:
    direction: str
    kind: str
    text: str
    id: str
    deleted: bool = False


@dataclass
class ThreadMessage:
    id: str
    direction: str
    kind: str
    text: str
    content: dict[str, Any]
    state: str
    at: datetime
    network_id: str | None
    error_reason: str | None
    due_at: datetime | None
    quote: QuotedMessage | None = None
    reactions: list[str] = field(default_factory=list)
    file: MediaFile | None = None
    """The file, downloaded or pending."""

    @property
    def deleted(self) -> bool:
        return "deleted_at" in self.content

    @property
    def version(self) -> str:
        """Changes when the message is edited or deleted."""
        return str(self.content.get("deleted_at") or self.content.get("edited_at") or "")

    @property
    def by(self) -> str:
        """The member who wrote it; "" for API messages."""
        return str(self.content.get("by") or "")


@dataclass(frozen=True)
class ThreadNote:
    id: str
    kind: str
    by_person: str | None
    by_name: str
    about_name: str
    text: str
    at: datetime


@dataclass(frozen=True)
class ThreadPage:
    """Entries, oldest first. `older` is the cursor of the previous page; None at the beginning."""

    entries: list[ThreadMessage | ThreadNote]
    older: str | None


def newest_entries(talk: ConversationSummary, before: str = "", limit: int = PAGE) -> ThreadPage:
    """Return the last entries, or those before an entry."""
    params = _params(talk, limit=limit + 1, bound=_entry_position(before) or LAST_ID)
    messages = read_rows(SELECT_MESSAGES_BEFORE, params)
    notes = read_rows(SELECT_NOTES_BEFORE, params)
    rows = sorted([*messages, *notes], key=_row_position, reverse=True)
    entries = [_entry_of_row(row) for row in reversed(rows[:limit])]
    more = len(rows) > limit
    return ThreadPage(_with_reactions(entries), entries[0][0] if more and entries else None)


def entries_since(talk: ConversationSummary, after: str, limit: int = 200) -> ThreadPage:
    """Return the entries after one, for a page that is open."""
    params = _params(talk, limit=limit, bound=_entry_position(after) or FIRST_ID)
    messages = read_rows(SELECT_MESSAGES_AFTER, params)
    notes = read_rows(SELECT_NOTES_AFTER, params)
    rows = sorted([*messages, *notes], key=_row_position)
    return ThreadPage(_with_reactions([_entry_of_row(row) for row in rows[:limit]]), None)


def messages_by_id(talk: ConversationSummary, ids: Sequence[str]) -> list[ThreadMessage]:
    """Return the current state of messages that an open page already shows."""
    uuids = [str(to_uuid("msg", one)) for one in ids]
    rows = db.session.execute(SELECT_MESSAGES_BY_ID, _params(talk, ids=uuids)).all()
    messages = [_message_of_row(row) for row in rows]
    _add_quotes(messages)
    _add_files(messages)
    return messages


def list_messages(talk: ConversationSummary, before: str, limit: int) -> list[Message]:
    """Return messages, newest first, without notes; for the API."""
    params = _params(talk, limit=limit, bound=_entry_position(before) or LAST_ID)
    messages = read_rows(SELECT_MESSAGES_BEFORE, params)
    query = select(Message).where(
        Message.tenant_id == current_tenant_id(), Message.id.in_([row.id for row in messages])
    )
    return sorted(db.session.scalars(query), key=lambda one: one.id, reverse=True)


def _entry_position(public: str) -> str | None:
    """Messages and notes have ids of the same clock, and so one order."""
    if not public:
        return None
    return str(to_uuid("note" if public.startswith("note_") else "msg", public))


Entry = tuple[str, "ThreadMessage | ThreadNote"]


def _row_position(row: Any) -> int:
    """PostgreSQL compares ids byte by byte, as this number does."""
    return int(row.id.int)


def _entry_of_row(row: Any) -> Entry:
    one = _note_of_row(row) if hasattr(row, "by_name") else _message_of_row(row)
    return one.id, one


def _params(talk: ConversationSummary, **more: Any) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "conversation_id": str(to_uuid("cnv", talk.id)),
        "places": [*talk.places, *talk.former_places],
        "current": talk.places,
        "contact_id": str(to_uuid("con", talk.contact_id)),
        "line_id": talk.line_id,
        **more,
    }


def _message_of_row(row: Any) -> ThreadMessage:
    return ThreadMessage(
        id=from_uuid("msg", row.id),
        direction=row.direction,
        kind=row.kind,
        text=row.text,
        content=row.content or {},
        state=row.state,
        at=row.created_at,
        network_id=row.network_id,
        error_reason=row.error_reason,
        due_at=row.due_at,
    )


def _note_of_row(row: Any) -> ThreadNote:
    return ThreadNote(
        id=from_uuid("note", row.id),
        kind=row.kind,
        by_person=from_uuid("per", row.by_person) if row.by_person else None,
        by_name=row.by_name,
        about_name=row.about_name,
        text=row.text,
        at=row.at,
    )


def _with_reactions(entries: list[Entry]) -> list[ThreadMessage | ThreadNote]:
    """Attach reactions to their message if it is on the page."""
    messages = [one for _, one in entries if isinstance(one, ThreadMessage)]
    by_network_id = {one.network_id: one for one in messages if one.network_id}
    shown: list[ThreadMessage | ThreadNote] = []
    worn: dict[tuple[str, str], str] = {}
    for _, one in entries:
        target = by_network_id.get(_target(one)) if isinstance(one, ThreadMessage) else None
        if isinstance(one, ThreadMessage) and target is not None:
            worn[target.id, one.direction] = one.text
        else:
            shown.append(one)
    for (message_id, _), emoji in worn.items():
        if emoji:
            next(one for one in messages if one.id == message_id).reactions.append(emoji)
    _add_quotes([one for one in shown if isinstance(one, ThreadMessage)])
    _add_files([one for one in shown if isinstance(one, ThreadMessage)])
    return shown


def _add_files(messages: list[ThreadMessage]) -> None:
    files = media_files.get_files(one.id for one in messages if has_file(one.kind))
    for one in messages:
        one.file = files.get(one.id)


def _target(one: ThreadMessage) -> str:
    return str(one.content.get("message_id")) if one.kind == "reaction" else ""


def _add_quotes(messages: list[ThreadMessage]) -> None:
    quoted_ids = {str(one.content["reply_to"]) for one in messages if one.content.get("reply_to")}
    if not quoted_ids:
        return
    rows = db.session.execute(
        SELECT_QUOTED, {"tenant_id": current_tenant_id(), "network_ids": sorted(quoted_ids)}
    )
    quotes = {
        row.network_id: QuotedMessage(
            row.direction,
            row.kind,
            row.text[:LONGEST_QUOTE],
            from_uuid("msg", row.id),
            row.deleted,
        )
        for row in rows
    }
    for one in messages:
        one.quote = quotes.get(str(one.content.get("reply_to")))
