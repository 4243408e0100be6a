"""Taking a file in: bounded, held against its hash, looked at, kept; a picture is drawn anew."""

import hashlib
import io
import tempfile
from typing import IO

from core.blobs import CHUNK, Blobs
from core.errors import TryAgain
from core.logs import logger
from core.outbound import OutboundError, Policy, TooLarge
from core.outbound.sync import request
from core.pictures import NoPicture, TooManyPixels, preview
from core.settings import Settings
from core.sniff import HEAD, sniff
from messaging.lines import LineFacts, cloud_media
from messaging.lines.cloud_media import TOO_LARGE, NotFetched
from messaging.media import Kept, Lost, Wanted, hex_digest

log = logger(__name__)

MB = 1024 * 1024
CAPS = {"image": 5 * MB, "sticker": MB, "audio": 16 * MB, "video": 16 * MB, "document": 100 * MB}
IN_MEMORY = MB
# What a message of a kind may hold; a document may hold anything, and is never run.
HOLDS = {
    "image": ("image/",),
    "sticker": ("image/",),
    "audio": ("audio/", "video/"),
    "video": ("video/",),
}
NOT_SO = "The file is not what the message says it is."
WRONG_HASH = "The file that came is not the one that was announced."


def take_in(
    settings: Settings, blobs: Blobs, wanted: Wanted, network: str, facts: LineFacts | None
) -> Kept | Lost:
    """Fetch and keep one file. Opens no transaction."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
        try:
            if wanted.direction == "in":
                declared, digest = _from_network(settings, wanted, network, facts, file)
            else:
                declared, digest = _from_url(settings, wanted, file), ""
            return _keep(blobs, wanted, file, declared, digest)
        except NotFetched as why:
            return Lost(str(why), why.final)
        except (OSError, ValueError) as error:  # a full disk, a bucket that is away
            log.warning("file not kept", message=wanted.message_id, error=type(error).__name__)
            return Lost("The file could not be stored.")


def take_in_body(blobs: Blobs, wanted: Wanted, body: bytes) -> Kept | Lost:
    """A file that a linked phone's client has fetched."""
    try:
        return _keep(blobs, wanted, io.BytesIO(body), wanted.mime_type, wanted.sha256)
    except NotFetched as why:
        return Lost(str(why), why.final)
    except (OSError, ValueError) as error:
        log.warning("file not kept", message=wanted.message_id, error=type(error).__name__)
        return Lost("The file could not be stored.")


def _from_network(
    settings: Settings, wanted: Wanted, network: str, facts: LineFacts | None, file: IO[bytes]
) -> tuple[str, str]:
    if facts is None:
        raise NotFetched("The line of this message is gone.", final=True)
    base = settings.simulator_url if network == "simulator" else settings.cloud_base_url
    found = cloud_media.fetch(
        base, settings.cloud_version, facts, wanted.source, CAPS[wanted.kind], file
    )
    return found.mime_type or wanted.mime_type, hex_digest(found.sha256) or wanted.sha256


def _from_url(settings: Settings, wanted: Wanted, file: IO[bytes]) -> str:
    """A tenant's own address: public, on an allowed port, without a redirect."""
    policy = Policy(ports=settings.ports_allowed, allow_loopback=settings.allow_loopback)
    try:
        reply = request(
            "GET", wanted.source, policy=policy, timeout=30.0, max_body=CAPS["image"], into=file
        )
    except TooLarge:
        raise NotFetched(TOO_LARGE, final=True) from None
    except OutboundError as error:
        raise NotFetched(f"The file could not be fetched: {error}.") from None
    if not reply.ok:
        raise NotFetched(f"The server answered {reply.status} for the file.", final=True)
    return reply.headers.get("content-type", "")


def _keep(blobs: Blobs, wanted: Wanted, file: IO[bytes], declared: str, digest: str) -> Kept | Lost:
    size, found = _measure(file)
    if not size:
        raise NotFetched("The file is empty.", final=True)
    if digest and digest != found:
        raise NotFetched(WRONG_HASH)
    file.seek(0)
    mime_type = sniff(file.read(HEAD), declared)
    if wanted.kind in HOLDS and not mime_type.startswith(HOLDS[wanted.kind]):
        raise NotFetched(NOT_SO, final=True)
    key = f"media/{wanted.message_id.lower()}.{wanted.tries}"
    small = _draw(blobs, wanted, file, key)
    file.seek(0)
    blobs.put(key, file, mime_type)
    return Kept(key, mime_type, found, size, small)


def _measure(file: IO[bytes]) -> tuple[int, str]:
    file.seek(0)
    size, digest = 0, hashlib.sha256()
    while chunk := file.read(CHUNK):
        size += len(chunk)
        digest.update(chunk)
    return size, digest.hexdigest()


def _draw(blobs: Blobs, wanted: Wanted, file: IO[bytes], key: str) -> str | None:
    """Without it the page offers the file and shows nothing."""
    if wanted.kind not in ("image", "sticker"):
        return None
    file.seek(0)
    try:
        picture, mime_type = preview(file)
    except TooManyPixels as why:
        raise NotFetched(TOO_LARGE, final=True) from why
    except NoPicture as why:
        raise NotFetched(NOT_SO, final=True) from why
    except TryAgain as why:
        raise NotFetched("Too many pictures are waiting to be drawn.") from why
    small = f"{key}.{mime_type.partition('/')[2]}"
    blobs.put(small, picture, mime_type)
    return small
