"""Draw text that no code page covers; HarfBuzz shapes and positions the letters."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import pymupdf_fonts
import uharfbuzz as hb
from PIL import Image

POINTS = 20
"""At this size a fixed-width letter is 12 dots wide and, from top to bottom, 24 dots high."""
ASCENT, DESCENT = 0.935, 0.265
# Fixed-width fonts first, then fonts with nearly all alphabets, then fonts of the system.
_MONO, _WIDE = ("fimo", "fimbo"), ("figo", "figbo")
_SYSTEM_FONTS = (
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
)


@dataclass(frozen=True)
class Glyph:
    font: hb.Font
    number: int
    x: float
    y: float


@dataclass(frozen=True)
class ShapedText:
    """A line of text from its left edge, in units of the letter size."""

    glyphs: tuple[Glyph, ...]
    advance: float


@lru_cache(maxsize=4096)
def shape_text(text: str, bold: bool, right_to_left: bool) -> ShapedText:
    """Cached: tickets repeat the same few words."""
    glyphs: list[Glyph] = []
    at = 0.0
    fixed = not right_to_left and all(_has(_MONO[bold], char) for char in text)
    for run, backwards in _visual_runs(text, right_to_left):
        pieces = list(_by_font(run, bold, fixed))
        for font, piece in reversed(pieces) if backwards else pieces:
            buffer = hb.Buffer()
            buffer.add_str(piece)
            buffer.guess_segment_properties()
            buffer.direction = "rtl" if backwards else "ltr"
            hb.shape(font, buffer)
            for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
                unit = font.scale[0]
                glyphs.append(
                    Glyph(font, info.codepoint, at + place.x_offset / unit, place.y_offset / unit)
                )
                at += place.x_advance / unit
    return ShapedText(tuple(glyphs), at)


def is_right_to_left(text: str) -> bool:
    """Decide by the first letter that has a direction.

    So a phone number stays left to right in Arabic text too.
    """
    strong = (unicodedata.bidirectional(char) for char in text)
    return next((way in ("R", "AL") for way in strong if way in ("L", "R", "AL")), False)


def draw_text(
    canvas: Image.Image,
    line: ShapedText,
    at: tuple[float, float],
    size: tuple[float, float],
    ink: int,
) -> None:
    """`at` is the left end of the baseline, `size` the letter's width and height in dots."""
    if not line.glyphs:
        return
    drawing = hb.RasterDraw()
    drawing.extents = hb.RasterExtents(0, 0, canvas.width, canvas.height)
    left, base = at[0], canvas.height - at[1]
    for glyph in line.glyphs:
        unit = glyph.font.scale[0]
        drawing.transform = (
            size[0] / unit, 0, 0, size[1] / unit,
            left + glyph.x * size[0], base + glyph.y * size[1],
        )  # fmt: skip
        drawing.draw_glyph(glyph.font, glyph.number)
    image = drawing.render()
    if image is None or not image.extents.width:
        return
    extents = image.extents
    mask = Image.frombytes(
        "L", (extents.width, extents.height), image.buffer, "raw", "L", extents.stride, -1
    )
    canvas.paste(ink, (0, 0), mask)


def _visual_runs(text: str, right_to_left: bool) -> Iterator[tuple[str, bool]]:
    """Yield runs of one direction in the order in which they appear on paper."""
    if text.isascii() and not right_to_left:
        yield text, False
        return
    from fpdf.bidi import BidiParagraph  # imported here because it loads its whole package
    from fpdf.enums import TextDirection

    base = TextDirection.RTL if right_to_left else TextDirection.LTR
    paragraph = BidiParagraph(text=text, base_direction=base, preserve_bn_chars=True)
    levels = {
        one.character_index: one.embedding_level
        for one in paragraph.get_characters_with_embedding_level()
    }
    runs: list[tuple[str, int]] = []
    for place, char in enumerate(text):
        level = levels.get(place, runs[-1][1] if runs else int(right_to_left))
        if runs and runs[-1][1] == level:
            runs[-1] = (runs[-1][0] + char, level)
        else:
            runs.append((char, level))
    for level in range(max((level for _, level in runs), default=0), 0, -1):
        runs = _reversed_from(runs, level)
    for run, level in runs:
        yield run, bool(level % 2)


def _reversed_from(runs: list[tuple[str, int]], level: int) -> list[tuple[str, int]]:
    """Reverse every sequence of runs of this level or a deeper one."""
    done: list[tuple[str, int]] = []
    stretch: list[tuple[str, int]] = []
    for run in runs:
        if run[1] >= level:
            stretch.append(run)
        else:
            done += [*reversed(stretch), run]
            stretch = []
    return [*done, *reversed(stretch)]


def _by_font(text: str, bold: bool, fixed: bool) -> Iterator[tuple[hb.Font, str]]:
    names = [_MONO[bold]] if fixed else [_WIDE[bold], *_system()]
    font, piece = names[0], ""
    for char in text:
        next_font = next((name for name in names if _has(name, char)), font)
        if next_font != font and piece:
            yield _font(font), piece
            piece = ""
        font = next_font
        piece += char
    if piece:
        yield _font(font), piece


@cache
def _font(name: str) -> hb.Font:
    if name.startswith("/"):
        return hb.Font(hb.Face(hb.Blob.from_file_path(name)))
    return hb.Font(hb.Face(pymupdf_fonts.myfont(name)))


@lru_cache(maxsize=4096)
def _has(name: str, char: str) -> bool:
    return bool(_font(name).get_nominal_glyph(ord(char)))


@cache
def _system() -> tuple[str, ...]:
    return tuple(path for path in _SYSTEM_FONTS if Path(path).is_file())
