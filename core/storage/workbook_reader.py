"""Read the first sheet of an Excel workbook (.xlsx) as a stream, within fixed memory and time.

A workbook is a ZIP archive of XML files. A few kilobytes unpack to many megabytes, and a tree of
their elements would take thirty times as much again. So nothing is built from an element: its texts
are kept, up to a limit, and rows are returned as they are read.
"""

import posixpath
import zipfile
from collections.abc import Iterator
from datetime import datetime
from typing import Any, BinaryIO
from xml.parsers import expat

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel
from openpyxl.utils.datetime import from_ISO8601 as from_iso8601

MOST_FILES = 500  # in the archive
LARGEST_SHEET = 48 * 1024 * 1024  # unpacked: cells and texts
LARGEST_PART = 2 * 1024 * 1024  # unpacked: styles and the like
MOST_COLUMNS = 100
LONGEST_CELL = 10_000
MOST_ELEMENTS = 2_000_000  # in one part: limits the time to a few seconds
MOST_STRINGS = 400_000  # shared texts are kept until the end
MOST_CHARACTERS = 6_000_000  # of all shared texts together
MOST_NAMES = 2_000  # the parser keeps every different name of an element or attribute
MOST_DEPTH = 64
CHUNK = 64 * 1024
LONGEST_TOKEN = 1024 * 1024  # the parser keeps an unfinished tag completely
LONGEST_FORMAT = 255  # as in Excel

WORKBOOK = "xl/workbook.xml"
Cell = str | int | float | bool | datetime | Any


class NotReadable(ValueError):
    """The file is not a workbook, or it is broken."""


class TooLarge(ValueError):
    """It unpacks to too many bytes, or has too many rows."""


def read_rows(file: BinaryIO, most_rows: int) -> Iterator[list[Cell]]:
    """Yield the rows of the first sheet, including empty ones between others. Raises NotReadable
    or TooLarge.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            _check_size(archive)
            yield from _rows_of_first_sheet(archive, most_rows)
    except (NotReadable, TooLarge):
        raise
    except (
        zipfile.BadZipFile,
        expat.ExpatError,
        ArithmeticError,
        LookupError,  # also KeyError: a file that the archive names but does not have
        ValueError,
        NotImplementedError,  # a compression that zipfile does not support
        RuntimeError,  # an encrypted archive
        EOFError,
        OSError,
    ) as error:
        raise NotReadable(str(error)) from error


def _check_size(archive: zipfile.ZipFile) -> None:
    """Raises TooLarge. The sizes can be trusted: zipfile never unpacks more of an entry than the
    archive's directory states.
    """
    entries = archive.infolist()
    if len(entries) > MOST_FILES:
        raise TooLarge(f"{len(entries)} files in the archive")
    for one in entries:
        if one.file_size > LARGEST_SHEET:
            raise TooLarge(f"{one.filename} has {one.file_size} bytes")


def _rows_of_first_sheet(archive: zipfile.ZipFile, most_rows: int) -> Iterator[list[Cell]]:
    book = _Workbook()
    _parse(archive, WORKBOOK, book, LARGEST_PART)
    links = _Links()
    _parse(archive, "xl/_rels/workbook.xml.rels", links, LARGEST_PART)
    names = [links.target(one) for one in book.sheets if links.kind(one) == "worksheet"]
    if not names:
        raise NotReadable("the workbook has no sheet")
    styles = _Styles()
    for name in links.of_kind("styles"):
        _parse(archive, name, styles, LARGEST_PART)
    texts = _SharedTexts()
    for name in links.of_kind("sharedStrings"):
        _parse(archive, name, texts, LARGEST_SHEET)
    sheet = _Sheet(texts.found, _CellValues(styles, book.epoch), most_rows)
    yield from _stream(archive, names[0], sheet, LARGEST_SHEET)


def _local(name: str) -> str:
    """Programs write the same element with different prefixes, such as `row` and `x:row`."""
    return name.rpartition(":")[2] if ":" in name else name


class _Part:
    """Receives the elements of one XML file. `done` collects what was read completely."""

    def __init__(self) -> None:
        self.elements = self.depth = self.events = 0
        self.done: list[list[Cell]] = []

    def start(self, name: str, values: dict[str, str]) -> None:
        self.elements += 1
        self.depth += 1
        self.events += 1
        if self.elements > MOST_ELEMENTS:
            raise TooLarge(f"more than {MOST_ELEMENTS} elements")
        if self.depth > MOST_DEPTH:
            raise NotReadable("elements are nested too deeply")
        self.opened(_local(name), values)

    def end(self, name: str) -> None:
        self.depth -= 1
        self.events += 1
        self.closed(_local(name))

    def data(self, text: str) -> None:
        self.events += 1
        self.text(text)

    def opened(self, name: str, values: dict[str, str]) -> None:
        """An element begins."""

    def closed(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """A piece of text; a long one comes in several pieces."""


def _parse(archive: zipfile.ZipFile, name: str, part: _Part, most: int) -> None:
    for _ in _stream(archive, name, part, most):
        pass


def _stream(archive: zipfile.ZipFile, name: str, part: _Part, most: int) -> Iterator[list[Cell]]:
    if archive.getinfo(name).file_size > most:
        raise TooLarge(f"{name} is too large")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = part.start
    parser.EndElementHandler = part.end
    parser.CharacterDataHandler = part.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    waiting, seen = 0, 0
    with archive.open(name) as file:
        while chunk := file.read(CHUNK):
            parser.Parse(chunk, False)
            waiting = 0 if part.events != seen else waiting + len(chunk)
            seen = part.events
            if waiting > LONGEST_TOKEN or len(parser.intern) > MOST_NAMES:
                raise NotReadable(f"{name} is not a table")
            yield from part.done
            part.done.clear()
        parser.Parse(b"", True)
    yield from part.done
    part.done.clear()


def _refuse_doctype(*_given: object) -> None:
    """Entities are declared in a document type, and expand to any size."""
    raise NotReadable("a document type is not allowed")


class _Workbook(_Part):
    """The sheets in their order, and the first day of the calendar."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[str] = []
        self.epoch = CALENDAR_WINDOWS_1900

    def opened(self, name: str, values: dict[str, str]) -> None:
        if name == "sheet":
            link = next((value for key, value in values.items() if _local(key) == "id"), "")
            self.sheets.append(link)
        elif name == "workbookPr" and values.get("date1904") in ("1", "true"):
            self.epoch = CALENDAR_MAC_1904


