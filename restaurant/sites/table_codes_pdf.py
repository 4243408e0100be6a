"""Printable table codes: pages of cards to cut out, and single codes for custom designs."""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pymupdf_fonts

from core.storage.pdf_fonts import drop_layout_tables
from core.values import qr_codes
from restaurant.chat_texts import chat_text
from restaurant.models import Site, Table

if TYPE_CHECKING:  # slow to import, and few processes ever print codes
    from fpdf import FPDF

# A4, two by three cards, with space for the printer's margin.
PAGE_WIDE, PAGE_HIGH, EDGE = 210.0, 297.0, 10.0
ACROSS, DOWN = 2, 3
WIDE, HIGH = (PAGE_WIDE - 2 * EDGE) / ACROSS, (PAGE_HIGH - 2 * EDGE) / DOWN
CODE, LOGO, INSIDE = 40.0, 9.0, 6.0
MOST_SENTENCES, FULL_SIZE = 6, 3
# FiraGO covers nearly all languages that our guests read, including Arabic and Hebrew.
FAMILY, REGULAR, BOLD = "sheet", "figo", "figbo"
TEXT_COLOR, LINE_COLOR = (22, 32, 27), (198, 206, 197)


def code_svg(address: str) -> bytes:
    return (
        b'<?xml version="1.0" encoding="utf-8"?>' + qr_codes.svg(address, module_size=10).encode()
    )


def code_png(address: str) -> bytes:
    return qr_codes.png(address, module_size=16)


def render_pdf(
    site: Site,
    tables: Sequence[Table],
    address_of: Callable[[Table], str],
    logo: bytes | None = None,
) -> bytes:
    """Six cards to a page, with cutting lines."""
    with TemporaryDirectory() as folder:  # the library reads fonts only from files
        return _draw_pdf(Path(folder), site, tables, address_of, logo)


def _draw_pdf(
    folder: Path,
    site: Site,
    tables: Sequence[Table],
    address_of: Callable[[Table], str],
    logo: bytes | None,
) -> bytes:
    from fpdf import FPDF

    paper = FPDF(unit="mm", format="A4")
    paper.set_title(site.name)
    paper.set_auto_page_break(False)
    for style, name in (("", REGULAR), ("B", BOLD)):
        (folder / f"{name}.ttf").write_bytes(pymupdf_fonts.myfont(name))
        paper.add_font(FAMILY, style, folder / f"{name}.ttf")
    paper.set_text_shaping(True)
    paper.set_margin(0)
    for place, table in enumerate(tables):
        if place % (ACROSS * DOWN) == 0:
            paper.add_page()
            _cutting_lines(paper)
        column, row = place % ACROSS, place // ACROSS % DOWN
        _card(
            paper,
            (EDGE + column * WIDE, EDGE + row * HIGH),
            site,
            table,
            address_of(table),
            logo,
        )
    drop_layout_tables(paper)
    return bytes(paper.output())


def instructions(site: Site) -> list[str]:
    """How to use the code, in those languages of the restaurant that we have texts for."""
    texts = dict.fromkeys(chat_text(language, "scan") for language in site.languages)
    return list(texts)[:MOST_SENTENCES]


def _cutting_lines(paper: "FPDF") -> None:
    paper.set_draw_color(*LINE_COLOR)
    paper.set_line_width(0.2)
    paper.set_dash_pattern(1, 1.5)
    for column in range(1, ACROSS):
        at = EDGE + column * WIDE
        paper.line(at, EDGE, at, PAGE_HIGH - EDGE)
    for row in range(1, DOWN):
        at = EDGE + row * HIGH
        paper.line(EDGE, at, PAGE_WIDE - EDGE, at)
    paper.set_dash_pattern()


def _card(
    paper: "FPDF",
    corner: tuple[float, float],
    site: Site,
    table: Table,
    address: str,
    logo: bytes | None,
) -> None:
    left, top = corner
    middle = left + WIDE / 2
    y = top + INSIDE
    if logo is not None:
        paper.image(BytesIO(logo), middle - LOGO / 2, y, LOGO, LOGO, keep_aspect_ratio=True)
        y += LOGO + 1.5
    paper.set_text_color(*TEXT_COLOR)
    y = _line(paper, left, y, site.name, 12, "B")
    y = _line(paper, left, y + 0.5, table.number, 30, "B")
    _draw_qr_code(paper, address, middle - CODE / 2, y + 1)
    y += CODE + 3.5
    texts = instructions(site)
    points = 8.5 * min(1, FULL_SIZE / len(texts))
    for sentence in texts:
        y = _line(paper, left, y, sentence, points)


def _line(paper: "FPDF", left: float, y: float, text: str, points: float, style: str = "") -> float:
    """One centred line of text, in a smaller size if it would not fit."""
    paper.set_font(FAMILY, style, points)
    available = WIDE - 2 * INSIDE
    width = paper.get_string_width(text)
    if width > available:
        points = max(points * available / width, 5)
        paper.set_font(FAMILY, style, points)
    high = points * 0.42
    paper.set_xy(left + INSIDE, y)
    paper.cell(available, high, text, align="C", new_x="LEFT", new_y="NEXT")
    return y + high


def _draw_qr_code(paper: "FPDF", address: str, left: float, top: float) -> None:
    """Drawn as rectangles, not as an image, so that it is sharp on every printer."""
    rows = qr_codes.modules(address, border=2)
    side = CODE / len(rows)
    paper.set_fill_color(0, 0, 0)
    for down, row in enumerate(rows):
        for start, length in qr_codes.runs(row):
            # Slightly higher than a module; otherwise viewers show white lines between the rows.
            paper.rect(left + start * side, top + down * side, length * side, side + 0.02, "F")
