"""Lines in the portal: added after a live check, renamed, paused, tested, removed."""

import re
from decimal import Decimal

import pytest

from core.db import db
from messaging.lines import repository as line_repository
from messaging.lines.simulated_line import add_simulated_line
from messaging.messages import queries as message_queries
from messaging.models import Line
from tenants import accounts, audit
from tests.line_factory import make_line
from tests.portal.network_api_server import GOOD_TOKEN, graph_server
from tests.portal.page_reader import text_of, title_of

NUMBER, ACCOUNT = "106540352242922", "102290129340398"
FIELDS = {
    "name": "Front desk",
    "phone": "+90 532 111 22 00",
    "phone_number_id": NUMBER,
    "account_id": ACCOUNT,
    "token": GOOD_TOKEN,
    "app_secret": "0123456789abcdef",
}


@pytest.fixture
def owners(browser, restaurant):
    return browser.signs_in(restaurant.owner)


@pytest.fixture
def graph(app, monkeypatch):
    with graph_server() as running:
        monkeypatch.setattr(app.extensions["comanda"], "cloud_base_url", running.url)
        running.numbers[NUMBER] = {"status": "CONNECTED", "quality_rating": "GREEN"}
        running.accounts[ACCOUNT] = [{"whatsapp_business_api_data": {"id": "1"}}]
        yield running


@pytest.fixture
def line(restaurant):
    """A line of the real network, added as the portal adds it."""
    with restaurant.scope():
        return line_repository.add_cloud_line(
            "Front desk", "905321112200", NUMBER, GOOD_TOKEN, "secret", account_id=ACCOUNT
        )


def lines_of(business):
    with business.scope():
        return line_repository.list_lines()


def now_is(business, line):
    with business.scope():
        return line_repository.get(line.id)


def add(browser, act, **other):
    return browser.post("/lines/new", act=act, **{**FIELDS, **other})


def test_without_lines_there_is_a_way_to_the_first(owners):
    page = owners.get("/lines")
    assert "No lines yet" in text_of(page)
    assert 'href="/lines/new"' in page.get_data(as_text=True)


def test_a_check_asks_the_network_and_stores_nothing(owners, restaurant, graph):
    page = add(owners, "check")
    assert (
        "Everything works: WhatsApp recognizes this number and the token gives access to it."
        in text_of(page)
    )
    assert [path.split("?")[0] for path in graph.asked] == [
        f"/v23.0/{NUMBER}",
        f"/v23.0/{ACCOUNT}/subscribed_apps",
        "/v23.0/1/subscriptions",
    ]
    assert lines_of(restaurant) == []
    # Checked values need not be pasted again.
    assert f'value="{GOOD_TOKEN}"' in page.get_data(as_text=True)
    assert "no-store" in page.headers["Cache-Control"]


@pytest.mark.parametrize("act", ["check", "save"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"token": "EAAGold"}, "s access token has expired or was revoked. Enter a new one."),
        (
            {"phone_number_id": "106540352242999"},
            "WhatsApp does not recognize this phone number ID",
        ),
    ],
)
def test_what_is_wrong_is_shown_as_a_message_and_nothing_is_stored(
    owners, restaurant, graph, act, wrong, words
):
    page = add(owners, act, **wrong)
    assert words in text_of(page)
    assert (
        "Everything works: WhatsApp recognizes this number and the token gives access to it."
        not in text_of(page)
    )
    assert lines_of(restaurant) == []


def test_a_restricted_number_is_not_saved(owners, restaurant, graph):
    graph.numbers[NUMBER]["status"] = "BANNED"
    assert "BANNED" in text_of(add(owners, "save"))
    assert lines_of(restaurant) == []


def test_a_line_is_saved_and_shows_its_webhook_once_it_is(owners, restaurant, graph):
    answer = add(owners, "save")
    [line] = lines_of(restaurant)
    assert answer.location == f"/lines/{line.id}#webhook"
    assert (line.name, line.phone, line.network) == ("Front desk", "905321112200", "whatsapp")
    assert (line.token, line.app_secret) == (GOOD_TOKEN, FIELDS["app_secret"])
    assert line.is_default
    page = owners.get(f"/lines/{line.id}")
    markup = page.get_data(as_text=True)
    assert f"http://localhost/hooks/cloud/{line.hook_token}" in markup
    assert line.verify_token in markup
    assert GOOD_TOKEN not in markup
    assert FIELDS["app_secret"] not in markup


def test_a_network_that_cannot_be_reached_is_told_but_does_not_stop_the_saving(
    app, owners, restaurant, monkeypatch
):
    monkeypatch.setattr(app.extensions["comanda"], "cloud_base_url", "http://127.0.0.1:9")
    assert "could not be reached" in text_of(add(owners, "check"))
    assert add(owners, "save").status_code == 302
    assert len(lines_of(restaurant)) == 1


