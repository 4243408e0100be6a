"""Splits a guest's text into folded words, and remembers where a clause ends."""

import re
from dataclasses import dataclass

from core.values.text import strip_accents

LONGEST_TEXT = 600
"""Characters; a longer text is not read as an order."""
_WORDS = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+(?:['’`][^\W\d_]+)*|['’`][^\W\d_]+")
_BREAK = re.compile(r"[,;.!?:\n/()•*+]|(?:^|\s)-(?=\s)")
_LETTER_AND_DIGITS = re.compile(r"[A-Za-z]{1,2}\d{1,3}")
_APOSTROPHES = re.compile(r"['’`]")
# After an apostrophe, Turkish has a suffix and English part of the word.
_ENGLISH_ENDINGS = frozenset({"t", "s", "d", "m", "ll", "re", "ve"})


@dataclass(frozen=True)
class Token:
    word: str
    """Without case and accents, in ASCII where possible."""
    raw: str
    starts: bool = False
    """Whether a new clause begins here: after a comma, a full stop or a line break."""
    suffix: str = ""
    """What followed an apostrophe: `5'e` is the word 5 with the suffix e."""


def split_words(text: str) -> list[Token]:
    found: list[Token] = []
    end = 0
    for place in _matches(text[:LONGEST_TEXT]):
        raw = place.group()
        between = text[end : place.start()]
        end = place.end()
        if raw[0] in "'’`":
            if found:
                found[-1] = _with_suffix(found[-1], strip_accents(raw[1:]))
            continue
        stem, *endings = _APOSTROPHES.split(raw)
        ending = strip_accents(endings[0]) if endings else ""
        if ending in _ENGLISH_ENDINGS:
            stem, ending = stem + ending, ""
        found.append(Token(strip_accents(stem), raw, bool(_BREAK.search(between)), ending))
    return found


def _with_suffix(token: Token, suffix: str) -> Token:
    return Token(token.word, token.raw, token.starts, suffix)


def _matches(text: str) -> list[re.Match[str]]:
    """Words and numbers; a table such as `B3` stays one word."""
    tables = list(_LETTER_AND_DIGITS.finditer(text))
    taken = [(one.start(), one.end()) for one in tables if _is_alone(text, one)]
    words = [
        one
        for one in _WORDS.finditer(text)
        if not any(start < one.end() and one.start() < end for start, end in taken)
    ]
    whole = [one for one in tables if (one.start(), one.end()) in taken]
    return sorted([*words, *whole], key=lambda one: one.start())


def _is_alone(text: str, found: re.Match[str]) -> bool:
    before = text[found.start() - 1] if found.start() else " "
    after = text[found.end()] if found.end() < len(text) else " "
    return not before.isalnum() and not after.isalnum() and found.group()[0].lower() != "x"
