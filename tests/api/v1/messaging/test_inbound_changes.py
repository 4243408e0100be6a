"""Edits, deletions, ads and hand-overs in the API."""

import time

import pytest

from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineUpdate
from messaging.messages.receive import receive_line_update
from tests.messaging.inbox.inbox_factory import add_line, writes

REFERRAL = {"source_id": "120226305854810726", "headline": "Lunch for two"}


@pytest.fixture
def api(client, restaurant):
    return lambda path: client.get(f"/api/v1{path}", headers=restaurant.bearer).json


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def update(business, line, kind, **detail):
    with business.scope():
        full = {"at": int(time.time()), **detail}
        receive_line_update(line_repository.get(line), LineUpdate(kind, full))


def test_the_api_shows_what_happened(api, restaurant, line):
    writes(
        restaurant,
        line,
        text="one",
        wamid="wamid.A",
        referral=REFERRAL,
        forwarded=True,
    )
    update(restaurant, line, "edited", network_id="wamid.A", text="two", at=1772359260)
    message = api("/messages/wamid.A")
    assert (message["text"], message["earlier_texts"]) == ("two", ["one"])
    assert message["edited_at"].startswith("2026-03-01T10:01:00")
    assert (message["deleted_at"], message["sent_from"]) == (None, None)
    assert (message["referral"], message["forwarded"]) == (REFERRAL, True)
    update(restaurant, line, "deleted", network_id="wamid.A")
    message = api("/messages/wamid.A")
    assert (message["text"], message["earlier_texts"], message["referral"]) == ("", [], None)
    assert message["deleted_at"]
    [talk] = api("/conversations")["data"]
    assert (talk["handled_by"], talk["last_message"]["text"]) == ("team", "")
