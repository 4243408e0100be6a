"""Messages about an order have buttons, and a tap does what its title says, once."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core.clock import advance, frozen
from core.db import db
from core.values.text import fold_case
from messaging.contacts.identities import is_opt_out_request
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.driver import as_sent
from messaging.models import Contact, Message
from restaurant.chat_texts import CHAT_TEXTS, chat_languages, chat_text
from restaurant.models import WaiterCall
from restaurant.orders import hold_reasons
from restaurant.orders import queries as order_queries
from restaurant.orders.cards.card import Card, for_line, location_request_card, with_link
from restaurant.orders.cards.order_buttons import typed_action
from restaurant.payments import cashier
from restaurant.sites import sites
from restaurant.tabs import addresses as tab_addresses
from tests.restaurant.bistro import GUEST, open_bistro
from tests.restaurant.fake_provider import add_account

STRANGER = "905329998877"


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def buttons(message: Message) -> list[str]:
    shown = message.content.get("interactive", {}).get("buttons", [])
    return [one["id"].split(":")[1] for one in shown]


def state(bistro, order) -> str:
    with bistro.scope():
        return order_queries.get(order.id).state


def calls(bistro) -> list[tuple[str, str]]:
    with bistro.scope():
        query = select(WaiterCall).where(WaiterCall.tenant_id == bistro.business.tenant_id)
        return [(one.kind, one.table_number) for one in db.session.scalars(query)]


def test_a_confirmation_is_one_message_with_buttons(bistro):
    order = bistro.order()
    (sent,) = bistro.messages_sent_to()
    assert (sent.kind, buttons(sent)) == ("buttons", ["add", "bill", "cancel"])
    assert order.number in sent.text
    assert sent.content["interactive"]["buttons"][0]["title"] == "Ürün ekle"


def test_a_linked_phone_gets_the_same_as_numbered_text(bistro):
    bistro.order()
    (sent,) = bistro.messages_sent_to()
    envelope = Envelope(sent.id, 1, 1, 1, GUEST, sent.kind, sent.text, sent.content)
    shown = as_sent(envelope)
    assert shown.kind == "text"
    assert "1. Ürün ekle\n2. Hesap\n3. Siparişi iptal et" in shown.text


def test_the_guest_cancels_with_one_tap_and_gets_one_answer(bistro):
    order = bistro.order()
    bistro.taps("cancel", order)
    assert state(bistro, order) == "cancelled"
    answer = bistro.messages_sent_to()[-1]
    assert len(bistro.messages_sent_to()) == 2
    assert answer.text == chat_text("tr", "you_cancelled", order=order.number)
    assert answer.content["interactive"]["url"].endswith("/menu")
    (event,) = bistro.events("order_cancelled")
    assert event["reason"] == "Misafir siparişi sohbetten iptal etti."
    with bistro.scope():
        last = order_queries.changes_of(order.id)[-1]
        assert last.because == hold_reasons.CANCELLED_BY_GUEST


def test_a_second_cancel_changes_nothing_and_says_so(bistro):
    order = bistro.order()
    bistro.taps("cancel", order)
    bistro.taps("cancel", order)
    assert len(bistro.events("order_cancelled")) == 1
    assert "zaten iptal edildi" in bistro.texts_sent_to()[-1]


def test_an_order_that_the_kitchen_has_started_is_not_cancelled(bistro):
    order = bistro.order()
    bistro.changes_state(order, "preparing")
    bistro.taps("cancel", order)
    assert state(bistro, order) == "preparing"
    answer = bistro.messages_sent_to()[-1]
    assert answer.text == chat_text("tr", "staff_asked", order=order.number)
    assert buttons(answer) == ["add", "bill", "waiter"]


def test_cancelling_ends_after_the_minutes_of_the_restaurant(bistro):
    with frozen():
        order = bistro.order()
        advance(timedelta(minutes=6))
        bistro.taps("cancel", order)
    assert state(bistro, order) == "sent_to_kitchen"


def test_without_such_minutes_no_cancel_button_is_shown(bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"guest_cancel_minutes": 0})
    bistro.order()
    assert buttons(bistro.messages_sent_to()[-1]) == ["add", "bill", "waiter"]


def test_an_order_that_was_paid_at_the_till_is_cancelled_by_the_staff(bistro):
    order = bistro.order()
    with bistro.scope():
        cashier.record_payment(bistro.site(), order_queries.get(order.id), "cash", "100")
    bistro.taps("cancel", order)
    assert state(bistro, order) == "sent_to_kitchen"


def test_nobody_else_can_use_the_button(bistro):
    order = bistro.order()
    bistro.taps("cancel", order, phone=STRANGER)
    assert state(bistro, order) == "sent_to_kitchen"
    assert bistro.messages_sent_to(STRANGER) == []


def test_an_old_message_never_changes_a_newer_order(bistro):
    first = bistro.order()
    bistro.taps("cancel", first)
    second = bistro.order()
    bistro.taps("cancel", first)
    assert state(bistro, second) == "sent_to_kitchen"


def test_the_bill_is_requested_once(bistro):
    order = bistro.order()
    bistro.taps("bill", order)
    bistro.taps("bill", order)
    assert calls(bistro) == [("bill", "12")]
    texts = bistro.texts_sent_to()
    assert len(texts) == 2  # the confirmation and one answer
    assert "12 numaralı masaya" in texts[-1]
    assert "₺765,00" in texts[-1]


def test_the_waiter_comes_to_the_table(bistro):
    order = bistro.order()
    bistro.changes_state(order, "ready")
    assert buttons(bistro.messages_sent_to()[-1]) == ["add", "bill", "waiter"]
    bistro.taps("waiter", order)
    assert calls(bistro) == [("waiter", "12")]


def test_adding_opens_the_menu_of_the_table(bistro):
    order = bistro.order()
    bistro.taps("add", order)
    link = bistro.messages_sent_to()[-1]
    assert link.kind == "link_button"
    assert link.content["interactive"]["url"].endswith(f"/menu?table=12&k={bistro.tokens['12']}")


def test_a_guest_who_never_scanned_the_table_gets_the_plain_menu(bistro):
    order = bistro.order(token="")
    assert order.state == "awaiting_confirmation"
    assert buttons(bistro.messages_sent_to()[-1]) == ["change", "cancel"]
    bistro.taps("add", order)
    assert bistro.messages_sent_to()[-1].content["interactive"]["url"].endswith("/menu")


def test_the_typed_title_does_the_same_for_the_open_order(bistro):
    order = bistro.order()
    bistro.receives("hesap")
    assert calls(bistro) == [("bill", "12")]
    bistro.receives("SİPARİŞİM")
    question = bistro.messages_sent_to()[-1]
    assert question.text == chat_text("tr", "what_next", order=order.number)
    assert buttons(question) == ["add", "bill", "cancel"]
    bistro.receives("siparişi iptal et")
    assert state(bistro, order) == "cancelled"


def test_the_same_word_without_an_order_stays_in_the_inbox(bistro):
    bistro.receives("hesap")
    assert bistro.texts_sent_to() == []
    assert bistro.unread() == 1


def test_a_finished_order_offers_the_menu(bistro):
    order = bistro.order(order_type="takeaway", payment_method="cash", table="")
    with bistro.scope():
        sites.change(bistro.site_id, {"told_states": ["delivered"]})
    bistro.changes_state(order, "ready")
    bistro.changes_state(order, "delivered")
    last = bistro.messages_sent_to()[-1]
    assert (last.kind, last.content["interactive"]["text"]) == ("link_button", "Yeniden sipariş")


def test_button_titles_fit_and_are_never_an_opt_out():
    for language in chat_languages():
        titles = [chat_text(language, key) for key in CHAT_TEXTS if key.startswith("button_")]
        titles.append(chat_text(language, "open_menu"))
        assert all(0 < len(title) <= 20 for title in titles), titles
        assert len({fold_case(title) for title in titles}) == len(titles)
        assert not any(is_opt_out_request(title) for title in titles)
    assert typed_action("Stornieren.") == "cancel"


def test_cancelling_is_no_opt_out(bistro):
    order = bistro.order()
    bistro.taps("cancel", order)
    with bistro.scope():
        query = select(Contact.opted_out_at).where(Contact.tenant_id == bistro.business.tenant_id)
        assert db.session.scalars(query).all() == [None]


def test_a_card_becomes_a_text_where_it_cannot_be_sent():
    link = with_link("x" * 1100, "Pay now", "https://pay.example/1")
    assert for_line(link, "cloud") == Card("x" * 1100 + "\n\nPay now: https://pay.example/1")
    assert for_line(location_request_card("Where?"), "linked") == Card("Where?")
    assert for_line(location_request_card("Where?"), "cloud").kind == "location_request"


def test_the_bill_of_a_tab_opens_on_the_phone(bistro):
    order = bistro.order()
    bistro.taps("bill", order)
    card = bistro.messages_sent_to()[-1]
    assert card.kind == "link_button"
    link = card.content["interactive"]
    assert link["text"] == "Hesabı gör"
    tenant_id, tab_id, guest = tab_addresses.read(link["url"].rpartition("/tab/")[2])
    assert (tenant_id, tab_id, guest) == (bistro.business.tenant_id, order.tab_id, "")
    assert "telefonunuzdan" not in card.text  # no payment provider


def test_with_a_provider_the_bill_can_be_paid_on_the_phone(bistro):
    add_account(bistro.business)
    bistro.taps("bill", bistro.order())
    assert "telefonunuzdan" in bistro.messages_sent_to()[-1].text


def test_who_never_scanned_the_table_does_not_get_its_bill(bistro):
    order = bistro.order(token="")
    bistro.changes_state(order, "sent_to_kitchen")
    bistro.taps("bill", order)
    assert bistro.messages_sent_to()[-1].kind == "text"
