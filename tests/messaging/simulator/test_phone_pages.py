"""The page of phones: seen and used over HTTP, as a browser without scripts would."""

import re
import socket
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from messaging import simulator
from messaging.simulator.phones.access_links import phones_link
from messaging.simulator.phones.formatting import initials, rich_text, with_links
from tests.messaging.simulator.simulated_network import PHONE, SECRET, eventually, started

CHAT = f"/phones/{PHONE}/5501"


class Visitor:
    """A browser: keeps its cookie, follows no redirect."""

    def __init__(self, network, tenant_id=None):
        self.address = urlsplit(network.url)
        self.cookie = ""
        if tenant_id is not None:
            link = phones_link(network.url, SECRET, tenant_id)
            status, headers, _ = self.get(link.removeprefix(network.url))
            assert (status, headers["Location"]) == (303, "/phones")
            self.cookie = headers["Set-Cookie"].partition(";")[0]

    def ask(self, method, path, body=None, **headers):
        connection = HTTPConnection(self.address.hostname, self.address.port, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            named["Cookie"] = self.cookie
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        found = answer.status, dict(answer.headers), answer.read()
        connection.close()
        return found

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def page(self, path):
        status, _, body = self.get(path)
        assert status == 200
        return body.decode()

    def post(self, path, headers=None, **form):
        kind = {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})}
        status, answered, _ = self.ask("POST", path, urlencode(form), **kind)
        return status, answered.get("Location")


@pytest.fixture(scope="module")
def process():
    with started() as network:
        network.register()
        network.register(phone_number_id="5599", name="Somebody else", tenant_id=8)
        yield network


@pytest.fixture
def network(process):
    eventually(lambda: process.ask("GET", "/_sim/accepted")[1]["hooks"]["waiting"] == 0)
    process.set(sent_ms=1, delivered_ms=2, read_ms=3)
    process.ask("DELETE", "/_sim/accepted")
    process.hooks.bodies.clear()
    return process


@pytest.fixture
def visitor(network):
    return Visitor(network, tenant_id=7)


def test_nobody_sees_phones_without_a_ticket(network):
    stranger = Visitor(network)
    for path in ("/phones", f"/phones/{PHONE}", CHAT, "/phones/events", "/phones/people"):
        assert stranger.get(path)[0] == 403
    assert stranger.get("/phones?ticket=made-up")[0] == 403
    forged = phones_link("", "another secret entirely", 7)
    assert stranger.get(forged)[0] == 403


def test_a_tenant_sees_its_own_lines_alone(network, visitor):
    network.send(phone="15550001234", text="a secret of 7")
    other = Visitor(network, tenant_id=8)
    assert "Lokanta Mavi" in visitor.page(f"/phones/{PHONE}")
    assert "Somebody else" not in visitor.page(f"/phones/{PHONE}")
    assert "a secret of 7" in visitor.page("/phones")
    assert "a secret of 7" not in other.page("/phones")
    assert other.get(CHAT)[0] == 404
    assert other.post(CHAT, text="hi")[0] == 404
    assert visitor.get(f"/phones/{PHONE}/5599")[0] == 404


def test_every_page_is_strict_and_asks_nobody_outside(network, visitor):
    network.send(kind="image", url="https://outside.example/a.png", text="look")
    for path in ("/phones", f"/phones/{PHONE}", CHAT):
        _, headers, body = visitor.get(path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        page = body.decode()
        assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?! type=\"module\" src=)", page)
        fetched = re.findall(r'(?:src|<link[^>]* href)="([^"]+)"', page)
        assert fetched
        assert all(place.startswith("/phones/") for place in fetched)


def test_the_pages_speak_the_language_of_the_portal_or_the_browser(network):
    link = phones_link("", SECRET, 7, "tr")
    visitor = Visitor(network, tenant_id=7)
    asked = visitor.get("/phones", Accept_Language="tr-TR,tr;q=0.9,en;q=0.8")[2].decode()
    assert "Telefon ekle" in asked
    assert "Add phone" in visitor.page("/phones")
    assert visitor.get(link)[1]["Location"] == "/phones"
    status, headers, _ = visitor.get("/phones?lang=tr")
    assert (status, headers["Location"]) == (303, "/phones")
    visitor.cookie += f"; {headers['Set-Cookie'].partition(';')[0]}"
    assert "Telefon ekle" in visitor.page("/phones")
    assert 'lang="tr"' in visitor.page("/phones")


def test_the_pages_have_no_text_that_is_not_translated():
    """A text outside of `_` would be in English for everybody."""
    pages = list(Path(simulator.__file__).parent.rglob("*.html"))
    assert len(pages) > 5
    for page in pages:
        plain = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", page.read_text(), flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", " ", plain)
        assert not re.search(r"[A-Za-z]{3}", text), page.name
        assert not re.search(r'(?:aria-label|placeholder|alt|title)="[A-Z][a-z]', plain), page.name


