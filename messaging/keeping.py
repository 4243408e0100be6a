"""Texts and files of messages are kept as long as their tenant wants; the counts stay.

A watermark in the account says how far the nights before have come, so that no night looks at
the same months again.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.doomed import doom
from core.ids import from_uuid
from core.partitions import id_at
from messaging import media
from messaging.crm.traces import blob_keys
from messaging.inbox import words

AT_ONCE = 1_000
NEVER = "00000000-0000-0000-0000-000000000000"

OLD = text("""
SELECT id, phone, contact_id, content FROM messages
 WHERE tenant_id = :tenant_id AND id > CAST(:after AS uuid) AND id < CAST(:before AS uuid)
   AND due_at IS NULL AND state <> 'sending' AND (text <> '' OR content <> '{}')
 ORDER BY id LIMIT :most FOR UPDATE
""")
BLANK = text("""
UPDATE messages SET text = '', content = '{}'
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
FORGET_WORDS = text("""
DELETE FROM conversation_words
 WHERE tenant_id = :tenant_id AND conversation_id IN (
       SELECT id FROM conversations
        WHERE tenant_id = :tenant_id AND contact_id = ANY(CAST(:contacts AS uuid[])))
""")
STILL_SAID = text("""
SELECT talks.id, messages.text
  FROM conversations AS talks
  JOIN messages ON messages.tenant_id = :tenant_id AND messages.line_id = talks.line_id
   AND messages.phone = ANY(:phones) AND messages.contact_id = talks.contact_id
 WHERE talks.tenant_id = :tenant_id AND talks.contact_id = ANY(CAST(:contacts AS uuid[]))
   AND messages.id >= CAST(:before AS uuid) AND messages.text <> ''
""")
WAITS = text("""
SELECT min(created_at) FROM messages
 WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND id < CAST(:before AS uuid)
""")
OLD_FILES = text("""
SELECT message_id AS id FROM media_files
 WHERE tenant_id = :tenant_id AND message_id > CAST(:after AS uuid)
   AND message_id < CAST(:before AS uuid)
 ORDER BY message_id LIMIT :most
""")


def blank_texts(after: str, before: datetime) -> tuple[int, str | None]:
    """A batch; and the id to go on after, None when nothing older is left."""
    rows = _rows(OLD, after, before)
    if rows:
        ids = [str(row.id) for row in rows]
        db.session.execute(BLANK, {"tenant_id": current_tenant_id(), "ids": ids})
        media.drop([from_uuid("msg", row.id) for row in rows])
        doom(sorted({key for row in rows for key in blob_keys(row.content)}))
        _relearn(rows, before)
    return len(rows), str(rows[-1].id) if len(rows) == AT_ONCE else None


def drop_files(after: str, before: datetime) -> tuple[int, str | None]:
    """Files that came with messages, whose words stay."""
    rows = _rows(OLD_FILES, after, before)
    if rows:
        media.drop([from_uuid("msg", row.id) for row in rows])
    return len(rows), str(rows[-1].id) if len(rows) == AT_ONCE else None


def done_until(before: datetime) -> datetime:
    """How far a finished pass has come: not past what still waits to leave."""
    waits = db.session.scalar(WAITS, {"tenant_id": current_tenant_id(), "before": id_at(before)})
    return min(before, waits - timedelta(minutes=1)) if waits else before


def moment_of(message_id: str) -> datetime:
    """When the message of this id was made, to the millisecond below."""
    return datetime.fromtimestamp((UUID(message_id).int >> 80) / 1000, tz=UTC)


def first_id(since: datetime | None) -> str:
    return id_at(since) if since else NEVER


def _relearn(rows: Sequence[Any], before: datetime) -> None:
    """Conversations are found by names, numbers and what is still there of what was said."""
    contacts = sorted({str(row.contact_id) for row in rows if row.contact_id})
    if not contacts:
        return
    mine = {"tenant_id": current_tenant_id(), "contacts": contacts}
    db.session.execute(FORGET_WORDS, mine)
    words.learn_people(sorted({from_uuid("con", row.contact_id) for row in rows if row.contact_id}))
    phones = sorted({row.phone for row in rows})
    said: dict[str, set[str]] = {}
    for row in db.session.execute(STILL_SAID, {**mine, "phones": phones, "before": id_at(before)}):
        said.setdefault(from_uuid("cnv", row.id), set()).update(words.words_of(row.text))
    for conversation_id in sorted(said):
        words.learn(conversation_id, said[conversation_id])


def _rows(statement: Any, after: str, before: datetime) -> list[Any]:
    asked = {
        "tenant_id": current_tenant_id(),
        "after": after,
        "before": id_at(before),
        "most": AT_ONCE,
    }
    return list(db.session.execute(statement, asked))
