"""Detect encoding, delimiter and column meanings of CSV files, and read their rows."""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, BinaryIO

from core.values.phone import normalize_phone
from messaging.contacts.search_tokens import search_key

ENCODINGS = ("utf-8", "utf-16", "windows-1254", "windows-1252")
DELIMITERS = (",", ";", "\t", "|")
MOST_COLUMNS = 60
LONGEST_CELL = 10_000
LONGEST_ROW = 1_000_000  # characters; a row is held in memory, with an object for every cell
SAMPLE_BYTES = 256 * 1024
# Ğ İ Ş ğ ı ş in Turkish; in Western European encodings the same bytes are Icelandic letters.
_TURKISH = frozenset(b"\xd0\xdd\xde\xf0\xfd\xfe")

# What a column may contain; `field:` with an id is a custom field.
COLUMN_MEANINGS = (
    "phone",
    "network_id",
    "username",
    "name",
    "first_name",
    "last_name",
    "language",
    "tags",
    "birthday",
    "note",
    "consent",
    "consent_source",
)
COLUMN_NAMES = {
    "phone": "phone|phone number|mobile|mobile phone|cell|tel|telephone|whatsapp|msisdn|number"
    "|telefon|telefon numarasi|cep|cep telefonu|gsm|telefono|movil|handy|numero|celular",
    "network_id": "network id|whatsapp id|whatsapp user id|user id|bsuid|lid|whatsapp kimligi"
    "|kullanici kimligi|id de whatsapp|whatsapp kennung|identifiant whatsapp",
    "username": "username|user name|whatsapp username|whatsapp user name|kullanici adi"
    "|nombre de usuario|usuario|benutzername|nom d utilisateur|nome de usuario",
    "name": "name|full name|contact|contact name|customer|ad soyad|adi soyadi|isim|musteri"
    "|isim soyisim|nombre completo|cliente",
    "first_name": "first name|firstname|given name|ad|adi|vorname|nombre|prenom|nome",
    "last_name": "last name|lastname|surname|family name|soyad|soyadi|soyisim|nachname"
    "|apellido|apellidos|sobrenome",
    "language": "language|lang|locale|dil|sprache|idioma|langue",
    "tags": "tags|tag|label|labels|groups|group|etiket|etiketler|grup|etiquetas|gruppe",
    "birthday": "birthday|birth date|date of birth|dob|dogum gunu|dogum tarihi|geburtstag"
    "|cumpleanos|fecha de nacimiento",
    "note": "note|notes|comment|comments|not|notlar|aciklama|notas|notiz",
    "consent": "consent|marketing consent|consented|opt in|opted in|permission|agreed|izin|izni"
    "|izinli|ileti izni|pazarlama izni|onay|onayi|riza|acik riza|consentimiento|einwilligung",
    "consent_source": "consent source|source of consent|how they agreed|opt in source"
    "|izin kaynagi|onay kaynagi|riza kaynagi|nasil izin verdi|nasil onay verdi",
}
_MEANING_BY_NAME = {
    word: meaning for meaning, words in COLUMN_NAMES.items() for word in words.split("|")
}


class NotATable(ValueError):
    """Raised when the file is not a table; the message says why."""

    def __init__(self, sentence: str, **values: int) -> None:
        super().__init__(sentence.format(**values))
        self.sentence, self.values = sentence, values


@dataclass(frozen=True)
class FileFormat:
    encoding: str
    delimiter: str
    has_header: bool
    names: list[str]
    meanings: list[str]
    rows: list[list[str]]
    """The first rows, without the header."""


@dataclass(frozen=True)
class FileRow:
    line: int
    """The line in the file where the row begins; the first line is 1."""
    cells: list[str]


def detect_format(
    file: BinaryIO,
    fields: Sequence[tuple[str, str]] = (),
    *,
    encoding: str = "",
    delimiter: str = "",
    country: str | None = None,
) -> FileFormat:
    """Detect the format. Only the start is decoded, but all of it is tested for UTF-8."""
    start = file.read(SAMPLE_BYTES)
    if not start.strip(b"\0\r\n\t ,;"):
        raise NotATable("The file is empty.")
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")):
        raise NotATable(
            "This file is not a CSV or .xlsx file. Save the sheet in one of these formats first."
        )
    code = encoding or _encoding(start, file)
    text = start.decode(code, "replace").lstrip("\ufeff")
    mark = delimiter or _delimiter(text)
    first = [row.cells for row in _first_rows(text, mark)]
    if not first:
        raise NotATable("The file is empty.")
    width = min(max(len(cells) for cells in first), MOST_COLUMNS)
    headed = _is_header(first[0], country)
    names = [*first[0], *[""] * width][:width] if headed else [""] * width
    rows = first[1:] if headed else first
    return FileFormat(
        encoding=code,
        delimiter=mark,
        has_header=headed,
        names=[name[:80] for name in names],
        meanings=guess_meanings(names, rows, fields, country),
        rows=[[cell[:200] for cell in cells[:width]] for cells in rows[:5]],
    )


