"""ESC/POS: Epson and most unbranded printers."""

from collections.abc import Sequence
from itertools import pairwise

from PIL import Image

from printing.rendering import raster
from printing.rendering.document import Document
from printing.rendering.encoders.base import PrinterLanguage
from printing.rendering.encoders.bitmap import low_high, to_bits
from printing.rendering.escpos_library import printer_class
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
from printing.rendering.raster import LINE_HEIGHT

MEDIA_TYPE = "application/octet-stream"
_TEAR_LINES = 4
_QR_DOT = 6
_QR_MEDIUM = 1


def encode(rows: Sequence[AnyRow], roll: PaperRoll) -> bytes:
    pen = _Writer(roll)
    pen.start()
    for row, following in pairwise([*rows, None]):
        if row is not None:
            pen.put(row, following)
    return pen.printed()


def page_row(text: str, page: tuple[str, int], roll: PaperRoll) -> bytes:
    """Encode one line in the given code page, whatever the profile has; for code-page samples."""
    pen = _Writer(roll)
    pen.select_code_page(page[1])
    pen.send(text.encode(page[0], "replace") + b"\n")
    return pen.printed()


def styled_row(row: Row, page: tuple[str, int], roll: PaperRoll) -> bytes:
    """Encode one line and reset the style after it; for ePOS documents."""
    pen = _Writer(roll)
    pen.write(row, page)
    pen.plain()
    return pen.printed()


class _Writer:
    def __init__(self, roll: PaperRoll) -> None:
        self.writer = printer_class()(profile=roll.profile.capabilities)
        self.roll = roll
        self.page: int | None = None
        self.style: tuple[int, int, bool, bool, str] | None = None

    def send(self, data: bytes) -> None:
        self.writer._raw(data)  # noqa: SLF001

    def printed(self) -> bytes:
        return bytes(self.writer.output)

    def start(self) -> None:
        self.writer.hw("INIT")
        if self.roll.profile.leaves_kanji:
            self.send(b"\x1c.")

    def put(self, row: AnyRow, following: AnyRow | None) -> None:
        match row:
            case Row():
                self._row(row, following)
            case RuleRow():
                self.write(Row(("=" if row.double else "-") * self.roll.columns), None)
            case SpaceRow():
                self.plain()
                self.send(b"\n" * row.lines)
            case GapRow():
                self.send(b"\x1bJ" + bytes([row.dots]))
            case QrRow():
                self._code(row.text)
            case CutRow():
                self._end()

    def _row(self, row: Row, following: AnyRow | None) -> None:
        page = self.roll.page_for(row)
        if page is None:
            self._picture(raster.draw_text_row(row, self.roll.sheet))
            return
        # Two lines of one black band must touch, or white stripes appear between them.
        joined = row.inverse and not row.lead and isinstance(following, Row) and following.inverse
        if joined:
            self.send(b"\x1b3" + bytes([LINE_HEIGHT * row.high]))
        self.write(row, page)
        if joined:
            self.send(b"\x1b2")

    def write(self, row: Row, page: tuple[str, int] | None) -> None:
        encoding, number = page or ("ascii", None)
        if number is not None and not (row.lead + row.text + row.end).isascii():
            self.select_code_page(number)
        if row.lead:
            self._style(row.wide, row.high, row.bold, False, row.align)
            self.send(row.lead.encode("ascii"))
        self._style(row.wide, row.high, row.bold, row.inverse, row.align)
        self.send(row.filled(self.roll.columns).encode(encoding))
        self.send(b"\n")

    def select_code_page(self, number: int) -> None:
        if self.page != number:
            self.send(b"\x1bt" + bytes([number]))
            self.page = number

    def plain(self) -> None:
        self._style(1, 1, False, False, "left")

    def _style(self, wide: int, high: int, bold: bool, inverse: bool, align: str) -> None:
        style = (wide, high, bold, inverse, align)
        if style != self.style:
            self.writer.set(
                custom_size=True, width=wide, height=high, bold=bold, invert=inverse, align=align
            )
            self.style = style

    def _code(self, text: str) -> None:
        if self.roll.profile.own_qr:
            self._style(1, 1, False, False, "center")
            self.writer.qr(text, ec=_QR_MEDIUM, size=_QR_DOT, native=True)
            self.send(b"\n")
        else:
            self._picture(raster.draw_qr(text, self.roll.sheet))

    def _picture(self, picture: Image.Image) -> None:
        self.plain()
        across, down, data = to_bits(picture)
        self.send(b"\x1dv0\x00" + low_high(across) + low_high(down) + data)

    def _end(self) -> None:
        self.plain()
        if self.roll.profile.cuts:
            self.writer.cut(mode="PART")
        else:
            self.send(b"\n" * _TEAR_LINES)


def _encode(document: Document, roll: PaperRoll, _code_page: str | None) -> bytes:
    return encode(layout_rows(document, roll.columns, roll.write), roll)


ESCPOS = PrinterLanguage("ESC/POS", MEDIA_TYPE, _encode, page_row=page_row)
