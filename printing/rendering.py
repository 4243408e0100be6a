"""From a document to what a printer is sent. The one door of the pure part of this package."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from printing import profiles
from printing.document import Cut, Document, Line
from printing.encoders import epos, escpos, plain, starprnt
from printing.encoders import picture as pictures
from printing.headings import again_parts, say
from printing.layout import AnyRow, set_rows
from printing.profiles import UnknownPaper
from printing.roll import Roll

Language = Literal["escpos", "starprnt", "epos", "text", "png"]
MEDIA_TYPES: dict[str, str] = {
    "escpos": escpos.MEDIA_TYPE,
    "starprnt": starprnt.MEDIA_TYPE,
    "epos": epos.MEDIA_TYPE,
    "text": plain.MEDIA_TYPE,
    "png": pictures.MEDIA_TYPE,
}
# Letters that are told apart only by the right page.
TURKISH, WESTERN = "ğĞ üÜ şŞ ıI iİ öÖ çÇ âî", "äÄ öÖ üÜ ß éÉ ñÑ ãõ çÇ"
CENTRAL, CYRILLIC = "ąĄ čČ łŁ řŘ őŐ žŽ şŞ", "АБВГД абвгд Щщ Юю Яя"
SAMPLES = {
    "cp857": TURKISH, "cp1254": TURKISH, "cp858": WESTERN, "cp1252": WESTERN,
    "cp852": CENTRAL, "cp1250": CENTRAL, "cp866": CYRILLIC, "cp1251": CYRILLIC,
}  # fmt: skip


@dataclass(frozen=True)
class Paper:
    """A printer as far as its bytes go."""

    language: Language = "escpos"
    profile: str = "generic"
    """A code of printing.profiles.PROFILES; where it does not speak the language, one that does
    takes its place."""
    width_mm: int = 80
    """58 or 80"""
    code_page: str | None = None
    """As staff chose it on the strip: "cp857", or "61:cp857" with the number the printer knows it
    by; None is the profile's own choice for each line."""

    def __post_init__(self) -> None:
        """Raises UnknownPaper with a sentence for people."""
        if self.language not in MEDIA_TYPES:
            raise UnknownPaper(f"{self.language!r} is not a printer language of ours")
        self.roll()

    def roll(self, right_to_left: bool = False) -> Roll:
        return Roll.of(self.known_profile, self.width_mm, self.code_page, right_to_left)

    @property
    def known_profile(self) -> str:
        if self.language in ("text", "png"):
            return self.profile
        if self.language in profiles.profile(self.profile).languages:
            return self.profile
        return "star" if self.language == "starprnt" else "generic"


@dataclass(frozen=True)
class Rendered:
    media_type: str
    data: bytes


def render(document: Document, paper: Paper) -> Rendered:
    return Rendered(MEDIA_TYPES[paper.language], _encoded(document, paper))


def again_heading(
    paper: Paper, first_time: datetime, *, language: str = "en", time_zone: str = "UTC"
) -> bytes:
    """A REPRINT heading, without a cut: what the agent sends before a ticket that may be a copy.

    Empty where two documents cannot simply follow each other: XML and pictures.
    """
    if paper.language in ("epos", "png"):
        return b""
    parts = again_parts(first_time, language=language, time_zone=time_zone)
    return _encoded(Document("REPRINT", parts, language), paper)


def code_page_strip(paper: Paper, *, language: str = "en") -> Rendered:
    """Sample text once for each page the printer may have, each under the page's choice: staff
    pick the row that reads right. The choices are `strip_choices(paper)`."""
    roll = Roll.of(paper.known_profile, paper.width_mm, None)
    heading = Document("strip", (Line(say(language, "strip")),), language)
    ending = Document("strip", (Cut(),), language)
    if paper.language not in ("escpos", "starprnt", "epos"):
        parts = (Line(TURKISH), Line("utf-8"), Cut())
        return render(heading.headed(*parts), paper)
    row = starprnt.page_row if paper.language == "starprnt" else escpos.page_row
    samples = b"".join(
        row(f"{number}:{page}", ("ascii", 0), roll) + row(SAMPLES[page], (page, number), roll)
        for page, number in _pages_on_strip(paper)
    )
    if paper.language == "epos":
        inner = epos.command(samples)
        begin, _, end = _encoded(heading.headed(), paper).partition(b"</epos-print>")
        return Rendered(
            MEDIA_TYPES["epos"],
            begin + inner.encode() + b'<cut type="feed"/>' + b"</epos-print>" + end,
        )
    data = _encoded(heading, paper) + samples + _encoded(ending, paper)
    return Rendered(MEDIA_TYPES[paper.language], data)


def strip_choices(paper: Paper) -> list[str]:
    """Values for Paper.code_page, as they stand on the strip: "13:cp857"."""
    return [f"{number}:{page}" for page, number in _pages_on_strip(paper)]


def _pages_on_strip(paper: Paper) -> list[tuple[str, int]]:
    return profiles.strip(profiles.profile(paper.known_profile))


def picture(document: Document, width_mm: int = 80) -> bytes:
    """A PNG for people: the paper as it will look."""
    roll = Roll.of("generic", width_mm, None, document.right_to_left)
    return pictures.for_people(set_rows(document, roll.columns), roll.sheet)


def _encoded(document: Document, paper: Paper) -> bytes:
    roll = paper.roll(document.right_to_left)
    match paper.language:
        case "png":
            return pictures.encode(set_rows(document, roll.columns), roll.sheet)
        case "text":
            return _as_text(document, roll, paper.code_page)
    rows: list[AnyRow] = set_rows(document, roll.columns, roll.write)
    match paper.language:
        case "starprnt":
            return starprnt.encode(rows, roll)
        case "epos":
            return epos.encode(rows, roll)
    return escpos.encode(rows, roll)


def _as_text(document: Document, roll: Roll, code_page: str | None) -> bytes:
    if code_page is None:
        return plain.encode(set_rows(document, roll.columns), roll)
    rows = set_rows(document, roll.columns, roll.write)
    return plain.encode(rows, roll, roll.pages[0][0])
