"""Edits and deletions: the original message changes, and no new message is stored.

A change may arrive before its message. It is then kept in `early_edits`, which reserves the id of
the message, and applied when the message arrives.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unicodedata import normalize
from uuid import UUID

from psycopg2.extras import Json
from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid
from core.live_updates import publish_update
from core.logs import logger
from core.storage.pending_deletions import delete_later
from messaging import search_index
from messaging.contacts.erasure.personal_data import blob_keys
from messaging.lines.drivers.base import InboundMessage, LineUpdate
from messaging.messages.content import other_party
from messaging.messages.kinds.registry import has_file
from messaging.messages.media import files as media_files
from messaging.models import Line
from webhooks.events import publish_webhook_event

log = logger(__name__)

MAX_EARLIER_TEXTS = 10  # earlier texts kept for one edited message
EARLY_EDITS_KEPT = timedelta(days=8)  # a network repeats a failed delivery for a week
AT_ONCE = 1_000
KEPT_AFTER_DELETION = ("sent_from", "handled_by")

FIND_ORIGINAL = text("""
SELECT m.id, m.direction, m.kind, m.phone, m.contact_id, m.text, m.content, m.network_id, m.state,
       m.test
  FROM network_ids AS n JOIN messages AS m ON m.tenant_id = n.tenant_id AND m.id = n.message_id
 WHERE n.tenant_id = :tenant_id AND n.network_id = :network_id AND m.tenant_id = :tenant_id
   AND m.line_id = :line_id AND m.direction = :direction
   FOR UPDATE OF m
""")
UPDATE_ORIGINAL = text("""
UPDATE messages SET text = :text, content = :content, changed_at = :now
 WHERE tenant_id = :tenant_id AND id = :id
""")
REGISTER_NETWORK_ID = text("""
INSERT INTO network_ids (tenant_id, network_id, message_id)
VALUES (:tenant_id, :network_id, :message_id) ON CONFLICT DO NOTHING RETURNING message_id
""")
STORE_EARLY_EDIT = text("""
INSERT INTO early_edits (tenant_id, network_id, message_id, line_id, changes, created_at)
VALUES (:tenant_id, :network_id, :message_id, :line_id, :changes, :now)
""")
ADD_EARLY_EDIT = text("""
UPDATE early_edits SET changes = changes || CAST(:changes AS jsonb)
 WHERE tenant_id = :tenant_id AND network_id = :network_id AND line_id = :line_id
RETURNING message_id
""")
TAKE_EARLY_EDITS = text("""
DELETE FROM early_edits
 WHERE tenant_id = :tenant_id AND network_id = :network_id AND line_id = :line_id
RETURNING message_id, changes
""")
DELETE_OLD = text("""
WITH old AS (
    DELETE FROM early_edits
     WHERE tenant_id = :tenant_id AND network_id IN (
           SELECT network_id FROM early_edits
            WHERE tenant_id = :tenant_id AND created_at < :before LIMIT :most)
    RETURNING network_id)
DELETE FROM network_ids
 WHERE tenant_id = :tenant_id AND network_id IN (SELECT network_id FROM old)
""")
FIND_CONVERSATION = text("""
SELECT id FROM conversations
 WHERE tenant_id = :tenant_id AND line_id = :line_id AND contact_id = :contact_id
