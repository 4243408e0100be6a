"""Pictures from others are drawn anew before a browser of ours shows them.

What is drawn anew carries no place, no camera, and nothing that only looked like a picture.
"""

import warnings
from io import BytesIO
from typing import IO

from PIL import Image, ImageOps, UnidentifiedImageError

MOST_PIXELS = 50_000_000
READABLE = ("JPEG", "PNG", "GIF", "WEBP")


class NoPicture(ValueError):
    """It cannot be shown."""


def preview(file: IO[bytes], longest_side: int = 1280) -> tuple[bytes, str]:
    """A smaller copy and its type. Raises NoPicture."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            return _preview(file, longest_side)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise NoPicture("this is no picture that can be read") from None


def _preview(file: IO[bytes], longest_side: int) -> tuple[bytes, str]:
    with Image.open(file, formats=READABLE) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise NoPicture("the picture has too many points")
        picture.draft("RGB", (longest_side, longest_side))  # a large JPEG is read small
        upright = ImageOps.exif_transpose(picture)
        clear = upright.mode in ("RGBA", "LA", "P") or "transparency" in upright.info
        drawn = upright.convert("RGBA" if clear else "RGB")
    drawn.thumbnail((longest_side, longest_side))
    out = BytesIO()
    if clear:
        drawn.save(out, "PNG", optimize=True)
        return out.getvalue(), "image/png"
    drawn.save(out, "JPEG", quality=82)
    return out.getvalue(), "image/jpeg"
