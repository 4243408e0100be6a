"""Ready texts for restaurants and shops, in seven languages, to begin a template with."""

from dataclasses import dataclass

from messaging.templates.drafts import ButtonDraft, HeaderDraft, TemplateDraft
from messaging.templates.library import (
    arabic,
    english,
    french,
    german,
    portuguese,
    spanish,
    turkish,
)

_LANGUAGES = {
    "en": english.TEXTS,
    "tr": turkish.TEXTS,
    "de": german.TEXTS,
    "ar": arabic.TEXTS,
    "es": spanish.TEXTS,
    "fr": french.TEXTS,
    "pt_BR": portuguese.TEXTS,
}
LIBRARY_LANGUAGES = tuple(_LANGUAGES)
ORDER, DATE, TIME, AMOUNT = "1042", "24.12.2026", "19:30", "120"


@dataclass(frozen=True)
class LibraryEntry:
    name: str
    category: str
    examples: tuple[str, ...]
    """The sample values of the placeholders, in their order."""
    quick_replies: bool = False
    """Whether the texts end with the titles of two quick reply buttons."""


ENTRIES = (
    LibraryEntry("order_received", "utility", ("Deniz", ORDER, AMOUNT)),
    LibraryEntry("order_ready", "utility", ("Deniz", ORDER)),
    LibraryEntry("order_on_its_way", "utility", ("Deniz", ORDER, TIME)),
    LibraryEntry("order_delayed", "utility", ("Deniz", ORDER, TIME)),
    LibraryEntry("reservation_reminder", "utility", ("Deniz", DATE, TIME, "4"), True),
    LibraryEntry("payment_reminder", "utility", ("Deniz", ORDER, AMOUNT)),
    LibraryEntry("feedback_request", "utility", ("Deniz", ORDER), True),
    LibraryEntry("cart_reminder", "marketing", ("Deniz",)),
    LibraryEntry("win_back", "marketing", ("Deniz",)),
    LibraryEntry("birthday", "marketing", ("Deniz",)),
    LibraryEntry("back_in_stock", "marketing", ("Deniz", "Merlot 2023")),
    LibraryEntry("new_menu", "marketing", ("Deniz",)),
)
_BY_NAME = {one.name: one for one in ENTRIES}


def library_draft(name: str, language: str) -> TemplateDraft | None:
    """The draft of a text; None if there is none with this name in this language."""
    entry, texts = _BY_NAME.get(name), _LANGUAGES.get(language)
    if entry is None or texts is None:
        return None
    body, *more = texts[name]
    footer = texts["footer"][0] if entry.category == "marketing" else ""
    titles = more if entry.quick_replies else ()
    numbers = range(1, len(entry.examples) + 1)
    return TemplateDraft(
        name=name,
        language=language,
        category=entry.category,
        body=body,
        examples={str(at): entry.examples[at - 1] for at in numbers},
        header=HeaderDraft("text", more[0]) if more and not entry.quick_replies else None,
        footer=footer,
        buttons=tuple(ButtonDraft("quick_reply", title) for title in titles),
    )
