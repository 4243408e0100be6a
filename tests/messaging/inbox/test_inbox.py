"""Conversations: listed, found, shared out, read, and answered once."""

import io
import os
from datetime import timedelta

import pytest
from PIL import Image

from core.clock import frozen, now
from core.errors import Conflict, Invalid, NotFound
from core.security import signed_urls
from core.storage.blobs import FolderBlobs
from messaging import search_index
from messaging.inbox import conversation_actions, quick_replies, read_receipts, thread
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import replies as inbox_replies
from messaging.inbox.conversations import ConversationFilters
from messaging.inbox.replies import Reply
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.messages.media import uploads as media_uploads
from tenants.audit import Actor, acting_as
from tests.messaging.inbox.inbox_factory import AYSE, VELI, add_line, talk_with, talks, writes


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def selin(restaurant):
    return restaurant.hires("inbox", "Selin Kaya")


def as_person(person):
    return acting_as(Actor("person", person.id, person.name))


def send(business, person, once="once-1", phone=AYSE, **more):
    with as_person(person), business.scope():
        return inbox_replies.send_reply(
            inbox_conversations.get(talk_with_id(phone)), Reply(once=once, **more)
        )


def talk_with_id(phone):
    found = inbox_conversations.list_conversations(ConversationFilters(view="all"), None, 50)
    return next(one.id for one in found if phone in one.places)


def entries(business, phone=AYSE, **more):
    with business.scope():
        return thread.newest_entries(inbox_conversations.get(talk_with_id(phone)), **more)


def test_the_newest_is_first_and_pages_follow_each_other(restaurant, line):
    start = now() - timedelta(hours=1)
    for number in range(7):
        writes(restaurant, line, f"90532111{6000 + number}", at=start + timedelta(minutes=number))
    seen, after = [], None
    while True:
        with restaurant.scope():
            page = inbox_conversations.list_conversations(ConversationFilters(), after, 3)
        if not page:
            break
        seen += [one.phone for one in page]
        after = page[-1].cursor
    assert seen == [f"90532111{6006 - number}" for number in range(7)]


def test_each_view_shows_its_own(restaurant, line, selin):
    writes(restaurant, line, AYSE)
    writes(restaurant, line, VELI, name="Veli")
    mine, other = talk_with(restaurant, AYSE).id, talk_with(restaurant, VELI).id
    with as_person(selin), restaurant.scope():
        conversation_actions.assign(mine, selin.id)
        conversation_actions.mark_read(mine)
        conversation_actions.close(other)

    def shown(view):
        return [one.id for one in talks(restaurant, view=view, me=selin.id)]

    assert shown("open") == shown("mine") == [mine]
    assert shown("unassigned") == shown("unread") == []
    assert shown("closed") == [other]
    writes(restaurant, line, VELI, name="Veli")
    assert shown("closed") == [], "a customer's word opens it again"
    assert shown("unread") == shown("unassigned") == [other]
    with restaurant.scope():
        assert inbox_conversations.unread_count() == 1


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("rezervasyon", True),
        ("REZER", True),
        ("rezer yılm", True),
        ("YILMAZ", True),
        ("+90 532 111 77 01", True),
        ("0532 1117701", True),
        ("7701", True),
        ("905321117", True),
        ("rezervasyon veli", False),
        ("ezervasyon", False),
        ("zzz", False),
        ("%", False),
        ("'; --", False),
    ],
)
def test_it_is_found_by_the_beginnings_of_words(restaurant, line, query, found):
    writes(restaurant, line, text="Rezervasyonu iptal edebilir miyim?")
    writes(restaurant, line, VELI, text="Selam", name="Veli Demir")
    assert bool(talks(restaurant, query=query)) is found


def test_words_are_few_and_short_whatever_is_written():
    assert (
        len(search_index.words_of(" ".join(f"word{n}" for n in range(500))))
        == search_index.MOST_OF_A_TEXT
    )
    assert max(map(len, search_index.words_of("x" * 5000))) == search_index.LONGEST
    assert search_index.words_of("I İ ı i") == []


