"""Menu photos and logos from our store: public and small."""

import re

from flask import Blueprint, Response, abort, current_app

from core.storage.blobs import Blobs, NoSuchBlob
from portal.web.auth import open_to_all

photos = Blueprint("photos", __name__)

_KEY = re.compile(r"[0-9]{1,19}/[0-9a-f]{32}\.webp")


@photos.get("/photos/<path:key>")
@open_to_all
def show(key: str) -> Response:
    if not _KEY.fullmatch(key):
        abort(404)
    blobs: Blobs = current_app.extensions["blobs"]
    try:
        with blobs.open(f"photos/{key}") as file:
            data = file.read()
    except NoSuchBlob:
        abort(404)
    answer = Response(data, mimetype="image/webp")
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer
