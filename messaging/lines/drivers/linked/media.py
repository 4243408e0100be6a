"""Fetch the file of a media message before it is sent, and check its size and type.

A cloud line sends the URL to its network; a linked phone has to upload the file itself.
"""

from urllib.parse import unquote, urlsplit

from core.http import BadUrl, OutboundError, RefusedAddress, TooLarge
from core.http.async_client import Client
from messaging.lines.drivers.base import Envelope, SendRefused, TryLater
from messaging.lines.drivers.linked.client import MediaFileBody

MB = 1024 * 1024
MAX_BYTES = {"image": 5 * MB, "audio": 16 * MB, "video": 16 * MB, "document": 100 * MB}
TIMEOUT_SECONDS = {"image": 20.0, "audio": 40.0, "video": 40.0, "document": 120.0}
KINDS = frozenset(MAX_BYTES)
MEDIA_UNUSABLE = "media_unusable"
NOT_200 = "The file's server should answer 200, but answers"

# Offset, leading bytes and MIME type.
FILE_SIGNATURES = (
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf1", "audio/aac"),
    (0, b"\xff\xf9", "audio/aac"),
    (0, b"#!AMR", "audio/amr"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp3g", "video/3gpp"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\xd0\xcf\x11\xe0", "application/msword"),
)
N_ = str  # collected for translation here, translated where it is shown
TOO_LARGE = {
    "image": N_("The file is larger than the 5 MB a picture may have."),
    "audio": N_("The file is larger than the 16 MB a recording may have."),
    "video": N_("The file is larger than the 16 MB a video may have."),
    "document": N_("The file is larger than the 100 MB a document may have."),
}
WRONG_TYPE = {
    "image": N_("The file is not a JPEG, PNG or WebP picture."),
    "audio": N_("The file is not an OGG, MP3, AAC, AMR or M4A recording."),
    "video": N_("The file is not an MP4 or 3GP video."),
}
DISPLAYABLE_TYPES = {
    "image": frozenset({"image/jpeg", "image/png", "image/webp"}),
    "audio": frozenset({"audio/ogg", "audio/mpeg", "audio/aac", "audio/amr", "audio/mp4"}),
    "video": frozenset({"video/mp4", "video/3gpp"}),
}
OFFICE_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "csv": "text/csv",
    "txt": "text/plain",
}


async def fetch_outgoing_media(
    client: Client, envelope: Envelope
) -> MediaFileBody | SendRefused | TryLater:
    kind, url = envelope.kind, str(envelope.content.get("url") or "")
    try:
        reply = await client.request(
            "GET", url, timeout=TIMEOUT_SECONDS[kind], max_body=MAX_BYTES[kind]
        )
    except TooLarge:
        return _unusable(TOO_LARGE[kind])
    except (BadUrl, RefusedAddress) as error:
        return _unusable(f"The file's address cannot be used: {error}.")
    except OutboundError as error:
        return TryLater("media_unreachable", f"The file could not be fetched: {error}.")
    if reply.status in (408, 425, 429) or reply.status >= 500:
        return TryLater("media_unreachable", f"{NOT_200} {reply.status}.")
    if not reply.ok:
        return _unusable(f"{NOT_200} {reply.status}.")
    if not reply.body:
        return _unusable("The file is empty.")
    return check_media(envelope, reply.body)


def check_media(envelope: Envelope, body: bytes) -> MediaFileBody | SendRefused:
    """Check a file by its first bytes; its content type and its name are not trusted."""
    found = detect_type(body)
    name = _name(envelope)
    if envelope.kind == "document":
        return MediaFileBody(body, _document(found, name), name)
    if found not in DISPLAYABLE_TYPES[envelope.kind]:
        return _unusable(WRONG_TYPE[envelope.kind])
    return MediaFileBody(body, found, name)


def detect_type(body: bytes) -> str:
    for at, begins, kind in FILE_SIGNATURES:
        if body[at : at + len(begins)] == begins:
            return kind
    return ""


def _document(found: str, name: str) -> str:
    ending = name.rpartition(".")[2].lower()
    if found in ("", "application/zip") and ending in OFFICE_TYPES:
        return OFFICE_TYPES[ending]
    return found or "application/octet-stream"


def _name(envelope: Envelope) -> str:
    if given := envelope.content.get("filename"):
        return str(given)
    last = unquote(urlsplit(str(envelope.content.get("url"))).path).rpartition("/")[2]
    return last[:100] if envelope.kind == "document" else ""


def _unusable(sentence: str) -> SendRefused:
    return SendRefused(MEDIA_UNUSABLE, sentence)
