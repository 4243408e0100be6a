"""A photo of a dish or a logo: looked at, made small, and written anew before it is kept."""

from hashlib import sha256
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from core.blobs import Blobs
from core.db import current_tenant_id
from core.errors import invalid

LARGEST_BYTES = 12 * 1024 * 1024
MOST_PIXELS = 50_000_000
SIDE = 960
KINDS = ("JPEG", "PNG", "WEBP")


def keep(blobs: Blobs, data: bytes) -> str:
    """The key under which it can be shown. What else was in the file is gone."""
    small = _small(data)
    key = f"{current_tenant_id()}/{sha256(small).hexdigest()[:32]}.webp"
    blobs.put(f"photos/{key}", small, "image/webp")
    return key


def _small(data: bytes) -> bytes:
    if len(data) > LARGEST_BYTES:
        raise invalid("photo", "too_large", "A photo may have at most 12 MB.")
    try:
        with Image.open(BytesIO(data), formats=KINDS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise invalid("photo", "too_large", "A photo may have at most 50 million pixels.")
            upright = ImageOps.exif_transpose(image).convert("RGB")
            upright.thumbnail((SIDE, SIDE))
            out = BytesIO()
            upright.save(out, "WEBP", quality=80, method=4)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise invalid(
            "photo", "not_a_photo", "Only JPEG, PNG and WebP pictures can be used."
        ) from error
    return out.getvalue()
