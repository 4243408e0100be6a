"""The inbox pages without scripts: rights, forms, files, and escaping of names."""

import io
import re
from datetime import timedelta

import pytest
from PIL import Image
from sqlalchemy import update

from core.clock import frozen, now
from core.db import db, tenant_scope
from core.security.live_tokens import read_live_token
from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from messaging.inbox import conversation_actions, quick_replies, thread
from messaging.inbox import conversations as inbox_conversations
from messaging.lines import repository as line_repository
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.messages import queries as message_queries
from messaging.models import MediaFile
from messaging.templates import repository as template_repository
from portal.onboarding.new_tenant import add_simulated_lines
from tests.factories import Browser
from tests.messaging.inbox.inbox_factory import AYSE, VELI, add_line, talk_with, writes
from tests.messaging.message_factory import sent_message
from tests.portal.hostile_texts import CORPUS
from tests.portal.page_reader import faults, nonce_of

# our own link, on purpose
THE_WAY = "a href=https://www.google.com/maps/dir/?api=1&destination=1,2"


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def talk(restaurant, line):
    writes(restaurant, line, text="Bu akşam yer var mı?")
    return talk_with(restaurant).id


def signed_in(app, business, role, name="Selin Kaya"):
    return Browser(app.test_client()).signs_in(business.hires(role, name))


def messages_in(business, talk_id):
    with business.scope():
        return thread.newest_entries(inbox_conversations.get(talk_id)).entries


def test_a_member_answers_with_a_form_and_a_second_click_sends_nothing(app, restaurant, talk):
    selin = signed_in(app, restaurant, "inbox")
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert "Bu akşam yer var mı?" in page
    once = re.search(r'name="once" value="([^"]+)"', page)[1]
    for _ in range(2):
        answer = selin.post(f"/inbox/{talk}/answer", once=once, mode="reply", text="Var, bekleriz")
        assert answer.status_code == 302
    texts = [one.text for one in messages_in(restaurant, talk)]
    assert texts.count("Var, bekleriz") == 1
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert "Selin Kaya" in page


def test_what_cannot_be_sent_comes_back_with_what_was_typed(app, restaurant, talk):
    selin = signed_in(app, restaurant, "inbox")
    answer = selin.post(f"/inbox/{talk}/answer", mode="reply", text="x" * 5000)
    assert answer.status_code == 422
    page = answer.get_data(as_text=True)
    assert "x" * 5000 in page
    assert "too long" in page
    empty = selin.client.post(
        f"/inbox/{talk}/answer",
        data={"csrf_token": selin.token, "mode": "reply", "text": "  "},
        headers={"X-Part": "act"},
    )
    assert (empty.status_code, empty.json["error"]) == (422, "Enter some text first.")


def test_roles_see_and_answer_as_they_may(app, restaurant, talk):
    viewer, waiter = signed_in(app, restaurant, "viewer"), signed_in(app, restaurant, "waiter")
    page = viewer.get(f"/inbox/{talk}").get_data(as_text=True)
    assert "You can read this conversation, but your role does not allow you to reply." in page
    for act in ("answer", "assign", "close", "reopen", "read", "unread"):
        assert viewer.post(f"/inbox/{talk}/{act}").status_code == 403
    assert waiter.get("/inbox").status_code == 403
    assert 'href="/inbox"' not in waiter.get("/home").get_data(as_text=True)
    for role in ("manager", "admin"):
        able = signed_in(app, restaurant, role)
        assert able.post(f"/inbox/{talk}/read").status_code == 302


def test_a_conversation_is_given_closed_and_noted(app, restaurant, talk):
    selin = signed_in(app, restaurant, "inbox")
    person = restaurant.hires("inbox", "Jonas Weber")
    selin.post(f"/inbox/{talk}/assign", person=person.id)
    selin.post(f"/inbox/{talk}/answer", mode="note", text="VIP")
    selin.post(f"/inbox/{talk}/close")
    with restaurant.scope():
        known = inbox_conversations.get(talk)
    assert known.assigned_to == person.id
    assert known.closed_at is not None
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    for words in ("Selin Kaya assigned this conversation to Jonas Weber", "VIP", "closed this"):
        assert words in page
    audit = Browser(app.test_client()).signs_in(restaurant.owner).get("/audit")
    assert "closed a conversation" in audit.get_data(as_text=True)


