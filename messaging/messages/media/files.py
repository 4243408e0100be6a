"""Media files of messages: registered with the message, downloaded by a job, stored as blobs."""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.ids import from_uuid, to_uuid
from core.queue import lanes
from core.security import signed_urls
from core.storage.pending_deletions import delete_later
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.kinds.registry import has_file, is_picture
from messaging.models import Line, MediaFile, Message

LANE = "media"
LINK_PURPOSE = "media"
LINK_VALIDITY = timedelta(days=7)
BACK_OFF = (5, 30, 120, 600, 3600)  # seconds after the first, second, … attempt
LONGEST_NAME = 240
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\"<>:|?*]')

# The source of a linked line's file contains the line id: only the host that holds the line can
# fetch it.
LINKED_SOURCE = "linked:{line_id}:"
CLAIM = text("""
UPDATE media_files SET tries = tries + 1, due_at = :lease_until
 WHERE tenant_id = :tenant_id AND message_id IN (
       SELECT message_id FROM media_files
        WHERE tenant_id = :tenant_id AND due_at <= :now AND state = 'waiting'
          AND (source LIKE :source) = :linked
        ORDER BY due_at LIMIT :most FOR UPDATE SKIP LOCKED)
RETURNING message_id, source, kind, mime_type, filename, sha256, tries
""")
NEXT_DUE = text(
    "SELECT min(due_at) FROM media_files WHERE tenant_id = :tenant_id AND due_at IS NOT NULL"
    " AND state = 'waiting' AND source NOT LIKE 'linked:%'"
)
SETTLE = text("""
UPDATE media_files
   SET state = :state, due_at = :due_at, error = :error,
       mime_type = coalesce(:mime_type, mime_type),
       sha256 = coalesce(:sha256, sha256), size = :size, blob_key = :blob_key,
       preview_blob_key = :preview_blob_key, kept_at = :kept_at
 WHERE tenant_id = :tenant_id AND message_id = :message_id AND tries = :tries
   AND state = 'waiting'
RETURNING message_id
""")


@dataclass(frozen=True)
class PendingDownload:
    """A file that a job has claimed; `tries` is its fencing token."""

    message_id: str
    source: str
    kind: str
    mime_type: str
    filename: str
    sha256: str
    tries: int
    line_id: int
    direction: str


@dataclass(frozen=True)
class StoredMedia:
    blob_key: str
    mime_type: str
    sha256: str
    size: int
    preview_blob_key: str | None = None


@dataclass(frozen=True)
class DownloadFailure:
    """`final` means that a retry would not help."""

    reason: str
    final: bool = False


def register_file(uuid: UUID, line: Line, kind: str, content: dict[str, Any]) -> None:
    """Register the file of a message, in the transaction that stores the message.

    The message is stored and shown before its file is downloaded.
    """
    if has_file(kind) and content.get("id"):
        named = LINKED_SOURCE.format(line_id=line.id) if DRIVERS[line.kind].has_sessions else ""
        _insert_file(uuid, kind, f"{named}{content['id']}", content)


def is_network_media_id(source: str) -> str:
    return source.split(":", 2)[2] if source.startswith("linked:") else source


def request_download(message: Message) -> None:
    """Register the image of an outbound message for download, when somebody opens it."""
    url = message.content.get("url")
    if message.direction == "out" and is_picture(message.kind) and url:
        _insert_file(to_uuid("msg", message.id), message.kind, url, message.content)


def _insert_file(uuid: UUID, kind: str, source: str, content: dict[str, Any]) -> None:
    db.session.execute(
        insert(MediaFile)
        .values(
            tenant_id=current_tenant_id(),
            message_id=uuid,
            source=source,
            kind=kind,
            mime_type=str(content.get("mime_type") or "")[:100],
            filename=clean_filename(str(content.get("filename") or "")),
            sha256=hex_digest(str(content.get("sha256") or "")),
            state="waiting",
            tries=0,
            due_at=now(),
            created_at=now(),
        )
        .on_conflict_do_nothing()
    )
    lanes.mark_due(LANE, current_tenant_id(), now())
    notify_workers("jobs.media.drain")


