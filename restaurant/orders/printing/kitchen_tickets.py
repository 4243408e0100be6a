"""Printed tickets for the stations and the guest. Pure: orders in, documents out.

`stations` maps the site's station codes to names: {"kitchen": "Mutfak"}. Tickets are in the
restaurant's own language, the first of the site's languages.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.clock import zone
from printing.rendering.document import (
    Band,
    Columns,
    Cut,
    Document,
    Heading,
    Item,
    LargeText,
    Note,
    Option,
    Part,
    Qr,
    Removal,
    Rule,
    TextLine,
)
from restaurant.models import Order, OrderItem, Site
from restaurant.orders.printing.ticket_texts import ticket_text
from restaurant.sites.stations import BUILT_IN_STATIONS

# Guests write in any language. A false match prints a needless warning; a missed one is worse.
_ALLERGY = re.compile(
    "allerg|alerj|alerg|alérg|аллерг|алерг|حساسي|אלרג|过敏|過敏|アレルギ|알레르기|αλλεργ"
    "|anaph|anafil|intoleran|unverträglich|celiac|coeliac|çölyak|zöliak",
    re.IGNORECASE,
)
_TURKIC = {"tr", "az"}
TicketUrl = Callable[[str, Sequence[OrderItem]], str]
"""The address of the code on a station's ticket."""


@dataclass(frozen=True)
class StationTicket:
    station: str
    document: Document
    items: tuple[OrderItem, ...]


def order_tickets(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    stations: Mapping[str, str],
    code: TicketUrl | None = None,
) -> list[StationTicket]:
    """The first tickets of an order, one for each station that has items to make."""
    return _tickets(site, order, items, stations, (), order.placed_at, code=code)


def addition_tickets(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    stations: Mapping[str, str],
    code: TicketUrl | None = None,
) -> list[StationTicket]:
    """Tickets for the added items only."""
    on_top = Band(ticket_text(_language(site), "addition", number=order.batch - 1))
    return _tickets(site, order, items, stations, (on_top,), order.changed_at, code=code)


def course_tickets(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    course: int,
    stations: Mapping[str, str],
    code: TicketUrl | None = None,
) -> list[StationTicket]:
    """Tickets for the items of a course that is fired now."""
    on_top = Band(ticket_text(_language(site), "course", number=course))
    return _tickets(site, order, items, stations, (on_top,), order.changed_at, code=code)


def cancellation_tickets(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    because: str,
    stations: Mapping[str, str],
) -> list[StationTicket]:
    on_top = _cancel_banner(site, "cancelled", because)
    under = (Heading(ticket_text(_language(site), "void_line")),)
    return _tickets(site, order, items, stations, on_top, order.changed_at, under, warns=False)


def void_tickets(
    site: Site, order: Order, item: OrderItem, quantity: int, stations: Mapping[str, str]
) -> list[StationTicket]:
    """Tickets for voided pieces of one line."""
    language = _language(site)
    tickets = []
    for number, code in enumerate(item.stations, 1):
        name = station_name(stations, code, language)
        parts = (
            *_cancel_banner(site, "void", item.void_because),
            *_header(site, order, name, order.changed_at),
            TextLine(ticket_text(language, "void_line"), bold=True),
            Item(quantity, item.name, large=True),
            *_item_details(item),
            *_footer(language, number, item.stations, stations),
        )
        tickets.append(StationTicket(code, _document(site, order, name, parts), (item,)))
    return tickets


def table_change_tickets(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    was: str,
    stations: Mapping[str, str],
) -> list[StationTicket]:
    language = _language(site)
    on_top = (Band(ticket_text(language, "moved")),)
    under = (Heading(ticket_text(language, "moved_from", was=was)),)
    return _tickets(site, order, items, stations, on_top, order.changed_at, under, large=False)


def allergy_notes(order: Order, items: Sequence[OrderItem]) -> str:
    """The guests' notes that mention allergies, joined."""
    notes = [order.notes, *(item.note for item in items)]
    return " / ".join(dict.fromkeys(note for note in notes if note and _ALLERGY.search(note)))


def upper_case(text: str, language: str) -> str:
    """Handles the dotted and dotless i of Turkish and Azerbaijani."""
    if language.partition("-")[0] in _TURKIC:
        text = text.replace("i", "İ").replace("ı", "I")
    return text.upper()


def place_label(site: Site, order: Order) -> str:
    """The large label of the order, readable from across the kitchen."""
    language = _language(site)
    if order.order_type == "dine_in":
        if not order.table_number:
            return ticket_text(language, "no_table")
        return ticket_text(language, "table", table=order.table_number)
    return ticket_text(language, order.order_type)


