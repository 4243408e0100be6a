"""Excel files as tables: values as displayed, within limits."""

import io
import subprocess
import sys
import tracemalloc
import zipfile
from datetime import date, datetime, time, timedelta

import pytest
from openpyxl import Workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from core.errors import TryAgain
from core.storage import spreadsheets, workbook_reader
from core.storage.spreadsheets import NotReadable, TooLarge, as_csv

NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"
MEGABYTES = 12
# Reads the file named on the command line, and prints the memory used.
MEASURED = """
import resource, sys
from io import BytesIO
from core.storage import spreadsheets

spreadsheets.as_csv(BytesIO(spreadsheets.workbook(["a"], [["b"]], title="x")), 10)
data = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    outcome = len(spreadsheets.as_csv(BytesIO(data), 50_000))
except ValueError as error:
    outcome = type(error).__name__
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, outcome)
"""


def make_workbook(*rows):
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
    assert read(make_workbook(row, [], [None, at, 0.1 + 0.2])) == [
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
        replaced(make_workbook(["a"]), "xl/workbook.xml", "<workbook"),
        replaced(make_workbook(["a"]), "xl/worksheets/sheet1.xml", "no xml"),
        make_workbook(["a"])[:-40],
    ],
)
def test_a_broken_file_is_refused(data):
    with pytest.raises(NotReadable):
        read(data)


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    sheet = "<worksheet>" + " " * (workbook_reader.LARGEST_SHEET + 1) + "</worksheet>"
    bomb = replaced(make_workbook(["a"]), "xl/worksheets/sheet1.xml", sheet)
    styles = replaced(
        make_workbook(["a"]), "xl/styles.xml", " " * (workbook_reader.LARGEST_PART + 1)
    )
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
    book = replaced(make_workbook(["a"]), "xl/worksheets/sheet1.xml", text)
    with pytest.raises(NotReadable):
        read(book)


@pytest.mark.parametrize(("last", "outcome"), [("A", "TooLarge"), ("XFD", 1)])
def test_a_sheet_with_one_far_cell_costs_no_memory(last, outcome):
    """A far row is refused; far columns are left out."""
    far = sheet_of(
        '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>'
        f'<row r="1048576"><c r="{last}1048576"><v>3</v></c></row>'
    )
    data = replaced(make_workbook(["a"]), SHEET, far)
    tracemalloc.start()
    try:
        found = len(read(data, 5000))
    except TooLarge:
        found = "TooLarge"
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found, most < 4 * 1024 * 1024) == (outcome, True)


def test_too_many_rows_are_refused():
    assert len(read(make_workbook(*[["a"]] * 5), 5)) == 5
    with pytest.raises(TooLarge):
        read(make_workbook(*[["a"]] * 6), 5)


def sheet_of(rows):
    return f'<worksheet xmlns="{NAMESPACE}"><sheetData>{rows}</sheetData></worksheet>'


def with_texts(data, texts):
    """The workbook with shared texts, as Excel writes them."""
    links = "xl/_rels/workbook.xml.rels"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        known = archive.read(links).decode()
    link = '<Relationship Type="http://x/sharedStrings" Target="sharedStrings.xml" Id="rId9"/>'
    data = replaced(data, links, known.replace("</Relationships>", f"{link}</Relationships>"))
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{NAMESPACE}">{texts}</sst>')
    return out.getvalue()


def many(piece):
    return piece * (MEGABYTES * 2**20 // len(piece))


def numbered(piece):
    return "".join(piece.format(number) for number in range(200_000))


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        (lambda: many('<row r="1"/>'), "NotReadable"),
        (lambda: "<row>" + many("<c/>") + "</row>", "TooLarge"),
        (lambda: "<row><c><v>" + many("9") + "</v></c></row>", "NotReadable"),
        (lambda: '<row r="' + many("1") + '"/>', "NotReadable"),
        (lambda: numbered("<a{}/>"), "NotReadable"),
        (lambda: numbered('<c a{}=""/>'), "NotReadable"),
        (lambda: many("<is>"), "NotReadable"),
    ],
)
def test_no_sheet_takes_more_than_100_megabytes(tmp_path, rows, outcome):
    """Trees of the elements took 1.5 GB for a file of 120 KB."""
    assert measured(tmp_path, replaced(make_workbook(["a"]), SHEET, sheet_of(rows()))) == outcome


