"""Font handling that all generated PDFs share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to import, and few processes ever create a PDF
    from fpdf import FPDF

LAYOUT_TABLES = ("GSUB", "GPOS", "GDEF")


def drop_layout_tables(page: "FPDF") -> None:
    """Remove the layout tables once the text is laid out: subsetting the fonts is much faster
    without.
    """
    from fpdf.fonts import TTFFont

    for font in page.fonts.values():
        if isinstance(font, TTFFont):
            for table in LAYOUT_TABLES:
                if table in font.ttfont:
                    del font.ttfont[table]
