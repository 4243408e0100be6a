"""Messages in the portal: search, read, follow until delivered, cancel."""

import csv
import io
import re
from datetime import timedelta

import pytest

from core.clock import now
from messaging import reasons
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.contacts import repository as crm
from messaging.costs.usage import UsageTally
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import SendAccepted, SendRefused, SendUnknown, TryLater
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import queries as message_queries
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from messaging.messages.receive import receive_message
from messaging.reasons import with_detail, with_quote
from portal.web.i18n import network_message
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line
from tests.messaging.message_factory import wrote
from tests.portal.page_reader import text_of, title_of


@pytest.fixture
def owners(browser, restaurant):
    return browser.signs_in(restaurant.owner)


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def accept(business, line, phone="905321112233", text="Merhaba", **more):
    with business.scope():
        draft = MessageDraft(**{"kind": "text", "phone": phone, "text": text, **more})
        return message_accept.accept_message(draft, line, current_tenant_facts()).id


def send(business, outcome):
    """Send the oldest waiting message, with this response of the network."""
    with business.scope():
        [one] = message_claim.claim_messages(1, 60.0, [])
    with business.scope():
        message_settle.settle_messages([(one, outcome)])


def part(browser, message_id):
    return browser.client.get(f"/messages/{message_id}", headers={"X-Part": "timeline"})


def previews(answer):
    found = re.findall(r'<small class="preview">(.*?)</small>', answer.get_data(as_text=True))
    return [text.strip() for text in found]


def test_without_messages_the_way_to_the_first_is_shown(owners):
    page = owners.get("/messages")
    assert "No messages yet" in text_of(page)
    assert '<form class="filters"' not in page.get_data(as_text=True)


def test_a_campaigns_messages_name_it(owners, restaurant, line):
    with restaurant.scope():
        soup = campaign_repository.add(CampaignInput(name="Soup <day>", text="Hi")).id
    ours = accept(restaurant, line, reference=soup)
    accept(restaurant, line, reference="cmp_made-up")
    for page in (owners.get("/messages"), owners.get(f"/messages/{ours}")):
        html = page.get_data(as_text=True)
        assert f'<a href="/campaigns/{soup}">Soup &lt;day&gt;</a>' in html
    assert "cmp_made-up" in text_of(owners.get("/messages"))


def test_the_newest_message_comes_first(owners, restaurant, line):
    for text in ("one", "two", "three"):
        accept(restaurant, line, text=text)
    assert previews(owners.get("/messages")) == ["three", "two", "one"]


def test_pages_follow_each_other_without_gap_or_repetition(owners, restaurant, line, monkeypatch):
    monkeypatch.setattr("portal.messages.views.PAGE", 2)
    for number in range(5):
        accept(restaurant, line, text=f"number {number}", reference="mine")
        accept(restaurant, line, text="other")
    path, seen = "/messages?reference=mine", []
    while path:
        page = owners.get(path)
        seen += previews(page)
        found = re.search(r'rel="next" href="([^"]+)"', page.get_data(as_text=True))
        path = found[1].replace("&amp;", "&") if found else ""
        assert not path or "reference=mine" in path
    assert seen == [f"number {number}" for number in (4, 3, 2, 1, 0)]


@pytest.fixture
def several(restaurant, line):
    other = make_line(restaurant, default=False)
    accept(restaurant, line, text="failed", reference="order-1")
    send(restaurant, SendRefused("recipient_unavailable", "Not there."))
    accept(restaurant, line, phone="34600111222", text="waits")
    accept(restaurant, other, phone="905329998877", text="other line")
    with restaurant.scope():
        tally = UsageTally()
        receive_message(line, wrote("an answer"), tally)
        tally.write()
    return line, other


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {"failed", "waits", "other line", "an answer"}),
        ("phone=905321112233", {"failed", "an answer"}),
        ("phone=%2B90 532 111 22 33", {"failed", "an answer"}),
        ("phone=34600111222", {"waits"}),
        ("phone=nobody", set()),
        ("state=failed", {"failed"}),
        ("direction=in", {"an answer"}),
        ("direction=out&state=queued", {"waits", "other line"}),
        ("reference=order-1", {"failed"}),
        ("reference=order", set()),
        ("state=nonsense&direction=up&line=7", {"failed", "waits", "other line", "an answer"}),
    ],
)
def test_filters_are_in_the_url(owners, several, query, found):
    page = owners.get(f"/messages?{query}")
    assert set(previews(page)) == found
    if not found:
        assert "No results" in text_of(page)


def test_the_line_is_a_filter_also_when_it_is_gone(owners, restaurant, several):
    _, other = several
    with restaurant.scope():
        line_removal.remove(other.id)
    page = owners.get(f"/messages?line={other.id}")
    assert previews(page) == ["other line"]
    assert "Front desk (deleted)" in text_of(page)


