"""Test triggers: the simulated network does what a test needs. Over real HTTP."""

import pytest
import urllib3

from messaging.lines import repository as line_repository
from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from tests.restaurant.bistro import open_bistro
from tests.running_service import app, database, service, settings
from tests.webhooks.receivers import wait_until
from webhooks.feed import test_event_feed as events_of_test_mode

__all__ = ["app", "database", "service", "settings"]


@pytest.fixture
def business(app, service, settings):
    made = make_business("Kumru")
    with made.scope():
        add_simulated_line("Test", service.url, settings.simulator_secret, test=True)
    return made


@pytest.fixture
def trigger(service, business):
    def call(what, /, key=None, **fields):
        answer = urllib3.request(
            "POST",
            f"{service.url}/api/v1/test/triggers",
            json={"trigger": what, **fields},
            headers={"Authorization": f"Bearer {key or business.test_key}"},
        )
        return answer.status, answer.json()

    return call


def events(business):
    with business.scope():
        return events_of_test_mode(0, 200)[0]


def seen(business, kind):
    assert wait_until(lambda: any(one["event"] == kind for one in events(business)), seconds=20)
    return [one for one in events(business) if one["event"] == kind][-1]


def test_a_guest_writes(business, trigger):
    status, answer = trigger("guest.writes", text="Masa var?", name="Ada", phone="905321110001")
    assert (status, answer["events"]) == (202, ["messages.upsert"])
    data = seen(business, "messages.upsert")["data"]
    assert (data["text"], data["from"], data["sender_name"], data["message_id"], data["test"]) == (
        "Masa var?",
        "905321110001",
        "Ada",
        answer["id"],
        True,
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("guest.sends_photo", "image"), ("guest.sends_location", "location")]
)
def test_a_guest_sends_other_kinds(business, trigger, name, kind):
    assert trigger(name)[0] == 202
    assert seen(business, "messages.upsert")["data"]["type"] == kind


def test_the_line_is_banned_and_restored(business, trigger):
    assert trigger("line.banned")[0] == 202
    event = seen(business, "instances.restricted")
    with business.scope():
        assert line_repository.default_line(test=True).state == "restricted"
    assert (event["data"]["state"], event["data"]["test"]) == ("restricted", True)
    assert trigger("line.restored")[1]["id"] is None
    assert seen(business, "instances.connected")["data"]["state"] == "connected"


def test_a_guest_orders(business, trigger):
    status, refused = trigger("guest.orders")
    assert (status, refused["code"]) == (409, "no_menu")
    open_bistro(business)
    status, answer = trigger("guest.orders", name="Ada")
    assert status == 202, answer
    event = seen(business, "restaurant.order_created")
    assert (event["order_id"], event["customer"]["name"], event["test"]) == (
        answer["id"],
        "Ada",
        True,
    )


def test_refusals(business, trigger):
    assert trigger("guest.writes", key=business.key)[1]["code"] == "test_key_required"
    assert trigger("guest.dances")[0] == 422
    assert trigger("guest.writes", phone="0532")[1]["code"] == "invalid_phone"
    other = make_business("No line")
    assert trigger("guest.writes", key=other.test_key)[1]["code"] == "no_test_line"
