""" "iptal" cancels an order or stops messages: a guest with an open order is asked."""

from itertools import count

import pytest
from sqlalchemy import select

from core.db import db
from jobs.inbound import messages as inbound_messages
from messaging.contacts import identities as contact_identities
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.linked import choices
from messaging.models import Contact, Message
from restaurant.chat.cancel_or_opt_out import STOP_ID
from restaurant.chat_texts import chat_text
from restaurant.orders import queries as order_queries
from tests.restaurant.bistro import GUEST, answers, open_bistro

_ids = count(1)


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def opted_out(bistro, phone=GUEST):
    with bistro.scope():
        contact_id = contact_identities.find_contact(phone)
        contact = db.session.get(Contact, (bistro.business.tenant_id, contact_id))
        return contact.opted_out_at is not None


def question(bistro):
    with bistro.scope():
        query = select(Message).where(
            Message.tenant_id == bistro.business.tenant_id, Message.kind == "buttons"
        )
        sent = [
            one.content["interactive"] for one in db.session.scalars(query.order_by(Message.id))
        ]
        asked = [one for one in sent if STOP_ID in [button["id"] for button in one["buttons"]]]
        return asked[-1] if asked else None


def taps(bistro, button, phone=GUEST):
    message = InboundMessage(
        network_id=f"wamid.tap{next(_ids)}",
        sender_phone=phone,
        sender_network_id=phone,
        sender_name="Ayşe Kaya",
        at=0,
        kind="button",
        text=button["title"],
        content=button,
    )
    with bistro.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(bistro.line, message, tally)
        tally.write()


def state(bistro, order):
    with bistro.scope():
        return order_queries.get(order.number).state


@pytest.mark.parametrize("word", ["iptal", "İPTAL", " Iptal! "])
def test_with_an_open_order_the_guest_is_asked(bistro, word):
    order = bistro.order()
    bistro.receives(word)
    assert not opted_out(bistro)
    asked = question(bistro)
    assert order.number in asked["body"]
    assert [len(one["title"]) <= 20 for one in asked["buttons"]] == [True, True]


def test_without_an_open_order_it_is_an_opt_out(bistro):
    bistro.receives("iptal")
    assert opted_out(bistro)
    assert question(bistro) is None


def test_after_the_order_has_ended_it_is_an_opt_out_again(bistro):
    order = bistro.order()
    bistro.changes_state(order, "cancelled", because="kapandı")
    bistro.receives("iptal")
    assert opted_out(bistro)


def test_other_words_stay_opt_outs_with_an_open_order(bistro):
    bistro.order()
    bistro.receives("dur")
    assert opted_out(bistro)
    assert question(bistro) is None


def test_stopping_offers_keeps_the_order(bistro):
    order = bistro.order()
    bistro.receives("iptal")
    taps(bistro, question(bistro)["buttons"][1])
    assert opted_out(bistro)
    assert state(bistro, order) == "sent_to_kitchen"


def test_an_unconfirmed_order_is_cancelled_at_once(bistro):
    bistro.delivers()
    order = bistro.delivery()
    assert order.state == "awaiting_confirmation"
    bistro.receives("iptal")
    taps(bistro, question(bistro)["buttons"][0])
    assert state(bistro, order) == "cancelled"
    assert not opted_out(bistro)
    assert order.number in answers(bistro)[-1]


def test_an_order_that_is_being_prepared_is_left_to_the_staff(bistro):
    order = bistro.order()
    bistro.receives("iptal")
    bistro.changes_state(order, "preparing")
    taps(bistro, question(bistro)["buttons"][0])
    assert state(bistro, order) == "preparing"
    assert chat_text("tr", "staff_asked", order=order.number) in answers(bistro)[-1]


def test_nobody_cancels_the_order_of_another_guest(bistro):
    bistro.delivers()
    order = bistro.delivery()
    bistro.receives("iptal")
    button = question(bistro)["buttons"][0]
    bistro.receives("Merhaba", "905321119999")
    taps(bistro, button, "905321119999")
    assert state(bistro, order) == "awaiting_confirmation"


def test_a_linked_phone_answers_with_a_number(bistro):
    bistro.order()
    bistro.receives("iptal")
    content = question(bistro)
    offered = [choices.Choice(one["id"], one["title"]) for one in content["buttons"]]
    assert choices.find_choice("2", offered).id == STOP_ID
