"""The type of a file by its first bytes. The declared type is only used where it is consistent."""

HEAD_BYTES = 512
UNKNOWN_TYPE = "application/octet-stream"
_ZIPPED = ("application/vnd.openxmlformats-", "application/vnd.oasis.", "application/zip")
_OLD_OFFICE = ("application/msword", "application/vnd.ms-")
_MAGIC_BYTES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"OggS", "audio/ogg"),
    (b"#!AMR", "audio/amr"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"\xff\xf1", "audio/aac"),
    (b"\xff\xf9", "audio/aac"),
)
# Types that a browser may display: none of them can contain a script.
SAFE_INLINE_TYPES = frozenset(
    {
        *("image/jpeg", "image/png", "image/gif", "image/webp"),
        *("audio/ogg", "audio/amr", "audio/mpeg", "audio/aac", "audio/mp4"),
        *("video/mp4", "video/3gpp"),
    }
)


def detect_file_type(head: bytes, declared: str = "") -> str:
    """The MIME type to store the file under."""
    declared = declared.partition(";")[0].strip().lower()
    for start, kind in _MAGIC_BYTES:
        if head.startswith(start):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp":
        return _iso_media(head[8:12], declared)
    if head.startswith(b"PK\x03\x04") and declared.startswith(_ZIPPED):
        return declared
    if head.startswith(b"\xd0\xcf\x11\xe0") and declared.startswith(_OLD_OFFICE):
        return declared
    if declared == "text/plain" and b"\0" not in head:
        return declared
    return UNKNOWN_TYPE


def _iso_media(brand: bytes, declared: str) -> str:
    if brand.startswith(b"3g"):
        return "video/3gpp"
    if brand.startswith(b"M4A") or declared.startswith("audio/"):
        return "audio/mp4"
    return "video/mp4"
