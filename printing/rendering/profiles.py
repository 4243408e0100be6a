"""Printer profiles: dots, columns, code pages and their numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from printing.rendering.escpos_library import printer_table

# The order in which a code page is searched for a line, Turkish first. Right-to-left pages are not
# included, because printers do not reverse and join letters: such lines are drawn.
PREFERRED = (
    "cp857", "cp1254", "cp858", "cp1252", "cp850", "cp437", "cp852", "cp1250", "cp866", "cp1251",
    "cp737", "cp1253", "cp775", "cp1257", "cp860", "cp863", "cp865", "cp861",
)  # fmt: skip
# The sample ticket shows these, each with every number that some printer has for it.
SAMPLE_CODE_PAGES = ("cp857", "cp1254", "cp1252", "cp858", "cp852", "cp1250", "cp866", "cp1251")


@dataclass(frozen=True)
class Profile:
    code: str
    name: str
    languages: tuple[str, ...]
    dots: Mapping[int, int]
    """Dots per line by paper width in mm."""
    columns: Mapping[int, int]
    capabilities: str = "default"
    """The profile's name in python-escpos."""
    own_qr: bool = True
    cuts: bool = True
    own_page_numbers: bool = False
    """Its numbers for code pages are the maker's own, not those of ESC/POS."""
    leaves_kanji: bool = False
    """The printer starts in a two-byte mode that garbles non-ASCII letters, and has to leave it
    first.
    """

    @cached_property
    def pages(self) -> tuple[tuple[str, int], ...]:
        """Return (encoding, the printer's number for it), preferred pages first.

        Reads the library's table, which is large and loaded only when needed; uses the lowest
        number of each supported page.
        """
        numbers: dict[str, int] = {}
        table = printer_table()["profiles"][self.capabilities]["codePages"]
        for number, name in sorted(table.items(), key=lambda pair: int(pair[0])):
            encoding = name.lower().replace("iso_8859-", "iso8859-")
            numbers.setdefault(encoding, int(number))
        return tuple((page, numbers[page]) for page in PREFERRED if page in numbers)


_SMALL, _WIDE = {58: 384, 80: 576}, {58: 32, 80: 48}

PROFILES = {
    profile.code: profile
    for profile in (
        Profile(
            "generic", "ESC/POS", ("escpos", "epos", "text", "png"), _SMALL, _WIDE,
            own_qr=False,
        ),
        Profile(
            "epson-tm", "Epson TM-T20, TM-T82, TM-m10, TM-m30", ("escpos", "epos"),
            {58: 420, 80: 576}, {58: 35, 80: 48}, "TM-T20II",
        ),
        Profile(
            "epson-tm-t88", "Epson TM-T88", ("escpos", "epos"),
            {58: 360, 80: 512}, {58: 30, 80: 42}, "TM-T88V",
        ),
        Profile(
            "pos-5890", "POS-5890, ZJ-5890, 58 mm", ("escpos",), _SMALL, _WIDE,
            "POS-5890", own_qr=False, cuts=False, leaves_kanji=True,
        ),
        Profile(
            "pos-80", "POS-80, XP-80, 80 mm", ("escpos",), _SMALL, _WIDE,
            own_qr=False, leaves_kanji=True,
        ),
        Profile(
            "star", "Star TSP100, TSP650, TSP700, mC-Print", ("starprnt", "text", "png"), _SMALL,
            _WIDE, "TSP600", own_page_numbers=True,
        ),
    )
}  # fmt: skip


class UnsupportedFormat(ValueError):
    """Raised for a printer that cannot be printed to; the message says why."""


def profile(code: str) -> Profile:
    if code not in PROFILES:
        raise UnsupportedFormat(f"{code!r} is not a known printer profile")
    return PROFILES[code]


def code_pages(known: Profile, chosen: str | None) -> tuple[tuple[str, int], ...]:
    """Return the usable code pages: the one that staff chose, or all of the profile."""
    if chosen is None:
        return known.pages
    number, _, encoding = chosen.rpartition(":")
    if encoding not in PREFERRED:
        raise UnsupportedFormat(f"{chosen!r} is not a code page, such as cp857 or 61:cp857")
    if number:
        if not number.isdecimal() or int(number) > 255:
            raise UnsupportedFormat(f"{chosen!r} is not a code page, such as cp857 or 61:cp857")
        return ((encoding, int(number)),)
    slots = dict(known.pages)
    if encoding not in slots:
        raise UnsupportedFormat(f"{known.name} is not known to have {encoding}; print the strip")
    return ((encoding, slots[encoding]),)


def sample_code_pages(known: Profile) -> list[tuple[str, int]]:
    """Return this printer's pages first, then those of others: a clone's table is unpredictable."""
    rows = [pair for pair in known.pages if pair[0] in SAMPLE_CODE_PAGES]
    if not known.own_page_numbers:
        for other in PROFILES.values():
            if not other.own_page_numbers:
                rows += [p for p in other.pages if p[0] in SAMPLE_CODE_PAGES[:2] and p not in rows]
    return rows


@lru_cache(maxsize=8192)
def can_write(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
