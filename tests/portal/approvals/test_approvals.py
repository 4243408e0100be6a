"""The page of messages that apps want to send."""

import pytest

from core.db import db
from messaging.approvals import policies, queries, submit
from messaging.approvals.submit import SendingApp
from messaging.lines import repository as lines
from messaging.messages.accept import MessageDraft
from messaging.models import Message
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.inbox.inbox_factory import AYSE, add_line, writes
from tests.portal.page_reader import text_of


@pytest.fixture
def line(restaurant):
    made = add_line(restaurant)
    writes(restaurant, made)
    return made


@pytest.fixture
def held(restaurant, line):
    with restaurant.scope():
        return submit.submit_message(
            SendingApp(restaurant.key_id, "Table agent", "Derya Aksoy"),
            MessageDraft("text", AYSE, "Your table is ready"),
            lines.get(line),
            current_tenant_facts(),
        ).id


@pytest.fixture
def member(browser, restaurant):
    return browser.signs_in(restaurant.hires("inbox", "Selin Kaya"))


def sent(business):
    with business.scope():
        return [
            (one.id, one.state)
            for one in db.session.query(Message).filter_by(
                tenant_id=business.tenant_id, direction="out"
            )
        ]


def test_the_page_shows_what_an_app_wants_to_send(member, held):
    page = text_of(member.get("/approvals"))
    assert "Your table is ready" in page
    assert "Table agent, for Derya Aksoy" in page
    assert "Ayşe Yılmaz" in page
    assert member.get("/approvals/count").json == {"waiting": 1}
    assert "data-approvals-badge>1<" in member.get("/home").get_data(as_text=True)


def test_approve_sends_it_and_a_second_click_does_not(member, held, restaurant):
    page = text_of(member.post(f"/approvals/{held}/approve", follow=True))
    assert "Approved. The message is on its way." in page
    assert "Nothing to approve" in page
    page = text_of(member.post(f"/approvals/{held}/approve", follow=True))
    assert "Somebody has already decided" in page
    assert sent(restaurant) == [(held, "queued")]
    assert "Selin Kaya" in text_of(member.get("/approvals/decided"))


def test_reject_does_not_send_it(member, held, restaurant):
    assert "Rejected. The message is not sent." in text_of(
        member.post(f"/approvals/{held}/reject", follow=True)
    )
    assert sent(restaurant) == []


def test_a_refusal_is_shown_and_the_message_stays(member, held, restaurant, line):
    with restaurant.scope():
        lines.set_enabled(line, False)
    page = text_of(member.post(f"/approvals/{held}/approve", follow=True))
    assert "This line is turned off." in page
    assert "Your table is ready" in page


def test_viewers_and_waiters_cannot_decide(browser, restaurant, held):
    viewer = browser.signs_in(restaurant.hires("viewer"))
    assert viewer.get("/approvals").status_code == 403
    assert viewer.post(f"/approvals/{held}/approve").status_code == 403
    assert sent(restaurant) == []


def test_another_business_sees_nothing(browser, shop, held):
    owner = browser.signs_in(shop.owner)
    assert "Nothing to approve" in text_of(owner.get("/approvals"))
    assert owner.post(f"/approvals/{held}/approve").status_code == 404


def test_the_policy_of_a_key_can_be_changed(browser, restaurant):
    owner = browser.signs_in(restaurant.owner)
    path = f"/approvals/policies/{restaurant.key_id}"
    assert "A person approves every message" in text_of(owner.get(path))
    fields = {
        "mode": "automatic_in_window",
        "only_who_wrote": "y",
        "daily_messages": "7",
        "daily_usd": "1.5",
        "hold_hours": "4",
    }
    assert owner.post(path, **fields).status_code == 302
    with restaurant.scope():
        known = policies.policy_of(restaurant.key_id)
    assert (known.mode, known.only_who_wrote, known.no_marketing) == (
        "automatic_in_window",
        True,
        False,
    )
    assert (known.daily_messages, str(known.daily_usd), known.hold_hours) == (7, "1.500000", 4)
    page = owner.post(path, **{**fields, "daily_usd": "-1", "hold_hours": "100"})
    assert "Enter a number from 1 to 72." in text_of(page)


def test_the_api_shows_lists_and_cancels_a_held_message(client, restaurant, shop, held):
    bearer = restaurant.bearer
    assert client.get(f"/api/v1/messages/{held}", headers=bearer).json["status_code"] == "held"
    listed = client.get("/api/v1/messages?status_code=held", headers=bearer).json["data"]
    assert [one["id"] for one in listed] == [held]
    assert client.get(f"/api/v1/messages/{held}", headers=shop.bearer).status_code == 404
    assert client.post(f"/api/v1/messages/{held}/cancel", headers=shop.bearer).status_code == 404
    answer = client.post(f"/api/v1/messages/{held}/cancel", headers=bearer)
    assert answer.json["status_code"] == "cancelled"
    with restaurant.scope():
        assert queries.waiting_count() == 0
