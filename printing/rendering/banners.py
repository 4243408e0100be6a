"""Banners of reprints and backup copies, and the test ticket."""

from datetime import datetime
from zoneinfo import ZoneInfo

from core.i18n.catalogs import N_, KeyedTexts
from printing.rendering.document import Band, Columns, Cut, Document, Heading, Part, Rule, TextLine

BANNER_TEXTS = {
    "reprint": N_("REPRINT"),
    "first": N_("First sent {time}. It may already be printed."),
    "strip": N_("Which row is correct? Choose its number."),
    "fallback": N_("FALLBACK – may also be at {printer}"),
    "test": N_("TEST PRINT"),
    "works": N_("If you can read this, {printer} is working."),
}

PANGRAM = "Pijamalı hasta yağız şoföre çabucak güvendi. ĞÜŞİÖÇ"


banner_text = KeyedTexts("tickets", BANNER_TEXTS).text


def with_reprint_banner(
    document: Document, first_time: datetime, *, time_zone: str = "UTC"
) -> Document:
    parts = reprint_parts(first_time, language=document.language, time_zone=time_zone)
    return document.with_banner(*parts)


def with_fallback_banner(document: Document, printer_name: str) -> Document:
    """For the copy on the backup printer."""
    return document.with_banner(
        Band(banner_text(document.language, "fallback", printer=printer_name))
    )


def reprint_parts(
    first_time: datetime, *, language: str = "en", time_zone: str = "UTC"
) -> tuple[Part, ...]:
    time = f"{first_time.astimezone(ZoneInfo(time_zone)):%H:%M:%S}"
    return (
        Band(banner_text(language, "reprint")),
        TextLine(banner_text(language, "first", time=time), align="center"),
    )


def sample_ticket_document(
    printer_name: str,
    at: datetime,
    *,
    site_name: str = "",
    language: str = "en",
    time_zone: str = "UTC",
) -> Document:
    local = at.astimezone(ZoneInfo(time_zone))
    return Document(
        f"{banner_text(language, 'test')} · {printer_name}",
        (
            Band(banner_text(language, "test")),
            Heading(printer_name),
            Columns(site_name, f"{local:%d.%m.%Y %H:%M}"),
            Rule(),
            TextLine(banner_text(language, "works", printer=printer_name)),
            TextLine(PANGRAM),
            Cut(),
        ),
        language,
    )
