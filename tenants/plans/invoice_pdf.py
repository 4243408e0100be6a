"""An invoice as a PDF, rendered once and then stored."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pymupdf_fonts
from babel.dates import format_date

from core.i18n.catalogs import PORTAL_TEXTS
from core.storage.pdf_fonts import drop_layout_tables
from core.values.money import format_money

if TYPE_CHECKING:  # slow to import, and few processes ever render an invoice
    from fpdf import FPDF

# FiraGO has the letters of nearly all customer names; the built-in PDF fonts lack ğ and ş.
FAMILY, REGULAR, BOLD = "paper", "figo", "figbo"
INK, SOFT, RULE, ACCENT = (22, 32, 27), (93, 105, 97), (198, 206, 197), (14, 107, 74)
EDGE, WIDE = 20.0, 170.0

Gettext = Callable[[str], str]


@dataclass(frozen=True)
class InvoiceContent:
    code: str
    issued: date
    issuer: str
    """Lines separated by bars: name|street|town|tax number."""
    customer: str
    address: str
    tax_number: str
    account: int
    plan: str
    begins: date
    ends: date
    net: Decimal
    tax: Decimal
    tax_name: str
    tax_percent: Decimal
    currency: str
    locale: str
    replaces: str = ""
    """The number of the invoice that this one corrects."""


def render_invoice(paper: InvoiceContent) -> bytes:
    with TemporaryDirectory() as folder:  # the library reads fonts only from files
        return _rendered(Path(folder), paper)


def _rendered(folder: Path, paper: InvoiceContent) -> bytes:
    gettext = partial(PORTAL_TEXTS.gettext, paper.locale)
    from fpdf import FPDF

    page = FPDF(unit="mm", format="A4")
    page.set_title(f"{gettext('Invoice')} {paper.code}")
    for style, name in (("", REGULAR), ("B", BOLD)):
        (folder / f"{name}.ttf").write_bytes(pymupdf_fonts.myfont(name))
        page.add_font(FAMILY, style, folder / f"{name}.ttf")
    page.set_text_shaping(True)
    page.set_margins(EDGE, EDGE, EDGE)
    page.add_page()
    _head(page, paper, gettext)
    _rows(page, paper, gettext)
    page.set_y(-32)
    _text(page, gettext("Paid by card. Nothing is left to pay."), 9, SOFT)
    drop_layout_tables(page)
    return bytes(page.output())


def _head(page: "FPDF", paper: InvoiceContent, gettext: Gettext) -> None:
    issuer, *rest = [line.strip() for line in paper.issuer.split("|") if line.strip()] or [""]
    _text(page, issuer, 14, ACCENT, "B")
    for line in rest:
        _text(page, line, 9, SOFT)
    page.ln(14)
    _text(page, gettext("Invoice"), 24, INK, "B")
    page.ln(3)
    for name, value in (
        (gettext("Number"), paper.code),
        (gettext("Date"), _day(paper.issued, paper.locale)),
        (gettext("Account"), str(paper.account)),
        (gettext("Replaces"), paper.replaces),
    ):
        if value:
            _pair(page, name, value)
    page.ln(7)
    _text(page, gettext("Billed to"), 9, SOFT)
    _text(page, paper.customer, 11, INK, "B")
    for line in [*paper.address.splitlines(), paper.tax_number]:
        if line.strip():
            _text(page, line.strip(), 10, INK)
    page.ln(10)


def _rows(page: "FPDF", paper: InvoiceContent, gettext: Gettext) -> None:
    def money(amount: Decimal) -> str:
        return format_money(amount, paper.currency, paper.locale)

    _row(page, gettext("Description"), gettext("Amount"), 9, SOFT)
    _rule(page)
    text = gettext("Plan {plan}, {begins} to {ends}").format(
        plan=paper.plan,
        begins=_day(paper.begins, paper.locale),
        ends=_day(paper.ends, paper.locale),
    )
    _row(page, text, money(paper.net), 11, INK)
    _rule(page)
    page.ln(2)
    if paper.tax_percent:
        _row(page, gettext("Net"), money(paper.net), 10, SOFT)
        percent = f"{paper.tax_percent.normalize():f} %"
        _row(page, f"{paper.tax_name} {percent}", money(paper.tax), 10, SOFT)
    _row(page, gettext("Total"), money(paper.net + paper.tax), 13, INK, "B")


def _text(
    page: "FPDF", text: str, size: float, colour: tuple[int, int, int], style: str = ""
) -> None:
    page.set_font(FAMILY, style, size)
    page.set_text_color(*colour)
    page.multi_cell(WIDE, size * 0.52, text, new_x="LMARGIN", new_y="NEXT")


def _pair(page: "FPDF", name: str, value: str) -> None:
    page.set_font(FAMILY, "", 10)
    page.set_text_color(*SOFT)
    page.cell(40, 6, name)
    page.set_text_color(*INK)
    page.cell(WIDE - 40, 6, value, new_x="LMARGIN", new_y="NEXT")


def _row(
    page: "FPDF",
    left: str,
    right: str,
    size: float,
    colour: tuple[int, int, int],
    style: str = "",
) -> None:
    page.set_font(FAMILY, style, size)
    page.set_text_color(*colour)
    page.cell(WIDE - 45, 8, left)
    page.cell(45, 8, right, align="R", new_x="LMARGIN", new_y="NEXT")


def _rule(page: "FPDF") -> None:
    page.set_draw_color(*RULE)
    page.set_line_width(0.2)
    page.line(EDGE, page.get_y(), EDGE + WIDE, page.get_y())


def _day(day: date, locale: str) -> str:
    known = locale if locale in PORTAL_TEXTS.languages else "en"
    return str(format_date(day, "d MMMM yyyy", locale=known))