def test_a_phone_is_added_and_a_wrong_one_is_told_why(visitor):
    assert visitor.post("/phones", phone="+90 532 999 88 77", name="Deniz Kaya") == (
        303,
        "/phones/905329998877",
    )
    assert "Deniz Kaya" in visitor.page("/phones")
    status, _, body = visitor.ask(
        "POST", "/phones", "phone=12", Content_Type="application/x-www-form-urlencoded"
    )
    assert status == 422
    assert b'role="alert"' in body


def test_what_is_written_arrives_and_is_shown(network, visitor):
    assert visitor.post(CHAT, text="bir masa lütfen") == (303, CHAT)
    [message] = eventually(network.hooks.messages)
    assert (message.text, message.sender_phone) == ("bir masa lütfen", PHONE)
    assert "bir masa lütfen" in visitor.page(CHAT + "/bubbles")


def test_a_photo_and_a_place(network, visitor):
    visitor.post(CHAT, kind="image")
    visitor.post(CHAT, kind="location", latitude="40.5", longitude="29.5", place="Ev")
    eventually(lambda: len(network.hooks.messages()) == 2)
    kinds = {message.kind: message.content for message in network.hooks.messages()}
    assert (kinds["location"]["latitude"], kinds["location"]["name"]) == (40.5, "Ev")
    picture = re.search(r'src="(/phones/media/\d+)"', visitor.page(CHAT))[1]
    status, headers, body = visitor.get(picture)
    assert (status, headers["Content-Type"], body[:4]) == (200, "image/png", b"\x89PNG")


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "hologram"},
        {"kind": "location", "latitude": "north"},
        {"text": "x" * 5000},
        {"text": "hi", "copies": "99"},
    ],
)
def test_what_cannot_be_sent_is_refused(network, visitor, form):
    assert visitor.post(CHAT, **form)[0] == 422
    assert network.hooks.messages() == []


def test_a_link_can_be_tapped_and_nothing_else_becomes_markup(network, visitor):
    network.send(text='<b>"x"</b> see https://e.com/a?b=1&c=2. javascript:alert(1)')
    page = visitor.page(CHAT)
    assert '<a href="https://e.com/a?b=1&amp;c=2" target="_blank"' in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert 'href="javascript' not in page


def test_blocking_and_unblocking(network, visitor):
    assert visitor.post(CHAT + "/block") == (303, CHAT)
    assert "You blocked this business" in visitor.page(CHAT)
    network.send()
    eventually(network.hooks.states)
    assert network.hooks.received_states("sent")
    visitor.post(CHAT + "/unblock")
    assert "You blocked this business" not in visitor.page(CHAT)


def test_reading_by_hand(network, visitor):
    visitor.post(CHAT + "/waits")
    network.send()
    eventually(lambda: network.hooks.received_states("sent", "delivered"))
    assert "unread" in visitor.page("/phones/people")
    visitor.post(CHAT + "/read")
    eventually(lambda: network.hooks.received_states("sent", "delivered", "read"))
    assert "unread" not in visitor.page("/phones/people")


def test_another_site_cannot_write_in_somebodys_name(visitor, network):
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert visitor.post(CHAT, headers, text="not me")[0] == 403
    assert network.hooks.messages() == []


def test_a_change_is_told_to_open_pages_of_that_tenant_alone(network, visitor):
    def listen(who):
        line = socket.create_connection((who.address.hostname, who.address.port), timeout=10)
        request = f"GET /phones/events HTTP/1.1\r\nHost: localhost\r\nCookie: {who.cookie}\r\n\r\n"
        line.sendall(request.encode())
        received = b""
        while b"retry:" not in received:
            received += line.recv(4096)
        return line

    mine, theirs = listen(visitor), listen(Visitor(network, tenant_id=8))
    network.send()
    received = b""
    while b"changed" not in received:
        received += mine.recv(4096)
    assert PHONE.encode() in received
    theirs.settimeout(0.5)
    with pytest.raises(TimeoutError):
        theirs.recv(4096)
    mine.close()
    theirs.close()


def test_styles_and_scripts_are_ours_and_nothing_else_is_served(visitor):
    assert visitor.get("/phones/static/phones.css")[1]["Content-Type"].startswith("text/css")
    assert visitor.get("/phones/static/phones.js")[1]["Content-Type"].startswith("text/javascript")
    for path in ("/phones/static/../state.py", "/phones/static/%2e%2e%2fstate.py"):
        assert visitor.get(path)[0] == 404


@pytest.mark.parametrize(
    ("name", "letters"), [("Ayşe Yılmaz", "AY"), ("Ada", "A"), ("+90 5", "5"), ("", "#")]
)
def test_initials(name, letters):
    assert initials(name) == letters


def test_a_link_keeps_its_parts_and_not_the_full_stop():
    assert with_links("a https://e.com/x_(y). b").count("https://e.com/x_(y") == 2
    assert str(with_links("x < y")) == "x &lt; y"


