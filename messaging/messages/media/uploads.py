"""Files that members send: checked, re-encoded, stored, and served by links that expire."""

import codecs
import io
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import IO, Any

from core.errors import invalid
from core.ids import new_id
from core.security import signed_urls
from core.security.signing import read_token, sign_token
from core.storage.blobs import Blobs
from core.storage.images import TooManyPixels, UnreadableImage, reencode_image
from core.values.text import BadText, one_line
from messaging.messages.kinds.base import MB
from messaging.messages.kinds.registry import MESSAGE_KINDS

LARGEST_SIDE = 2560
QUALITY = 86
LINK_FOR_NETWORK = timedelta(days=2)  # a message waits one day at most
LINK_FOR_PAGE = timedelta(hours=6)
LINK_PURPOSE = "sent-media"
PIECE = 64 * 1024
MAX_STICKER, STICKER_TYPE = 500 * 1024, "image/webp"  # the network allows 100 KB if it is still
VOICE_TYPE = "audio/ogg"

# Leading bytes, kind and MIME type. A generic type is made precise by the file extension.
FILE_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\xff\xd8\xff", "image", "image/jpeg"),
    (b"\x89PNG\r\n", "image", "image/png"),
    (b"GIF8", "image", "image/gif"),
    (b"%PDF-", "document", "application/pdf"),
    (b"ID3", "audio", "audio/mpeg"),
    (b"\xff\xfb", "audio", "audio/mpeg"),
    (b"OggS", "audio", "audio/ogg"),
    (b"#!AMR", "audio", "audio/amr"),
    (b"\xd0\xcf\x11\xe0", "document", "application/octet-stream"),
    (b"PK\x03\x04", "document", "application/octet-stream"),
)
OFFICE_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
}
TEXT_TYPES = {"txt": "text/plain", "csv": "text/csv"}
SHOWN_INLINE = ("image/jpeg", "image/png", "audio/mpeg", "audio/ogg", "video/mp4")


@dataclass(frozen=True)
class UploadedFile:
    """A file in our blob storage, and the link from which the network downloads it."""

    kind: str
    mime_type: str
    key: str
    size: int
    filename: str
    url: str

    def as_content(self) -> dict[str, Any]:
        content = {
            "url": self.url,
            "blob": self.key,
            "mime_type": self.mime_type,
            "size": self.size,
            "filename": self.filename,
        }
        return {**content, "voice": True} if self.kind == "voice" else content


@dataclass(frozen=True)
class SignedFileLink:
    key: str
    mime_type: str
    filename: str


def _upload_bytes(code: str) -> int:
    file = MESSAGE_KINDS[code].file
    return file.upload_bytes if file else 0


def store_upload(blobs: Blobs, stream: IO[bytes], name: str, folder: str) -> UploadedFile:
    """Check and store one file; `folder` is the tenant's own.

    Reads no more than the largest allowed kind. Raises Invalid for a type or size that cannot be
    sent.
    """
    body = _read(stream, max(_upload_bytes(code) for code in MESSAGE_KINDS) + 1)
    filename = _filename(name)
    kind, mime_type = _detect_type(body, filename)
    if len(body) > _upload_bytes(kind):
        most = _upload_bytes(kind) // MB
        raise invalid(
            "file", "file_too_large", "The file is too large. The limit is {most} MB.", most=most
        )
    if MESSAGE_KINDS[kind].is_picture:
        body, mime_type = _reencode_image(body), "image/jpeg"
        filename = f"{PurePath(filename).stem or 'photo'}.jpg"
    key = f"{folder}/sent/{new_id('file').lower()}"
    blob = blobs.put(key, body, mime_type)
    url = url_for_network(key, mime_type, filename)
    return UploadedFile(kind, mime_type, key, blob.size, filename, url)


def store_sticker(blobs: Blobs, stream: IO[bytes], name: str, folder: str) -> UploadedFile:
    """Check and store a sticker. It stays a WebP image, because networks accept no other type."""
    body = _read(stream, MAX_STICKER + 1)
    if not (body[:4] == b"RIFF" and body[8:12] == b"WEBP"):
        raise invalid("file", "unknown_file", "A sticker must be a WebP image.")
    if len(body) > MAX_STICKER:
        raise invalid(
            "file",
            "file_too_large",
            "The sticker is too large. The limit is {most} KB.",
            most=MAX_STICKER // 1024,
        )
    key, filename = f"{folder}/sent/{new_id('file').lower()}", _filename(name)
    blob = blobs.put(key, body, STICKER_TYPE)
    url = url_for_network(key, STICKER_TYPE, filename)
    return UploadedFile("sticker", STICKER_TYPE, key, blob.size, filename, url)