def test_a_message_shows_what_happened_to_it(owners, restaurant, line):
    message_id = accept(restaurant, line, reference="order-7")
    send(restaurant, SendAccepted("wamid.77"))
    page = owners.get(f"/messages/{message_id}")
    assert title_of(page) == "To +90 532 111 22 33"
    text = text_of(page)
    for words in ("Merhaba", "Queued", "Sending", "Sent", "Accepted by WhatsApp.", "order-7"):
        assert words in text
    markup = page.get_data(as_text=True)
    for copied in (message_id, "wamid.77", "order-7"):
        assert f'data-copy="{copied}"' in markup


def test_the_page_follows_a_message_until_nothing_can_change(owners, restaurant, line):
    message_id = accept(restaurant, line)
    page = owners.get(f"/messages/{message_id}").get_data(as_text=True)
    assert "js/refresh-parts.js" in page
    first = part(owners, message_id).get_data(as_text=True)
    assert "<html" not in first
    assert "data-live" in first
    assert "Queued" in first
    send(restaurant, SendAccepted("wamid.78"))
    then = part(owners, message_id).get_data(as_text=True)
    assert "data-live" in then
    assert "Sent" in then
    other = accept(restaurant, line)
    send(restaurant, SendRefused("window_closed", "Too late."))
    assert "data-live" not in part(owners, other).get_data(as_text=True)
    assert "js/refresh-parts.js" not in owners.get(f"/messages/{other}").get_data(as_text=True)


def test_every_part_that_is_refreshed_is_on_the_page(owners, restaurant, line):
    message_id = accept(restaurant, line)
    name = re.compile(r'data-part="(\w+)"')
    page = owners.get(f"/messages/{message_id}").get_data(as_text=True)
    assert sorted(name.findall(page)) == ["facts", "state", "timeline"]
    assert sorted(name.findall(part(owners, message_id).get_data(as_text=True))) == [
        *("facts", "state", "timeline")
    ]


@pytest.mark.parametrize(
    ("outcome", "state", "words"),
    [
        (SendRefused("window_closed", "Only a template."), "Failed", "Only a template."),
        (SendUnknown("The socket broke."), "Unknown", "The socket broke."),
        (TryLater("busy", "Slow down.", after=60), "Queued", "Slow down."),
    ],
)
def test_an_error_is_reported_with_a_message(owners, restaurant, line, outcome, state, words):
    message_id = accept(restaurant, line)
    send(restaurant, outcome)
    text = text_of(owners.get(f"/messages/{message_id}"))
    assert state in text
    assert words in text


def test_a_message_of_a_line_that_is_off_gives_the_reason_it_waits(owners, restaurant, line):
    message_id = accept(restaurant, line)
    assert "Waiting in the queue" in text_of(owners.get(f"/messages/{message_id}"))
    with restaurant.scope():
        line_repository.set_enabled(line.id, False)
    assert "Waiting for the line to become available" in text_of(
        owners.get(f"/messages/{message_id}")
    )


def test_an_answer_is_shown_with_its_sender(owners, restaurant, line):
    with restaurant.scope():
        message_id = receive_message(line, wrote("Is a table free?"), UsageTally())
    page = owners.get(f"/messages/{message_id}")
    assert title_of(page) == "From +90 532 111 22 33"
    assert "Is a table free?" in text_of(page)
    assert "data-live>" not in page.get_data(as_text=True)


@pytest.mark.parametrize(
    ("kind", "content", "words"),
    [
        ("document", {"url": "https://files.example/m.pdf", "filename": "Menu.pdf"}, "Menu.pdf"),
        ("image", {"media": {"url": "https://files.example/p.png"}}, "files.example/p.png"),
        ("location", {"latitude": 41.0, "longitude": 29.0, "name": "Lokanta"}, "41.0, 29.0"),
        ("template", {"name": "order_ready", "language": "tr"}, "order_ready"),
        ("contacts", {}, "Contacts"),
    ],
)
def test_every_kind_of_content_is_shown(owners, restaurant, line, kind, content, words):
    message_id = accept(restaurant, line, kind=kind, text="", content=content)
    page = owners.get(f"/messages/{message_id}")
    assert page.status_code == 200
    assert words in text_of(page)


def test_a_message_is_cancelled_until_it_leaves(owners, restaurant, line):
    message_id = accept(restaurant, line, scheduled_at=now() + timedelta(hours=1))
    page = owners.get(f"/messages/{message_id}")
    assert f"/messages/{message_id}/cancel" in page.get_data(as_text=True)
    assert title_of(owners.get(f"/messages/{message_id}/cancel")) == "Cancel this message?"
    page = owners.post(f"/messages/{message_id}/cancel", follow=True)
    assert "Message cancelled." in text_of(page)
    assert f"/messages/{message_id}/cancel" not in page.get_data(as_text=True)
    with restaurant.scope():
        assert message_queries.get(message_id).state == "cancelled"


