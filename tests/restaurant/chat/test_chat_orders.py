"""A cart's text becomes one order, from the stored cart; otherwise the diner gets a reply."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from messaging.models import Contact
from restaurant.chat import free_text
from restaurant.chat_texts import chat_text
from restaurant.menus import availability, menus, publishing
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Order
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.orders.hold_reasons import order_reasons_text
from restaurant.sites import sites
from tests.restaurant.bistro import GUEST, answers, lira, open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def test_a_sent_cart_is_an_order_with_the_kitchen(bistro):
    order = bistro.order()
    assert (order.state, order.table_number, order.total) == ("sent_to_kitchen", "12", lira("765"))
    assert order.number.startswith("LEM-")
    assert order.number.endswith("-0001")
    assert (order.customer_phone, order.customer_name) == (GUEST, "Ayşe Kaya")
    (said,) = answers(bistro)
    assert order.number in said
    assert "₺765,00" in said


def test_the_event_has_every_field_of_the_specification(bistro):
    wish = RequestedItem(
        bistro.items["Pizza"], 2, (bistro.options["Large"], bistro.options["Cheese"]), "az"
    )
    order = bistro.order(wish, notes="Çocuk sandalyesi")
    (body,) = bistro.events("order_created")
    assert body["order_id"] == order.number
    assert body["order_type"] == "dine_in"
    assert (body["table_number"], body["waiter_assigned"]) == ("12", "")
    guest = {"phone": f"+{GUEST}", "name": "Ayşe Kaya", "contact_id": order.contact_id}
    assert body["customer"] == guest
    (item,) = body["items"]
    assert item["name"] == "Pizza"
    assert item["quantity"] == 2
    assert item["unit_price"] == 340.5  # one extra is free
    assert item["options"] == ["Büyük", "Peynir"]
    assert item["station"] == "kitchen"
    assert body["notes"] == "Çocuk sandalyesi"
    assert body["total_amount"] == 681
    assert (body["payment_method"], body["status"]) == ("pos_at_table", "sent_to_kitchen")


def test_the_same_text_again_is_told_the_order(bistro):
    text = bistro.cart().text
    order = bistro.orders_by_chat(text)
    assert bistro.orders_by_chat(text) is None
    assert order.number in answers(bistro)[-1]
    with bistro.scope():
        query = select(Order).where(Order.tenant_id == bistro.business.tenant_id)
        assert len(db.session.scalars(query).all()) == 1


def test_prices_in_the_text_are_never_believed_and_the_change_is_noticed(bistro):
    cart = bistro.cart()
    order = bistro.orders_by_chat(cart.text.replace("₺765,00", "₺1,00").replace("2 ×", "9 ×"))
    assert order.total == lira("765")
    assert "The guest changed the order message before sending it:" in order_reasons_text(
        order.staff_note
    )
    with bistro.scope():
        assert [line.quantity for line in order_queries.items_of(order.id)] == [2, 1]


def test_an_unknown_code_is_answered(bistro):
    cart = bistro.cart()
    code = f"#{cart.code[:4]}-{cart.code[4:]}"
    assert bistro.orders_by_chat(cart.text.replace(code, "#BCDF-2345")) is None
    assert answers(bistro)[-1] == chat_text("tr", "unknown_code")


def test_an_unknown_code_is_answered_in_the_language_of_the_text(bistro):
    cart = bistro.cart(language="en")
    code = f"#{cart.code[:4]}-{cart.code[4:]}"
    bistro.orders_by_chat(cart.text.replace(code, "#BCDF-2345"))
    bistro.orders_by_chat("#BCDF-2345")
    assert answers(bistro) == [chat_text("en", "unknown_code"), chat_text("tr", "unknown_code")]


def test_a_line_that_serves_no_site_never_asks_for_an_order_code(restaurant):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        sites.close_site(bistro.site_id)
    bistro.orders_by_chat("Where is my parcel #BCDF-2345?")
    assert answers(bistro) == []


@pytest.mark.parametrize(
    "text",
    ["#BBBB" + " " * 65_000 + "!", "1x a" + " " * 65_000 + "b", "1 x a\n" * 10_000, "#" * 65_536],
)
def test_a_hostile_text_is_read_in_milliseconds(text):
    began = time.thread_time()
    carts.find_code(text)
    free_text.looks_like_order(text)
    assert time.thread_time() - began < 0.02


def test_the_code_is_found_at_the_end_of_a_very_long_text():
    assert (
        carts.find_code("Not: " + "az soğanlı " * 3000 + "\nSipariş kodu: #BCDF-2345") == "BCDF2345"
    )


@pytest.mark.parametrize(
    ("row", "read"),
    [
        ("2 x Ayran", (2, "Ayran")),
        (" 2× Ayran : ₺90,00 ", (2, "Ayran")),
        ("10*Su: büyük: 5", (10, "Su: büyük")),
        ("2 x ", None),
        ("2 x :5", None),
        ("200 x Ayran", None),
    ],
)
def test_a_row_is_a_quantity_and_a_name(row, read):
    rows = free_text._rows(row)
    assert free_text._quantity_and_name(rows[0]) == read


def test_a_cart_is_good_for_two_hours(bistro):
    with frozen():
        cart = bistro.cart()
        advance(timedelta(hours=2, seconds=1))
        assert bistro.orders_by_chat(cart.text) is None
    assert "süresi doldu" in answers(bistro)[-1]


def test_a_closed_kitchen_shows_when_it_opens(bistro):
    cart = bistro.cart(language="en")
    with frozen("2026-11-16T20:30:00Z"):  # Monday 23:30 in Istanbul
        with bistro.scope():
            sites.change(bistro.site_id, {"hours": {"1": [["11:00", "23:00"]]}})
        with bistro.scope():
            carts.get_by_code(cart.code).expires_at = now() + timedelta(hours=1)
        assert bistro.orders_by_chat(cart.text) is None
    assert "Tuesday" in answers(bistro)[-1]
    assert "11:00" in answers(bistro)[-1]


def test_a_paused_place_takes_no_order(bistro):
    cart = bistro.cart()
    with bistro.scope():
        sites.pause(bistro.site_id, now() + timedelta(minutes=20))
    assert bistro.orders_by_chat(cart.text) is None
    assert "Şu an sipariş alamıyoruz" in answers(bistro)[-1]


def test_what_is_sold_out_meanwhile_is_named(bistro):
    cart = bistro.cart()
    with bistro.scope():
        availability.mark_sold_out(bistro.site(), bistro.items["Ayran"], None)
    assert bistro.orders_by_chat(cart.text) is None
    assert "Ayran tükendi" in answers(bistro)[-1]


def test_what_left_the_menu_is_reported(bistro):
    cart = bistro.cart()
    with bistro.scope():
        menus.remove_item(bistro.items["Ayran"])
        publishing.publish(bistro.menu_id)
    assert bistro.orders_by_chat(cart.text) is None
    assert "Menümüz değişti" in answers(bistro)[-1]


def test_a_table_whose_code_was_not_scanned_needs_a_tap(bistro):
    order = bistro.order(token="")
    assert order.state == "awaiting_confirmation"
    assert not bistro.events("order_created")
    bistro.changes_state(order, "sent_to_kitchen")
    assert len(bistro.events("order_created")) == 1


def test_a_newcomers_large_order_needs_a_tap(restaurant):
    bistro = open_bistro(restaurant, newcomer_limit=lira("500"))
    assert bistro.order().state == "awaiting_confirmation"


def test_a_second_cart_of_the_same_table_is_an_addition(bistro):
    first = bistro.order()
    bistro.changes_state(first, "preparing")
    second = bistro.order(RequestedItem(bistro.items["Menemen"], 1))
    assert (second.number, second.batch, second.state) == (first.number, 2, "sent_to_kitchen")
    assert second.total == lira("1015")
    (event,) = [
        e for e in bistro.events("order_updated")
        if e.get("change") == "added"
    ]  # fmt: skip
    assert [item["name"] for item in event["items"]] == ["Hamburger", "Ayran", "Menemen"]
    assert [item["name"] for item in event["added_items"]] == ["Menemen"]


def test_another_guest_at_the_table_has_an_order_of_their_own(bistro):
    first = bistro.order()
    other = bistro.order(phone="905321112244")
    assert first.number != other.number


def test_a_blocked_contact_gets_neither_order_nor_answer(bistro):
    bistro.orders_by_chat("merhaba")
    cart = bistro.cart()
    with bistro.scope():
        contact = db.session.scalars(
            select(Contact).where(Contact.tenant_id == bistro.business.tenant_id)
        ).one()
        contact.blocked_at = now()
    assert bistro.orders_by_chat(cart.text) is None
    assert answers(bistro) == []


def test_a_text_by_hand_is_matched_line_by_line_and_needs_a_tap(bistro):
    order = bistro.orders_by_chat("Merhaba\nMasa 7\n2 x hamburger\n+ peynir\n1 x Ayran\n3 x Uzaylı")
    assert (order.state, order.table_number) == ("awaiting_confirmation", "7")
    with bistro.scope():
        assert [(line.name, line.quantity) for line in order_queries.items_of(order.id)] == [
            ("Hamburger", 2),
            ("Ayran", 1),
        ]
    assert "3 x Uzaylı" in order_reasons_text(order.staff_note)


@pytest.mark.parametrize(
    "text", ["Merhaba, açık mısınız?", "2 x 3 = 6", "#1 numara", "Sipariş #ABCD geldi mi?", ""]
)
def test_ordinary_talk_is_not_an_order(bistro, text):
    assert bistro.orders_by_chat(text) is None
    assert answers(bistro) == []


def test_two_hundred_orders_at_once_are_numbered_without_gap(restaurant, app):
    bistro = open_bistro(restaurant, table_orders_per_hour=500, address_orders_per_hour=500)
    texts = [
        (bistro.cart(table=str(1 + number % 14)).text, f"9053211{number:05d}")
        for number in range(200)
    ]

    def send(pair):
        with app.app_context():
            return bistro.orders_by_chat(*pair).number

    with ThreadPoolExecutor(10) as pool:
        numbers = sorted(pool.map(send, texts))
    day = numbers[0].split("-")[1]
    assert numbers == [f"LEM-{day}-{sequence:04d}" for sequence in range(1, 201)]


def test_a_conversation_that_is_an_order_is_not_unread(bistro):
    """Regression: every order was an unread conversation."""
    text = bistro.cart().text
    bistro.receives(text)
    assert bistro.unread() == 0
    bistro.receives("Is there a high chair?")
    assert bistro.unread() == 1
