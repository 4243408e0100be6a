"""Delete texts and files of messages after the tenant's retention period; the counts stay.

A watermark in the account records how far earlier nights have come, so that no night scans the same
months again.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid
from core.sql.partitions import id_at
from core.storage.pending_deletions import delete_later
from messaging import search_index
from messaging.contacts.erasure.personal_data import blob_keys
from messaging.messages.media import files as media_files

AT_ONCE = 1_000
LOWEST_ID = "00000000-0000-0000-0000-000000000000"

FIND_OLD_MESSAGES = text("""
SELECT id, phone, contact_id, content FROM messages
 WHERE tenant_id = :tenant_id AND id > CAST(:after AS uuid) AND id < CAST(:before AS uuid)
   AND due_at IS NULL AND state <> 'sending' AND (text <> '' OR content <> '{}')
 ORDER BY id LIMIT :most FOR UPDATE
""")
BLANK_MESSAGES = text("""
UPDATE messages SET text = '', content = '{}'
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
DELETE_SEARCH_WORDS = text("""
DELETE FROM conversation_words
 WHERE tenant_id = :tenant_id AND conversation_id IN (
       SELECT id FROM conversations
        WHERE tenant_id = :tenant_id AND contact_id = ANY(CAST(:contacts AS uuid[])))
""")
FIND_REMAINING_TEXTS = text("""
SELECT talks.id, messages.text
  FROM conversations AS talks
  JOIN messages ON messages.tenant_id = :tenant_id AND messages.line_id = talks.line_id
   AND messages.phone = ANY(:phones) AND messages.contact_id = talks.contact_id
 WHERE talks.tenant_id = :tenant_id AND talks.contact_id = ANY(CAST(:contacts AS uuid[]))
   AND messages.id >= CAST(:before AS uuid) AND messages.text <> ''
""")
OLDEST_WAITING = text("""
SELECT min(created_at) FROM messages
 WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND id < CAST(:before AS uuid)
""")
FIND_OLD_FILES = text("""
SELECT message_id AS id FROM media_files
 WHERE tenant_id = :tenant_id AND message_id > CAST(:after AS uuid)
   AND message_id < CAST(:before AS uuid)
 ORDER BY message_id LIMIT :most
""")


def blank_texts(after: str, before: datetime) -> tuple[int, str | None]:
    """Blank one batch of messages.

    Returns its size, and the id to continue after or None if nothing older is left.
    """
    rows = _rows(FIND_OLD_MESSAGES, after, before)
    if rows:
        ids = [str(row.id) for row in rows]
        db.session.execute(BLANK_MESSAGES, {"tenant_id": current_tenant_id(), "ids": ids})
        media_files.delete_files([from_uuid("msg", row.id) for row in rows])
        delete_later(sorted({key for row in rows for key in blob_keys(row.content)}))
        _rebuild_search_words(rows, before)
    return len(rows), str(rows[-1].id) if len(rows) == AT_ONCE else None


def delete_files(after: str, before: datetime) -> tuple[int, str | None]:
    """Delete one batch of files; the message texts stay. Returns the same pair as `blank_texts`."""
    rows = _rows(FIND_OLD_FILES, after, before)
    if rows:
        media_files.delete_files([from_uuid("msg", row.id) for row in rows])
    return len(rows), str(rows[-1].id) if len(rows) == AT_ONCE else None


def completed_until(before: datetime) -> datetime:
    """Return how far a finished pass has come: not past a message that still waits to be sent."""
    waits = db.session.scalar(
        OLDEST_WAITING, {"tenant_id": current_tenant_id(), "before": id_at(before)}
    )
    return min(before, waits - timedelta(minutes=1)) if waits else before


def created_at_of(message_id: str) -> datetime:
    """Return the time in this id, rounded down to the millisecond."""
    return datetime.fromtimestamp((UUID(message_id).int >> 80) / 1000, tz=UTC)


def first_id_since(since: datetime | None) -> str:
    return id_at(since) if since else LOWEST_ID


def _rebuild_search_words(rows: Sequence[Any], before: datetime) -> None:
    """Rebuild the search index of these contacts from names, numbers and the texts that remain."""
    contacts = sorted({str(row.contact_id) for row in rows if row.contact_id})
    if not contacts:
        return
    params = {"tenant_id": current_tenant_id(), "contacts": contacts}
    db.session.execute(DELETE_SEARCH_WORDS, params)
    search_index.add_contact_words(
        sorted({from_uuid("con", row.contact_id) for row in rows if row.contact_id})
    )
    phones = sorted({row.phone for row in rows})
    words: dict[str, set[str]] = {}
    for row in db.session.execute(
        FIND_REMAINING_TEXTS, {**params, "phones": phones, "before": id_at(before)}
    ):
        words.setdefault(from_uuid("cnv", row.id), set()).update(search_index.words_of(row.text))
    for conversation_id in sorted(words):
        search_index.add_words(conversation_id, words[conversation_id])


def _rows(statement: Any, after: str, before: datetime) -> list[Any]:
    params = {
        "tenant_id": current_tenant_id(),
        "after": after,
        "before": id_at(before),
        "most": AT_ONCE,
    }
    return list(db.session.execute(statement, params))
