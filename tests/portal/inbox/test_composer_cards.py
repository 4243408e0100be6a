"""Members send buttons, lists, links, contact cards, recordings and reactions from the inbox."""

import io

import pytest
from sqlalchemy import select

from core.db import db
from messaging.inbox import quick_replies
from messaging.models import Message
from tests.factories import Browser
from tests.messaging.inbox.inbox_factory import AYSE, add_line, talk_with, talks, writes
from tests.messaging.lines.linked_processes import add_line as add_linked_line

OPUS = b"OggS\0\x02" + b"\0" * 22 + b"OpusHead" + b"\0" * 40
WEBP = b"RIFF\x1a\0\0\0WEBPVP8L" + b"\0" * 20


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def talk(restaurant, line):
    writes(restaurant, line, text="Bu akşam yer var mı?")
    return talk_with(restaurant).id


@pytest.fixture
def selin(app, restaurant):
    return Browser(app.test_client()).signs_in(restaurant.hires("inbox", "Selin Kaya"))


def last_sent(business) -> Message:
    with business.scope():
        query = select(Message).where(
            Message.tenant_id == business.tenant_id, Message.direction == "out"
        )
        return db.session.scalars(query.order_by(Message.id.desc()).limit(1)).one()


def test_buttons_are_sent_below_the_text(selin, restaurant, talk):
    answer = selin.post(
        f"/inbox/{talk}/answer", mode="reply", text="20:00 uygun mu?", kind="buttons",
        buttons=["Evet", " Hayır ", ""],
    )  # fmt: skip
    assert answer.status_code == 302
    sent = last_sent(restaurant)
    assert (sent.kind, sent.text) == ("buttons", "20:00 uygun mu?")
    assert sent.content["interactive"]["buttons"] == [
        {"id": "Evet", "title": "Evet"},
        {"id": "Hayır", "title": "Hayır"},
    ]
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert "<li>Evet</li><li>Hayır</li>" in page


def test_a_list_has_one_choice_per_line_with_its_description(selin, restaurant, talk):
    selin.post(
        f"/inbox/{talk}/answer", mode="reply", text="Saat?", kind="list", list_button="Seç",
        rows="19:00 | Pencere kenarı\n\n20:00\n",
    )  # fmt: skip
    sent = last_sent(restaurant).content["interactive"]
    assert sent["sections"] == [
        {
            "rows": [
                {"id": "19:00", "title": "19:00", "description": "Pencere kenarı"},
                {"id": "20:00", "title": "20:00"},
            ]
        }
    ]


def test_a_link_button_and_a_contact_card(selin, restaurant, talk):
    selin.post(
        f"/inbox/{talk}/answer", mode="reply", text="Menümüz", kind="link_button",
        link_text="Aç", link_url="https://lokanta.example/menu",
    )  # fmt: skip
    assert last_sent(restaurant).content["interactive"]["url"] == "https://lokanta.example/menu"
    selin.post(
        f"/inbox/{talk}/answer", mode="reply", kind="contacts", contact_name="Derya",
        contact_phone="+90 532 111 22 33",
    )  # fmt: skip
    sent = last_sent(restaurant)
    assert (sent.kind, sent.content["cards"][0]["phones"][0]["wa_id"]) == (
        "contacts",
        "905321112233",
    )


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"kind": "buttons", "buttons": ["Evet"]}, "Enter the text of the message first."),
        ({"kind": "buttons", "text": "x"}, "Enter the text of at least one button."),
        ({"kind": "buttons", "text": "x", "buttons": ["a" * 21]}, "at most 20 characters"),
        ({"kind": "buttons", "text": "x", "buttons": ["a", "a"]}, "the same text"),
        ({"kind": "list", "text": "x", "list_button": "y"}, "at least one choice"),
        ({"kind": "list", "text": "x", "rows": "a"}, "text of the list"),
        (
            {"kind": "list", "text": "x", "list_button": "y", "rows": "\n".join("abcdefghijk")},
            "at most 10",
        ),
        (
            {"kind": "link_button", "text": "x", "link_text": "y", "link_url": "menu"},
            "starts with https://",
        ),
        ({"kind": "contacts", "contact_name": "x", "contact_phone": "1"}, "not a valid phone"),
    ],
)
def test_limits_are_told_in_the_words_of_the_page(selin, talk, fields, fault):
    answer = selin.post(f"/inbox/{talk}/answer", mode="reply", **fields)
    assert answer.status_code == 422
    assert fault in answer.get_data(as_text=True)