def test_marks_of_the_app_are_drawn_and_nothing_else():
    assert rich_text("*a b* _c_ ~d~") == "<strong>a b</strong> <em>c</em> <s>d</s>"
    assert rich_text("2*3*4 a_b_c * x *") == "2*3*4 a_b_c * x *"
    assert rich_text("*<b>*") == "<strong>&lt;b&gt;</strong>"
    assert rich_text("https://e.com/a_b_c").count("a_b_c") == 2


def test_only_quick_replies_of_a_template_can_be_tapped(network, visitor):
    values = {
        "header": [{"type": "image", "image": {"link": "https://e.com/a.jpg"}}],
        "body": ["Ada"],
        "buttons": [{"type": "quick_reply", "payload": "call-7"}, "ada"],
    }
    network.send(kind="template", name="weekend_offer", language="en", parameters=values)
    page = visitor.page(CHAT)
    assert "weekend" in page
    assert page.count('name="kind" value="button"') == 1
    assert 'name="payload" value="call-7"' in page
    assert re.search(r'<a class="tap" href="https://example.com/book/[^"]*"', page)


# What can be done in a chat


def wrote(network, visitor, text="iki ayran"):
    visitor.post(CHAT, text=text)
    message = eventually(network.hooks.messages)[-1]
    network.hooks.bodies.clear()
    return message.network_id


def test_a_message_is_edited_and_deleted_on_the_phone(network, visitor):
    message_id = wrote(network, visitor)
    assert visitor.post(CHAT + "/own/edit", id=message_id, new_text="üç ayran")[0] == 303
    page = visitor.page(CHAT)
    assert "üç ayran" in page
    assert "Edited" in page
    visitor.post(CHAT + "/own/delete", id=message_id)
    page = visitor.page(CHAT)
    assert "You deleted this message." in page
    assert "üç ayran" not in page
    kinds = eventually(lambda: len(found := network.hooks.values()) == 2 and found)
    assert [one["messages"][0]["type"] for one in kinds] == ["edit", "revoke"]
    assert visitor.post(CHAT + "/own/delete", id=message_id)[0] == 422


def test_the_number_is_hidden_and_shown_again(network, visitor):
    assert visitor.post(CHAT + "/person/hide", username="@kahve.sever")[0] == 303
    assert "@kahve.sever" in visitor.page(CHAT)
    wrote(network, visitor)
    assert "Number hidden" in visitor.page(CHAT + "/facts")
    visitor.post(CHAT + "/person/show")
    assert "Number hidden" not in visitor.page(CHAT + "/facts")
    assert visitor.post(CHAT + "/person/hide", username="no spaces")[0] == 422


def test_a_new_number_opens_its_chat(network, visitor):
    wrote(network, visitor)
    new = "/phones/905339998877/5501"
    assert visitor.post(CHAT + "/person/number", new_phone="+90 533 999 88 77") == (303, new)
    assert "iki ayran" in visitor.page(new)
    assert visitor.post(new + "/person/number", new_phone="12")[0] == 422


def test_a_day_later_the_window_is_closed(network, visitor):
    wrote(network, visitor)
    assert "Window open: 24 h left" in visitor.page(CHAT)
    visitor.post(CHAT + "/person/later")
    assert "Window closed" in visitor.page(CHAT + "/facts")
    assert network.send().code == "window_closed"


def test_people_come_from_ads_and_forward(network, visitor):
    visitor.post(CHAT + "/person/ad", headline="Half price", words="Still on?")
    visitor.post(CHAT + "/person/forward", words="Look", often="1")
    first, second = eventually(lambda: len(found := network.hooks.values()) == 2 and found)
    messages = {one["messages"][0]["text"]["body"]: one["messages"][0] for one in (first, second)}
    assert messages["Still on?"]["referral"]["headline"] == "Half price"
    assert messages["Look"]["context"] == {"frequently_forwarded": True}
    assert "Half price" in visitor.page(CHAT)


def test_staff_and_metas_agent_write_on_the_page(network, visitor):
    assert visitor.post(CHAT + "/staff/write", words="Coming")[0] == 303
    visitor.post(CHAT + "/agent/answer", words="We are open")
    page = visitor.page(CHAT)
    assert "Typed on the business phone" in page
    assert "Meta’s agent answers" in page
    visitor.post(CHAT + "/agent/hand_over")
    assert "Meta’s agent answers" not in visitor.page(CHAT + "/facts")
    assert visitor.post(CHAT + "/agent/dance")[0] == 404
    assert visitor.post(CHAT + "/agent/answer", words=" ")[0] == 422


def test_a_reply_shows_what_it_answers(network, visitor):
    message_id = wrote(network, visitor)
    page = visitor.page(f"{CHAT}?{urlencode({'reply': message_id})}")
    assert re.search(r'class="replying".*iki ayran', page, re.DOTALL)
    visitor.post(CHAT, text="evet", reply_to=message_id)
    value = eventually(lambda: network.hooks.values())[-1]
    assert value["messages"][0]["context"]["id"] == message_id