""")


@dataclass(frozen=True)
class EarlyEdits:
    message_id: UUID
    changes: list[dict[str, Any]]


def apply_edit(line: Line, update: LineUpdate) -> None:
    """Apply an edit or a deletion once, however often and in whatever order it arrives."""
    detail = update.detail
    change = {"change": update.kind, **detail}
    found = _find_original(line, detail)
    if found is None:
        found = _keep_until_original_arrives(line, change)
    if found is None or not register_network_id(str(detail.get("id") or ""), found.id):
        return
    changed = change_message(found.kind, found.text, found.content, change)
    if changed is None:
        return
    new_text, content = changed
    db.session.execute(
        UPDATE_ORIGINAL,
        {
            "tenant_id": current_tenant_id(),
            "id": found.id,
            "text": new_text,
            "content": Json(content),
            "now": now(),
        },
    )
    if update.kind == "deleted":
        media_files.delete_files([from_uuid("msg", found.id)])
        delete_later(blob_keys(found.content))
    _update_conversation(line, found, new_text)
    if update.kind == "deleted" or new_text != found.text:
        publish_webhook_event(
            "messages.updated", updated_event_body(line, found, update, new_text, content)
        )


def change_message(
    kind: str, old_text: str, content: Mapping[str, Any], change: Mapping[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """Return text and content after a change; None if it changes nothing."""
    if "deleted_at" in content:
        return None
    at = int(change["at"])
    if change["change"] == "deleted":
        kept = {name: content[name] for name in KEPT_AFTER_DELETION if name in content}
        return "", {**kept, "deleted_at": at}
    new_text = normalize("NFC", str(change["text"]))
    if new_text == old_text or (not new_text and not has_file(kind)):
        return None
    earlier = list(content.get("earlier", ()))
    if at < content.get("edited_at", 0):  # a later edit has arrived before
        return old_text, {**content, "earlier": [*earlier, new_text][-MAX_EARLIER_TEXTS:]}
    made = {
        **content,
        "edited_at": at,
        "earlier": [*earlier, old_text][-MAX_EARLIER_TEXTS:],
    }
    if has_file(kind):
        made["caption"] = new_text
    return new_text, made


def take_early_edits(line: Line, network_id: str) -> EarlyEdits | None:
    """Return and remove what arrived before this message; None if nothing did."""
    row = db.session.execute(
        TAKE_EARLY_EDITS,
        {"tenant_id": current_tenant_id(), "network_id": network_id, "line_id": line.id},
    ).first()
    return None if row is None else EarlyEdits(row.message_id, row.changes)


def with_changes(message: InboundMessage, changes: list[dict[str, Any]]) -> InboundMessage:
    """Return the message as it is after changes that arrived before it."""
    new_text, content = after_changes(message.kind, message.text, message.content, changes)
    return replace(message, text=new_text, content=content)


def after_changes(
    kind: str, old_text: str, content: dict[str, Any], changes: list[dict[str, Any]]
) -> tuple[str, dict[str, Any]]:
    for change in sorted(changes, key=lambda one: int(one["at"])):
        changed = change_message(kind, old_text, content, change)
        if changed is not None:
            old_text, content = changed
    return old_text, content


def updated_event_body(
    line: Line, found: Any, update: LineUpdate, new_text: str, content: Mapping[str, Any]
) -> dict[str, Any]:
    """The body of `messages.updated`: what the message is after the change."""
    at = min(datetime.fromtimestamp(update.detail["at"], UTC), now())
    data: dict[str, Any] = {
        **other_party(found.direction, found.phone),
        "direction": found.direction,
        "message_id": found.network_id,
        "id": from_uuid("msg", found.id),
        "timestamp": int(at.timestamp()),
        "type": found.kind,
        "change": update.kind,
        "text": new_text,
        "earlier_texts": list(content.get("earlier", ())),
    }
    if found.test:
        data["test"] = True
    return {"instance_id": line.id, "data": data}


def register_network_id(network_id: str, message_id: UUID) -> bool:
    """Register a network id for a message; False if it is registered already.

    The insert is the lock: a concurrent repeat waits for the first transaction and finds the row.
    """
    if not network_id:
        return True
    made = db.session.execute(
        REGISTER_NETWORK_ID,
        {
            "tenant_id": current_tenant_id(),
            "network_id": network_id,
            "message_id": str(message_id),
        },
    )
    return made.first() is not None


def delete_old_early_edits() -> int:
    """Delete changes whose message never came. Returns how many, up to AT_ONCE."""
    deleted = db.session.execute(
        DELETE_OLD,
        {
            "tenant_id": current_tenant_id(),
            "before": now() - EARLY_EDITS_KEPT,
            "most": AT_ONCE,
        },
    )
    return int(getattr(deleted, "rowcount", 0))


def _find_original(line: Line, detail: Mapping[str, Any]) -> Any:
    return db.session.execute(
        FIND_ORIGINAL,
        {
            "tenant_id": current_tenant_id(),
            "network_id": detail["network_id"],
            "line_id": line.id,
            "direction": detail.get("direction", "in"),
        },
    ).first()


def _keep_until_original_arrives(line: Line, change: dict[str, Any]) -> Any:
    """Keep the change. Returns the message if it was stored in the meantime."""
    reserved = new_uuid()
    params = {
        "tenant_id": current_tenant_id(),
        "network_id": change["network_id"],
        "line_id": line.id,
        "changes": Json([change]),
    }
    if register_network_id(change["network_id"], reserved):
        db.session.execute(STORE_EARLY_EDIT, {**params, "message_id": str(reserved), "now": now()})
        register_network_id(str(change.get("id") or ""), reserved)
        return None
    found = _find_original(line, change)
    if found is None and db.session.execute(ADD_EARLY_EDIT, params).first() is None:
        log.info("changed message not found", line=line.id, change=change["change"])
    return found


def _update_conversation(line: Line, found: Any, new_text: str) -> None:
    """Update the search words, and show the change on open pages."""
    publish_update("messages.changed", id=from_uuid("msg", found.id), state=found.state)
    row = db.session.execute(
        FIND_CONVERSATION,
        {
            "tenant_id": current_tenant_id(),
            "line_id": line.id,
            "contact_id": found.contact_id,
        },
    ).first()
    if row is None:
        return
    conversation_id = from_uuid("cnv", row.id)
    if new_text:
        search_index.add_words(conversation_id, search_index.words_of(new_text))
    else:
        gone = [found.text, *found.content.get("earlier", ()), found.content.get("filename") or ""]
        words = {word for part in gone for word in search_index.words_of(part)}
        search_index.remove_words(conversation_id, line.id, found.phone, words)
        search_index.add_contact_words([from_uuid("con", found.contact_id)])
    publish_update("conversations.changed", id=conversation_id)
