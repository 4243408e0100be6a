"""Read and write Excel workbooks (.xlsx) as tables.

Workbooks from people are read by core/storage/workbook_reader.py within fixed memory, and few of
them at the same time.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from core.concurrency_limits import HeavyWork
from core.errors import TryAgain
from core.storage.workbook_reader import LONGEST_CELL, NotReadable, TooLarge, read_rows

__all__ = ["NotReadable", "TooLarge", "as_csv", "is_workbook", "workbook"]

MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP_MARK = b"PK\x03\x04"
LARGEST_TABLE = 12 * 1024 * 1024  # as CSV: many cells may refer to the same long text

_reading = HeavyWork(at_once=2, waiting=4, seconds=20)


def is_workbook(start: bytes) -> bool:
    return start.startswith(ZIP_MARK)


def as_csv(file: BinaryIO, most_rows: int, most_bytes: int = LARGEST_TABLE) -> bytes:
    """The first sheet in UTF-8. A row of the sheet is one line, so that line numbers are those of
    the sheet.

    Raises NotReadable or TooLarge, or TryAgain when too many files are waiting. Call it without
    holding a database connection.
    """
    out, line = io.BytesIO(), io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    with _reading_slot():
        for cells in read_rows(file, most_rows):
            writer.writerow(_trimmed([_text(cell) for cell in cells]))
            out.write(line.getvalue().encode())
            line.seek(0)
            line.truncate()
            if out.tell() > most_bytes:
                raise TooLarge(f"more than {most_bytes} bytes as CSV")
    return out.getvalue()


@contextmanager
def _reading_slot() -> Iterator[None]:
    with _reading.slot() as acquired:
        if not acquired:
            raise TryAgain("try_again", "Too many files are being uploaded. Try again in a minute.")
        yield


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