def test_a_line_that_was_never_reached_is_neither_connected_nor_the_default(
    app, owners, restaurant, graph, monkeypatch
):
    with monkeypatch.context() as away:
        away.setattr(app.extensions["comanda"], "cloud_base_url", "http://127.0.0.1:9")
        page = text_of(owners.get(add(owners, "save").location))
    assert "saved but not connected" in page
    assert "could not be reached" in page
    (line,) = lines_of(restaurant)
    assert (line.state, line.is_default) == ("disconnected", False)
    owners.post(f"/lines/{line.id}/check")
    (line,) = lines_of(restaurant)
    assert (line.state, line.is_default) == ("connected", True)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"phone": "12"}, "This is not a valid phone number."),
        ({"phone": "front desk"}, "This is not a valid phone number."),
        ({"phone_number_id": "+90 532"}, "Enter digits only, as shown by WhatsApp."),
        ({"token": ""}, "Fill in this field."),
        ({"app_secret": ""}, "Fill in this field."),
        ({"name": "  "}, ""),
    ],
)
def test_a_form_that_is_wrong_is_refused(owners, restaurant, graph, wrong, words):
    page = add(owners, "save", **wrong)
    assert page.status_code == 200
    assert words in text_of(page)
    assert lines_of(restaurant) == []


def test_a_national_number_is_understood_in_the_country_of_the_business(owners, restaurant, graph):
    with restaurant.scope():
        accounts.account().country = "TR"
    add(owners, "save", phone="0532 111 22 00")
    assert [line.phone for line in lines_of(restaurant)] == ["905321112200"]


def test_the_list_shows_state_and_reason(owners, restaurant, line):
    with restaurant.scope():
        line_repository.record_line_state(
            line.id, "restricted", "WhatsApp locked this business account."
        )
    text = text_of(owners.get("/lines"))
    for words in (
        "Front desk",
        "+90 532 111 22 00",
        "Restricted",
        "locked this business",
        "Default",
    ):
        assert words in text


def test_a_line_is_renamed_and_paced(owners, restaurant, line):
    page = owners.get(f"/lines/{line.id}").get_data(as_text=True)
    assert re.search(r'name="per_second"[^>]*value="80"', page)
    answer = owners.post(f"/lines/{line.id}", name="Kitchen", per_second="2.5")
    assert answer.status_code == 302
    kept = now_is(restaurant, line)
    assert (kept.name, kept.per_second) == ("Kitchen", Decimal("2.5"))


@pytest.mark.parametrize("pace", ["0", "-1", "1001", "fast", "NaN", "1e400", ""])
def test_a_pace_that_is_none_is_refused(owners, restaurant, line, pace):
    assert owners.post(f"/lines/{line.id}", name="Kitchen", per_second=pace).status_code == 200
    kept = now_is(restaurant, line)
    assert (kept.name, kept.per_second) == ("Front desk", Decimal(80))


def test_a_line_is_switched_off_and_on(owners, restaurant, line):
    assert "is off" in text_of(owners.post(f"/lines/{line.id}/enabled", on="no", follow=True))
    assert not now_is(restaurant, line).enabled
    assert "Turned off" in text_of(owners.get("/lines"))
    owners.post(f"/lines/{line.id}/enabled", on="yes")
    assert now_is(restaurant, line).enabled


def test_another_line_becomes_the_default(owners, restaurant, line):
    other = make_line(restaurant, default=False)
    owners.post(f"/lines/{other.id}/default")
    assert now_is(restaurant, other).is_default
    assert not now_is(restaurant, line).is_default


def test_the_test_line_is_neither_default_nor_removed(owners, restaurant):
    with restaurant.scope():
        line = add_simulated_line("Test line", "http://localhost", "secret", test=True)
    page = owners.get(f"/lines/{line.id}").get_data(as_text=True)
    assert "/remove" not in page
    assert "/default" not in page
    assert "/access" not in page
    for act in ("default", "remove"):
        owners.post(f"/lines/{line.id}/{act}")
    kept = now_is(restaurant, line)
    assert (kept.is_default, kept.removed_at) == (False, None)


def test_removing_asks_first_and_forgets_the_secrets(owners, restaurant, line):
    assert title_of(owners.get(f"/lines/{line.id}/remove")) == "Delete “Front desk”?"
    assert now_is(restaurant, line).token
    owners.post(f"/lines/{line.id}/remove")
    assert lines_of(restaurant) == []
    assert owners.get(f"/lines/{line.id}").status_code == 404
    with restaurant.scope():
        kept = db.session.get(Line, (restaurant.tenant_id, line.id))
        assert (kept.token, kept.app_secret) == (None, None)
        assert audit.entries(act="lines.removed")


