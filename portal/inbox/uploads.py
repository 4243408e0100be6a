"""Files that members upload to be sent."""

from flask import current_app, g
from werkzeug.datastructures import FileStorage

from messaging.messages.media import uploads as media_uploads
from messaging.messages.media.uploads import UploadedFile

STORES = {"sticker": media_uploads.store_sticker, "voice": media_uploads.store_voice}


def store_upload(given: FileStorage | None, kind: str = "") -> UploadedFile | None:
    """Store the file before the transaction opens, because a disk or bucket may be slow."""
    if given is None or not given.filename:
        return None
    blobs = current_app.extensions["blobs"]
    store = STORES.get(kind, media_uploads.store_upload)
    return store(blobs, given.stream, given.filename, str(g.tenant_id))
