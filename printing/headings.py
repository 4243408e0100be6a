"""What is put on top of a ticket that may be a second one, and the ticket that tries a printer."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from core.wordbook import Wordbook
from printing.document import Band, Columns, Cut, Document, Heading, Line, Part, Rule

_BOOK = Wordbook(Path(__file__).parent / "words")
say = _BOOK.say

PANGRAM = "Pijamalı hasta yağız şoföre çabucak güvendi. ĞÜŞİÖÇ"


def reprinted(document: Document, first_time: datetime, *, time_zone: str = "UTC") -> Document:
    parts = again_parts(first_time, language=document.language, time_zone=time_zone)
    return document.headed(*parts)


def fallen_back(document: Document, printer_name: str) -> Document:
    """For the printer that stands in for the one that gave no sign."""
    return document.headed(Band(say(document.language, "fallback", printer=printer_name)))


def again_parts(
    first_time: datetime, *, language: str = "en", time_zone: str = "UTC"
) -> tuple[Part, ...]:
    time = f"{first_time.astimezone(ZoneInfo(time_zone)):%H:%M:%S}"
    return (
        Band(say(language, "reprint")),
        Line(say(language, "first", time=time), align="center"),
    )


def trial_ticket(
    printer_name: str,
    at: datetime,
    *,
    site_name: str = "",
    language: str = "en",
    time_zone: str = "UTC",
) -> Document:
    local = at.astimezone(ZoneInfo(time_zone))
    return Document(
        f"{say(language, 'test')} · {printer_name}",
        (
            Band(say(language, "test")),
            Heading(printer_name),
            Columns(site_name, f"{local:%d.%m.%Y %H:%M}"),
            Rule(),
            Line(say(language, "works", printer=printer_name)),
            Line(PANGRAM),
            Cut(),
        ),
        language,
    )
