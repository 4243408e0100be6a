"""A stored file as a response. The browser must not run it or guess its type, and only safe types
are shown inline.
"""

import time
from collections.abc import Callable, Iterator
from threading import BoundedSemaphore
from typing import BinaryIO, TypeVar

from werkzeug.wrappers import Response

from core.storage.blobs import CHUNK, Blobs
from core.storage.file_types import SAFE_INLINE_TYPES, UNKNOWN_TYPE

T = TypeVar("T")
POLL_SECONDS = 0.25
_waiters = BoundedSemaphore(32)  # requests that hold a thread while they wait for a file


def file_response(
    blobs: Blobs, key: str, mime_type: str, size: int | None, filename: str = "", *, inline: bool
) -> Response:
    """Raises NoSuchBlob."""
    shown = inline and mime_type in SAFE_INLINE_TYPES
    answer = Response(_chunks(blobs.open(key)), mimetype=mime_type or UNKNOWN_TYPE)
    answer.headers.set(
        "Content-Disposition",
        "inline" if shown else "attachment",
        **({"filename": filename} if filename else {}),
    )
    if size is not None:
        answer.content_length = size
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["Cache-Control"] = "private, max-age=3600"
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def poll_until_found(find: Callable[[], T | None], seconds: float) -> T | None:
    """Call `look` until it returns a value, for at most `seconds`. None if it does not.

    Holds no database connection between two calls. When too many requests wait, it looks once.
    """
    found = find()
    if found is not None or not _waiters.acquire(blocking=False):
        return found
    try:
        end = time.monotonic() + seconds
        while found is None and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
            found = find()
    finally:
        _waiters.release()
    return found


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