def store_voice(blobs: Blobs, stream: IO[bytes], name: str, folder: str) -> UploadedFile:
    """Check and store a voice message: Opus in an OGG file, as phones record it."""
    most = _upload_bytes("audio")
    body = _read(stream, most + 1)
    if not body.startswith(b"OggS") or b"OpusHead" not in body[:100]:
        raise invalid("file", "unknown_file", "A voice message must be an OGG file with Opus.")
    if len(body) > most:
        raise invalid(
            "file",
            "file_too_large",
            "The file is too large. The limit is {most} MB.",
            most=most // MB,
        )
    key, filename = f"{folder}/sent/{new_id('file').lower()}", _filename(name)
    blob = blobs.put(key, body, VOICE_TYPE)
    url = url_for_network(key, VOICE_TYPE, filename)
    return UploadedFile("voice", VOICE_TYPE, key, blob.size, filename, url)


def _read(stream: IO[bytes], most: int) -> bytes:
    """Read to the end or up to `most` bytes. A single read of a request stream may return fewer."""
    body = bytearray()
    while len(body) < most and (piece := stream.read(most - len(body))):
        body += piece
    return bytes(body)


def url_for_network(
    key: str, mime_type: str, filename: str, valid_for: timedelta = LINK_FOR_NETWORK
) -> str:
    return signed_urls.signed_url(
        "/media/sent/", LINK_PURPOSE, [key, mime_type, filename], valid_for
    )


def page_path(key: str, mime_type: str, filename: str, secret_key: str) -> str:
    """Return a signed path for portal pages."""
    value = [key, mime_type, filename]
    return f"/media/sent/{sign_token(secret_key, LINK_PURPOSE, value, LINK_FOR_PAGE)}"


def read_signed_link(token: str, secret_key: str) -> SignedFileLink:
    """Raises BadToken or ExpiredToken."""
    key, mime_type, filename = read_token(secret_key, LINK_PURPOSE, token)
    return SignedFileLink(key, mime_type, filename)


def _detect_type(body: bytes, filename: str) -> tuple[str, str]:
    """Detect kind and MIME type by content.

    The extension only distinguishes Office and text formats.
    """
    ending = PurePath(filename).suffix.lower().lstrip(".")
    if not body:
        raise invalid("file", "empty_file", "The file is empty.")
    if body[4:8] == b"ftyp":
        is_sound = body[8:11] == b"M4A"
        return ("audio", "audio/mp4") if is_sound else ("video", "video/mp4")
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image", "image/webp"
    for beginning, kind, mime_type in FILE_SIGNATURES:
        if body.startswith(beginning):
            if mime_type != "application/octet-stream":
                return kind, mime_type
            if ending in OFFICE_TYPES:
                return kind, OFFICE_TYPES[ending]
    if ending in TEXT_TYPES and _is_text(body):
        return "document", TEXT_TYPES[ending]
    raise invalid(
        "file",
        "unknown_file",
        "This file type cannot be sent. You can send photos, PDF, Word, Excel, "
        "text, MP3, OGG and MP4 files.",
    )


def _is_text(body: bytes) -> bool:
    """Checked piece by piece: one emoji makes a text four times as large in memory."""
    if b"\0" in body:
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(body), PIECE):
            decoder.decode(body[start : start + PIECE], final=start + PIECE >= len(body))
    except UnicodeDecodeError:
        return False
    return True


def _reencode_image(body: bytes) -> bytes:
    """Return the image as JPEG without metadata, such as the place where it was taken."""
    try:
        return reencode_image(io.BytesIO(body), LARGEST_SIDE, quality=QUALITY)
    except TooManyPixels:
        raise invalid("file", "file_too_large", "The image resolution is too high.") from None
    except UnreadableImage:
        raise invalid("file", "broken_file", "The image cannot be read.") from None


def _filename(name: str) -> str:
    try:
        plain = one_line(name)
    except BadText:
        plain = ""
    return re.sub(r"[\\/:*?\"<>|]", "_", plain)[-120:] or "file"
