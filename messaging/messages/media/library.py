"""Files that programs upload once, for any number of messages."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.ids import BadId, to_uuid
from core.storage.pending_deletions import delete_later
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.media.uploads import UploadedFile, url_for_network
from messaging.models import UploadedMedia

AT_ONCE = 500
SPARE_TIME = timedelta(days=1)


def add(file: UploadedFile, *, test: bool) -> UploadedMedia:
    media = UploadedMedia(
        tenant_id=current_tenant_id(),
        kind=file.kind,
        mime_type=file.mime_type,
        filename=file.filename,
        size=file.size,
        blob_key=file.key,
        test=test,
    )
    db.session.add(media)
    db.session.flush()
    return media


def find(media_id: str, *, test: bool) -> UploadedMedia | None:
    """Test keys and live keys have separate files."""
    try:
        to_uuid("med", media_id)
    except BadId:
        return None
    found = db.session.get(UploadedMedia, (current_tenant_id(), media_id))
    return found if found is not None and found.test == test else None


def content_for_message(
    media: UploadedMedia, field: str, kind: str, sent_by: datetime
) -> dict[str, Any]:
    """Return what a message of this kind stores about the file.

    The link for the network works until the message has been sent, at the latest `sent_by`.
    Raises Invalid for a file of another kind.
    """
    rules = MESSAGE_KINDS[kind].file
    if rules is None or not media.mime_type.startswith(rules.sent_types):
        raise invalid(
            field,
            "wrong_media_type",
            "This file cannot be sent as {kind}. It is of the type {type}.",
            kind=kind,
            type=media.mime_type,
        )
    valid_for = sent_by - now() + SPARE_TIME
    return {
        "url": url_for_network(media.blob_key, media.mime_type, media.filename, valid_for),
        "media_id": media.id,
        "file_key": media.blob_key,
        "mime_type": media.mime_type,
        "size": media.size,
        "filename": media.filename,
    }


def delete_before(before: datetime) -> int:
    """Delete one batch of files that were uploaded before this moment; returns how many."""
    old = (
        select(UploadedMedia.id)
        .where(UploadedMedia.tenant_id == current_tenant_id(), UploadedMedia.created_at < before)
        .limit(AT_ONCE)
    )
    deleted = db.session.execute(
        delete(UploadedMedia)
        .where(UploadedMedia.tenant_id == current_tenant_id(), UploadedMedia.id.in_(old))
        .returning(UploadedMedia.blob_key)
    ).scalars()
    keys = list(deleted)
    delete_later(keys)
    return len(keys)
