"""What the kitchen, the bar and the guest get on paper. Pure: orders in, documents out.

`stations` are the site's names by code: {"kitchen": "Mutfak"}. Words are in the restaurant's own
language, the first of the site's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.clock import zone
from core.wordbook import Wordbook
from printing.document import (
    Band,
    Big,
    Columns,
    Cut,
    Document,
    Heading,
    Item,
    Line,
    Note,
    Option,
    Part,
    Removal,
    Rule,
)
from restaurant.models import Order, OrderLine, Site
from restaurant.stations import FIRST

_BOOK = Wordbook(Path(__file__).parent / "ticket_words")
say = _BOOK.say
# Guests write in their own language; a word too many is a band too many, one too few is worse.
_ALLERGY = re.compile(
    "allerg|alerj|alerg|alérg|аллерг|алерг|حساسي|אלרג|过敏|過敏|アレルギ|알레르기|αλλεργ"
    "|anaph|anafil|intoleran|unverträglich|celiac|coeliac|çölyak|zöliak",
    re.IGNORECASE,
)
_TURKIC = {"tr", "az"}


@dataclass(frozen=True)
class Ticket:
    station: str
    document: Document
    lines: tuple[OrderLine, ...]


def fired(
    site: Site, order: Order, lines: Sequence[OrderLine], stations: Mapping[str, str]
) -> list[Ticket]:
    """The first tickets of an order, one for each station that has something to do."""
    return _tickets(site, order, lines, stations, (), order.placed_at)


def added(
    site: Site, order: Order, lines: Sequence[OrderLine], stations: Mapping[str, str]
) -> list[Ticket]:
    """Only what is new."""
    on_top = Band(say(_language(site), "addition", number=order.batch - 1))
    return _tickets(site, order, lines, stations, (on_top,), order.changed_at)


def cancelled(
    site: Site,
    order: Order,
    lines: Sequence[OrderLine],
    because: str,
    stations: Mapping[str, str],
) -> list[Ticket]:
    on_top = _crossed_out(site, "cancelled", because)
    under = (Heading(say(_language(site), "void_line")),)
    return _tickets(site, order, lines, stations, on_top, order.changed_at, under, warns=False)


def voided(
    site: Site, order: Order, line: OrderLine, quantity: int, stations: Mapping[str, str]
) -> list[Ticket]:
    """Some of one line taken back."""
    language = _language(site)
    tickets = []
    for number, code in enumerate(line.stations, 1):
        name = station_name(stations, code, language)
        parts = (
            *_crossed_out(site, "void", line.void_because),
            *_head(site, order, name, order.changed_at),
            Line(say(language, "void_line"), bold=True),
            Item(quantity, line.name, large=True),
            *_of_line(line),
            *_foot(language, number, line.stations, stations),
        )
        tickets.append(Ticket(code, _document(site, order, name, parts), (line,)))
    return tickets


def moved(
    site: Site,
    order: Order,
    lines: Sequence[OrderLine],
    was: str,
    stations: Mapping[str, str],
) -> list[Ticket]:
    language = _language(site)
    on_top = (Band(say(language, "moved")),)
    under = (Heading(say(language, "moved_from", was=was)),)
    return _tickets(site, order, lines, stations, on_top, order.changed_at, under, large=False)


def allergy(order: Order, lines: Sequence[OrderLine]) -> str:
    """What guests wrote of allergies, joined."""
    notes = [order.notes, *(line.note for line in lines)]
    return " / ".join(dict.fromkeys(note for note in notes if note and _ALLERGY.search(note)))


def upper(text: str, language: str) -> str:
    """Turkish has two letters i."""
    if language.partition("-")[0] in _TURKIC:
        text = text.replace("i", "İ").replace("ı", "I")
    return text.upper()


def place(site: Site, order: Order) -> str:
    """What is to be read from across the kitchen."""
    language = _language(site)
    if order.order_type == "dine_in":
        if not order.table_number:
            return say(language, "no_table")
        return say(language, "table", table=order.table_number)
    return say(language, order.order_type)


def local(site: Site, moment: datetime) -> datetime:
    return moment.astimezone(zone(site.time_zone))


def _tickets(
    site: Site,
    order: Order,
    lines: Sequence[OrderLine],
    stations: Mapping[str, str],
    on_top: Sequence[Part],
    at: datetime,
    under: Sequence[Part] = (),
    large: bool = True,
    warns: bool = True,
) -> list[Ticket]:
    language = _language(site)
    alive = [line for line in lines if line.quantity > line.voided]
    codes = _in_order(stations, alive)
    tickets = []
    for number, code in enumerate(codes, 1):
        mine = tuple(line for line in alive if code in line.stations)
        name = station_name(stations, code, language)
        warning = allergy(order, mine) if warns else ""
        parts = (
            *on_top,
            *([Band(say(language, "allergy", text=warning))] if warning else []),
            *_head(site, order, name, at, under),
            *(part for line in mine for part in _line(line, large)),
            *_order_note(order, warning, large),
            *_foot(language, number, codes, stations),
        )
        tickets.append(Ticket(code, _document(site, order, name, parts), mine))
    return tickets


def _document(site: Site, order: Order, name: str, parts: Sequence[Part]) -> Document:
    test = [Band(say(_language(site), "test"))] if order.test else []
    return Document(f"{order.number} · {name}", (*test, *parts, Cut()), _language(site))


def _head(
    site: Site, order: Order, name: str, at: datetime, under: Sequence[Part] = ()
) -> Iterator[Part]:
    language = _language(site)
    yield Heading(name)
    yield Big(place(site, order))
    yield from under
    yield Columns(order.number, f"{local(site, at):%H:%M}", bold=True)
    if order.waiter:
        yield Line(say(language, "waiter", name=order.waiter))
    if order.order_type != "dine_in" and order.customer_name:
        yield Line(say(language, "guest", name=order.customer_name))
    yield Rule()


def _line(line: OrderLine, large: bool) -> Iterator[Part]:
    yield Item(line.quantity - line.voided, line.name, large=large)
    yield from _of_line(line, large)
    if line.note:
        yield Note(line.note, large)


def _of_line(line: OrderLine, large: bool = True) -> Iterator[Part]:
    for option in line.options:
        if option.get("removal"):
            yield Removal(option["name"], large)
        else:
            yield Option(option["name"], large)


def _order_note(order: Order, warning: str, large: bool) -> list[Part]:
    """Not once more where it is the band on top."""
    if not order.notes or order.notes in warning:
        return []
    return [Rule(), Note(order.notes, large)]


def _foot(
    language: str, number: int, codes: Sequence[str], stations: Mapping[str, str]
) -> list[Part]:
    if len(codes) < 2:
        return []
    others = [station_name(stations, code, language) for code in codes if code != codes[number - 1]]
    count = say(language, "count", number=number, count=len(codes))
    also = say(language, "also_at", stations=", ".join(others))
    return [Rule(), Line(f"{count} · {also}", align="center")]


def _crossed_out(site: Site, word: str, because: str) -> tuple[Part, ...]:
    language = _language(site)
    reason = (Line(say(language, "reason", text=because), bold=True),) if because else ()
    return (Band(say(language, word)), *reason)


def _in_order(stations: Mapping[str, str], lines: Sequence[OrderLine]) -> list[str]:
    """As the site lists them; one it no longer has comes last and still prints."""
    wanted = dict.fromkeys(code for line in lines for code in line.stations)
    known = [code for code in stations if code in wanted]
    return known + [code for code in wanted if code not in stations]


def station_name(stations: Mapping[str, str], code: str, language: str) -> str:
    """In capitals; kitchen and bar in the site's language unless it calls them otherwise."""
    name = stations.get(code, code)
    if code in FIRST and name.casefold() == code:
        return say(language, code)
    return upper(name, language)


def _language(site: Site) -> str:
    return site.languages[0] if site.languages else "en"
