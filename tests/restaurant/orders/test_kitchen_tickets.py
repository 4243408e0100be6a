"""Tickets and bills of the bistro's orders: what they contain, and what they must not."""

from decimal import Decimal
from types import SimpleNamespace

import pytest

from core.clock import advance, frozen
from printing.rendering.document import (
    Band,
    Columns,
    Document,
    Item,
    LargeText,
    Note,
    Qr,
    Removal,
    TextLine,
    Total,
)
from printing.rendering.render import PrintFormat, preview_png, render
from restaurant.menus.pricing import RequestedItem
from restaurant.models import OrderItem, order_states
from restaurant.orders import changes as order_changes
from restaurant.orders import items as order_items
from restaurant.orders import queries as order_queries
from restaurant.orders.printing import bills, kitchen_tickets
from restaurant.orders.printing.ticket_texts import TICKET_TEXTS
from restaurant.sites import stations
from restaurant.sites.stations import BUILT_IN_STATIONS
from tests.restaurant.bistro import Bistro, open_bistro

FIRST = "2026-11-15T16:42:00Z"


@pytest.fixture
def bistro(restaurant) -> Bistro:
    return open_bistro(restaurant)


@pytest.fixture
def ordered(bistro):
    """An order with two tickets: pizza with a removal and a note (kitchen), ayran (bar)."""
    with frozen(FIRST):
        order = bistro.order(
            RequestedItem(
                bistro.items["Pizza"],
                2,
                (bistro.options["Large"], bistro.options["Cheese"], bistro.options["No onions"]),
                "az pişmiş",
            ),
            RequestedItem(bistro.items["Ayran"], 3),
            notes="Fıstık alerjim var",
        )
    with bistro.scope():
        order = order_queries.get(order.number)
        order.waiter = "Ayşe Yılmaz"
        names = {one.code: one.name for one in stations.listed(bistro.site_id)}
        yield SimpleNamespace(
            site=bistro.site(), order=order, items=order_queries.items_of(order.id), names=names
        )


def text(document: Document, width_mm: int = 80) -> str:
    return render(document, PrintFormat("text", width_mm=width_mm)).data.decode()


def of(kind, document: Document) -> list:
    return [part for part in document.parts if isinstance(part, kind)]


def test_each_station_gets_its_own_lines_and_knows_of_the_other(ordered):
    kitchen, bar = kitchen_tickets.order_tickets(
        ordered.site, ordered.order, ordered.items, ordered.names
    )
    assert (kitchen.station, bar.station) == ("kitchen", "bar")
    assert [(item.quantity, item.text) for item in of(Item, kitchen.document)] == [(2, "Pizza")]
    assert [(item.quantity, item.text) for item in of(Item, bar.document)] == [(3, "Ayran")]
    assert of(LargeText, kitchen.document) == [LargeText("MASA 12")]
    assert of(Removal, kitchen.document) == [Removal("Soğansız", True)]
    assert Note("az pişmiş", True) in kitchen.document.parts
    assert of(Band, bar.document) == [Band("ALERJİ! Fıstık alerjim var")]
    assert Columns(ordered.order.number, "19:42", True) in kitchen.document.parts
    assert TextLine("Garson: Ayşe Yılmaz") in kitchen.document.parts
    assert "fiş 1/2 · ayrıca: BAR" in text(kitchen.document)
    assert "fiş 2/2 · ayrıca: MUTFAK" in text(bar.document)


def test_no_kitchen_ticket_has_a_price(ordered):
    made = (ordered.site, ordered.order)
    tickets = [
        *kitchen_tickets.order_tickets(*made, ordered.items, ordered.names),
        *kitchen_tickets.addition_tickets(*made, ordered.items, ordered.names),
        *kitchen_tickets.table_change_tickets(*made, ordered.items, "5", ordered.names),
        *kitchen_tickets.cancellation_tickets(*made, ordered.items, "gelmedi", ordered.names),
        *kitchen_tickets.void_tickets(*made, ordered.items[0], 1, ordered.names),
    ]
    assert len(tickets) == 9
    for ticket in tickets:
        words = text(ticket.document)
        assert "₺" not in words
        assert "340" not in words
        assert not of(Total, ticket.document)


def test_an_addition_has_its_number_and_only_what_is_new(bistro, ordered):
    with frozen(FIRST):
        advance(600)
        priced = [order_items.to_priced_item(item) for item in ordered.items[1:]]
        order = order_changes.add_items(ordered.site, ordered.order, priced)
    new = [line for line in order_queries.items_of(order.id) if line.batch == order.batch]
    (ticket,) = kitchen_tickets.addition_tickets(ordered.site, order, new, ordered.names)
    assert ticket.document.parts[0] == Band("EK SİPARİŞ 1")
    assert [(item.quantity, item.text) for item in of(Item, ticket.document)] == [(3, "Ayran")]
    assert "19:52" in text(ticket.document)
    assert "fiş 1" not in text(ticket.document)