def test_what_was_said_and_noted_stands_in_order(restaurant, line, selin):
    writes(restaurant, line, text="bir")
    with as_person(selin), restaurant.scope():
        conversation_actions.add_note(talk_with_id(AYSE), "iki")
    send(restaurant, selin, text="üç")
    page = entries(restaurant)
    assert [one.text for one in page.entries if one.text] == ["bir", "iki", "üç"]
    assert page.older is None
    with restaurant.scope():
        talk = inbox_conversations.get(talk_with_id(AYSE))
        newest = thread.newest_entries(talk, limit=2)
        before = thread.newest_entries(talk, before=newest.older, limit=2)
        later = thread.entries_since(talk, page.entries[0].id)
    assert [one.text for one in newest.entries] == ["iki", "üç"]
    assert [one.text for one in before.entries] == ["bir"]
    assert [one.text for one in later.entries] == ["iki", "üç"]


def test_what_a_program_sent_is_in_it_too(restaurant, line):
    from messaging.messages import accept as message_accept
    from messaging.messages.accept import MessageDraft
    from tenants.plans.catalog import current_tenant_facts

    writes(restaurant, line)
    with restaurant.scope():
        message_accept.accept_message(
            MessageDraft("text", AYSE, "by the API"),
            line_repository.get(line),
            current_tenant_facts(),
        )
    said = entries(restaurant).entries[-1]
    assert (said.text, said.by) == ("by the API", "")


def test_a_reaction_hangs_on_its_message_and_a_quote_is_shown(restaurant, line):
    writes(restaurant, line, text="Pasta olur mu?", wamid="wamid.cake")
    writes(restaurant, line, text="😍", kind="reaction", message_id="wamid.cake", emoji="😍")
    writes(restaurant, line, text="evet", reply_to="wamid.cake")
    first, second = entries(restaurant).entries
    assert (first.text, first.reactions) == ("Pasta olur mu?", ["😍"])
    assert (second.quote.text, second.quote.id) == ("Pasta olur mu?", first.id)
    writes(restaurant, line, text="", kind="reaction", message_id="wamid.cake", emoji="")
    assert entries(restaurant).entries[0].reactions == []


def test_somebody_without_a_phone_is_named_and_answered(restaurant, line, selin):
    writes(restaurant, line, phone="", network_id="TR.4821337712", name="kahvesever")
    [talk] = talks(restaurant)
    assert (talk.title, talk.phone, talk.address) == ("kahvesever", "", "TR.4821337712")
    with as_person(selin), restaurant.scope():
        message_id = inbox_replies.send_reply(talk, Reply(once="x", text="Selam"))
        assert message_queries.get(message_id).phone == "TR.4821337712"


def test_an_answer_is_sent_once_however_often_it_is_asked(restaurant, line, selin):
    writes(restaurant, line)
    first = send(restaurant, selin, text="Tek")
    assert send(restaurant, selin, text="Tek") == first
    with pytest.raises(Invalid):
        send(restaurant, selin, text="Başka")
    talk = talk_with(restaurant)
    assert [one.text for one in entries(restaurant).entries].count("Tek") == 1
    assert (talk.unread, talk.assigned_to, talk.last_text) == (0, selin.id, "Tek")


def test_a_closed_window_takes_a_template_and_nothing_else(restaurant, line, selin):
    with frozen(now() - timedelta(hours=25)):
        writes(restaurant, line)
    talk = talk_with(restaurant)
    assert talk.window_left() == timedelta(0)
    with pytest.raises(Conflict) as refused:
        send(restaurant, selin, text="Geç kaldım")
    assert refused.value.code == "window_closed"
    made = send(restaurant, selin, once="t", template=("hello_world", "tr", ["Ayşe"]))
    with restaurant.scope():
        message = message_queries.get(made)
    assert (message.kind, message.content["parameters"]) == ("template", ["Ayşe"])


def test_nothing_goes_out_by_a_line_that_is_off_or_gone(restaurant, line, selin):
    writes(restaurant, line)
    with restaurant.scope():
        line_repository.set_enabled(line, False)
    with pytest.raises(Conflict):
        send(restaurant, selin, text="x")
    with restaurant.scope():
        line_removal.remove(line)
        talk = inbox_conversations.get(talk_with_id(AYSE))
        assert (
            inbox_replies.reply_obstacle(talk, inbox_replies.conversation_line(talk))
            == "line_removed"
        )