def claim_downloads(
    most: int, lease: float, linked_line: int | None = None
) -> list[PendingDownload]:
    """Claim due files: of all cloud lines, or of one linked line for the host that holds it."""
    moment, tenant_id = now(), current_tenant_id()
    linked = linked_line is not None
    rows = db.session.execute(
        CLAIM,
        {
            "source": f"{LINKED_SOURCE.format(line_id=linked_line)}%" if linked else "linked:%",
            "linked": linked,
            "tenant_id": tenant_id,
            "now": moment,
            "most": most,
            "lease_until": moment + timedelta(seconds=lease),
        },
    ).all()
    ids = [from_uuid("msg", row.message_id) for row in rows]
    found = db.session.execute(
        select(Message.id, Message.line_id, Message.direction).where(
            Message.tenant_id == tenant_id, Message.id.in_(ids)
        )
    )
    of = {row.id: (row.line_id, row.direction) for row in found}
    return [
        PendingDownload(
            message_id=message_id,
            source=row.source,
            kind=row.kind,
            mime_type=row.mime_type,
            filename=row.filename,
            sha256=row.sha256,
            tries=row.tries,
            line_id=of[message_id][0],
            direction=of[message_id][1],
        )
        for message_id, row in zip(ids, rows, strict=True)
        if message_id in of
    ]


def settle_download(download: PendingDownload, outcome: StoredMedia | DownloadFailure) -> bool:
    """Write the result of a download.

    Returns False if the claim is no longer valid; a file that was stored is then deleted.
    """
    values: dict[str, Any] = dict.fromkeys(
        ("due_at", "error", "mime_type", "sha256", "size", "blob_key", "preview_blob_key")
    )
    values["kept_at"] = None
    if isinstance(outcome, StoredMedia):
        values |= {
            "state": "kept",
            "mime_type": outcome.mime_type,
            "sha256": outcome.sha256,
            "size": outcome.size,
            "blob_key": outcome.blob_key,
            "preview_blob_key": outcome.preview_blob_key,
            "kept_at": now(),
        }
    elif outcome.final or download.tries > len(BACK_OFF):
        values |= {"state": "failed", "error": outcome.reason}
    else:
        wait = timedelta(seconds=BACK_OFF[download.tries - 1])
        values |= {
            "state": "waiting",
            "due_at": now() + wait,
            "error": outcome.reason,
        }
    written = {
        **values,
        "tenant_id": current_tenant_id(),
        "message_id": str(to_uuid("msg", download.message_id)),
        "tries": download.tries,
    }
    if db.session.execute(SETTLE, written).first() is not None:
        return True
    if isinstance(outcome, StoredMedia):
        delete_later([outcome.blob_key, outcome.preview_blob_key])
    return False


def next_due() -> Any:
    return db.session.execute(NEXT_DUE, {"tenant_id": current_tenant_id()}).scalar()


def get_file(message_id: str) -> MediaFile | None:
    return db.session.get(MediaFile, (current_tenant_id(), message_id), populate_existing=True)


def get_files(message_ids: Iterable[str]) -> dict[str, MediaFile]:
    """Return the files of a page of messages by message id, in one query."""
    ids = list(message_ids)
    if not ids:
        return {}
    rows = db.session.scalars(
        select(MediaFile).where(
            MediaFile.tenant_id == current_tenant_id(), MediaFile.message_id.in_(ids)
        )
    )
    return {row.message_id: row for row in rows}


def signed_link(message_id: str) -> str:
    """Return our signed, expiring URL of the file. It works as soon as the file is downloaded."""
    value = [current_tenant_id(), message_id]
    return signed_urls.signed_url("/media/", LINK_PURPOSE, value, LINK_VALIDITY)


def message_id_of_link(token: str) -> tuple[int, str]:
    """Return tenant and message of a signed link. Raises BadToken, or its subclass ExpiredToken."""
    tenant_id, message_id = signed_urls.read_signed(LINK_PURPOSE, token)
    return tenant_id, message_id


def delete_files(message_ids: Iterable[str]) -> int:
    """Delete the files of these messages: the rows now, the blobs by a job after the commit."""
    ids = list(message_ids)
    deleted = db.session.execute(
        delete(MediaFile)
        .where(MediaFile.tenant_id == current_tenant_id(), MediaFile.message_id.in_(ids))
        .returning(MediaFile.blob_key, MediaFile.preview_blob_key)
    ).all()
    delete_later(key for row in deleted for key in row)
    return len(deleted)


def hex_digest(digest: str) -> str:
    """Return a SHA-256 hash as hex, or "" if it is not one.

    The network writes the same hash in base64 in one place and in hex in another.
    """
    if re.fullmatch(r"[0-9a-fA-F]{64}", digest):
        return digest.lower()
    try:
        raw = base64.b64decode(digest + "=" * (-len(digest) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return raw.hex() if len(raw) == 32 else ""


def clean_filename(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name).strip(". ")[:LONGEST_NAME]
