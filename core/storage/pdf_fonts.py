"""What all our pages of PDF share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # takes long to load, and few processes ever draw a page
    from fpdf import FPDF

LAYOUT_TABLES = ("GSUB", "GPOS", "GDEF")


def drop_layout_tables(page: "FPDF") -> None:
    """Letters are placed by now: a font needs its shapes alone, and is cut far sooner."""
    from fpdf.fonts import TTFFont

    for font in page.fonts.values():
        if isinstance(font, TTFFont):
            for table in LAYOUT_TABLES:
                if table in font.ttfont:
                    del font.ttfont[table]