def test_a_photo_goes_out_by_our_own_link_that_expires(app, restaurant, talk, monkeypatch):
    selin = signed_in(app, restaurant, "inbox")
    out = io.BytesIO()
    Image.new("RGB", (40, 40), "green").save(out, "PNG")
    selin.get(f"/inbox/{talk}")
    sent = selin.client.post(
        f"/inbox/{talk}/answer",
        data={
            "csrf_token": selin.token,
            "mode": "reply",
            "text": "Bahçemiz",
            "file": (io.BytesIO(out.getvalue()), "garden.png"),
        },
        headers={"X-Part": "act"},
    )
    assert sent.status_code == 200, sent.get_data(as_text=True)
    with restaurant.scope():
        message = message_queries.get(sent.json["id"])
    assert (message.kind, message.text) == ("image", "Bahçemiz")
    link = message.content["url"].removeprefix("http://localhost")
    stranger = app.test_client()
    picture = stranger.get(link)
    assert (picture.status_code, picture.mimetype) == (200, "image/jpeg")
    assert picture.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert stranger.get(link[:-3] + "abc").status_code == 404
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert re.search(r'<img src="/media/sent/[^"]+" alt="Bahçemiz"', page)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("41.0082, 28.9784 Sultanahmet", (41.0082, 28.9784, "Sultanahmet")),
        ("-33.45,-70.66", (-33.45, -70.66, None)),
        ("https://www.google.com/maps/place/X/@40.9851,29.0247,17z", (40.9851, 29.0247, None)),
        ("https://maps.google.com/?q=40.9851,29.0247", (40.9851, 29.0247, None)),
    ],
)
def test_a_place_is_sent_from_numbers_or_a_link(app, restaurant, talk, written, place):
    signed_in(app, restaurant, "inbox").post(f"/inbox/{talk}/answer", mode="reply", place=written)
    content = messages_in(restaurant, talk)[-1].content
    assert (content["latitude"], content["longitude"], content.get("name")) == place


@pytest.mark.parametrize("written", ["Kadıköy", "95.0, 20", "https://evil.example/"])
def test_what_is_no_place_is_refused(app, restaurant, talk, written):
    selin = signed_in(app, restaurant, "inbox")
    answer = selin.post(f"/inbox/{talk}/answer", mode="reply", place=written)
    assert answer.status_code == 422


def test_live_parts_hold_what_is_new_and_nothing_else(app, restaurant, line, talk):
    selin = signed_in(app, restaurant, "inbox")
    first = messages_in(restaurant, talk)[-1].id
    writes(restaurant, line, text="İkinci")
    fresh = selin.client.get(
        f"/inbox/{talk}?since={first}&again={first}", headers={"X-Part": "fresh"}
    ).get_data(as_text=True)
    assert "<html" not in fresh
    assert "İkinci" in fresh
    assert f'data-entry="{first}"' not in fresh
    assert f'data-foot="{first}"' in fresh
    assert selin.get("/inbox/unread").json == {"unread": 1}


def test_search_and_filters_stay_in_the_address(app, restaurant, line, talk):
    writes(restaurant, line, VELI, text="Pasta siparişi", name="Veli Demir")
    selin = signed_in(app, restaurant, "inbox")
    page = selin.get("/inbox?q=pasta").get_data(as_text=True)
    assert "Veli Demir" in page
    assert "Ayşe Yılmaz" not in page
    assert "No matching conversations" in selin.get("/inbox?q=zzzz").get_data(as_text=True)
    assert "No conversations assigned to you" in selin.get("/inbox?view=mine").get_data(
        as_text=True
    )
    with restaurant.scope():
        conversation_actions.close(talk)
    assert "Ayşe Yılmaz" in selin.get("/inbox?view=closed").get_data(as_text=True)


def test_another_tenants_conversation_is_not_there(app, restaurant, shop, talk):
    stranger = Browser(app.test_client()).signs_in(shop.owner)
    assert stranger.get(f"/inbox/{talk}").status_code == 404
    for act in ("answer", "assign", "close", "read", "unread"):
        assert stranger.post(f"/inbox/{talk}/{act}", text="x", mode="reply").status_code == 404
    with tenant_scope(restaurant.tenant_id):
        assert inbox_conversations.get(talk).unread == 1


