"""Render a document to a printer's bytes. The only entry point of the rendering package."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from printing.rendering import profiles as printer_profiles
from printing.rendering.banners import banner_text, reprint_parts
from printing.rendering.document import Cut, Document, TextLine
from printing.rendering.encoders import epos, escpos, plain_text, starprnt
from printing.rendering.encoders import png as pictures
from printing.rendering.layout import AnyRow, layout_rows
from printing.rendering.paper import PaperRoll
from printing.rendering.profiles import UnsupportedFormat

Language = Literal["escpos", "starprnt", "epos", "text", "png"]
MEDIA_TYPES: dict[str, str] = {
    "escpos": escpos.MEDIA_TYPE,
    "starprnt": starprnt.MEDIA_TYPE,
    "epos": epos.MEDIA_TYPE,
    "text": plain_text.MEDIA_TYPE,
    "png": pictures.MEDIA_TYPE,
}
# Letters that appear correctly only with the right code page.
TURKISH, WESTERN = "ğĞ üÜ şŞ ıI iİ öÖ çÇ âî", "äÄ öÖ üÜ ß éÉ ñÑ ãõ çÇ"
CENTRAL, CYRILLIC = "ąĄ čČ łŁ řŘ őŐ žŽ şŞ", "АБВГД абвгд Щщ Юю Яя"
SAMPLES = {
    "cp857": TURKISH, "cp1254": TURKISH, "cp858": WESTERN, "cp1252": WESTERN,
    "cp852": CENTRAL, "cp1250": CENTRAL, "cp866": CYRILLIC, "cp1251": CYRILLIC,
}  # fmt: skip


@dataclass(frozen=True)
class PrintFormat:
    """The settings of a printer that determine its bytes."""

    language: Language = "escpos"
    profile: str = "generic"
    """A code of printing.rendering.profiles.PROFILES. If that profile lacks the language, one that
    has it is used.
    """
    width_mm: int = 80
    """58 or 80"""
    code_page: str | None = None
    """As staff chose it from the samples: "cp857", or "61:cp857" with the printer's number for it;
    None lets the profile choose for each line.
    """

    def __post_init__(self) -> None:
        """Raises UnsupportedFormat with a sentence for people."""
        if self.language not in MEDIA_TYPES:
            raise UnsupportedFormat(f"{self.language!r} is not a printer language of ours")
        self.roll()

    def roll(self, right_to_left: bool = False) -> PaperRoll:
        return PaperRoll.of(self.known_profile, self.width_mm, self.code_page, right_to_left)

    @property
    def known_profile(self) -> str:
        if self.language in ("text", "png"):
            return self.profile
        if self.language in printer_profiles.profile(self.profile).languages:
            return self.profile
        return "star" if self.language == "starprnt" else "generic"


@dataclass(frozen=True)
class Rendered:
    media_type: str
    data: bytes


def render(document: Document, paper: PrintFormat) -> Rendered:
    return Rendered(MEDIA_TYPES[paper.language], _encoded(document, paper))


def reprint_heading(
    paper: PrintFormat, first_time: datetime, *, language: str = "en", time_zone: str = "UTC"
) -> bytes:
    """Return a REPRINT heading without a cut, which the agent prints before a possible copy.

    Empty for XML and images, where two documents cannot follow each other.
    """
    if paper.language in ("epos", "png"):
        return b""
    parts = reprint_parts(first_time, language=language, time_zone=time_zone)
    return _encoded(Document("REPRINT", parts, language), paper)


def code_page_samples(paper: PrintFormat, *, language: str = "en") -> Rendered:
    """Return sample text in each code page that the printer may have, with the page's name.

    Staff choose the row that is readable. The choices are `code_page_choices(paper)`.
    """
    roll = PaperRoll.of(paper.known_profile, paper.width_mm, None)
    heading = Document("strip", (TextLine(banner_text(language, "strip")),), language)
    ending = Document("strip", (Cut(),), language)
    if paper.language not in ("escpos", "starprnt", "epos"):
        parts = (TextLine(TURKISH), TextLine("utf-8"), Cut())
        return render(heading.with_banner(*parts), paper)
    row = starprnt.page_row if paper.language == "starprnt" else escpos.page_row
    samples = b"".join(
        row(f"{number}:{page}", ("ascii", 0), roll) + row(SAMPLES[page], (page, number), roll)
        for page, number in _sample_code_pages(paper)
    )
    if paper.language == "epos":
        inner = epos.command(samples)
        begin, _, end = _encoded(heading.with_banner(), paper).partition(b"</epos-print>")
        return Rendered(
            MEDIA_TYPES["epos"],
            begin + inner.encode() + b'<cut type="feed"/>' + b"</epos-print>" + end,
        )
    data = _encoded(heading, paper) + samples + _encoded(ending, paper)
    return Rendered(MEDIA_TYPES[paper.language], data)


def code_page_choices(paper: PrintFormat) -> list[str]:
    """Return the values for PrintFormat.code_page as the samples show them: "13:cp857"."""
    return [f"{number}:{page}" for page, number in _sample_code_pages(paper)]


def _sample_code_pages(paper: PrintFormat) -> list[tuple[str, int]]:
    return printer_profiles.sample_code_pages(printer_profiles.profile(paper.known_profile))


def preview_png(document: Document, width_mm: int = 80) -> bytes:
    """Return a PNG of the ticket on paper, for people."""
    roll = PaperRoll.of("generic", width_mm, None, document.right_to_left)
    return pictures.encode_preview(layout_rows(document, roll.columns), roll.sheet)


def _encoded(document: Document, paper: PrintFormat) -> bytes:
    roll = paper.roll(document.right_to_left)
    match paper.language:
        case "png":
            return pictures.encode(layout_rows(document, roll.columns), roll.sheet)
        case "text":
            return _as_text(document, roll, paper.code_page)
    rows: list[AnyRow] = layout_rows(document, roll.columns, roll.write)
    match paper.language:
        case "starprnt":
            return starprnt.encode(rows, roll)
        case "epos":
            return epos.encode(rows, roll)
    return escpos.encode(rows, roll)


def _as_text(document: Document, roll: PaperRoll, code_page: str | None) -> bytes:
    if code_page is None:
        return plain_text.encode(layout_rows(document, roll.columns), roll)
    rows = layout_rows(document, roll.columns, roll.write)
    return plain_text.encode(rows, roll, roll.pages[0][0])