@pytest.mark.parametrize("text", ["ab", "ş" * 9_000])
def test_no_list_of_texts_takes_more_than_100_megabytes(tmp_path, text):
    data = with_texts(make_workbook(["a"]), many(f"<si><t>{text}</t></si>"))
    assert measured(tmp_path, data) == "TooLarge"


def test_cells_that_share_a_long_text_are_refused(tmp_path):
    """A hundred thousand cells of ten thousand characters are a file of 10 KB."""
    rows = ("<row>" + '<c t="s"><v>0</v></c>' * 100 + "</row>") * 1000
    data = with_texts(make_workbook(["a"]), f"<si><t>{'x' * 10_000}</t></si>")
    assert measured(tmp_path, replaced(data, SHEET, sheet_of(rows))) == "TooLarge"


def test_a_large_table_is_read_within_the_same_memory(tmp_path):
    count = 20_000
    texts = "".join(f"<si><t>Ayşe Kaya {number}</t></si>" for number in range(count))
    rows = "".join(
        f'<row><c><v>90532{number:07}</v></c><c t="s"><v>{number}</v></c></row>'
        for number in range(count)
    )
    data = replaced(with_texts(make_workbook(["a"]), texts), SHEET, sheet_of(rows))
    assert int(measured(tmp_path, data)) > count * 25


def measured(tmp_path, data) -> str:
    assert len(data) < 2**20
    file = tmp_path / "book.xlsx"
    file.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(file)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    taken, _, outcome = done.stdout.strip().partition(" ")
    assert int(taken) < 100
    return outcome


def test_shared_texts_are_read_in_pieces_and_without_their_readings():
    texts = "<si><r><t>Ay</t></r><r><t>şe</t></r></si><si><t>東京</t><rPh><t>x</t></rPh></si>"
    cells = '<c t="s"><v>1</v></c><c t="s"><v>0</v></c>'
    data = replaced(with_texts(make_workbook(["a"]), texts), SHEET, sheet_of(f"<row>{cells}</row>"))
    assert read(data) == ["東京,Ayşe"]


def test_only_two_sheets_are_read_at_the_same_time(monkeypatch):
    monkeypatch.setattr(spreadsheets._reading, "seconds", 0)
    slot = spreadsheets._reading_slot
    with slot(), slot(), pytest.raises(TryAgain):
        read(make_workbook(["a"]))
    assert read(make_workbook(["a"])) == ["a"]


def test_a_date_of_the_old_mac_calendar_and_a_length_of_time_are_read():
    book = Workbook()
    book.epoch = CALENDAR_MAC_1904
    book.active.append([date(1990, 3, 12), time(8, 30), timedelta(hours=26)])
    out = io.BytesIO()
    book.save(out)
    assert read(out.getvalue()) == ['1990-03-12,08:30:00,"1 day, 2:00:00"']


def test_prefixes_of_names_and_readings_of_characters_do_not_matter():
    sheet = (
        f'<x:worksheet xmlns:x="{NAMESPACE}"><x:sheetData><x:row><x:c t="inlineStr"><x:is>'
        "<x:r><x:t>東京</x:t></x:r><x:rPh><x:t>トウキョウ</x:t></x:rPh></x:is></x:c>"
        '<x:c r="C1" t="e"><x:v>#N/A</x:v></x:c></x:row></x:sheetData></x:worksheet>'
    )
    assert read(replaced(make_workbook(["a"]), SHEET, sheet)) == ["東京,,#N/A"]
