"""Plain text: for printers that support nothing else, for files, and for screen readers."""

from collections.abc import Sequence

from core.i18n.catalogs import N_
from printing.rendering.document import Document
from printing.rendering.encoders.base import PrinterLanguage
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
from printing.rendering.text import column_width

MEDIA_TYPE = "text/plain; charset=utf-8"


def encode(rows: Sequence[AnyRow], roll: PaperRoll, encoding: str = "utf-8") -> bytes:
    lines = [line for row in rows for line in _lines(row, roll.columns)]
    return ("\n".join(lines) + "\n").encode(encoding, "replace")


def _lines(row: AnyRow, columns: int) -> list[str]:
    match row:
        case Row():
            return [_line(row, columns)]
        case RuleRow():
            return [("=" if row.double else "-") * columns]
        case SpaceRow():
            return [""] * row.lines
        case GapRow():
            return []
        case QrRow():
            return [row.text]
        case CutRow():
            return ["", ""]


def _line(row: Row, columns: int) -> str:
    """There is one letter size here, so a line of larger letters gets the whole width."""
    text = row.text
    if row.inverse:
        text = f"*** {text.strip()} ***"
    if row.end:
        gap = max(columns - column_width(row.lead + text) - column_width(row.end), 1)
        return row.lead + text + " " * gap + row.end
    if row.align == "left":
        return row.lead + text
    space = max(columns - column_width(text), 0)
    return " " * (space // 2 if row.align == "center" else space) + text


def _encode(document: Document, roll: PaperRoll, code_page: str | None) -> bytes:
    if code_page is None:
        return encode(layout_rows(document, roll.columns), roll)
    rows = layout_rows(document, roll.columns, roll.write)
    return encode(rows, roll, roll.pages[0][0])


PLAIN_TEXT = PrinterLanguage(N_("Plain text"), MEDIA_TYPE, _encode, profile=None)
