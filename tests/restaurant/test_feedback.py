"""The question after the meal: who is asked, what an answer does, and who hears of it."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from core.clock import UTC, advance, frozen, now
from core.db import db
from jobs.restaurant import orders as order_jobs
from messaging.contacts import consent
from messaging.inbox import conversation_actions
from messaging.inbox import conversations as inbox_conversations
from messaging.models import ConversationNote
from restaurant.feedback import questions
from restaurant.models import OrderFeedback
from restaurant.sites import sites
from tests.restaurant.bistro import open_bistro

NOON = datetime(2026, 11, 16, 10, tzinfo=UTC)  # 13:00 in Istanbul


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant, feedback_minutes=60, told_states=[])


@pytest.fixture(autouse=True)
def noon():
    with frozen(NOON):
        yield


def completed(bistro, **more):
    order = bistro.order(**more)
    for to in ("ready", "served", "closed"):
        bistro.changes_state(order, to)
    return order


def ask(bistro, minutes=61):
    """The staff have read the conversation before."""
    advance(timedelta(minutes=minutes))
    with bistro.scope():
        filters = inbox_conversations.ConversationFilters(view="unread")
        for talk in inbox_conversations.list_conversations(filters, None, 20):
            conversation_actions.mark_read(talk.id)
    return order_jobs.ask_guests(bistro.business.tenant_id)


def feedback(bistro, order):
    with bistro.scope():
        return questions.of_order(order.id)


def shown(browser, path):
    return browser.get(path).get_data(as_text=True)


def answers(bistro, answer, order, phone="905321112233"):
    bistro.taps_id(f"feedback:{answer}:{order.id}", answer, phone)


def test_a_guest_is_asked_once_an_hour_after_the_meal(bistro):
    order = completed(bistro)
    assert ask(bistro, 30) == 0
    assert ask(bistro, 31) == 1
    assert ask(bistro, 600) == 0
    (message,) = bistro.messages_sent_to()
    buttons = message.content["interactive"]["buttons"]
    assert [one["id"].split(":")[1] for one in buttons] == ["good", "okay", "bad"]
    assert feedback(bistro, order).asked_at is not None


def test_nothing_is_asked_while_it_is_turned_off(bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"feedback_minutes": 0})
    order = completed(bistro)
    assert ask(bistro) == 0
    assert feedback(bistro, order) is None


def test_a_cancelled_order_is_not_asked_about(bistro):
    order = bistro.order()
    bistro.changes_state(order, "cancelled", because="kapandı")
    assert feedback(bistro, order) is None


@pytest.mark.parametrize("why", ["opted_out", "window_closed", "asked_recently"])
def test_a_guest_who_must_not_be_asked_is_skipped(bistro, why):
    if why == "asked_recently":
        completed(bistro)
        assert ask(bistro) == 1
    order = completed(bistro)
    if why == "opted_out":
        with bistro.scope():
            consent.opt_out(order.contact_id, now(), "word")
    assert ask(bistro, 25 * 60 if why == "window_closed" else 61) == 0
    assert feedback(bistro, order).skipped == why


def test_nobody_is_asked_at_night(bistro):
    with frozen(datetime(2026, 11, 16, 20, 30, tzinfo=UTC)):  # 23:30 in Istanbul
        order = completed(bistro)
    assert feedback(bistro, order).due_at == datetime(2026, 11, 17, 7, tzinfo=UTC)


def test_a_happy_guest_gets_the_review_link(bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"review_url": "https://example.com/lemar/reviews"})
    order = completed(bistro)
    ask(bistro)
    answers(bistro, "good", order)
    assert feedback(bistro, order).answer == "good"
    assert "https://example.com/lemar/reviews" in str(bistro.messages_sent_to()[-1].content)
    assert bistro.unread() == 0


def test_an_unhappy_guest_goes_to_the_manager_first(bistro, browser):
    with bistro.scope():
        sites.change(
            bistro.site_id,
            {"review_url": "https://example.com/reviews", "manager_phone": "+905321110001"},
        )
    order = completed(bistro)
    ask(bistro)
    answers(bistro, "bad", order)
    assert "example.com" not in str(bistro.messages_sent_to()[-1].content)
    assert order.number in bistro.texts_sent_to("905321110001")[-1]
    assert bistro.unread() == 1  # a person answers
    with bistro.scope():
        tenant_id = bistro.business.tenant_id
        query = select(ConversationNote.text).where(ConversationNote.tenant_id == tenant_id)
        assert order.number in db.session.scalars(query).one()
    browser.signs_in(bistro.business.owner)
    assert "Guests who were not happy with their order: 1." in shown(browser, "/home")
    assert order.number in shown(browser, "/orders/unhappy")
    browser.post(f"/orders/{order.number}/feedback")
    assert order.number not in shown(browser, "/orders/unhappy")
    assert "not happy" not in shown(browser, "/home")


def test_a_typed_answer_counts_and_a_second_one_does_not(bistro):
    order = completed(bistro)
    ask(bistro)
    bistro.receives("Okay")
    assert feedback(bistro, order).answer == "okay"
    sent = len(bistro.texts_sent_to())
    answers(bistro, "good", order)
    assert feedback(bistro, order).answer == "okay"
    assert len(bistro.texts_sent_to()) == sent


def test_nobody_answers_for_another_guest(bistro):
    order = completed(bistro)
    ask(bistro)
    bistro.receives("Merhaba", "905329990000")
    answers(bistro, "bad", order, "905329990000")
    assert feedback(bistro, order).answer == ""


def test_an_answer_is_stored_with_the_first_question_only(bistro):
    with bistro.scope():
        tenant_id = bistro.business.tenant_id
        query = select(OrderFeedback).where(OrderFeedback.tenant_id == tenant_id)
        assert db.session.scalars(query).all() == []
    bistro.receives("Okay")  # without a question it is an ordinary message
    assert bistro.unread() == 1
