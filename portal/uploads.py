"""Files that members upload to be sent."""

from flask import current_app, g
from werkzeug.datastructures import FileStorage

from messaging.inbox import files
from messaging.inbox.files import Kept


def kept(given: FileStorage | None) -> Kept | None:
    """Kept before the transaction: a disk or a bucket may be slow."""
    if given is None or not given.filename:
        return None
    blobs = current_app.extensions["blobs"]
    return files.keep(blobs, given.stream, given.filename, str(g.tenant_id))
