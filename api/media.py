"""`GET /media/<token>`: a customer's file, for the holder of the signed URL."""

from typing import Any

from flask import Blueprint, Response, current_app

from api.errors import error_response, response_for
from core.db import tenant_scope
from core.security.signing import BadToken, ExpiredToken
from core.storage.blobs import NoSuchBlob
from core.storage.responses import file_response, poll_until_found
from messaging.messages.media import files as media_files
from messaging.models import MediaFile
from messaging.reasons import NETWORK_REASONS

files = Blueprint("files", __name__)

WAIT_SECONDS = 8.0


@files.errorhandler(Exception)
def answer_error(error: Exception) -> Response:
    """Errors are JSON, because programs call this endpoint."""
    return response_for(error)


@files.get("/media/<token>")
def media_file(token: str) -> Any:
    """Serve the file. Waits for a pending download, because the event has the URL at once."""
    try:
        tenant_id, message_id = media_files.message_id_of_link(token)
    except ExpiredToken:
        return _error(410, "link_expired", "This address has run out. Ask for a new one.")
    except (BadToken, TypeError, ValueError):
        return _error(404, "not_found", "There is nothing at this address.")

    def find_file() -> MediaFile | None:
        with tenant_scope(tenant_id):
            found = media_files.get_file(message_id)
        return None if found is not None and found.state == "waiting" else found or _MISSING_FILE

    found = poll_until_found(find_file, WAIT_SECONDS)
    if found is None:
        answer = _error(503, "try_again", "The file is still on its way. Try again in a moment.")
        answer.headers["Retry-After"] = "5"
        return answer
    if found.state != "kept" or not found.blob_key:
        return _error(
            404,
            "media_gone",
            NETWORK_REASONS.english(found.error) or "There is no file here any more.",
        )
    try:
        return file_response(
            current_app.extensions["blobs"],
            found.blob_key,
            found.mime_type,
            found.size,
            found.filename,
            inline=True,
        )
    except NoSuchBlob:
        return _error(404, "media_gone", "There is no file here any more.")


_MISSING_FILE = MediaFile(state="failed", error="", blob_key=None)


def _error(status: int, code: str, sentence: str) -> Response:
    return error_response(status, code, sentence)
