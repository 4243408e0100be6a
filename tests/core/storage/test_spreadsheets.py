"""Excel files as tables: values as displayed, within limits."""

import io
import tracemalloc
import zipfile
from datetime import date, datetime

import pytest
from openpyxl import Workbook

from core.storage import spreadsheets
from core.storage.spreadsheets import NotReadable, TooLarge, as_csv


def a_book(*rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def replaced(data, name, text):
    """The workbook with one of its files replaced."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for one in old.infolist():
            new.writestr(one.filename, text if one.filename == name else old.read(one))
    return out.getvalue()


def read(data, most=100):
    return as_csv(io.BytesIO(data), most).decode().splitlines()


def test_cells_are_read_as_people_see_them():
    row = ["Ayşe", 905321112233, 12.5, 12.345, True, date(1990, 3, 12), "two\nlines", None]
    at = datetime(2026, 11, 16, 8, 30)  # noqa: DTZ001 (a cell has no time zone)
    assert read(a_book(row, [], [None, at, 0.1 + 0.2])) == [
        "Ayşe,905321112233,12.5,12.3450,yes,1990-03-12,two lines",
        "",
        ",2026-11-16 08:30:00,0.3",
    ]


def test_what_was_written_is_read_again_and_no_cell_is_a_formula():
    data = spreadsheets.workbook(["name", "price"], [["=1+1", "12"]], title="menu")
    assert read(data) == ["name,price", "=1+1,12"]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 and nothing else",
        replaced(a_book(["a"]), "xl/workbook.xml", "<workbook"),
        replaced(a_book(["a"]), "xl/worksheets/sheet1.xml", "no xml"),
        a_book(["a"])[:-40],
    ],
)
def test_a_broken_file_is_refused(data):
    with pytest.raises(NotReadable):
        read(data)


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    sheet = "<worksheet>" + " " * (spreadsheets.LARGEST_SHEET + 1) + "</worksheet>"
    bomb = replaced(a_book(["a"]), "xl/worksheets/sheet1.xml", sheet)
    styles = replaced(a_book(["a"]), "xl/styles.xml", " " * (spreadsheets.LARGEST_PART + 1))
    assert len(bomb) < 100_000
    tracemalloc.start()
    for data in (bomb, styles):
        with pytest.raises(TooLarge):
            read(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1024 * 1024


def test_entities_are_not_expanded():
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{lol}]><worksheet>&l9;</worksheet>'
    book = replaced(a_book(["a"]), "xl/worksheets/sheet1.xml", text)
    with pytest.raises(NotReadable):
        read(book)


def test_a_sheet_with_one_far_cell_costs_no_memory():
    far = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>3</v></c></row></sheetData></worksheet>'
    )
    data = replaced(a_book(["a"]), "xl/worksheets/sheet1.xml", far)
    tracemalloc.start()
    with pytest.raises(TooLarge):
        read(data, 5000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * 1024 * 1024


def test_too_many_rows_are_refused():
    assert len(read(a_book(*[["a"]] * 5), 5)) == 5
    with pytest.raises(TooLarge):
        read(a_book(*[["a"]] * 6), 5)
