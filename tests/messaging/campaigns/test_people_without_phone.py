"""Campaigns reach people whose phone number the network hides."""

from datetime import timedelta

import pytest

from core.clock import now
from messaging.contacts import consent as contact_consent
from messaging.contacts import identities as contact_identities
from messaging.lines import repository as line_repository
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    drafts,
    looks,
    meets,
    messages,
    per_phone,
    receive_receipts,
    sends,
    starts,
    steps,
)

USER_ID, OTHER_ID = "TR.13491208655302741918", "DE.771"


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def meets_hidden(business, line, user_id=USER_ID) -> str:
    with business.scope():
        at = now() - timedelta(days=3)
        return contact_identities.find_or_create("", user_id, "Deniz", at, line_id=line.id).id


def test_they_are_counted_priced_and_sent_to(restaurant, line):
    meets(restaurant, "Ayşe")
    for user_id in (USER_ID, OTHER_ID):
        meets_hidden(restaurant, line, user_id)
    campaign_id = drafts(restaurant)
    found = looks(restaurant, campaign_id)
    assert (found.recipients, found.left_out) == (3, {})
    starts(restaurant, campaign_id)
    steps(restaurant)
    assert per_phone(restaurant) == {"905321110001": 1, USER_ID: 1, OTHER_ID: 1}
    sends(restaurant)
    receive_receipts(restaurant, line, (USER_ID, "delivered"))
    states = {one.phone: (one.state, one.country) for one in messages(restaurant)}
    assert states[USER_ID] == ("delivered", "TR")
    assert states[OTHER_ID] == ("sent", "DE")


def test_an_opt_out_keeps_them_out(restaurant, line):
    guest = meets_hidden(restaurant, line)
    with restaurant.scope():
        contact_consent.opt_out(guest, now(), "word")
    assert looks(restaurant, drafts(restaurant)).left_out == {"opted_out": 1}


def test_a_linked_phone_cannot_reach_them(restaurant, line):
    meets_hidden(restaurant, line)
    with restaurant.scope():
        line_repository.get(line.id).kind = "linked"
    assert looks(restaurant, drafts(restaurant)).left_out == {"no_phone": 1}


def test_of_two_ids_the_one_of_the_line_is_used(restaurant, line):
    second = make_line(restaurant, default=False)
    guest = meets_hidden(restaurant, line)
    with restaurant.scope():
        keys = contact_identities.identity_keys("", OTHER_ID)
        contact_identities.add_identities(guest, keys, now(), second.id)
    starts(restaurant, drafts(restaurant, line_id=line.id))
    steps(restaurant)
    assert per_phone(restaurant) == {USER_ID: 1}
