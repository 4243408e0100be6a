"""Render a document to a printer's bytes. The only entry point of the rendering package."""

from dataclasses import dataclass
from datetime import datetime

from printing.rendering import profiles as printer_profiles
from printing.rendering.banners import banner_text, reprint_parts
from printing.rendering.document import Cut, Document, TextLine
from printing.rendering.encoders import png as pictures
from printing.rendering.encoders.registry import LANGUAGES
from printing.rendering.layout import layout_rows
from printing.rendering.paper import PaperRoll
from printing.rendering.profiles import UnsupportedFormat

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

    language: str = "escpos"
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
        if self.language not in LANGUAGES:
            raise UnsupportedFormat(f"{self.language!r} is not a printer language of ours")
        self.roll()

    def roll(self, right_to_left: bool = False) -> PaperRoll:
        return PaperRoll.of(self.known_profile, self.width_mm, self.code_page, right_to_left)

    @property
    def known_profile(self) -> str:
        other = LANGUAGES[self.language].profile
        if other is None or self.language in printer_profiles.profile(self.profile).languages:
            return self.profile
        return other


@dataclass(frozen=True)
class Rendered:
    media_type: str
    data: bytes


def render(document: Document, paper: PrintFormat) -> Rendered:
    return Rendered(LANGUAGES[paper.language].media_type, _encoded(document, paper))


def reprint_heading(
    paper: PrintFormat, first_time: datetime, *, language: str = "en", time_zone: str = "UTC"
) -> bytes:
    """Return a REPRINT heading without a cut, which the agent prints before a possible copy.

    Empty for XML and images, where two documents cannot follow each other.
    """
    if not LANGUAGES[paper.language].can_join:
        return b""
    parts = reprint_parts(first_time, language=language, time_zone=time_zone)
    return _encoded(Document("REPRINT", parts, language), paper)


def code_page_samples(paper: PrintFormat, *, language: str = "en") -> Rendered:
    """Return sample text in each code page that the printer may have, with the page's name.

    Staff choose the row that is readable. The choices are `code_page_choices(paper)`.
    """
    roll = PaperRoll.of(paper.known_profile, paper.width_mm, None)
    heading = Document("strip", (TextLine(banner_text(language, "strip")),), language)
    language_name = LANGUAGES[paper.language]
    row = language_name.page_row
    if row is None:
        parts = (TextLine(TURKISH), TextLine("utf-8"), Cut())
        return render(heading.with_banner(*parts), paper)
    samples = b"".join(
        row(f"{number}:{page}", ("ascii", 0), roll) + row(SAMPLES[page], (page, number), roll)
        for page, number in _sample_code_pages(paper)
    )
    ending = _encoded(Document("strip", (Cut(),), language), paper)
    data = language_name.join_samples(_encoded(heading, paper), samples, ending)
    return Rendered(language_name.media_type, data)


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
    return LANGUAGES[paper.language].encode(document, roll, paper.code_page)