def local_time(site: Site, moment: datetime) -> datetime:
    return moment.astimezone(zone(site.time_zone))


def _tickets(
    site: Site,
    order: Order,
    items: Sequence[OrderItem],
    stations: Mapping[str, str],
    on_top: Sequence[Part],
    at: datetime,
    under: Sequence[Part] = (),
    large: bool = True,
    warns: bool = True,
    code: TicketUrl | None = None,
) -> list[StationTicket]:
    language = _language(site)
    alive = [item for item in items if item.quantity > item.voided]
    codes = _stations_in_order(stations, alive)
    tickets = []
    for number, station in enumerate(codes, 1):
        of_station = tuple(item for item in alive if station in item.stations)
        name = station_name(stations, station, language)
        warning = allergy_notes(order, of_station) if warns else ""
        parts = (
            *on_top,
            *([Band(ticket_text(language, "allergy", text=warning))] if warning else []),
            *_header(site, order, name, at, under),
            *(part for item in of_station for part in _item_row(item, large, language)),
            *_order_note(order, warning, large),
            *_footer(language, number, codes, stations),
            *_ready_code(language, code(station, of_station) if code else ""),
        )
        tickets.append(StationTicket(station, _document(site, order, name, parts), of_station))
    return tickets


def _ready_code(language: str, url: str) -> list[Part]:
    if not url:
        return []
    return [Rule(), Qr(url), TextLine(ticket_text(language, "scan_when_ready"), align="center")]


def _document(site: Site, order: Order, name: str, parts: Sequence[Part]) -> Document:
    test = [Band(ticket_text(_language(site), "test"))] if order.test else []
    return Document(f"{order.number} · {name}", (*test, *parts, Cut()), _language(site))


def _header(
    site: Site, order: Order, name: str, at: datetime, under: Sequence[Part] = ()
) -> Iterator[Part]:
    language = _language(site)
    yield Heading(name)
    yield LargeText(place_label(site, order))
    yield from under
    yield Columns(order.number, f"{local_time(site, at):%H:%M}", bold=True)
    if order.waiter:
        yield TextLine(ticket_text(language, "waiter", name=order.waiter))
    if order.order_type != "dine_in" and order.customer_name:
        yield TextLine(ticket_text(language, "guest", name=order.customer_name))
    yield Rule()


def _item_row(item: OrderItem, large: bool, language: str) -> Iterator[Part]:
    yield Item(item.quantity - item.voided, item.name, large=large)
    for mark in item.marks or ():
        yield TextLine(ticket_text(language, mark), bold=True)
    yield from _item_details(item, large)
    if item.note:
        yield Note(item.note, large)


def _item_details(item: OrderItem, large: bool = True) -> Iterator[Part]:
    for option in item.options:
        if option.get("removal"):
            yield Removal(option["name"], large)
        else:
            yield Option(option["name"], large)


def _order_note(order: Order, warning: str, large: bool) -> list[Part]:
    """The order's note, unless the warning at the top already contains it."""
    if not order.notes or order.notes in warning:
        return []
    return [Rule(), Note(order.notes, large)]


def _footer(
    language: str, number: int, codes: Sequence[str], stations: Mapping[str, str]
) -> list[Part]:
    if len(codes) < 2:
        return []
    others = [station_name(stations, code, language) for code in codes if code != codes[number - 1]]
    count = ticket_text(language, "count", number=number, count=len(codes))
    also = ticket_text(language, "also_at", stations=", ".join(others))
    return [Rule(), TextLine(f"{count} · {also}", align="center")]


def _cancel_banner(site: Site, word: str, because: str) -> tuple[Part, ...]:
    language = _language(site)
    reason = (
        (TextLine(ticket_text(language, "reason", text=because), bold=True),) if because else ()
    )
    return (Band(ticket_text(language, word)), *reason)


def _stations_in_order(stations: Mapping[str, str], items: Sequence[OrderItem]) -> list[str]:
    """In the site's order; stations that the site no longer has come last and still print."""
    codes = dict.fromkeys(code for item in items for code in item.stations)
    known = [code for code in stations if code in codes]
    return known + [code for code in codes if code not in stations]


def station_name(stations: Mapping[str, str], code: str, language: str) -> str:
    """In capitals. Kitchen and bar are translated unless the site has renamed them."""
    name = stations.get(code, code)
    if code in BUILT_IN_STATIONS and name.casefold() == code:
        return ticket_text(language, code)
    return upper_case(name, language)


def _language(site: Site) -> str:
    return site.languages[0] if site.languages else "en"