def test_voice_messages_and_stickers_are_checked_and_sent(selin, restaurant, talk):
    path = f"/inbox/{talk}/answer"
    selin.post(path, mode="reply", kind="voice", voice_file=(io.BytesIO(OPUS), "note.ogg"))
    assert (last_sent(restaurant).kind, last_sent(restaurant).content["voice"]) == ("voice", True)
    selin.post(path, mode="reply", kind="sticker", sticker_file=(io.BytesIO(WEBP), "s.webp"))
    assert last_sent(restaurant).kind == "sticker"
    answer = selin.post(path, mode="reply", kind="voice", voice_file=(io.BytesIO(b"ID3"), "a.mp3"))
    assert "must be an OGG file" in answer.get_data(as_text=True)


def test_a_reaction_is_sent_to_the_customers_message(selin, restaurant, line, talk):
    message = writes(restaurant, line, text="Teşekkürler", wamid="wamid.thanks")
    answer = selin.post(f"/inbox/{talk}/react", message=message, emoji="👍")
    assert answer.status_code == 302
    sent = last_sent(restaurant)
    assert (sent.kind, sent.content["message_id"]) == ("reaction", "wamid.thanks")
    assert selin.post(f"/inbox/{talk}/react", message=sent.id, emoji="👍").status_code == 404
    selin.post(f"/inbox/{talk}/react", message=message, emoji="nice")
    assert last_sent(restaurant).id == sent.id


def test_a_line_offers_only_what_it_can_send(selin, restaurant, talk):
    cloud = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert 'data-panel-open="buttons"' in cloud
    assert "sent as a numbered list" not in cloud
    linked = add_linked_line(restaurant)
    writes(restaurant, linked, AYSE)
    other = next(one for one in talks(restaurant) if one.line_id == linked)
    page = selin.get(f"/inbox/{other.id}").get_data(as_text=True)
    assert "sent as a numbered list" in page


def test_a_quick_reply_can_have_buttons_or_a_list(selin, restaurant, talk):
    saved = selin.post(
        "/inbox/quick-replies", shortcut="saat", text="Hangi saat?", kind="buttons",
        button_1="19:00", button_2="20:00",
    )  # fmt: skip
    assert saved.status_code == 302
    with restaurant.scope():
        (reply,) = quick_replies.list_quick_replies()
        assert reply.content == {"kind": "buttons", "buttons": ["19:00", "20:00"]}
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert "data-quick-card=" in page
    form = selin.get(f"/inbox/quick-replies/{reply.id}").get_data(as_text=True)
    assert 'value="20:00"' in form
    path = f"/inbox/quick-replies/{reply.id}"
    refused = selin.post(path, shortcut="saat", text="Hangi saat?", kind="list", list_button="Seç")
    assert "Enter at least one choice for the list." in refused.get_data(as_text=True)
    selin.post(path, shortcut="saat", text="Hangi saat?", kind="list", list_button="Seç", rows="a")
    selin.post(path, shortcut="saat", text="Hangi saat?", kind="")
    with restaurant.scope():
        assert quick_replies.list_quick_replies()[0].content == {}


def test_the_page_reports_that_a_member_types(selin, talk):
    assert selin.post(f"/inbox/{talk}/typing").json == {"shown": True}
    assert selin.post(f"/inbox/{talk}/typing").json == {"shown": False}
