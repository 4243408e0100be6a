"""Files that members sent, for the network that fetches them and the page that shows them."""

from typing import Any
from urllib.parse import quote

from flask import Response, abort, current_app

from core.security.signing import BadToken
from core.settings import Settings
from core.storage.blobs import NoSuchBlob
from messaging.messages.media import uploads as media_uploads
from portal.inbox import inbox
from portal.web.auth import open_to_all

CHUNK = 64 * 1024


@inbox.get("/media/sent/<token>")
@open_to_all
def sent(token: str) -> Any:
    """No sign-in: the link is signed for one file and expires."""
    settings: Settings = current_app.extensions["comanda"]
    try:
        lent = media_uploads.read_signed_link(token, settings.secret_key)
        source = current_app.extensions["blobs"].open(lent.key)
    except (BadToken, NoSuchBlob):
        abort(404)

    def parts() -> Any:
        with source:
            while part := source.read(CHUNK):
                yield part

    inline = lent.mime_type in media_uploads.SHOWN_INLINE
    disposition = "inline" if inline else f"attachment; filename*=UTF-8''{quote(lent.filename)}"
    answer = Response(parts(), mimetype=lent.mime_type)
    answer.headers["Content-Disposition"] = disposition
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["Cache-Control"] = "private, max-age=3600"
    return answer
