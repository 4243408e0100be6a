"""PNG: for printers that take pictures, and for people."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image

from printing import drawing
from printing.drawing import Sheet
from printing.layout import AnyRow, CutRow

MEDIA_TYPE = "image/png"
_MARGIN = {384: 32, 576: 32}
_PAPER = 250


def encode(rows: Sequence[AnyRow], sheet: Sheet) -> bytes:
    """Two tones, exactly as wide as the printer's head."""
    return _png(drawing.in_two_tones(drawing.whole(rows, sheet)))


def for_people(rows: Sequence[AnyRow], sheet: Sheet) -> bytes:
    """With the paper's edges round it."""
    inner = drawing.whole([row for row in rows if not isinstance(row, CutRow)], sheet)
    edge = _MARGIN.get(sheet.dots, 32)
    paper = Image.new("L", (inner.width + 2 * edge, inner.height + 2 * edge), 255)
    paper.paste(inner, (edge, edge))
    return _png(paper)


def _png(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG", compress_level=5)
    return out.getvalue()
