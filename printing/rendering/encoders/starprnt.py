"""StarPRNT: for CloudPRNT and for Star printers on the network."""

from collections.abc import Sequence

from PIL import Image

from printing.rendering import raster
from printing.rendering.document import Document
from printing.rendering.encoders.base import PrinterLanguage
from printing.rendering.encoders.bitmap import low_high, to_bits
from printing.rendering.layout import (
    AnyRow,
    CutRow,
    GapRow,
    QrRow,
    Row,
    RuleRow,
    SpaceRow,
    layout_rows,
)
from printing.rendering.paper import PaperRoll

MEDIA_TYPE = "application/vnd.star.starprnt"
_ESC, _GS = b"\x1b", b"\x1d"
_ALIGN = {"left": 0, "center": 1, "right": 2}
_LARGEST = 6
_QR_DOT = 6
_DOTS_IN_A_STEP = 2  # a quarter of a millimetre
_MODEL, _LEVEL_M = 2, 1
_PARTIAL_CUT_AFTER_FEED = 3


def encode(rows: Sequence[AnyRow], roll: PaperRoll) -> bytes:
    pen = _Writer(roll)
    for row in rows:
        pen.put(row)
    return bytes(pen.out)


def page_row(text: str, page: tuple[str, int], roll: PaperRoll) -> bytes:
    pen = _Writer(roll)
    pen.out.clear()
    pen.select_code_page(page[1])
    pen.out += text.encode(page[0], "replace") + b"\n"
    return bytes(pen.out)


class _Writer:
    def __init__(self, roll: PaperRoll) -> None:
        self.roll = roll
        self.out = bytearray(_ESC + b"@")
        self.page: int | None = None
        self.style: tuple[int, int, bool, bool, str] | None = None

    def put(self, row: AnyRow) -> None:
        match row:
            case Row():
                page = self.roll.page_for(row)
                if page is None:
                    self._picture(raster.draw_text_row(row, self.roll.sheet))
                else:
                    self._text(row, page)
            case RuleRow():
                rule = ("=" if row.double else "-") * self.roll.columns
                self._text(Row(rule), ("ascii", None))
            case SpaceRow():
                self._style(1, 1, False, False, "left")
                self.out += b"\n" * row.lines
            case GapRow():
                self.out += _ESC + b"J" + bytes([row.dots // _DOTS_IN_A_STEP])
            case QrRow():
                self._code(row.text)
            case CutRow():
                self._style(1, 1, False, False, "left")
                self.out += _ESC + b"d" + bytes([_PARTIAL_CUT_AFTER_FEED])

    def _text(self, row: Row, page: tuple[str, int | None]) -> None:
        encoding, number = page
        if number is not None and not (row.lead + row.text + row.end).isascii():
            self.select_code_page(number)
        if row.lead:
            self._style(row.wide, row.high, row.bold, False, row.align)
            self.out += row.lead.encode("ascii")
        self._style(row.wide, row.high, row.bold, row.inverse, row.align)
        self.out += row.filled(self.roll.columns).encode(encoding) + b"\n"

    def select_code_page(self, number: int) -> None:
        if self.page != number:
            self.out += _ESC + _GS + b"t" + bytes([number])
            self.page = number

    def _style(self, wide: int, high: int, bold: bool, inverse: bool, align: str) -> None:
        style = (wide, high, bold, inverse, align)
        if style == self.style:
            return
        self.out += _ESC + b"i" + bytes([min(high, _LARGEST) - 1, min(wide, _LARGEST) - 1])
        self.out += _ESC + (b"E" if bold else b"F")
        self.out += _ESC + (b"4" if inverse else b"5")
        self.out += _ESC + _GS + b"a" + bytes([_ALIGN[align]])
        self.style = style

    def _code(self, text: str) -> None:
        self._style(1, 1, False, False, "center")
        data = text.encode()
        begin = _ESC + _GS + b"y"
        self.out += begin + b"S0" + bytes([_MODEL]) + begin + b"S1" + bytes([_LEVEL_M])
        self.out += begin + b"S2" + bytes([_QR_DOT])
        self.out += begin + b"D1\x00" + low_high(len(data)) + data + begin + b"P\n"

    def _picture(self, picture: Image.Image) -> None:
        self._style(1, 1, False, False, "left")
        across, down, data = to_bits(picture)
        self.out += _ESC + _GS + b"S\x01" + low_high(across) + low_high(down) + b"\x00" + data


def _encode(document: Document, roll: PaperRoll, _code_page: str | None) -> bytes:
    return encode(layout_rows(document, roll.columns, roll.write), roll)


STARPRNT = PrinterLanguage("StarPRNT", MEDIA_TYPE, _encode, profile="star", page_row=page_row)
