"""Whatever dies in the middle of a campaign, each person is in it once."""

import pytest

from core import faultpoints
from messaging import claiming, sending
from messaging.campaigns import acts, gathering, handing
from messaging.sending import Draft
from tenants.plans import known_facts
from tests.campaigns.campaign_cast import campaign, drafts, messages, outcomes, starts, steps
from tests.campaigns.crowds import crowd_of
from tests.lines import give_line

POINTS = ("campaign_gathered", "campaign_claimed", "campaign_accepted")


class Died(Exception):
    """The process, as far as the database can tell."""


@pytest.fixture
def fragile(monkeypatch):
    """At the next three steps of a kind the transaction is lost, as with a process that dies."""
    left = dict.fromkeys(POINTS, 3)

    def at(step):
        if left.get(step, 0) > 0:
            left[step] -= 1
            raise Died(step)

    monkeypatch.setattr(faultpoints, "at", at)
    return left


def test_killed_and_paused_at_ten_points(restaurant, fragile, monkeypatch):
    monkeypatch.setattr(gathering, "BATCH", 40)
    monkeypatch.setattr(handing, "BATCH", 9)
    give_line(restaurant)
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
                acts.pause(mine)
            steps(restaurant)
            with restaurant.scope():
                acts.resume(mine)
            pauses += 1
    assert (deaths, pauses, set(fragile.values())) == (9, 3, {0})
    assert sorted(one.phone for one in messages(restaurant)) == sorted(crowd.phones)
    reasons = list(outcomes(restaurant, mine).values())
    assert {why: reasons.count(why) for why in crowd.left_out} == crowd.left_out
    assert reasons.count("queued") == len(crowd.phones)
    assert campaign(restaurant, mine).counts["waiting"] == 0


def test_transactional_messages_pass_a_waiting_campaign(restaurant):
    """Of what is due on one line, what somebody waits for is taken first."""
    line = give_line(restaurant)
    crowd_of(restaurant, 120)
    starts(restaurant, drafts(restaurant))
    steps(restaurant)
    with restaurant.scope():
        draft = Draft(kind="text", phone="905321112233", text="Your table is ready")
        ticket = sending.accept(draft, line, known_facts())
    with restaurant.scope():
        first = claiming.claim(1, 60.0)
    assert [one.envelope.message_id for one in first] == [ticket.id]
