"""A photo of a dish or a logo, redrawn small before it is kept."""

from hashlib import sha256
from io import BytesIO

from core.blobs import Blobs
from core.errors import invalid
from core.pictures import NoPicture, TooManyPixels, redraw

LARGEST_BYTES = 12 * 1024 * 1024
SIDE = 960
KINDS = ("JPEG", "PNG", "WEBP")


def keep(blobs: Blobs, data: bytes, tenant_id: int) -> str:
    """The key under which it can be shown. Call it before the transaction: drawing takes time."""
    small = _small(data)
    key = f"{tenant_id}/{sha256(small).hexdigest()[:32]}.webp"
    blobs.put(f"photos/{key}", small, "image/webp")
    return key


def _small(data: bytes) -> bytes:
    if len(data) > LARGEST_BYTES:
        raise invalid("photo", "too_large", "A photo may have at most 12 MB.")
    try:
        return redraw(BytesIO(data), SIDE, "WEBP", quality=80, formats=KINDS)
    except TooManyPixels:
        raise invalid(
            "photo",
            "too_large",
            "The photo has too many pixels. Make it smaller and upload it again.",
        ) from None
    except NoPicture:
        raise invalid(
            "photo", "not_a_photo", "Only JPEG, PNG and WebP pictures can be used."
        ) from None
