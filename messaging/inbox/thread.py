"""What was said in a conversation, with the notes of colleagues in between."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, text

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from messaging import media
from messaging.inbox.listing import Known
from messaging.models import MediaFile, Message

PAGE = 40
LONGEST_QUOTE = 140

# By where each message is filed: the sending of a message knows a phone, not a contact.
SAID = """
SELECT m.* FROM unnest(CAST(:places AS text[])) AS place
 CROSS JOIN LATERAL (
   SELECT id, direction, kind, text, content, state, network_id, error_text, error_code, phone,
          created_at, changed_at, due_at
     FROM messages
    WHERE tenant_id = :tenant_id AND phone = place AND line_id = :line_id {condition}
    ORDER BY id {order} LIMIT :limit) AS m
 ORDER BY m.id {order} LIMIT :limit"""
NOTES = """
SELECT id, kind, by_person, by_name, about_name, text, at FROM conversation_notes
 WHERE tenant_id = :tenant_id AND conversation_id = :conversation_id {condition}
 ORDER BY id {order} LIMIT :limit"""
SOME = text("""
SELECT id, direction, kind, text, content, state, network_id, error_text, error_code, phone,
       created_at, changed_at, due_at
  FROM messages WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
   AND line_id = :line_id AND phone = ANY(CAST(:places AS text[]))
""")
QUOTED = text("""
SELECT n.network_id, m.direction, m.kind, m.text, m.id
  FROM network_ids AS n
  JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = n.message_id
 WHERE n.tenant_id = :tenant_id AND n.network_id = ANY(CAST(:network_ids AS text[]))
""")


@dataclass(frozen=True)
class Quote:
    direction: str
    kind: str
    text: str
    id: str


@dataclass
class Said:
    """One message."""

    id: str
    direction: str
    kind: str
    text: str
    content: dict[str, Any]
    state: str
    at: datetime
    network_id: str | None
    error_text: str | None
    due_at: datetime | None
    quote: Quote | None = None
    reactions: list[str] = field(default_factory=list)
    file: MediaFile | None = None
    """What came with it, fetched or on its way."""

    @property
    def by(self) -> str:
        """The member who wrote it here; empty for what came by the API."""
        return str(self.content.get("by") or "")


@dataclass(frozen=True)
class Note:
    id: str
    kind: str
    by_person: str | None
    by_name: str
    about_name: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Page:
    """Oldest first. `older`: where the page before this one ends, None at the beginning."""

    entries: list[Said | Note]
    older: str | None


def newest(talk: Known, before: str = "", limit: int = PAGE) -> Page:
    """The last entries, or those before one of them."""
    entries, more = _entries(talk, _place(before), "<", "DESC", limit)
    entries.reverse()
    return Page(_dressed(entries), entries[0][0] if more and entries else None)


def since(talk: Known, after: str, limit: int = 200) -> Page:
    """What came after an entry; for a page that is open."""
    entries, _ = _entries(talk, _place(after), ">", "ASC", limit)
    return Page(_dressed(entries), None)


def these(talk: Known, ids: Sequence[str]) -> list[Said]:
    """Messages of this conversation that an open page shows already, as they are now."""
    uuids = [str(to_uuid("msg", one)) for one in ids]
    rows = db.session.execute(SOME, _params(talk, ids=uuids)).all()
    said = [_said(row) for row in rows]
    _add_quotes(said)
    return said


def messages(talk: Known, before: str, limit: int) -> list[Message]:
    """Newest first, without the notes; for programs."""
    place = _place(before)
    condition = "AND id < :place" if place else ""
    params = _params(talk, limit=limit, place=place)
    said = db.session.execute(text(SAID.format(condition=condition, order="DESC")), params).all()
    query = select(Message).where(
        Message.tenant_id == current_tenant_id(), Message.id.in_([row.id for row in said])
    )
    return sorted(db.session.scalars(query), key=lambda one: one.id, reverse=True)


def _place(public: str) -> str | None:
    """Messages and notes have ids of one clock, and so one order."""
    if not public:
        return None
    return str(to_uuid("note" if public.startswith("note_") else "msg", public))


Entry = tuple[str, "Said | Note"]


def _entries(
    talk: Known, place: str | None, sign: str, order: str, limit: int
) -> tuple[list[Entry], bool]:
    condition = f"AND id {sign} :place" if place else ""
    params = _params(talk, limit=limit + 1, place=place)
    said = db.session.execute(text(SAID.format(condition=condition, order=order)), params).all()
    notes = db.session.execute(text(NOTES.format(condition=condition, order=order)), params).all()
    both: list[tuple[UUID, Any]] = [(row.id, row) for row in said]
    both += [(row.id, row) for row in notes]
    both.sort(key=lambda pair: pair[0].int, reverse=order == "DESC")
    rows = [row for _, row in both]
    entries: list[Entry] = []
    for row in rows[:limit]:
        one = _note(row) if hasattr(row, "by_name") else _said(row)
        entries.append((one.id, one))
    return entries, len(rows) > limit


def _params(talk: Known, **more: Any) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "conversation_id": str(to_uuid("cnv", talk.id)),
        "places": talk.places,
        "line_id": talk.line_id,
        **more,
    }


def _said(row: Any) -> Said:
    return Said(
        id=from_uuid("msg", row.id),
        direction=row.direction,
        kind=row.kind,
        text=row.text,
        content=row.content or {},
        state=row.state,
        at=row.created_at,
        network_id=row.network_id,
        error_text=row.error_text,
        due_at=row.due_at,
    )


def _note(row: Any) -> Note:
    return Note(
        id=from_uuid("note", row.id),
        kind=row.kind,
        by_person=from_uuid("per", row.by_person) if row.by_person else None,
        by_name=row.by_name,
        about_name=row.about_name,
        text=row.text,
        at=row.at,
    )


def _dressed(entries: list[Entry]) -> list[Said | Note]:
    """Reactions hang on the message they are about, when it is on the page."""
    said = [one for _, one in entries if isinstance(one, Said)]
    by_network_id = {one.network_id: one for one in said if one.network_id}
    shown: list[Said | Note] = []
    worn: dict[tuple[str, str], str] = {}
    for _, one in entries:
        target = by_network_id.get(_target(one)) if isinstance(one, Said) else None
        if isinstance(one, Said) and target is not None:
            worn[target.id, one.direction] = one.text
        else:
            shown.append(one)
    for (message_id, _), emoji in worn.items():
        if emoji:
            next(one for one in said if one.id == message_id).reactions.append(emoji)
    _add_quotes([one for one in shown if isinstance(one, Said)])
    _add_files([one for one in shown if isinstance(one, Said)])
    return shown


def _add_files(said: list[Said]) -> None:
    files = media.of_messages(one.id for one in said if one.kind in media.KINDS)
    for one in said:
        one.file = files.get(one.id)


def _target(one: Said) -> str:
    return str(one.content.get("message_id")) if one.kind == "reaction" else ""


def _add_quotes(said: list[Said]) -> None:
    asked = {str(one.content["reply_to"]) for one in said if one.content.get("reply_to")}
    if not asked:
        return
    rows = db.session.execute(
        QUOTED, {"tenant_id": current_tenant_id(), "network_ids": sorted(asked)}
    )
    quotes = {
        row.network_id: Quote(
            row.direction, row.kind, row.text[:LONGEST_QUOTE], from_uuid("msg", row.id)
        )
        for row in rows
    }
    for one in said:
        one.quote = quotes.get(str(one.content.get("reply_to")))