def test_a_void_shows_what_not_to_make_and_why(ordered):
    order = order_changes.void_item(
        ordered.site, ordered.order, ordered.items[0].position, 1, "vazgeçti"
    )
    line = order_queries.items_of(order.id)[0]
    (ticket,) = kitchen_tickets.void_tickets(ordered.site, order, line, 1, ordered.names)
    words = text(ticket.document)
    assert words.startswith("*** İPTAL ***\nNeden: vazgeçti")
    assert "1 × Pizza" in words
    kitchen, _ = kitchen_tickets.order_tickets(
        ordered.site, order, order_queries.items_of(order.id), ordered.names
    )
    assert of(Item, kitchen.document)[0].quantity == 1


def test_a_line_that_is_wholly_void_prints_nothing_more(ordered):
    order = order_changes.void_item(
        ordered.site, ordered.order, ordered.items[1].position, 3, "bitti"
    )
    left = kitchen_tickets.order_tickets(
        ordered.site, order, order_queries.items_of(order.id), ordered.names
    )
    assert [ticket.station for ticket in left] == ["kitchen"]
    assert "Ayran" not in text(
        bills.order_bill(ordered.site, order, order_queries.items_of(order.id))
    )


def test_a_moved_table_shows_both_numbers(ordered):
    was, ordered.order.table_number = "12", "4"
    kitchen, _ = kitchen_tickets.table_change_tickets(
        ordered.site, ordered.order, ordered.items, was, ordered.names
    )
    assert kitchen.document.parts[0] == Band("MASA DEĞİŞTİ")
    assert of(LargeText, kitchen.document) == [LargeText("MASA 4")]
    assert "eski masa 12" in text(kitchen.document)


def test_takeaway_and_test_orders_are_marked(ordered):
    ordered.order.order_type, ordered.order.test = "takeaway", True
    kitchen, _ = kitchen_tickets.order_tickets(
        ordered.site, ordered.order, ordered.items, ordered.names
    )
    assert of(LargeText, kitchen.document) == [LargeText("GEL AL")]
    assert kitchen.document.parts[0] == Band("TEST – HAZIRLAMAYIN")
    assert "Misafir: Ayşe Kaya" in text(kitchen.document)


def test_a_line_for_two_stations_is_on_both_and_an_unknown_one_still_prints(ordered):
    ordered.items[0].stations = ["kitchen", "grill"]
    tickets = kitchen_tickets.order_tickets(
        ordered.site, ordered.order, ordered.items, ordered.names
    )
    assert [ticket.station for ticket in tickets] == ["kitchen", "bar", "grill"]
    assert "2 × Pizza" in text(tickets[0].document)
    assert "2 × Pizza" in text(tickets[2].document)
    assert "GRİLL" in text(tickets[2].document)


def test_a_bill_adds_up_and_shows_that_it_is_not_fiscal(ordered):
    ordered.site.country, ordered.site.service_percent = "DE", Decimal(10)
    order_changes.void_item(ordered.site, ordered.order, ordered.items[1].position, 1, "bitti")
    bill = bills.order_bill(
        ordered.site, ordered.order, ordered.items, pay_url="https://pay.example/x"
    )
    words = text(bill)
    total = ordered.order.total
    assert str(ordered.order.sums["service"]).replace(".", ",") in words
    assert "KDV %10 (dâhil)" in words
    assert of(Total, bill) == [Total("TOPLAM", f"₺{total:,.2f}".translate({44: ".", 46: ","}))]
    assert "ÖDENECEK" in words
    assert of(Qr, bill) == [Qr("https://pay.example/x")]
    assert "Mali değeri yoktur." in words
    assert "Soğansız" not in words


def test_a_paid_bill_shows_when_and_asks_for_nothing(ordered):
    with frozen(FIRST) as at:
        ordered.order.paid_at = at
    bill = bills.order_bill(
        ordered.site, ordered.order, ordered.items, pay_url="https://pay.example/x"
    )
    assert "ÖDENDİ 19:42" in text(bill)
    assert not of(Qr, bill)


def test_what_a_guest_writes_of_an_allergy_is_seen_in_many_languages(ordered):
    for words in (
        "Peanut ALLERGY",
        "süt alerjisi",
        "Nussallergie",
        "حساسية من البيض",
        "对花生过敏",
    ):
        line = OrderItem(note=words)
        ordered.order.notes = ""
        assert kitchen_tickets.allergy_notes(ordered.order, [line]) == words
    assert kitchen_tickets.allergy_notes(ordered.order, [OrderItem(note="extra spicy")]) == ""


def test_every_code_on_a_ticket_has_a_text():
    codes = {*order_states.PAYMENT_METHODS, *order_states.ORDER_TYPES[1:], *BUILT_IN_STATIONS}
    assert codes <= set(TICKET_TEXTS)


@pytest.mark.parametrize("width_mm", [58, 80])
def test_pictures_are_as_wide_as_the_paper_in_every_language(ordered, width_mm):
    for language in ("tr", "ar"):
        ordered.site.languages = [language]
        for ticket in kitchen_tickets.order_tickets(
            ordered.site, ordered.order, ordered.items, ordered.names
        ):
            png = preview_png(ticket.document, width_mm)
            assert int.from_bytes(png[16:20], "big") == {58: 384, 80: 576}[width_mm] + 64
