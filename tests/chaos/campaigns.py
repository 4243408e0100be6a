"""Campaigns: killed and paused at ten points, a campaign reaches each recipient once."""

import os
import time
from collections import Counter
from decimal import Decimal

from core.errors import Conflict
from core.ids import to_uuid
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.lines import repository as line_repository
from tenants import accounts
from tests.chaos.load import Crowd
from tests.chaos.outcomes import Outcome, wait_until_idle
from tests.chaos.stage import WORKERS, Stage
from tests.messaging.campaigns.many_contacts import crowd_of

SIZE = int(os.environ.get("CHAOS_CAMPAIGN", "20000"))
# In the middle of choosing people, of a batch before and after its messages, between batches,
# and where messages leave.
POINTS = (
    *("campaign_gathered:1", "campaign_claimed:1", "campaign_accepted:1", "campaign_handed:2"),
    *("campaign_claimed:3", "campaign_accepted:2", "claim:2", "campaign_handed:3"),
    *("before_settle_commit:2", "campaign_accepted:3"),
)
POINT_SECONDS = 40.0
END_SECONDS = 900.0

MADE = """
SELECT phone, count(*) FROM messages
 WHERE tenant_id = %s AND direction = 'out' AND reference = %s GROUP BY phone
"""
STATES = """
SELECT state, reason, count(*) FROM campaign_recipients
 WHERE tenant_id = %s AND campaign_id = %s GROUP BY state, reason
"""
UNTOLD = """
SELECT count(*) FROM messages AS m
 WHERE m.tenant_id = %s AND m.reference = %s AND NOT EXISTS (
       SELECT 1 FROM campaign_recipients AS r
        WHERE r.tenant_id = m.tenant_id AND r.message_id = m.id)
"""


def killed(stage: Stage) -> Outcome:
    crowd = Crowd(stage, businesses=1)
    business = crowd.businesses[0]
    meant = crowd_of(business, SIZE)
    stage.end(*WORKERS)
    with business.scope():
        accounts.change_limits(None, None, 10**7, Decimal(10**6))
        line = line_repository.default_line(test=False)
        # Slow enough that every point is reached while there are still messages to send.
        line.per_second = max(Decimal(SIZE) / 180, Decimal(2))
        campaign = campaign_repository.add(
            CampaignInput(name="Chaos", text="Soup is on us", quiet=(None, None))
        )
        campaign_lifecycle.start(campaign.id)
    began, pauses = time.monotonic(), 0
    for number, point in enumerate(POINTS):
        before = len(stage.deaths)
        stage.workers(point)
        _until(lambda before=before: len(stage.deaths) > before or _over(business, campaign.id))
        if number % 3 == 1:
            pauses += _pause_and_resume(business, campaign.id)
    ended = _until(lambda: _over(business, campaign.id), END_SECONDS)
    took = time.monotonic() - began
    wait_until_idle(stage, crowd, 120)
    return _counted(stage, business.tenant_id, campaign.id, meant, (took, pauses, ended))


def _counted(stage, tenant_id, campaign_id, meant, told) -> Outcome:
    took, pauses, ended = told
    made = dict(stage.ask(MADE, tenant_id, campaign_id))
    uuid = str(to_uuid("cmp", campaign_id))
    states = Counter()
    for state, reason, people in stage.ask(STATES, tenant_id, uuid):
        states[reason or state] += people
    twice = sum(people > 1 for people in made.values())
    network = stage.network("GET", "/accepted")["doubled"]
    outcome = Outcome(
        accepted=len(made),
        terminal=states["handed"],
        doubled=twice,
        lost=len(meant.phones - set(made)),
        seconds=took,
        note=f"{meant.size} contacts, {len(stage.deaths)} killed, {pauses} pauses; {dict(states)}",
    )
    for holds, sentence in (
        (ended, "it did not end"),
        (len(stage.deaths) >= 8, f"only {len(stage.deaths)} were killed"),
        (pauses >= 2, f"only {pauses} pauses"),
        (set(made) == meant.phones, f"{len(set(made) - meant.phones)} got it who must not"),
        (outcome.lost == 0, f"{outcome.lost} did not get it"),
        (twice == 0 == network, f"{twice} got it twice, {network} by the network's book"),
        (states["handed"] == len(meant.phones), "rows and messages differ"),
        ({why: states[why] for why in meant.left_out} == meant.left_out, "other reasons"),
        (stage.ask(UNTOLD, tenant_id, campaign_id)[0][0] == 0, "a message without its row"),
    ):
        outcome.expect(holds, sentence)
    return outcome


def _pause_and_resume(business, campaign_id: str) -> int:
    try:
        with business.scope():
            campaign_lifecycle.pause(campaign_id)
        time.sleep(1.0)
        with business.scope():
            campaign_lifecycle.resume(campaign_id)
    except Conflict:
        return 0
    return 1


def _over(business, campaign_id: str) -> bool:
    with business.scope():
        return campaign_repository.get(campaign_id).state == "finished"


def _until(holds, seconds: float = POINT_SECONDS) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.2)
    return False
