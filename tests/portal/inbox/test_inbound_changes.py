"""Edits, deletions, echoes, ads and hand-overs on the pages of the inbox."""

import time

import pytest

from messaging.inbox import conversations as inbox_conversations
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import EchoedMessage, LineUpdate
from messaging.messages.inbound.echoes import store_echo
from messaging.messages.receive import receive_line_update
from tests.factories import Browser
from tests.messaging.inbox.inbox_factory import AYSE, add_line, talk_with, writes

REFERRAL = {
    "source_url": "https://fb.me/x",
    "source_id": "120226305854810726",
    "source_type": "ad",
    "headline": "Lunch for two",
    "body": "Every weekday",
    "ctwa_clid": "clid",
}


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def reader(app, restaurant):
    return Browser(app.test_client()).signs_in(restaurant.hires("inbox", "Selin Kaya"))


def update(business, line, kind, **detail):
    with business.scope():
        full = {"at": int(time.time()), **detail}
        receive_line_update(line_repository.get(line), LineUpdate(kind, full))


def thread_of(reader, business, **headers):
    return reader.get(f"/inbox/{talk_with(business).id}", **headers).get_data(as_text=True)


def test_an_edited_message_shows_its_history(reader, restaurant, line):
    writes(restaurant, line, text="Table for two", wamid="wamid.A")
    update(restaurant, line, "edited", network_id="wamid.A", text="Table for three")
    shown = thread_of(reader, restaurant)
    entry = shown.split('class="entry entry-in')[1]
    assert "Edited" in entry
    assert "<li>Table for two</li>" in entry
    assert "Table for three" in entry


def test_a_deleted_message_shows_no_text(reader, restaurant, line):
    writes(restaurant, line, text="my secret", wamid="wamid.A")
    writes(restaurant, line, text="and this", reply_to="wamid.A")
    update(restaurant, line, "deleted", network_id="wamid.A")
    shown = thread_of(reader, restaurant)
    assert "my secret" not in shown
    assert shown.count("This message was deleted") == 2  # the message and the quote of it


def test_the_list_does_not_show_a_deleted_text(reader, restaurant, line):
    writes(restaurant, line, text="my secret", wamid="wamid.A")
    update(restaurant, line, "deleted", network_id="wamid.A")
    page = reader.get("/inbox").get_data(as_text=True)
    assert "my secret" not in page
    assert "This message was deleted" in page


def test_an_open_page_gets_the_changed_message(reader, restaurant, line):
    message_id = writes(restaurant, line, text="one", wamid="wamid.A")
    update(restaurant, line, "edited", network_id="wamid.A", text="two")
    talk = talk_with(restaurant).id
    fresh = reader.get(
        f"/inbox/{talk}?since={message_id}&again={message_id}", headers={"X-Part": "fresh"}
    ).get_data(as_text=True)
    part = fresh.split(f'data-body="{message_id}"')[1]
    assert "two" in part
    assert 'data-version="' in part.split(">")[0]
    assert 'data-version=""' not in part.split(">")[0]


def test_a_message_from_the_phone_is_named(reader, restaurant, line):
    writes(restaurant, line, text="Merhaba")
    with restaurant.scope():
        echo = EchoedMessage("wamid.E", AYSE, "", int(time.time()), "text", "Buyurun")
        store_echo(line_repository.get(line), echo)
    entry = thread_of(reader, restaurant).split('class="entry entry-out')[1]
    assert "Sent from the phone" in entry
    assert "Buyurun" in entry


def test_an_ad_is_shown_above_the_message(reader, restaurant, line):
    writes(restaurant, line, text="Is it on?", referral=REFERRAL)
    entry = thread_of(reader, restaurant).split('class="entry entry-in')[1]
    for part in ("From an ad", "Lunch for two", "Every weekday", 'href="https://fb.me/x"'):
        assert part in entry


def test_a_link_that_runs_script_is_not_a_link(reader, restaurant, line):
    bad = {**REFERRAL, "source_url": "javascript:alert(1)"}
    writes(restaurant, line, text="Is it on?", referral=bad)
    assert "javascript:alert" not in thread_of(reader, restaurant)


def test_the_answers_of_a_flow_are_readable(reader, restaurant, line):
    answers = {"party_size": "4", "flow_token": "hidden-token", "extras": ["cake"]}
    content = {"id": "flow", "title": "Sent", "answers": answers}
    writes(restaurant, line, text="Sent", kind="button", **content)
    entry = thread_of(reader, restaurant).split('class="entry entry-in')[1]
    assert "<dt>party size</dt><dd>4</dd>" in entry
    assert "cake" in entry
    assert "hidden-token" not in entry


def test_the_head_shows_that_the_agent_answers(reader, restaurant, line):
    writes(restaurant, line, text="Open?", handled_by="meta_agent")
    shown = thread_of(reader, restaurant)
    assert "Meta's agent answers this customer" in shown
    assert "Take over" in shown


def test_a_reply_takes_the_conversation_over(reader, restaurant, line):
    writes(restaurant, line, text="Open?", handled_by="meta_agent")
    talk = talk_with(restaurant).id
    reader.post(f"/inbox/{talk}/answer", text="Yes, until ten", mode="reply")
    with restaurant.scope():
        assert inbox_conversations.get(talk).held_by == ""
    assert "Take over" not in thread_of(reader, restaurant)


def test_a_note_does_not_take_it_over(reader, restaurant, line):
    writes(restaurant, line, text="Open?", handled_by="meta_agent")
    talk = talk_with(restaurant).id
    reader.post(f"/inbox/{talk}/answer", text="Let it answer", mode="note")
    with restaurant.scope():
        assert inbox_conversations.get(talk).held_by == "meta_agent"
