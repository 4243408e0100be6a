"""Fetch the file of a media message before it is sent, and check its size and type.

A cloud line sends the URL to its network; a linked phone has to upload the file itself.
"""

from urllib.parse import unquote, urlsplit

from core.http import BadUrl, OutboundError, RefusedAddress, TooLarge
from core.http.async_client import Client
from messaging import reasons
from messaging.lines.drivers.base import Envelope, SendRefused, TryLater
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import OutgoingFile
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.reasons import with_detail

MEDIA_UNUSABLE = "media_unusable"
NOT_200 = reasons.FILE_STATUS

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
OFFICE_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "csv": "text/csv",
    "txt": "text/plain",
}


def outgoing_file(code: str) -> OutgoingFile:
    kind = MESSAGE_KINDS[code]
    if kind.file is None or kind.file.outgoing is None:
        raise ValueError(f"a linked phone sends no file with {code}")
    return kind.file.outgoing


async def fetch_outgoing_media(
    client: Client, envelope: Envelope
) -> MediaFileBody | SendRefused | TryLater:
    rules, url = outgoing_file(envelope.kind), str(envelope.content.get("url") or "")
    try:
        reply = await client.request(
            "GET", url, timeout=rules.timeout_seconds, max_body=rules.max_bytes
        )
    except TooLarge:
        return _unusable(rules.too_large)
    except (BadUrl, RefusedAddress) as error:
        return _unusable(with_detail(reasons.FILE_ADDRESS, f"{error}."))
    except OutboundError as error:
        return TryLater("media_unreachable", with_detail(reasons.FILE_NOT_FETCHED, f"{error}."))
    if reply.status in (408, 425, 429) or reply.status >= 500:
        return TryLater("media_unreachable", with_detail(reasons.FILE_STATUS, f"{reply.status}."))
    if not reply.ok:
        return _unusable(with_detail(reasons.FILE_STATUS, f"{reply.status}."))
    if not reply.body:
        return _unusable(reasons.FILE_EMPTY)
    return check_media(envelope, reply.body)


def check_media(envelope: Envelope, body: bytes) -> MediaFileBody | SendRefused:
    """Check a file by its first bytes; its content type and its name are not trusted."""
    found = detect_type(body)
    name = _name(envelope)
    rules = outgoing_file(envelope.kind)
    if not rules.types:
        return MediaFileBody(body, _document(found, name), name)
    if found not in rules.types:
        return _unusable(rules.wrong_type)
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
    return "" if outgoing_file(envelope.kind).types else last[:100]


def _unusable(reason: str) -> SendRefused:
    return SendRefused(MEDIA_UNUSABLE, reason)
