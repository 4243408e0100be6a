"""PNG: for printers that accept images, and for previews."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image

from core.i18n.catalogs import N_
from printing.rendering import raster
from printing.rendering.document import Document
from printing.rendering.encoders.base import PrinterLanguage
from printing.rendering.layout import AnyRow, CutRow, layout_rows
from printing.rendering.paper import PaperRoll
from printing.rendering.raster import RasterPage

MEDIA_TYPE = "image/png"
_MARGIN = {384: 32, 576: 32}
_PAPER = 250


def encode(rows: Sequence[AnyRow], sheet: RasterPage) -> bytes:
    """Black and white, exactly as wide as the printer's head."""
    return _png(raster.to_black_and_white(raster.draw_ticket(rows, sheet)))


def encode_preview(rows: Sequence[AnyRow], sheet: RasterPage) -> bytes:
    """With a paper margin around it."""
    inner = raster.draw_ticket([row for row in rows if not isinstance(row, CutRow)], sheet)
    edge = _MARGIN.get(sheet.dots, 32)
    paper = Image.new("L", (inner.width + 2 * edge, inner.height + 2 * edge), 255)
    paper.paste(inner, (edge, edge))
    return _png(paper)


def _png(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG", compress_level=5)
    return out.getvalue()


def _encode(document: Document, roll: PaperRoll, _code_page: str | None) -> bytes:
    return encode(layout_rows(document, roll.columns), roll.sheet)


PNG = PrinterLanguage(N_("Image (PNG)"), MEDIA_TYPE, _encode, profile=None, can_join=False)
