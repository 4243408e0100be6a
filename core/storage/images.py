"""Re-encode uploaded images within a fixed amount of memory.

A re-encoded image has no location, no camera data, and nothing that only looked like an image. All
image uploads come through here, because a few bytes can decode to a lot of memory: the size is
checked before decoding, a large JPEG is decoded at a fraction of its size, the rest is scaled band
by band, and few images are decoded at the same time.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from math import ceil, floor
from typing import IO, cast

from PIL import Image, PngImagePlugin, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile

from core.concurrency_limits import HeavyWork
from core.errors import TryAgain

READABLE = ("JPEG", "PNG", "GIF", "WEBP")
MAX_PIXELS = 16_000_000  # after decoding; Pillow uses up to four bytes for each
MAX_BYTES = 4 * MAX_PIXELS
MAX_JPEG_PIXELS = 4 * MAX_PIXELS  # in the file: it is decoded at half the size or less
MAX_SIDE = 20_000  # keeps a band of a long, thin image small
PIXEL_BYTES = {"WEBP": 16}  # two canvases of the decoder, their copy, and the image
BAND_PIXELS = 500_000

PngImagePlugin.MAX_TEXT_MEMORY = 2 * 1024 * 1024  # all compressed texts of one file together

Flip = Image.Transpose
UPRIGHT = {
    2: Flip.FLIP_LEFT_RIGHT,
    3: Flip.ROTATE_180,
    4: Flip.FLIP_TOP_BOTTOM,
    5: Flip.TRANSPOSE,
    6: Flip.ROTATE_270,
    7: Flip.TRANSVERSE,
    8: Flip.ROTATE_90,
}
ORIENTATION = 0x0112

_decoding = HeavyWork(at_once=2, waiting=12, seconds=20)


class UnreadableImage(ValueError):
    """The image cannot be read."""


class TooManyPixels(UnreadableImage):
    """The image would take too much memory to decode."""


def reencode_image(
    file: IO[bytes],
    longest_side: int,
    kind: str = "JPEG",
    quality: int = 82,
    formats: tuple[str, ...] = READABLE,
) -> bytes:
    """An opaque copy, at most `longest_side` wide and high. Transparent areas become white.

    Raises UnreadableImage, or TryAgain when too many images are waiting. Call it without holding a
    database connection.
    """
    with _decoding_slot():
        picture = _small(file, longest_side, formats, keep_clear=False)
        return _saved(picture, kind, quality=quality)


def make_preview(file: IO[bytes], longest_side: int = 1280) -> tuple[bytes, str]:
    """A small copy and its type. Transparency is kept. Raises as `reencode_image` does."""
    with _decoding_slot():
        picture = _small(file, longest_side, READABLE, keep_clear=True)
        if picture.mode == "RGBA":
            return _saved(picture, "PNG", optimize=True), "image/png"
        return _saved(picture, "JPEG", quality=82), "image/jpeg"


@contextmanager
def _decoding_slot() -> Iterator[None]:
    with _decoding.slot() as acquired:
        if not acquired:
            raise TryAgain(
                "try_again", "Too many images are being uploaded. Try again in a minute."
            )
        yield


def _saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def _small(
    file: IO[bytes], longest_side: int, formats: tuple[str, ...], *, keep_clear: bool
) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            small, orientation = _decoded(file, longest_side, formats, keep_clear)
    except (TooManyPixels, Image.DecompressionBombError):
        raise TooManyPixels("the picture has too many pixels") from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError):
        raise UnreadableImage("the picture cannot be read") from None
    turn = UPRIGHT.get(orientation)
    return small if turn is None else small.transpose(turn)


def _decoded(
    file: IO[bytes], longest_side: int, formats: tuple[str, ...], keep_clear: bool
) -> tuple[Image.Image, int]:
    with Image.open(file, formats=formats) as picture:
        if isinstance(picture, JpegImageFile):
            _read_small(picture, file, longest_side)
        elif picture.width * picture.height * PIXEL_BYTES.get(picture.format or "", 4) > MAX_BYTES:
            raise TooManyPixels
        if max(picture.size) > MAX_SIDE:
            raise TooManyPixels
        picture.load()
        orientation = cast("int", picture.getexif().get(ORIENTATION, 1))
        clear = picture.has_transparency_data and picture.mode != "I;16"
        return _scaled(picture, longest_side, clear=clear, keep_clear=keep_clear), orientation


def _read_small(picture: JpegImageFile, file: IO[bytes], longest_side: int) -> None:
    """Decode a JPEG at a half, a quarter or an eighth of its size, as far as needed. Raises
    TooManyPixels.
    """
    width, height = picture.size
    if width * height > MAX_JPEG_PIXELS:
        raise TooManyPixels
    waiting = 0 if _is_one_scan(file) else _coefficient_bytes(picture)
    part = 1
    while part < 8 and (width // part) * (height // part) * 4 + waiting > MAX_BYTES:
        part *= 2
    scale = min(1.0, longest_side / max(width, height), 1 / part)
    picture.draft(None, (max(1, int(width * scale)), max(1, int(height * scale))))
    if picture.width * picture.height * 4 + waiting > MAX_BYTES:
        raise TooManyPixels


def _is_one_scan(file: IO[bytes]) -> bool:
    """Whether libjpeg can decode it row by row.

    A progressive JPEG, or one with a scan for each colour, is held in memory completely first.
    """
    here = file.tell()
    try:
        file.seek(2)
        components = 0
        while True:
            start = file.read(2)
            while start == b"\xff\xff":  # fill bytes
                start = b"\xff" + file.read(1)
            if len(start) < 2 or start[0] != 0xFF:
                return False
            body = file.read(int.from_bytes(file.read(2), "big") - 2)
            if start[1] in (0xC0, 0xC1):
                components = body[5]
            elif start[1] == 0xDA:
                return body[0] == components
            elif start[1] == 0xC2:
                return False
    except (IndexError, ValueError):
        return False
    finally:
        file.seek(here)


def _coefficient_bytes(picture: JpegImageFile) -> int:
    """Memory that libjpeg needs for all scans: two bytes for each sample of each colour."""
    parts = [(across, down) for _, across, down, _ in picture.layer]
    most = max(across for across, _ in parts) * max(down for _, down in parts)
    samples = sum(across * down for across, down in parts) / most
    return int(2 * picture.width * picture.height * samples)


def _scaled(
    picture: Image.Image, longest_side: int, *, clear: bool, keep_clear: bool
) -> Image.Image:
    """Convert and scale band by band, so that there is never a second copy at full size."""
    width, height = picture.size
    scale = max(1.0, max(width, height) / longest_side)
    across, down = max(1, round(width / scale)), max(1, round(height / scale))
    small = Image.new("RGBA" if clear and keep_clear else "RGB", (across, down))
    ratio = height / down
    reach = ceil(2 * ratio) + 1  # rows beyond the band that the filter reads
    rows = max(1, int((BAND_PIXELS / width - 2 * reach) / ratio))
    for top in range(0, down, rows):
        bottom = min(top + rows, down)
        first = max(0, floor(top * ratio) - reach)
        last = min(height, ceil(bottom * ratio) + reach)
        band = picture.crop((0, first, width, last)).convert("RGBA" if clear else "RGB")
        if clear and not keep_clear:
            paper = Image.new("RGB", band.size, "white")
            paper.paste(band, mask=band)
            band = paper
        box = (0, top * ratio - first, width, min(bottom * ratio - first, band.height))
        part = band.resize((across, bottom - top), Image.Resampling.BICUBIC, box)
        small.paste(part, (0, top))
    return small