def test_quick_replies_are_kept_and_offered_with_the_name_in_them(app, restaurant, talk):
    selin = signed_in(app, restaurant, "inbox")
    assert selin.post("/inbox/quick-replies", shortcut="menu", text="Buyurun {first_name}")
    with restaurant.scope():
        [reply] = quick_replies.list_quick_replies()
    assert "Buyurun Ayşe" in selin.get(f"/inbox/{talk}").get_data(as_text=True)
    selin.post(f"/inbox/quick-replies/{reply.id}", shortcut="menu", text="Yeni {name}")
    assert "Yeni {name}" in selin.get("/inbox/quick-replies").get_data(as_text=True)
    bad = selin.post("/inbox/quick-replies", shortcut="x", text="{config}")
    assert "{config} does not exist" in bad.get_data(as_text=True)
    selin.post(f"/inbox/quick-replies/{reply.id}/remove")
    with restaurant.scope():
        assert quick_replies.list_quick_replies() == []


def test_a_page_has_its_live_token_and_the_live_url(app, settings, restaurant):
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    page = owner.get("/home").get_data(as_text=True)
    assert 'data-live-url="/live"' in page
    ticket = owner.get("/news/ticket")
    assert ticket.json["ticket"]
    assert ticket.headers["Cache-Control"] == "no-store"
    waiter = signed_in(app, restaurant, "waiter").get("/news/ticket").json["ticket"]
    known = {"calls", "orders", "printers", "prints"}
    assert set(read_live_token(settings.secret_key, waiter).topics) == known


def test_names_and_texts_are_only_ever_text(app, restaurant, line):
    for number, text in enumerate(CORPUS):
        phone = f"9053211{50000 + number}"
        writes(restaurant, line, phone, text=text, name=text, filename=text)
        writes(restaurant, line, phone, text="", name=text, kind="document", filename=text)
        writes(
            restaurant,
            line,
            phone,
            text="",
            name=text,
            kind="location",
            latitude=1.0,
            longitude=2.0,
            address=text,
        )
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    for path in ("/inbox", "/inbox?view=all"):
        answer = owner.get(path)
        assert not faults(answer.get_data(as_text=True), nonce_of(answer)), path
    with restaurant.scope():
        known = inbox_conversations.list_conversations(
            inbox_conversations.ConversationFilters(view="all"), None, 100
        )
    for talk in known:
        answer = owner.get(f"/inbox/{talk.id}")
        assert answer.status_code == 200
        found = faults(answer.get_data(as_text=True), nonce_of(answer))
        assert set(found) <= {THE_WAY}, talk.title


def test_a_sender_without_a_phone_is_never_shown_as_one(app, restaurant, line):
    writes(restaurant, line, phone="", network_id="TR.4821337712", name="")
    writes(restaurant, line, phone="", network_id="905551112233445@lid", name="kahvesever")
    page = Browser(app.test_client()).signs_in(restaurant.owner).get("/inbox")
    text = page.get_data(as_text=True)
    assert "TR.4821337712" in text
    assert "kahvesever" in text
    assert "+90 555" not in text
    assert AYSE not in text


def test_a_picture_that_came_is_shown_and_one_that_could_not_be_fetched_is_reported(
    app, restaurant, line, talk
):
    came = {
        name: writes(restaurant, line, kind="image", text="", id=f"media-{name}")
        for name in ("kept", "lost", "young")
    }
    paper = writes(restaurant, line, kind="document", text="", id="media-p", filename="menu.pdf")
    app.extensions["blobs"].put("t/small.jpg", b"jpeg", "image/jpeg")
    small = {"state": "kept", "blob_key": "t/a.jpg", "preview_blob_key": "t/small.jpg"}
    with restaurant.scope():
        for message_id, values in (
            (came["kept"], small),
            (came["lost"], {"state": "failed"}),
            (paper, {"state": "kept", "blob_key": "t/p.pdf", "size": 2048}),
        ):
            db.session.execute(
                update(MediaFile)
                .where(
                    MediaFile.tenant_id == restaurant.tenant_id, MediaFile.message_id == message_id
                )
                .values(**values)
            )
    selin = signed_in(app, restaurant, "inbox")
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    for shown in ("kept", "young"):
        assert f'src="/messages/{came[shown]}/picture"' in page
    assert f"/messages/{came['lost']}/picture" not in page
    assert "The file could not be downloaded." in page
    assert f'href="/messages/{paper}/file"' in page
    assert "2 kB" in page
    assert selin.get(f"/messages/{came['kept']}/picture").data == b"jpeg"


