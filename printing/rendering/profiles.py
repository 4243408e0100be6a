"""What printers differ in: dots, columns, code pages and their numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

# In this order a page is looked for that can write a line. Turkish first; pages written from
# right to left are not here, as printers do not turn and join letters: such lines are drawn.
PREFERRED = (
    "cp857", "cp1254", "cp858", "cp1252", "cp850", "cp437", "cp852", "cp1250", "cp866", "cp1251",
    "cp737", "cp1253", "cp775", "cp1257", "cp860", "cp863", "cp865", "cp861",
)  # fmt: skip
# The strip shows these, each at every number that some printer has it under.
SAMPLE_CODE_PAGES = ("cp857", "cp1254", "cp1252", "cp858", "cp852", "cp1250", "cp866", "cp1251")


@dataclass(frozen=True)
class Profile:
    code: str
    name: str
    languages: tuple[str, ...]
    dots: Mapping[int, int]
    """How many across, by the width of the paper in mm."""
    columns: Mapping[int, int]
    capabilities: str = "default"
    """The name python-escpos has for it."""
    own_qr: bool = True
    cuts: bool = True
    own_page_numbers: bool = False
    """Its numbers for code pages are the maker's own, not those of ESC/POS."""
    leaves_kanji: bool = False
    """Starts in a two-byte mode that eats letters above ASCII until it is left."""

    @cached_property
    def pages(self) -> tuple[tuple[str, int], ...]:
        """(encoding, the printer's number for it), the preferred first.

        Of the library's table, which is large and read when it is needed: the lowest number of
        each page we can use.
        """
        from escpos.capabilities import CAPABILITIES

        numbers: dict[str, int] = {}
        table = CAPABILITIES["profiles"][self.capabilities]["codePages"]
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
    """A printer that cannot be written for; the sentence says why."""


def profile(code: str) -> Profile:
    if code not in PROFILES:
        raise UnsupportedFormat(f"{code!r} is not a printer profile of ours")
    return PROFILES[code]


def code_pages(known: Profile, chosen: str | None) -> tuple[tuple[str, int], ...]:
    """What a line may be written in: what staff chose, or all the profile has."""
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
    """Of this printer first, then what other printers have: a clone's table is anybody's guess."""
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