class _Links(_Part):
    """Which file each relationship of the workbook leads to."""

    def __init__(self) -> None:
        super().__init__()
        self._links: dict[str, tuple[str, str]] = {}

    def opened(self, name: str, values: dict[str, str]) -> None:
        if name == "Relationship":
            kind = values.get("Type", "").rpartition("/")[2]
            self._links[values.get("Id", "")] = (kind, values.get("Target", ""))

    def kind(self, link: str) -> str:
        return self._links.get(link, ("", ""))[0]

    def target(self, link: str) -> str:
        given = self._links[link][1]
        return posixpath.normpath(posixpath.join("/xl", given)).lstrip("/")

    def of_kind(self, kind: str) -> list[str]:
        return [self.target(link) for link, (known, _) in self._links.items() if known == kind][:1]


class _Styles(_Part):
    """The number format of each cell style: dates are stored as numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._formats: dict[str, str] = {}
        self._by_style: list[str] = []
        self._in_cells = False

    def opened(self, name: str, values: dict[str, str]) -> None:
        if name == "cellXfs":
            self._in_cells = True
        elif name == "xf" and self._in_cells:
            self._by_style.append(values.get("numFmtId", "0"))
        elif name == "numFmt" and len(values.get("formatCode", "")) <= LONGEST_FORMAT:
            self._formats[values.get("numFmtId", "")] = values.get("formatCode", "")

    def closed(self, name: str) -> None:
        if name == "cellXfs":
            self._in_cells = False

    def format_of(self, style: str) -> str:
        """The format code of a cell's style; "" if it has none."""
        number = self._by_style[int(style)] if int(style) < len(self._by_style) else "0"
        return self._formats.get(number) or BUILTIN_FORMATS.get(int(number), "")


