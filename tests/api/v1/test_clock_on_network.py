"""The clock of test mode with the simulated network and real workers, over HTTP."""

from datetime import timedelta

import pytest
import urllib3

from core.clock import now
from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from tests.running_service import app, database, service, settings
from tests.webhooks.receivers import wait_until
from webhooks.feed import test_event_feed as events_of_test_mode

__all__ = ["app", "database", "service", "settings"]

GUEST = "905321110042"


@pytest.fixture
def business(app, service, settings):
    made = make_business("Kumru")
    with made.scope():
        add_simulated_line("Test", service.url, settings.simulator_secret, test=True)
    return made


@pytest.fixture
def ask(service, business):
    def call(method, path, body=None):
        headers = {"Authorization": f"Bearer {business.test_key}"}
        reply = urllib3.request(method, f"{service.url}/api/v1{path}", json=body, headers=headers)
        return reply.status, reply.json()

    return call


def received(business):
    with business.scope():
        found = events_of_test_mode(0, 200)[0]
    return sum(one["event"] == "messages.upsert" for one in found)


def guest_writes(ask, business):
    before = received(business)
    ask("POST", "/test/triggers", {"trigger": "guest.writes", "phone": GUEST})
    assert wait_until(lambda: received(business) > before, seconds=20)


def test_the_window_closes_after_a_day_and_opens_when_the_guest_writes(ask, business):
    guest_writes(ask, business)
    text = {"phone": GUEST, "message": "Your table is ready."}
    status, sent = ask("POST", "/messages/send", text)
    assert (status, sent["status_code"]) == (200, "sent")
    status, clock = ask("POST", "/test/clock", {"advance_seconds": 86400 + 60})
    assert (status, clock["advanced_seconds"]) == (200, 86460)
    status, refused = ask("POST", "/messages/send", text)
    assert (status, refused["code"]) == (422, "window_closed")
    guest_writes(ask, business)
    status, sent = ask("POST", "/messages/send", text)
    assert (status, sent["status_code"]) == (200, "sent")


def test_a_scheduled_message_leaves_when_its_time_has_come(ask, business):
    guest_writes(ask, business)
    later = (now() + timedelta(hours=5)).isoformat()
    body = {"phone": GUEST, "message": "Reminder", "scheduled_at": later}
    status, waiting = ask("POST", "/messages/send", body)
    assert (status, waiting["status_code"]) == (202, "scheduled")
    ask("POST", "/test/clock", {"advance_seconds": 4 * 3600})
    assert ask("GET", f"/messages/{waiting['id']}")[1]["status_code"] == "scheduled"
    ask("POST", "/test/clock", {"advance_seconds": 3600})
    done = ("sent", "delivered", "read")
    assert wait_until(
        lambda: ask("GET", f"/messages/{waiting['id']}")[1]["status_code"] in done, seconds=20
    )
