"""The chat texts for diners, in their language: `words/<language>.json`.

Each text is short and friendly and tells the diner what to do next. To add a language, add a file.
"""

from datetime import datetime, timedelta
from pathlib import Path

from babel.dates import format_date, format_skeleton

from core.clock import now
from core.values.json_translations import JsonTranslations

_TEXTS = JsonTranslations(Path(__file__).parent / "words")

chat_text, chat_words = _TEXTS.say, _TEXTS.words


def chat_languages() -> frozenset[str]:
    return _TEXTS.spoken


def opening_day(at: datetime, language: str) -> str:
    """The weekday of an opening, plus the date if it is a week away or more."""
    if at.date() - now().astimezone(at.tzinfo).date() < timedelta(days=7):
        return format_date(at.date(), "EEEE", locale=language)
    return str(format_skeleton("MMMMEEEEd", at.date(), locale=language))