def test_a_check_of_a_line_changes_its_state(owners, restaurant, graph, line):
    graph.numbers[NUMBER]["webhook_configuration"] = {
        "application": f"http://localhost/hooks/cloud/{line.hook_token}"
    }
    with restaurant.scope():
        line_repository.record_line_state(line.id, "token_expired", "It ran out.")
    page = owners.post(f"/lines/{line.id}/check", follow=True)
    assert "WhatsApp recognizes this line. It can send messages." in text_of(page)
    assert now_is(restaurant, line).state == "connected"
    graph.numbers.clear()
    page = owners.post(f"/lines/{line.id}/check", follow=True)
    assert "WhatsApp does not recognize this phone number ID" in text_of(page)
    assert now_is(restaurant, line).state == "restricted"


def test_a_webhook_that_points_elsewhere_is_reported(owners, graph, line):
    graph.numbers[NUMBER]["webhook_configuration"] = {"application": "https://elsewhere.example/"}
    page = owners.post(f"/lines/{line.id}/check", follow=True)
    assert "https://elsewhere.example/" in text_of(page)


def test_a_new_token_is_tried_before_it_is_used(owners, restaurant, graph, line):
    page = owners.post(f"/lines/{line.id}/access", token="EAAGworse", app_secret="")
    assert "s access token has expired or was revoked. Enter a new one." in text_of(page)
    assert now_is(restaurant, line).token == GOOD_TOKEN
    with restaurant.scope():
        line_repository.replace_credentials(line.id, "EAAGold")
        line_repository.record_line_state(line.id, "token_expired", "It ran out.")
    assert (
        owners.post(f"/lines/{line.id}/access", token=GOOD_TOKEN, app_secret="").status_code == 302
    )
    kept = now_is(restaurant, line)
    assert (kept.token, kept.app_secret, kept.state) == (GOOD_TOKEN, "secret", "connected")


def test_a_test_message_is_sent_like_any_message(owners, restaurant, line):
    answer = owners.post(f"/lines/{line.id}/message", phone="+90 532 111 22 33", text=" Merhaba ")
    assert answer.status_code == 302
    message_id = answer.location.rpartition("/")[2]
    with restaurant.scope():
        message = message_queries.get(message_id)
    assert (message.phone, message.text, message.state) == ("905321112233", "Merhaba", "queued")
    assert (message.line_id, message.test) == (line.id, False)
    assert owners.get(answer.location).status_code == 200


@pytest.mark.parametrize(
    ("phone", "text"), [("12", "Merhaba"), ("905321112233", "  "), ("905321112233", "a" * 4097)]
)
def test_a_test_message_that_cannot_be_is_refused(owners, restaurant, line, phone, text):
    page = owners.post(f"/lines/{line.id}/message", phone=phone, text=text)
    assert page.status_code == 200
    assert "field-error" in page.get_data(as_text=True)
    with restaurant.scope():
        assert message_queries.list_messages(message_queries.MessageFilters(), None, 10) == []


def test_a_line_that_is_off_sends_no_test_message(owners, restaurant, line):
    owners.post(f"/lines/{line.id}/enabled", on="no")
    page = owners.post(f"/lines/{line.id}/message", phone="905321112233", text="Merhaba")
    assert "This line is turned off." in text_of(page)


def test_a_suspended_business_sends_no_test_message(owners, restaurant, line):
    with restaurant.scope():
        accounts.suspend("a reason")
    page = owners.post(f"/lines/{line.id}/message", phone="905321112233", text="Merhaba")
    assert "This account is suspended." in text_of(page)
    with restaurant.scope():
        assert message_queries.list_messages(message_queries.MessageFilters(), None, 10) == []


@pytest.mark.parametrize(
    ("role", "sees"),
    [
        ("admin", {"/message", "/check", "/access", "/remove", "verify"}),
        ("inbox", {"/message"}),
        ("manager", {"/message"}),
        ("viewer", set()),
    ],
)
def test_a_role_sees_only_what_it_may_do(browser, restaurant, line, role, sees):
    browser.signs_in(restaurant.hires(role))
    page = browser.get(f"/lines/{line.id}").get_data(as_text=True)
    marks = {f"/{act}" for act in ("message", "check", "access", "remove")}
    shown = {mark for mark in marks if f"/lines/{line.id}{mark}" in page}
    shown |= {"verify"} if line.verify_token in page else set()
    assert shown == sees


def test_a_waiter_sees_no_lines(browser, restaurant, line):
    browser.signs_in(restaurant.hires("waiter"))
    assert browser.get("/lines").status_code == 403
    assert 'href="/lines"' not in browser.get("/home").get_data(as_text=True)
