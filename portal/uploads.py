"""Files that members upload to be sent."""

from flask import current_app, g
from werkzeug.datastructures import FileStorage

from core.settings import Settings
from messaging.inbox import files
from messaging.inbox.files import Kept


def kept(given: FileStorage | None) -> Kept | None:
    """Kept before the transaction: a disk or a bucket may be slow."""
    if given is None or not given.filename:
        return None
    settings: Settings = current_app.extensions["comanda"]
    return files.keep(
        current_app.extensions["blobs"],
        given.stream,
        given.filename,
        str(g.tenant_id),
        settings.base_url,
        settings.secret_key,
    )
