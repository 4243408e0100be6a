"""Whatever dies in the middle of a campaign, each person is in it once."""

import pytest

from core import chaos
from messaging.campaigns import batches as campaign_batches
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import recipients as campaign_recipients
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages.accept import MessageDraft
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    messages,
    outcomes,
    starts,
    steps,
)
from tests.messaging.campaigns.many_contacts import crowd_of

POINTS = ("campaign_gathered", "campaign_claimed", "campaign_accepted")


class Died(Exception):
    """A process of its own, from the database's point of view."""


@pytest.fixture
def fragile(monkeypatch):
    """At the next three steps of a kind the transaction is lost, as with a process that dies."""
    left = dict.fromkeys(POINTS, 3)

    def at(step):
        if left.get(step, 0) > 0:
            left[step] -= 1
            raise Died(step)

    monkeypatch.setattr(chaos, "fault_point", at)
    return left


def test_killed_and_paused_at_ten_points(restaurant, fragile, monkeypatch):
    monkeypatch.setattr(campaign_recipients, "BATCH", 40)
    monkeypatch.setattr(campaign_batches, "BATCH", 9)
    make_line(restaurant)
    crowd = crowd_of(restaurant, 150)
    mine = drafts(restaurant)
    starts(restaurant, mine)
    deaths = pauses = 0
    for turn in range(60):
        try:
            steps(restaurant, most=2)
        except Died:
            deaths += 1
        if turn in (4, 9, 14):
            with restaurant.scope():
                campaign_lifecycle.pause(mine)
            steps(restaurant)
            with restaurant.scope():
                campaign_lifecycle.resume(mine)
            pauses += 1
    assert (deaths, pauses, set(fragile.values())) == (9, 3, {0})
    assert sorted(one.phone for one in messages(restaurant)) == sorted(crowd.phones)
    reasons = list(outcomes(restaurant, mine).values())
    assert {why: reasons.count(why) for why in crowd.left_out} == crowd.left_out
    assert reasons.count("queued") == len(crowd.phones)
    assert campaign(restaurant, mine).counts["waiting"] == 0


def test_transactional_messages_pass_a_waiting_campaign(restaurant):
    """Messages that a caller waits for are claimed before the campaign's."""
    line = make_line(restaurant)
    crowd_of(restaurant, 120)
    starts(restaurant, drafts(restaurant))
    steps(restaurant)
    with restaurant.scope():
        draft = MessageDraft(kind="text", phone="905321112233", text="Your table is ready")
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
    with restaurant.scope():
        first = message_claim.claim_messages(1, 60.0)
    assert [one.envelope.message_id for one in first] == [ticket.id]