def test_only_who_may_answer_can_have_it(restaurant, line):
    writes(restaurant, line)
    viewer, talk = restaurant.hires("viewer", "Vera"), talk_with(restaurant).id
    for who in (viewer.id, "per_00000000000000000000000000"):
        with pytest.raises(Invalid), restaurant.scope():
            conversation_actions.assign(talk, who)
    with pytest.raises(NotFound), restaurant.scope():
        conversation_actions.assign("cnv_00000000000000000000000000", None)


def test_reading_is_told_to_the_network_and_only_what_was_seen(restaurant, line):
    first = writes(restaurant, line, wamid="wamid.first")
    writes(restaurant, line, wamid="wamid.second")
    talk = talk_with(restaurant).id
    with restaurant.scope():
        assert not conversation_actions.mark_read(talk, shown_id=first), (
            "the second one was not seen"
        )
        assert conversation_actions.mark_read(talk)
        assert [one.network_id for one in read_receipts.claim_read_messages()] == ["wamid.second"]
        assert read_receipts.claim_read_messages() == []
        conversation_actions.mark_unread(talk)
        assert inbox_conversations.get(talk).unread == 1


def test_quick_replies_are_filled_by_name_only(restaurant):
    with restaurant.scope():
        one = quick_replies.save("/Saat", "Merhaba {name}, 100 % açığız")
        assert one.shortcut == "saat"
        with pytest.raises(Invalid, match="Another"):
            quick_replies.save("saat", "x")
        for bad in ("{config}", "{0}", "{name.__class__}", "{}"):
            with pytest.raises(Invalid, match="does not exist"):
                quick_replies.save("other", bad)
        assert quick_replies.save("saat", "Yeni", one.id).text == "Yeni"
        quick_replies.remove(one.id)
        assert quick_replies.list_quick_replies() == []
    assert quick_replies.fill_quick_reply("{name} {x}", {"name": "{x}"}) == "{x} {x}"


def picture(size=(80, 60), kind="PNG", mode="RGB"):
    out = io.BytesIO()
    image = Image.new(mode, size, "red")
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    image.save(out, kind, exif=exif)
    return out.getvalue()


def keep(tmp_path, body, name):
    return media_uploads.store_upload(FolderBlobs(tmp_path), io.BytesIO(body), name, "7")


def test_a_photo_is_drawn_again_without_what_was_written_beside_it(tmp_path):
    kept = keep(tmp_path, picture((4000, 300), "JPEG"), "../../IMG 1.jpeg")
    assert (kept.kind, kept.mime_type, kept.filename) == ("image", "image/jpeg", ".._.._IMG 1.jpg")
    with FolderBlobs(tmp_path).open(kept.key) as file:
        body = file.read()
    assert b"taken at home" not in body
    assert Image.open(io.BytesIO(body)).width == media_uploads.LARGEST_SIDE
    token = kept.url.rpartition("/")[2]
    assert signed_urls.read_signed(media_uploads.LINK_PURPOSE, token)[0] == kept.key


@pytest.mark.parametrize(
    ("body", "name", "kind"),
    [
        (b"%PDF-1.7 x", "menu.pdf", "document"),
        (b"a,b\n1,2", "list.csv", "document"),
        (b"PK\x03\x04zip", "bill.xlsx", "document"),
        (b"\0\0\0\x18ftypmp42", "film.mov", "video"),
        (b"OggS....", "voice.ogg", "audio"),
        (picture(mode="RGBA"), "logo.exe", "image"),
    ],
)
def test_a_file_is_what_it_holds(tmp_path, body, name, kind):
    assert keep(tmp_path, body, name).kind == kind


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"", "empty.pdf"),
        (b"<html><script>", "page.html"),
        (b"<svg onload=x>", "x.svg"),
        (b"MZ\x90\0", "setup.exe"),
        (b"PK\x03\x04", "code.zip"),
        (b"\x89PNG\r\n broken", "x.png"),
        (b"\xff\xfe\0bin", "x.txt"),
        (b"%PDF-" + os.urandom(26 * 1024 * 1024), "large.pdf"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_message(tmp_path, body, name):
    with pytest.raises(Invalid):
        keep(tmp_path, body, name)
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]
