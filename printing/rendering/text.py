"""Clean text for a printer: no commands, no invalid characters, a limited length."""

import re
import unicodedata
from collections.abc import Callable

MAX_LENGTH = 400
# No printer prints emoji, but one may name an ingredient to leave out, so they become text.
_PICTURES = re.compile(
    "[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    "[\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
)
# Between joining letters these two are part of the spelling; elsewhere they are dropped.
_JOINERS = {"\u200c", "\u200d"}
_JOINING = re.compile("[\u0590-\u109f\u1780-\u17ff]")
_DROPPED = {"Cc", "Cf", "Cn", "Co", "Cs"}

# Replacements for letters that a printer's pages lack; currencies first.
PLAIN_LETTERS = {
    "₺": "TL", "€": "EUR", "£": "GBP", "₼": "AZN", "₽": "RUB", "₴": "UAH", "₾": "GEL", "₸": "KZT",
    "₦": "NGN", "₹": "INR", "₪": "ILS",
    "…": "...", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "•": "*", "·": "-", "×": "x",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "´": "'",
    "←": "<-", "→": "->", "ﬁ": "fi", "ﬂ": "fl", "½": "1/2", "¼": "1/4", "¾": "3/4", "°": "o",
    "№": "No", "™": "(TM)",
}  # fmt: skip


def printable(text: str, limit: int = MAX_LENGTH) -> str:
    """Return one line in NFC, without anything that a printer could read as a command."""
    spaced = "".join(" " if char.isspace() else char for char in text[: limit * 4])
    named = _PICTURES.sub(_emoji_name, spaced)
    joins = _JOINING.search(named) is not None
    result = "".join(
        char
        for char in named
        if (char in _JOINERS and joins) or unicodedata.category(char) not in _DROPPED
    )
    line = " ".join(unicodedata.normalize("NFC", result).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def transliterate(text: str, can_write: Callable[[str], bool]) -> str:
    """Replace letters that the printer's pages lack, if there is a replacement."""
    return "".join(
        char if char.isascii() or can_write(char) else PLAIN_LETTERS.get(char, char)
        for char in text
    )


def column_width(text: str) -> int:
    """Return the width in columns of a fixed-width font."""
    return sum(
        0 if unicodedata.combining(char) or char in _JOINERS
        else 2 if unicodedata.east_asian_width(char) in ("W", "F")
        else 1
        for char in text
    )  # fmt: skip


def wrap(text: str, columns: int, first: int | None = None) -> list[str]:
    """Break between words; a word that is too long for a line is cut."""
    space = columns if first is None else first
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        rest = word
        while rest:
            joined = f"{line} {rest}" if line else rest
            if column_width(joined) <= space:
                line = joined
                break
            if line:
                lines.append(line)
                line, space = "", columns
                continue
            head = _head(rest, space)
            lines.append(head)
            rest, space = rest[len(head) :], columns
    return [*lines, line] if line or not lines else lines


def _head(word: str, space: int) -> str:
    width = 0
    for place, char in enumerate(word):
        width += column_width(char)
        if width > space:
            return word[: max(place, 1)]
    return word


def _emoji_name(found: re.Match[str]) -> str:
    char = found[0][0]
    name = unicodedata.name(char, "").lower()
    return f"[{name[:24]}]" if name else ""
