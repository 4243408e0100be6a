"""What diners read in chat, in their own language: `words/<language>.json`.

Short, friendly, and always with what to do next. A new language is a new file.
"""

from pathlib import Path

from core.wordbook import Wordbook

_BOOK = Wordbook(Path(__file__).parent / "words")

say, words = _BOOK.say, _BOOK.words


def spoken() -> frozenset[str]:
    return _BOOK.spoken
