"""Files that members send: looked into, made harmless, kept, and lent out by links that run out."""

import io
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import IO, Any

from core import links
from core.blobs import Blobs
from core.errors import invalid
from core.ids import new_id
from core.pictures import NoPicture, TooManyPixels, redraw
from core.signing import read_token, sign_token
from core.texts import BadText, one_line

MEGABYTE = 1024 * 1024
MOST_BYTES = {
    "image": 15 * MEGABYTE,  # before it is made smaller
    "video": 16 * MEGABYTE,
    "audio": 16 * MEGABYTE,
    "document": 25 * MEGABYTE,
}
LARGEST_SIDE = 2560
QUALITY = 86
LINK_FOR_NETWORK = timedelta(days=2)  # a message waits a day at most
LINK_FOR_PAGE = timedelta(hours=6)
PURPOSE = "sent-media"

# How a file begins, and what it is then.
BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
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
OFFICE = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
}
TEXTS = {"txt": "text/plain", "csv": "text/csv"}
SHOWN_INLINE = ("image/jpeg", "image/png", "audio/mpeg", "audio/ogg", "video/mp4")


@dataclass(frozen=True)
class Kept:
    """A file in our own store, and the link the network fetches it by."""

    kind: str
    mime_type: str
    key: str
    size: int
    filename: str
    url: str

    def as_content(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "blob": self.key,
            "mime_type": self.mime_type,
            "size": self.size,
            "filename": self.filename,
        }


@dataclass(frozen=True)
class Lent:
    key: str
    mime_type: str
    filename: str


def keep(blobs: Blobs, stream: IO[bytes], name: str, folder: str) -> Kept:
    """Read once, never more than the largest kind may have; `folder` is the tenant's own."""
    body = _read(stream, max(MOST_BYTES.values()) + 1)
    filename = _filename(name)
    kind, mime_type = _look_into(body, filename)
    if len(body) > MOST_BYTES[kind]:
        most = MOST_BYTES[kind] // MEGABYTE
        raise invalid(
            "file", "file_too_large", "The file is too large: at most {most} MB.", most=most
        )
    if kind == "image":
        body, mime_type = _drawn_again(body), "image/jpeg"
        filename = f"{PurePath(filename).stem or 'photo'}.jpg"
    key = f"{folder}/sent/{new_id('file').lower()}"
    blob = blobs.put(key, body, mime_type)
    url = url_for_network(key, mime_type, filename)
    return Kept(kind, mime_type, key, blob.size, filename, url)


def _read(stream: IO[bytes], most: int) -> bytes:
    """Up to the end or to `most` bytes: one read of a request's stream may bring less."""
    body = bytearray()
    while len(body) < most and (piece := stream.read(most - len(body))):
        body += piece
    return bytes(body)


def url_for_network(key: str, mime_type: str, filename: str) -> str:
    return links.signed("/media/sent/", PURPOSE, [key, mime_type, filename], LINK_FOR_NETWORK)


def path_of(key: str, mime_type: str, filename: str, secret_key: str) -> str:
    """For our own pages."""
    value = [key, mime_type, filename]
    return f"/media/sent/{sign_token(secret_key, PURPOSE, value, LINK_FOR_PAGE)}"


def lent(token: str, secret_key: str) -> Lent:
    """Raises BadToken or ExpiredToken."""
    key, mime_type, filename = read_token(secret_key, PURPOSE, token)
    return Lent(key, mime_type, filename)


def _look_into(body: bytes, filename: str) -> tuple[str, str]:
    """By what the file holds; a name only tells documents of one family apart."""
    ending = PurePath(filename).suffix.lower().lstrip(".")
    if not body:
        raise invalid("file", "empty_file", "The file is empty.")
    if body[4:8] == b"ftyp":
        is_sound = body[8:11] == b"M4A"
        return ("audio", "audio/mp4") if is_sound else ("video", "video/mp4")
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image", "image/webp"
    for beginning, kind, mime_type in BEGINNINGS:
        if body.startswith(beginning):
            if mime_type != "application/octet-stream":
                return kind, mime_type
            if ending in OFFICE:
                return kind, OFFICE[ending]
    if ending in TEXTS and _is_text(body):
        return "document", TEXTS[ending]
    raise invalid(
        "file",
        "unknown_file",
        "This kind of file cannot be sent. Photos, PDF, Word, Excel, text, MP3, OGG and MP4 can.",
    )


def _is_text(body: bytes) -> bool:
    try:
        return "\0" not in body.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _drawn_again(body: bytes) -> bytes:
    """The picture without the data a phone writes beside it, such as where it was taken."""
    try:
        return redraw(io.BytesIO(body), LARGEST_SIDE, quality=QUALITY)
    except TooManyPixels:
        raise invalid("file", "file_too_large", "The picture has too many pixels.") from None
    except NoPicture:
        raise invalid("file", "broken_file", "The picture cannot be read.") from None


def _filename(name: str) -> str:
    try:
        plain = one_line(name)
    except BadText:
        plain = ""
    return re.sub(r"[\\/:*?\"<>|]", "_", plain)[-120:] or "file"