class _Text:
    """Collects pieces of a text, up to the longest cell."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._space_left = LONGEST_CELL

    def add(self, piece: str) -> None:
        if self._space_left > 0:
            self._pieces.append(piece[: self._space_left])
            self._space_left -= len(piece)

    def pop_text(self) -> str:
        text = "".join(self._pieces)
        self._pieces.clear()
        self._space_left = LONGEST_CELL
        return text


class _SharedTexts(_Part):
    """The texts that cells refer to by number. Readings of Asian characters are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._characters = 0
        self._text = _Text()
        self._keep = self._phonetic = False

    def opened(self, name: str, values: dict[str, str]) -> None:  # noqa: ARG002
        if name == "rPh":
            self._phonetic = True
        self._keep = name == "t" and not self._phonetic

    def closed(self, name: str) -> None:
        self._keep = False
        if name == "rPh":
            self._phonetic = False
        elif name == "si":
            text = self._text.pop_text()
            self.found.append(text)
            self._characters += len(text)
            if len(self.found) > MOST_STRINGS or self._characters > MOST_CHARACTERS:
                raise TooLarge("too many texts")

    def text(self, text: str) -> None:
        if self._keep:
            self._text.add(text)


class _CellValues:
    """Turns what is stored in a cell into what people see there."""

    def __init__(self, styles: _Styles, epoch: datetime) -> None:
        self._styles, self._epoch = styles, epoch
        self._dates: dict[str, tuple[bool, bool]] = {}

    def value(self, kind: str, text: str, style: str, texts: list[str]) -> Cell:
        if kind == "s":
            return texts[int(text)]
        if kind == "b":
            return text.strip() in ("1", "true")
        if kind == "d":
            return from_iso8601(text)  # type: ignore[no-untyped-call]
        if kind != "n" or not text.strip():
            return text
        number = float(text) if any(sign in text for sign in ".eE") else int(text)
        is_date, is_length = self._date(style) if style else (False, False)
        if not is_date:
            return number
        try:
            return from_excel(number, self._epoch, timedelta=is_length)
        except (OverflowError, ValueError):
            return number

    def _date(self, style: str) -> tuple[bool, bool]:
        if style not in self._dates:
            code = self._styles.format_of(style)
            length = bool(is_timedelta_format(code))
            self._dates[style] = (length or bool(is_date_format(code)), length)
        return self._dates[style]


class _Sheet(_Part):
    """The cells of a sheet, row by row."""

    def __init__(self, texts: list[str], values: _CellValues, most_rows: int) -> None:
        super().__init__()
        self._texts, self._values, self._most_rows = texts, values, most_rows
        self._row = self._emitted = self._column = 0
        self._cells: dict[int, Cell] = {}
        self._kind, self._style = "n", ""
        self._text = _Text()
        self._keep = self._phonetic = False

    def opened(self, name: str, values: dict[str, str]) -> None:
        if name == "row":
            number = int(values.get("r") or self._row + 1)
            if number <= self._row:
                raise NotReadable("the rows are not in order")
            self._row, self._column = number, 0
            self._cells.clear()
        elif name == "c":
            place = values.get("r")
            self._column = _column(place) if place else self._column + 1
            self._kind, self._style = values.get("t", "n"), values.get("s", "")
        elif name == "rPh":
            self._phonetic = True
        self._keep = name == "v" or (name == "t" and not self._phonetic)

    def closed(self, name: str) -> None:
        self._keep = False
        if name == "c":
            self._end_cell()
        elif name == "row":
            self._end_row()
        elif name == "rPh":
            self._phonetic = False

    def text(self, text: str) -> None:
        if self._keep:
            self._text.add(text)

    def _end_cell(self) -> None:
        text = self._text.pop_text()
        if text and 0 < self._column <= MOST_COLUMNS:
            self._cells[self._column] = self._values.value(
                self._kind, text, self._style, self._texts
            )

    def _end_row(self) -> None:
        """Empty rows count only if a row with cells follows."""
        if not self._cells:
            return
        if self._row > self._most_rows:
            raise TooLarge(f"more than {self._most_rows} rows")
        self.done.extend([] for _ in range(self._row - self._emitted - 1))
        self.done.append([self._cells.get(one, "") for one in range(1, max(self._cells) + 1)])
        self._emitted = self._row


def _column(place: str) -> int:
    """The number of a column: 1 for A, 28 for AB."""
    number = 0
    for char in place[:4]:
        if not "A" <= char <= "Z":
            break
        number = number * 26 + ord(char) - ord("A") + 1
    return number
