"""Download a media file: limit its size, check its hash and type, store it, and make a preview."""

import hashlib
import io
import tempfile
from typing import IO

from core.errors import TryAgain
from core.http import OutboundError, Policy, TooLarge
from core.http.sync_client import request
from core.logs import logger
from core.settings import Settings
from core.storage.blobs import CHUNK, Blobs
from core.storage.file_types import HEAD_BYTES, detect_file_type
from core.storage.images import TooManyPixels, UnreadableImage, make_preview
from messaging import reasons
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud import media as cloud_media
from messaging.lines.drivers.cloud.driver import base_url
from messaging.lines.drivers.cloud.media import MediaNotFetched
from messaging.messages.kinds.base import MB, FileRules
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.media.files import DownloadFailure, PendingDownload, StoredMedia, hex_digest
from messaging.reasons import with_detail

log = logger(__name__)

MAX_IN_MEMORY = MB


def file_rules(code: str) -> FileRules:
    rules = MESSAGE_KINDS[code].file
    if rules is None:
        raise ValueError(f"a message of the kind {code} has no file")
    return rules


def download_file(
    settings: Settings,
    blobs: Blobs,
    download: PendingDownload,
    network: str,
    facts: LineFacts | None,
) -> StoredMedia | DownloadFailure:
    """Fetch and store one file. Opens no transaction."""
    with tempfile.SpooledTemporaryFile(MAX_IN_MEMORY) as file:
        try:
            if "://" not in download.source:
                declared, digest = _from_network(settings, download, network, facts, file)
            else:
                declared, digest = _from_url(settings, download, file), ""
            return _store_file(blobs, download, file, declared, digest)
        except MediaNotFetched as why:
            return DownloadFailure(why.reason, why.final)
        except (OSError, ValueError) as error:  # a full disk, or an unavailable bucket
            log.warning("media not stored", message=download.message_id, error=type(error).__name__)
            return DownloadFailure(reasons.FILE_NOT_STORED)


def store_fetched_file(
    blobs: Blobs, download: PendingDownload, body: bytes
) -> StoredMedia | DownloadFailure:
    """Store a file that the client of a linked phone has already fetched."""
    try:
        return _store_file(blobs, download, io.BytesIO(body), download.mime_type, download.sha256)
    except MediaNotFetched as why:
        return DownloadFailure(why.reason, why.final)
    except (OSError, ValueError) as error:
        log.warning("media not stored", message=download.message_id, error=type(error).__name__)
        return DownloadFailure(reasons.FILE_NOT_STORED)


def _from_network(
    settings: Settings,
    download: PendingDownload,
    network: str,
    facts: LineFacts | None,
    file: IO[bytes],
) -> tuple[str, str]:
    if facts is None:
        raise MediaNotFetched(reasons.FILE_LINE_GONE, final=True)
    base = base_url(settings, network)
    found = cloud_media.fetch_media(
        base,
        settings.cloud_version,
        facts,
        download.source,
        file_rules(download.kind).received_bytes,
        file,
    )
    return found.mime_type or download.mime_type, hex_digest(found.sha256) or download.sha256


def _from_url(settings: Settings, download: PendingDownload, file: IO[bytes]) -> str:
    """Fetch a tenant's URL and return its content type.

    The address must be public and the port allowed; redirects are not followed.
    """
    policy = Policy(ports=settings.ports_allowed, allow_loopback=settings.allow_loopback)
    try:
        reply = request(
            "GET",
            download.source,
            policy=policy,
            timeout=30.0,
            max_body=file_rules("image").received_bytes,
            into=file,
        )
    except TooLarge:
        raise MediaNotFetched(reasons.FILE_LARGER, final=True) from None
    except OutboundError as error:
        raise MediaNotFetched(with_detail(reasons.FILE_NOT_FETCHED, f"{error}.")) from None
    if not reply.ok:
        raise MediaNotFetched(
            with_detail(reasons.SERVER_STATUS, f"{reply.status} for the file."), final=True
        )
    return reply.headers.get("content-type", "")


def _store_file(
    blobs: Blobs, download: PendingDownload, file: IO[bytes], declared: str, digest: str
) -> StoredMedia | DownloadFailure:
    size, found = _measure(file)
    if not size:
        raise MediaNotFetched(reasons.FILE_EMPTY, final=True)
    if digest and digest != found:
        raise MediaNotFetched(reasons.FILE_WRONG_HASH)
    file.seek(0)
    mime_type = detect_file_type(file.read(HEAD_BYTES), declared)
    allowed = file_rules(download.kind).received_types
    if allowed and not mime_type.startswith(allowed):
        raise MediaNotFetched(reasons.FILE_OTHER_TYPE, final=True)
    key = f"media/{download.message_id.lower()}.{download.tries}"
    small = _store_preview(blobs, download, file, key)
    file.seek(0)
    blobs.put(key, file, mime_type)
    return StoredMedia(key, mime_type, found, size, small)


def _measure(file: IO[bytes]) -> tuple[int, str]:
    file.seek(0)
    size, digest = 0, hashlib.sha256()
    while chunk := file.read(CHUNK):
        size += len(chunk)
        digest.update(chunk)
    return size, digest.hexdigest()


def _store_preview(
    blobs: Blobs, download: PendingDownload, file: IO[bytes], key: str
) -> str | None:
    """Store a preview of an image and return its blob key; None for other kinds.

    Without a preview, pages offer the file for download only.
    """
    if not MESSAGE_KINDS[download.kind].is_picture:
        return None
    file.seek(0)
    try:
        picture, mime_type = make_preview(file)
    except TooManyPixels as why:
        raise MediaNotFetched(reasons.FILE_LARGER, final=True) from why
    except UnreadableImage as why:
        raise MediaNotFetched(reasons.FILE_OTHER_TYPE, final=True) from why
    except TryAgain as why:
        raise MediaNotFetched(reasons.FILE_QUEUE_FULL) from why
    small = f"{key}.{mime_type.partition('/')[2]}"
    blobs.put(small, picture, mime_type)
    return small
