"""Printed table codes lead to their table, with instructions in the guests' languages."""

import io

from PIL import Image
from pypdf import PdfReader

from core.values import qr_codes
from restaurant.sites import table_codes_pdf, tables
from tests.restaurant.bistro import open_bistro

BASE = "https://comanda.example"


def test_a_sheet_has_every_table_and_a_line_in_each_language(app, restaurant):
    bistro = open_bistro(restaurant, languages=["tr", "en", "ar"])
    with bistro.scope():
        site, listed = bistro.site(), tables.listed(bistro.site_id)
        paper = table_codes_pdf.render_pdf(
            site, listed, lambda table: tables.table_url(BASE, site, table)
        )
    pages = PdfReader(io.BytesIO(paper)).pages
    assert len(pages) == 3  # fourteen tables, six to a page
    text = "\n".join(page.extract_text() for page in pages)
    lines = text.splitlines()
    assert [line for line in lines if line.isdigit()] == [table.number for table in listed]
    assert lines.count("Lemar Bistro") == 14
    assert lines.count("Menüyü görmek ve sipariş vermek için okutun") == 14
    assert lines.count("Scan to view the menu and order") == 14
    assert sum("القائمة" in line for line in lines) == 14


def test_the_code_on_the_sheet_says_the_tables_address(app, restaurant):
    """The drawn squares are those of the QR code for the URL."""
    bistro = open_bistro(restaurant)
    with bistro.scope():
        site, table = bistro.site(), tables.by_number(bistro.site_id, "12")
        address = tables.table_url(BASE, site, table)
        paper = table_codes_pdf.render_pdf(
            site, [table], lambda one: tables.table_url(BASE, site, one)
        )
    assert f"table=12&k={bistro.tokens['12']}" in address
    matrix = qr_codes.modules(address, border=0)
    runs = sum(dark and not (at and row[at - 1]) for row in matrix for at, dark in enumerate(row))
    drawn = PdfReader(io.BytesIO(paper)).pages[0].get_contents().get_data()
    assert drawn.count(b" re f") == runs


def test_single_codes_are_the_same_code(app, restaurant):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        site, table = bistro.site(), tables.by_number(bistro.site_id, "3")
        address = tables.table_url(BASE, site, table)
    expected = qr_codes.modules(address, border=0)
    with Image.open(io.BytesIO(table_codes_pdf.code_png(address))) as picture:
        grey = picture.convert("L")
    side = grey.width // 16 - 8
    seen = [
        [grey.getpixel(((x + 4) * 16 + 8, (y + 4) * 16 + 8)) < 128 for x in range(side)]
        for y in range(side)
    ]
    assert seen == expected
    assert table_codes_pdf.code_svg(address).startswith(b"<?xml")


def test_a_new_token_makes_another_code(app, restaurant):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        site, table = bistro.site(), tables.by_number(bistro.site_id, "3")
        before = tables.table_url(BASE, site, table)
        after = tables.table_url(BASE, site, tables.rotate_token(table.id))
    assert before != after
    assert table_codes_pdf.code_svg(before) != table_codes_pdf.code_svg(after)


def test_a_sheet_keeps_the_order_of_the_languages_and_drops_none(app, restaurant):
    """Regression: English was dropped as the fourth language."""
    bistro = open_bistro(restaurant, languages=["tr", "ar", "de", "en"])
    with bistro.scope():
        said = table_codes_pdf.instructions(bistro.site())
        paper = table_codes_pdf.render_pdf(
            bistro.site(), tables.listed(bistro.site_id)[:1], lambda _: BASE
        )
    assert len(said) == 4
    assert said[0].startswith("Menüyü")
    assert said[3] == "Scan to view the menu and order"
    assert said[3] in PdfReader(io.BytesIO(paper)).pages[0].extract_text()
