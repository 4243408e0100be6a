"""The reply box while the 24-hour window is closed, on a line with Direct Send."""

import re
from datetime import timedelta

import pytest

from core.clock import frozen, now
from messaging import refusal_reasons
from messaging.inbox import quick_replies
from messaging.inbox.composed import ComposedCard
from messaging.lines import direct_send
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import SendAccepted, SendRefused
from tests.messaging.inbox.inbox_factory import talk_with, writes
from tests.messaging.messages.sending.test_direct_send_fallback import attempt
from tests.portal.inbox.test_composer_cards import last_sent, line, selin

__all__ = ["line", "selin"]

BLOCKED = SendRefused("direct_send_unavailable", refusal_reasons.DIRECT_SEND_BLOCKED, "139200")


@pytest.fixture
def talk(restaurant, line):
    """A customer who wrote yesterday."""
    with frozen(now() - timedelta(hours=30)):
        writes(restaurant, line, text="Siparişim nerede?")
    with restaurant.scope():
        direct_send.set_direct_send(line, enabled=True)
    return talk_with(restaurant).id


def page(selin, talk):
    return selin.get(f"/inbox/{talk}").get_data(as_text=True)


def answer(selin, talk, **more):
    return selin.post(f"/inbox/{talk}/answer", mode="reply", **more)


def test_a_text_is_sent_as_a_utility_message(selin, restaurant, talk):
    shown = page(selin, talk)
    assert "Direct Send delivers your text" in shown
    assert "Send a template instead" in shown
    assert re.search(r'name="mode" value="reply" checked', shown)
    assert answer(selin, talk, text="Kurye yolda.").status_code == 302
    sent = last_sent(restaurant)
    assert (sent.kind, sent.category, sent.text) == ("text", "utility", "Kurye yolda.")
    request = attempt(restaurant, SendAccepted("wamid.d"))
    assert (request["type"], request["category"]) == ("text", "utility")
    entry = page(selin, talk).split('class="entry entry-out')[1]
    assert "Direct Send" in entry


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("buttons", {"buttons": ["Evet", "Hayır"]}),
        ("link_button", {"link_text": "Takip", "link_url": "https://example.com/t"}),
    ],
)
def test_buttons_are_sent_too(selin, restaurant, talk, kind, more):
    assert answer(selin, talk, text="Kurye yolda.", kind=kind, **more).status_code == 302
    sent = last_sent(restaurant)
    assert (sent.kind, sent.category) == (kind, "utility")
    assert attempt(restaurant, SendAccepted("wamid.d"))["category"] == "utility"


def test_only_what_direct_send_delivers_is_offered(selin, restaurant, talk):
    with restaurant.scope():
        rows = ComposedCard(kind="list", list_button="Seç", rows=("19:00",))
        quick_replies.save("saat", "Hangi saat?", card=rows)
        quick_replies.save("yol", "Kurye yolda.")
    shown = page(selin, talk)
    assert set(re.findall(r'data-panel-open="(\w+)"', shown)) == {"buttons", "link_button"}
    assert re.findall(r'data-quick="(\w+)"', shown) == ["yol"]
    assert 'name="file"' not in shown
    assert 'id="reactions"' not in shown
    for more in ({"kind": "list", "rows": "19:00", "list_button": "Seç"}, {"place": "41.0, 28.9"}):
        refused = answer(selin, talk, text="Hangi saat?", **more)
        assert refused.status_code == 422
        assert "Direct Send delivers only texts" in refused.get_data(as_text=True)


def test_a_refusal_leaves_only_templates(selin, restaurant, line, talk):
    answer(selin, talk, text="Kurye yolda.")
    attempt(restaurant, BLOCKED)
    assert last_sent(restaurant).state == "failed"
    with restaurant.scope():
        assert line_repository.get(line).direct_send == "blocked"
    shown = page(selin, talk)
    assert "WhatsApp only allows approved templates" in shown
    assert "Direct Send delivers your text" not in shown
    assert answer(selin, talk, text="Kurye yolda.").status_code == 409


def test_a_template_can_still_be_sent(selin, restaurant, talk):
    sent = answer(selin, talk, template="hello_world", language="en")
    assert sent.status_code == 302
    assert last_sent(restaurant).kind == "template"
    assert "category" not in attempt(restaurant, SendAccepted("wamid.t"))


def test_inside_the_window_nothing_changes(selin, restaurant, line, talk):
    writes(restaurant, line, text="Orada mısınız?")
    assert "Direct Send" not in page(selin, talk)
    assert answer(selin, talk, text="Buradayız.").status_code == 302
    sent = last_sent(restaurant)
    assert (sent.category, direct_send.CONTENT_KEY in sent.content) == ("service", False)
