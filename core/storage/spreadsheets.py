"""Read and write Excel workbooks (.xlsx) as tables.

A workbook is a ZIP archive of XML files. Its unpacked size is limited before anything is parsed,
and rows are read one at a time, so that a small malicious file costs neither memory nor time.
"""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.utils.exceptions import InvalidFileException

MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP_MARK = b"PK\x03\x04"
MOST_FILES = 500  # in the archive
LARGEST_SHEET = 48 * 1024 * 1024  # unpacked: cells and texts are read as a stream
LARGEST_PART = 2 * 1024 * 1024  # unpacked: styles and similar parts are read completely
MOST_COLUMNS = 100
LONGEST_CELL = 10_000


class NotReadable(ValueError):
    """The file is not a workbook, or it is broken."""


class TooLarge(ValueError):
    """It unpacks to too many bytes, or has too many rows."""


def is_workbook(start: bytes) -> bool:
    return start.startswith(ZIP_MARK)


def rows(file: BinaryIO, most_rows: int) -> Iterator[list[str]]:
    """The first sheet, row by row, including empty rows. Raises NotReadable or TooLarge."""
    try:
        _check_size(file)
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            if not book.worksheets:
                raise NotReadable("the workbook has no sheet")
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # the size stated in the file may be wrong
            found = sheet.iter_rows(max_row=most_rows + 1, max_col=MOST_COLUMNS, values_only=True)
            for number, cells in enumerate(found, 1):
                if number > most_rows:
                    raise TooLarge(f"more than {most_rows} rows")
                yield _trimmed([_text(cell) for cell in cells])
        finally:
            book.close()
    except (NotReadable, TooLarge):
        raise
    except (
        zipfile.BadZipFile,
        InvalidFileException,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,  # also raised by defusedxml
        AttributeError,
        NotImplementedError,  # a compression that zipfile does not support
        RuntimeError,  # an encrypted archive
        SyntaxError,  # ElementTree's ParseError
        EOFError,
        OSError,
    ) as error:
        raise NotReadable(str(error)) from error


def as_csv(file: BinaryIO, most_rows: int) -> bytes:
    """UTF-8. A row of the sheet is one line, so that line numbers are those of the sheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for cells in rows(file, most_rows):
        writer.writerow(cells)
    return out.getvalue().encode()


def workbook(columns: Sequence[str], lines: Iterable[Sequence[str]], *, title: str) -> bytes:
    """Every cell is text, never a formula."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title[:31])
    for cells in (columns, *lines):
        made = [WriteOnlyCell(sheet, cell) for cell in cells]
        for one in made:
            one.data_type = "s"
        sheet.append(made)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _check_size(file: BinaryIO) -> None:
    """Raises TooLarge. The sizes can be trusted: zipfile never unpacks more of an entry than the
    archive's directory states.
    """
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
    if len(entries) > MOST_FILES:
        raise TooLarge(f"{len(entries)} files in the archive")
    streamed = 0
    for one in entries:
        if one.filename.startswith("xl/worksheets/") or one.filename == "xl/sharedStrings.xml":
            streamed += one.file_size
        elif one.filename.endswith((".xml", ".rels")) and one.file_size > LARGEST_PART:
            raise TooLarge(f"{one.filename} has {one.file_size} bytes")
    if streamed > LARGEST_SHEET:
        raise TooLarge(f"the sheets have {streamed} bytes")
    file.seek(0)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _number(Decimal(f"{value:.15g}"))
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    return " ".join(str(value)[:LONGEST_CELL].split())


def _number(value: Decimal) -> str:
    """A number with three decimals, such as "1.250", could be read as a thousand; a fourth decimal
    makes it clear.
    """
    text = f"{value:f}"
    return f"{text}0" if len(text.partition(".")[2]) == 3 else text


def _trimmed(cells: list[str]) -> list[str]:
    while cells and not cells[-1]:
        cells.pop()
    return cells
