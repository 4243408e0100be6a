"""Rows as images: a line that the printer has no letters for, or a whole ticket."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from core.values import qr_codes
from printing.rendering import fonts
from printing.rendering.layout import AnyRow, CutRow, GapRow, QrRow, Row, RuleRow, SpaceRow
from printing.rendering.text import column_width

LINE_HEIGHT = 24
GAP = 6
"""Between lines, as printers leave it."""
WHITE, BLACK = 255, 0
QR_SHARE = 0.5
MAX_QR_DOT = 8


@dataclass(frozen=True)
class RasterPage:
    dots: int
    columns: int
    right_to_left: bool = False

    @property
    def cell(self) -> int:
        return self.dots // self.columns


def draw_ticket(rows: Sequence[AnyRow], sheet: RasterPage) -> Image.Image:
    """Draw all rows below each other, in greyscale."""
    drawn = [draw_row(row, sheet) for row in rows]
    canvas = Image.new("L", (sheet.dots, sum(one.height for one in drawn) or 1), WHITE)
    top = 0
    for one in drawn:
        canvas.paste(one, (0, top))
        top += one.height
    return canvas


def draw_row(row: AnyRow, sheet: RasterPage) -> Image.Image:
    match row:
        case Row():
            return draw_text_row(row, sheet)
        case RuleRow():
            return _rule(row, sheet)
        case QrRow():
            return draw_qr(row.text, sheet)
        case SpaceRow():
            return Image.new("L", (sheet.dots, row.lines * LINE_HEIGHT), WHITE)
        case GapRow():
            return Image.new("L", (sheet.dots, row.dots), WHITE)
        case CutRow():
            return Image.new("L", (sheet.dots, LINE_HEIGHT), WHITE)


def draw_text_row(row: Row, sheet: RasterPage) -> Image.Image:
    high = LINE_HEIGHT * row.high
    canvas = Image.new("L", (sheet.dots, high + GAP), WHITE)
    unit = sheet.cell * row.wide
    lead = column_width(row.lead) * unit
    space = sheet.dots - lead
    size = (unit / 0.6, fonts.POINTS * row.high)
    end = _Piece.of(row.end, row.bold, size, space)
    text = row.text.strip() if row.inverse else row.text
    inside = space - (2 * unit if row.inverse else 0) - (end.wide + unit if row.end else 0)
    piece = _Piece.of(text, row.bold, size, inside)
    base = (GAP + high) / 2 + (fonts.ASCENT - fonts.DESCENT) * size[1] / 2
    if row.inverse:
        fills = column_width(row.text) * unit + unit > space
        box = space if fills else min(piece.wide + 2 * unit, space)
        left = sheet.dots - lead - box if sheet.right_to_left else lead
        ImageDraw.Draw(canvas).rectangle((left, 0, left + box - 1, canvas.height - 1), fill=BLACK)
        fonts.draw_text(
            canvas, piece.line, (left + (box - piece.wide) / 2, base), piece.size, WHITE
        )
        return canvas
    left = _left_edge(row, sheet, lead, piece.wide)
    fonts.draw_text(canvas, piece.line, (left, base), piece.size, BLACK)
    if row.end:
        edge = 0 if sheet.right_to_left else sheet.dots - end.wide
        fonts.draw_text(canvas, end.line, (edge, base), end.size, BLACK)
    return canvas


@dataclass(frozen=True)
class _Piece:
    line: fonts.ShapedText
    size: tuple[float, float]
    wide: float

    @classmethod
    def of(cls, text: str, bold: bool, size: tuple[float, float], space: float) -> "_Piece":
        """Condense the text if it would not fit."""
        line = fonts.shape_text(text, bold, fonts.is_right_to_left(text))
        wide = line.advance * size[0]
        if wide > space > 0:
            size = (size[0] * space / wide, size[1])
            wide = space
        return cls(line, size, wide)


def _left_edge(row: Row, sheet: RasterPage, lead: float, wide: float) -> float:
    if row.align == "center":
        return (sheet.dots - wide) / 2
    if (row.align == "right") != sheet.right_to_left:
        return sheet.dots - lead - wide
    return lead


def _rule(row: RuleRow, sheet: RasterPage) -> Image.Image:
    canvas = Image.new("L", (sheet.dots, LINE_HEIGHT), WHITE)
    pen = ImageDraw.Draw(canvas)
    for y in (9, 13) if row.double else (11,):
        pen.rectangle((0, y, sheet.dots - 1, y + 1), fill=BLACK)
    return canvas


def draw_qr(text: str, sheet: RasterPage) -> Image.Image:
    """Centred, half the paper wide, with its quiet zone."""
    rows = qr_codes.modules(text)
    dot = max(2, min(MAX_QR_DOT, int(sheet.dots * QR_SHARE) // len(rows)))
    code = Image.new("L", (len(rows), len(rows)), WHITE)
    code.putdata([BLACK if dark else WHITE for line in rows for dark in line])
    side = dot * len(rows)
    canvas = Image.new("L", (sheet.dots, side), WHITE)
    canvas.paste(code.resize((side, side), Image.Resampling.NEAREST), ((sheet.dots - side) // 2, 0))
    return canvas


def to_black_and_white(canvas: Image.Image) -> Image.Image:
    """Convert to two tones, as a thermal head prints."""
    return canvas.point(lambda tone: WHITE if tone > 140 else BLACK).convert("1")