def read_rows(file: BinaryIO, encoding: str, delimiter: str, has_header: bool) -> Iterator[FileRow]:
    """Yield every row that is not blank. Raises NotATable where the file becomes unreadable."""
    lines = _Lines(io.TextIOWrapper(file, encoding, errors="replace", newline=""))
    reader = csv.reader(lines, delimiter=delimiter)
    begins, first = 1, True
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            lines.begin_row()
            if not any(cell.strip() for cell in cells):
                continue
            if first and has_header:
                first = False
                continue
            first = False
            yield FileRow(line, cells)
    except csv.Error:
        raise NotATable(
            "The file cannot be read after row {line}. Check for an unclosed quotation mark there.",
            line=begins,
        ) from None


def guess_meanings(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    fields: Sequence[tuple[str, str]],
    country: str | None,
) -> list[str]:
    """Guess by column name; a phone column also by its values."""
    own = {search_key(name): f"field:{field_id}" for field_id, name in fields}
    meanings: list[str] = []
    for name in names:
        meaning = own.get(search_key(name)) or _MEANING_BY_NAME.get(search_key(name), "")
        meanings.append(meaning if meaning not in meanings else "")
    if "phone" not in meanings:
        for number, meaning in enumerate(meanings):
            cells = [row[number] for row in rows if len(row) > number and row[number].strip()]
            if not meaning and cells and all(normalize_phone(cell[:64], country) for cell in cells):
                meanings[number] = "phone"
                break
    if "first_name" in meanings and "last_name" not in meanings and "name" not in meanings:
        meanings[meanings.index("first_name")] = "name"
    return meanings


def _encoding(start: bytes, file: IO[bytes]) -> str:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    nuls = start[:2000].count(0)
    if nuls > len(start[:2000]) // 4:
        return "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
    decoder, turkish, part = codecs.getincrementaldecoder("utf-8")(), False, start
    whole = True
    while part:
        turkish = turkish or bool(_TURKISH & set(part))
        if whole:
            try:
                decoder.decode(part)
            except UnicodeDecodeError:
                whole = False
        if not whole and turkish:
            break
        part = file.read(SAMPLE_BYTES)
    if whole:
        return "utf-8"
    return "windows-1254" if turkish else "windows-1252"


def _delimiter(text: str) -> str:
    """Return the delimiter that splits the first lines into equal, and most, cells."""
    lines = [line for line in text.splitlines()[:20] if line.strip()]

    def worth(mark: str) -> tuple[bool, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=mark)]
        return len(set(counts)) == 1 and counts[0] > 1, min(counts, default=0)

    try:
        best = max(DELIMITERS, key=worth)
    except csv.Error:
        return ","
    return best if worth(best)[1] > 1 else ","


def _first_rows(text: str, delimiter: str) -> list[FileRow]:
    lines = io.StringIO(text, newline="")
    found: list[FileRow] = []
    try:
        for cells in csv.reader(lines, delimiter=delimiter):
            if any(cell.strip() for cell in cells):
                found.append(FileRow(len(found) + 1, [cell.strip() for cell in cells]))
            if len(found) == 6:
                break
    except csv.Error:
        pass
    return found


def _is_header(cells: Sequence[str], country: str | None) -> bool:
    """A row that has a known column name, or no phone."""
    if any(search_key(cell) in _MEANING_BY_NAME for cell in cells):
        return True
    return not any(normalize_phone(cell[:64], country) for cell in cells)


class _Lines:
    """The lines of a file, without NUL and byte order mark. Raises csv.Error in a row that is too
    long: a quoted cell may go over many lines.
    """

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self._room = LONGEST_ROW
        self._first = True

    def begin_row(self) -> None:
        self._room = LONGEST_ROW

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(self._room + 1):
            self._room -= len(line)
            if self._room < 0:
                raise csv.Error("the row is too long")
            line = line.replace("\0", "")
            yield line.lstrip("\ufeff") if self._first else line
            self._first = False
