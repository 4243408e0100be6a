"""ePOS-Print XML for Epson's Server Direct Print: the document only, without SOAP.

ASCII lines are `text` elements. Which other letters a printer supports there depends on its model,
so such lines are sent as `command`: the same bytes as ESC/POS, including the code page.
"""

from base64 import b64encode
from collections.abc import Sequence
from xml.sax.saxutils import escape

from PIL import Image

from printing.rendering import raster
from printing.rendering.document import Document
from printing.rendering.encoders import escpos
from printing.rendering.encoders.base import PrinterLanguage
from printing.rendering.encoders.bitmap import to_bits
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

MEDIA_TYPE = "text/xml; charset=utf-8"
NAMESPACE = "http://www.epson-pos.com/schemas/2011/03/epos-print"
_QR_DOT = 6


def encode(rows: Sequence[AnyRow], roll: PaperRoll) -> bytes:
    inside = "".join(_element(row, roll) for row in rows)
    return f'<epos-print xmlns="{NAMESPACE}">{inside}</epos-print>'.encode("ascii")


def command(data: bytes) -> str:
    return f"<command>{data.hex()}</command>"


def _element(row: AnyRow, roll: PaperRoll) -> str:
    match row:
        case Row():
            return _row(row, roll)
        case RuleRow():
            return _text(Row(("=" if row.double else "-") * roll.columns), roll)
        case SpaceRow():
            return f'<feed line="{row.lines}"/>'
        case GapRow():
            return f'<feed unit="{row.dots}"/>'
        case QrRow():
            return (
                '<text align="center"/>'
                f'<symbol type="qrcode_model_2" level="level_m" width="{_QR_DOT}">'
                f"{_ascii(row.text)}</symbol>"
                '<text align="left"/>'
            )
        case CutRow():
            return '<cut type="feed"/>'


def _row(row: Row, roll: PaperRoll) -> str:
    page = roll.page_for(row)
    if page is None:
        return _image(raster.draw_text_row(row, roll.sheet))
    if (row.lead + row.text + row.end).isascii():
        return _text(row, roll)
    return command(escpos.styled_row(row, page, roll))


def _text(row: Row, roll: PaperRoll) -> str:
    style = (
        f'align="{row.align}" width="{row.wide}" height="{row.high}" '
        f'em="{str(row.bold).lower()}" ul="false"'
    )
    lead = f'<text {style} reverse="false">{row.lead}</text>' if row.lead else ""
    # The element treats a backslash as the start of an escape.
    text = _ascii(row.filled(roll.columns).replace("\\", "/"))
    return f'{lead}<text {style} reverse="{str(row.inverse).lower()}">{text}&#10;</text>'


def _image(picture: Image.Image) -> str:
    across, down, data = to_bits(picture)
    return (
        f'<image width="{across * 8}" height="{down}" color="color_1" mode="mono" align="left">'
        f"{b64encode(data).decode()}</image>"
    )


def _ascii(text: str) -> str:
    return escape(text).encode("ascii", "xmlcharrefreplace").decode()


def _encode(document: Document, roll: PaperRoll, _code_page: str | None) -> bytes:
    return encode(layout_rows(document, roll.columns, roll.write), roll)


def _join_samples(heading: bytes, samples: bytes, _ending: bytes) -> bytes:
    begin, close, end = heading.partition(b"</epos-print>")
    return begin + command(samples).encode() + b'<cut type="feed"/>' + close + end


EPOS = PrinterLanguage(
    "ePOS-Print",
    MEDIA_TYPE,
    _encode,
    can_join=False,
    page_row=escpos.page_row,
    join_samples=_join_samples,
    by_agent=False,
)
