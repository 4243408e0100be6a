"""Upload a file once, and send it any number of times."""

from typing import Any

from flask import Response, current_app, g

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ErrorBody
from api.v1 import takes_file, v1
from api.v1.messaging.messages import TAG
from api.v1.schemas.messaging.campaigns import FileBody
from api.v1.schemas.messaging.media import MediaPath, MediaQuery, UploadedMediaShape
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from messaging.messages.media import library as media_library
from messaging.messages.media import uploads as media_uploads
from messaging.messages.media.uploads import UploadedFile
from messaging.models import UploadedMedia


@v1.post(
    "/media",
    tags=[TAG],
    summary="Upload a file for messages",
    responses={201: UploadedMediaShape, 413: ErrorBody},
)
@takes_file
@key_may("messages:send", test_keys=True)
def upload_media(query: MediaQuery, raw: FileBody) -> Response:
    """The body is the raw file; its type is detected from its content. Any send can use the
    returned id as `media_id`.
    """
    store = media_uploads.store_sticker if query.type else media_uploads.store_upload
    blobs = current_app.extensions["blobs"]
    file = store(blobs, raw.stream, query.filename, str(g.tenant_id))
    try:
        answer = _add(file)
    except Exception:
        blobs.delete(file.key)
        raise
    if "Idempotent-Replayed" in answer.headers:
        blobs.delete(file.key)
    return answer


@v1.get(
    "/media/<media_id>",
    tags=[TAG],
    summary="Get an uploaded file",
    responses={200: UploadedMediaShape},
)
@key_may("messages:send", test_keys=True)
def read_media(path: MediaPath) -> dict[str, Any]:
    """Its name, type and size."""
    with tenant_scope(g.tenant_id):
        found = media_library.find(path.media_id, test=g.caller.test)
        if found is None:
            raise NotFound()
        return _media_json(found)


@idempotent
def _add(file: UploadedFile) -> JsonAnswer:
    return _media_json(media_library.add(file, test=g.caller.test)), 201


def _media_json(media: UploadedMedia) -> dict[str, Any]:
    return {
        "id": media.id,
        "type": media.kind,
        "mime_type": media.mime_type,
        "filename": media.filename,
        "size": media.size,
        "test": media.test,
        "created_at": rfc3339(media.created_at),
    }