def test_what_has_left_is_not_cancelled(owners, restaurant, line):
    message_id = accept(restaurant, line)
    send(restaurant, SendAccepted("wamid.79"))
    page = owners.post(f"/messages/{message_id}/cancel", follow=True)
    assert "The message can no longer be cancelled. It was already sent or has ended." in text_of(
        page
    )
    with restaurant.scope():
        assert message_queries.get(message_id).state == "sent"


@pytest.mark.parametrize("name", ["msg_00000000000000000000000000", "wamid.none", "x"])
def test_what_is_not_there_is_not_found(owners, name):
    assert owners.get(f"/messages/{name}").status_code == 404


def test_a_viewer_reads_and_does_not_cancel(browser, restaurant, line):
    message_id = accept(restaurant, line)
    browser.signs_in(restaurant.hires("viewer"))
    page = browser.get(f"/messages/{message_id}").get_data(as_text=True)
    assert "/cancel" not in page
    assert browser.post(f"/messages/{message_id}/cancel").status_code == 403


def test_home_counts_the_messages_of_the_last_days(owners, restaurant, line):
    assert "No messages yet" in text_of(owners.get("/home"))
    with restaurant.scope():
        tally = UsageTally()
        tally.add(line.id, "TR", "service", sent=3, received=2)
        tally.write()
    page = owners.get("/home").get_data(as_text=True)
    assert page.count("<g><title>") == 14
    assert ": Sent 3, Received 2, Failed 0</title>" in page


def test_the_networks_own_words_follow_ours(app):
    said = with_quote(reasons.REFUSED, "(#1) <b>no</b>")
    away = with_detail(reasons.UNREACHABLE_BECAUSE, "gone.")
    with app.test_request_context(headers={"Accept-Language": "tr"}):
        assert (
            network_message(said)
            == "WhatsApp mesajı reddetti. WhatsApp’ın açıklaması: (#1) <b>no</b>"
        )
        assert network_message(away) == "WhatsApp’a ulaşılamadı: gone."
        assert network_message("") == ""
        assert network_message("Something new.") == "Something new."


def test_the_list_names_contacts_beside_their_numbers(owners, restaurant, line):
    accept(restaurant, line)
    with restaurant.scope():
        crm.create(crm.ContactInput(name="Ada Kaya", phone="905321112233"))
    page = text_of(owners.get("/messages"))
    assert "Ada Kaya" in page
    assert "+90 532 111 22 33" in page


def test_the_list_is_saved_as_csv_with_its_filters(owners, restaurant, line, monkeypatch):
    monkeypatch.setattr("portal.messages.views.BATCH", 2)
    with restaurant.scope():
        crm.create(crm.ContactInput(name="Ada Kaya", phone="905321112233"))
    for number in range(3):
        accept(restaurant, line, text=f"=text {number}", reference="mine")
    accept(restaurant, line, text="another")
    answer = owners.get("/messages.csv?reference=mine")
    table = list(csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig"))))
    assert len(table) == 4
    first = dict(zip(table[0], table[1], strict=True))
    assert (first["name"], first["phone"]) == ("Ada Kaya", "905321112233")
    assert first["text"] == "'=text 2"


def test_a_new_message_goes_to_a_number_or_to_a_contact(owners, restaurant, line):
    with restaurant.scope():
        crm.create(crm.ContactInput(name="Ada Kaya", phone="905321112233"))
    assert "New message" in text_of(owners.get("/messages"))
    for to in ("+90 532 111 22 33", "ada kaya"):
        sent = owners.post("/messages/new", line=line.id, phone=to, text=f"Hello {to}")
        assert sent.location.startswith("/messages/msg_")
        assert f"Hello {to}" in text_of(owners.get(sent.location))
    nobody = owners.post("/messages/new", line=line.id, phone="Nobody At All", text="Hello")
    assert "No contact with this name has a phone number." in text_of(nobody)


def test_a_name_of_several_contacts_is_asked_about(owners, restaurant, line):
    with restaurant.scope():
        crm.create(crm.ContactInput(name="Ada Kaya", phone="905321112233"))
        crm.create(crm.ContactInput(name="Ada Demir", phone="905321112244"))
    asked = owners.post("/messages/new", line=line.id, phone="Ada", text="Hello")
    assert "Several contacts have this name. Choose one." in text_of(asked)
    with restaurant.scope():
        assert message_queries.list_messages(message_queries.MessageFilters(), None, 5) == []
