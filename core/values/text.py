"""Make people's text safe to store, to compare and to open in a spreadsheet."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal

_SURROGATE = re.compile("[\ud800-\udfff]")
# Letters and symbols that are invisible: Hangul fillers, the empty Braille pattern.
_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_TURKIC = {"tr", "az"}
# Spreadsheets also read the full-width forms as the start of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class BadText(ValueError):
    """Text that cannot be stored or sent."""

    code = "invalid_text"


def normalize_text(text: str) -> str:
    """NFC and trimmed. Raises BadText for NUL, which PostgreSQL cannot store, and lone
    surrogates.
    """
    if "\0" in text:
        raise BadText("the text contains a NUL character")
    if _SURROGATE.search(text):
        raise BadText("the text contains half of a character (a lone surrogate)")
    return unicodedata.normalize("NFC", text).strip()


def is_visible(text: str) -> bool:
    """False if there are only spaces, control and format characters, and blank letters."""
    return any(not _is_blank(char) for char in text)


def utf16_length(text: str) -> int:
    """The length as messaging networks count it: characters outside the first plane count twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def one_line(text: str, limit: int | None = None) -> str:
    """Normalize, and replace every run of white space and control characters by one space. With a
    `limit`, longer text is cut and ends with "…".
    """
    spaced = "".join(" " if _is_break(char) else char for char in normalize_text(text))
    line = " ".join(spaced.split())
    if limit is not None and len(line) > limit:
        line = line[: max(limit - 1, 0)].rstrip() + "…"
    return line


def fold_case(text: str, locale: str = "en") -> str:
    """For comparing and searching regardless of case. Turkish has two letters i."""
    if re.split("[-_]", locale.lower())[0] in _TURKIC:
        text = text.replace("I\u0307", "i").replace("İ", "i").replace("I", "\u0131")
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    # In other languages İ folds to i with a dot above, which nobody types in a search.
    return folded.replace("i\u0307", "i")


def strip_accents(text: str) -> str:
    """Case-folded, without accents and with one letter i: `Hayır` and `HAYIR` give `hayir`."""
    decomposed = unicodedata.normalize("NFD", fold_case(text))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return bare.replace("ı", "i")


def csv_cell(value: object) -> str:
    """One cell of an export. Text that a spreadsheet would run as a formula gets a leading
    quote.
    """
    if value is None:
        return ""
    if isinstance(value, int | float | Decimal):
        return str(value)
    text = str(value).replace("\0", "")
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([csv_cell(cell) for cell in cells] for cells in rows)
    return out.getvalue()


def _is_blank(char: str) -> bool:
    return (
        char in _BLANKS or "\ufe00" <= char <= "\ufe0f" or unicodedata.category(char) in _INVISIBLE
    )


def _is_break(char: str) -> bool:
    return char.isspace() or unicodedata.category(char) == "Cc"
