"""Pages of the team inbox: snooze, labels, send later, settings, report, notifications."""

from datetime import timedelta

import pytest

from core.clock import now
from messaging.inbox.team import labels, scheduled_replies
from tests.messaging.inbox.inbox_factory import add_line, talk_with, writes


@pytest.fixture
def talk(restaurant, browser):
    writes(restaurant, add_line(restaurant))
    browser.signs_in(restaurant.owner)
    return talk_with(restaurant)


def test_every_page_is_shown(restaurant, browser, talk):
    with restaurant.scope():
        labels.set_labels(talk.id, [labels.save("Complaint", "red").id])
    for path, words in (
        ("/inbox", "Complaint"),
        (f"/inbox/{talk.id}", "Snooze until"),
        (f"/inbox/{talk.id}/template", "No approved templates"),
        ("/settings/inbox", "Automatic assignment"),
        ("/reports/response-times", "First response by day"),
        ("/notifications", "Notifications"),
    ):
        page = browser.get(path)
        assert page.status_code == 200, path
        assert words in page.get_data(as_text=True), path
    assert browser.get("/manifest.webmanifest").get_json()["display"] == "standalone"
    assert "showNotification" in browser.get("/service-worker.js").get_data(as_text=True)


def test_a_reply_is_scheduled_from_the_reply_box(restaurant, browser, talk):
    at = (now() + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M+00:00")
    browser.post(f"/inbox/{talk.id}/answer", text="Masa hazır", send_at=at)
    with restaurant.scope():
        assert [one.text for one in scheduled_replies.list_of(talk.id)] == ["Masa hazır"]
    assert "Masa hazır" in browser.get(f"/inbox/{talk.id}").get_data(as_text=True)
    browser.post(f"/inbox/{talk.id}/snooze", until="tomorrow")
    assert talk_with(restaurant).snoozed_until is not None


def test_page_file_and_api_have_the_same_figures(restaurant, browser, talk):
    rows = browser.get("/reports/response-times.csv?period=7").get_data(as_text=True).splitlines()
    assert rows[-1].split(",")[1:4] == ["1", "0", "0"]
    told = browser.client.get("/api/v1/reports/response-times", headers=restaurant.bearer)
    assert told.get_json()["total"]["cases"] == 1