def test_a_closed_window_offers_the_approved_templates_of_the_line(app, restaurant, line):
    with frozen(now() - timedelta(hours=30)):
        writes(restaurant, line)
    talk = talk_with(restaurant).id
    header = {"type": "HEADER", "format": "IMAGE"}
    body = {"type": "BODY", "text": "Merhaba {{1}}, sizi {{2}} bekliyoruz."}

    def network_template(name, state, *components):
        return NetworkTemplate("1", name, "tr", "marketing", state, components=list(components))

    with restaurant.scope():
        line_repository.get(line).account_id = "waba-9"
        found = [
            network_template("see_you", "approved", body),
            network_template("with_picture", "approved", header, body),
            network_template("not_yet", "pending", body),
        ]
        template_repository.store_templates("waba-9", found)
    selin = signed_in(app, restaurant, "inbox")
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert re.findall(r'<option value="([^"]+\|[^"]+)"', page) == ["see_you|tr"]
    assert "Merhaba [1], sizi [2] bekliyoruz." in page
    once = re.search(r'name="once" value="([^"]+)"', page)[1]
    asked = {"once": once, "mode": "reply", "template": "see_you|tr"}
    short = selin.post(f"/inbox/{talk}/answer", **asked, parameters="Ayşe")
    assert short.status_code == 422
    assert "Wrong number of parameters: 1 sent, 2 needed." in short.get_data(as_text=True)
    sent = selin.post(f"/inbox/{talk}/answer", **asked, parameters="Ayşe\ncuma")
    assert sent.status_code == 302
    with restaurant.scope():
        message = message_queries.get(last_message_id(talk))
        assert (message.kind, message.category) == ("template", "marketing")
        assert message.text == "Merhaba Ayşe, sizi cuma bekliyoruz."


def last_message_id(talk_id):
    return inbox_conversations.get(talk_id).last_message_id


def test_the_contact_stands_beside_the_conversation(app, restaurant, talk):
    with restaurant.scope():
        contact_id = inbox_conversations.get(talk).contact_id
        contact_repository.change(contact_id, ContactInput(tags=["vip"]))
        contact_repository.add_note(contact_id, "Prefers the window.")
    page = signed_in(app, restaurant, "inbox").get(f"/inbox/{talk}").get_data(as_text=True)
    facts = page.partition('data-part="facts"')[2]
    assert f'href="/contacts/{contact_id}"' in facts
    assert "vip" in facts
    assert "Prefers the window." in facts


def test_a_template_is_shown_as_the_customer_read_it(app, restaurant, line, talk):
    """Not as its technical name and values."""
    body = [{"type": "BODY", "text": "Hello {{1}}, order {{2}} is confirmed."}]
    with restaurant.scope():
        mine = line_repository.get(line)
        mine.account_id = "waba-9"
        known = NetworkTemplate("1", "order_ok", "tr", "utility", "approved", components=body)
        template_repository.store_templates("waba-9", [known])
        content = {"name": "order_ok", "language": "tr", "parameters": ["Ayşe", "M-0709"]}
        sent_message(mine, kind="template", text="", content=content, phone=AYSE)
    page = signed_in(app, restaurant, "inbox").get(f"/inbox/{talk}").get_data(as_text=True)
    assert "Hello Ayşe, order M-0709 is confirmed." in page
    assert "order_ok" not in page


def test_what_a_person_wrote_elsewhere_is_not_called_automatic(app, restaurant, talk):
    """Messages from the first-message page and from the contact's page."""
    with restaurant.scope():
        add_simulated_lines()
        contact_id = inbox_conversations.get(talk).contact_id
    selin = signed_in(app, restaurant, "inbox")
    selin.post(f"/contacts/{contact_id}/message", text="Your table is ready.")
    page = selin.get(f"/inbox/{talk}").get_data(as_text=True)
    assert "Your table is ready." in page
    assert "Selin Kaya" in page.partition('class="message-by"')[2][:40]
    assert "Automatic" not in page
