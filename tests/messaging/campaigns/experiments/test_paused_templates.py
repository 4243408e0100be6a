"""A template paused in the middle of a campaign: the others get the stand-in, nobody gets two."""

from collections import Counter

import pytest
from sqlalchemy import select, update

from core import chaos
from core.clock import advance, frozen, now
from core.db import db
from core.errors import Invalid
from messaging import reasons
from messaging.campaigns import batches as campaign_batches
from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.messages import claim as message_claim
from messaging.messages import settle as message_settle
from messaging.models import CampaignRecipient, Template
from messaging.templates.repository import store_templates, template_account
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    messages,
    outcomes,
    per_phone,
    starts,
    steps,
)
from tests.messaging.campaigns.many_contacts import crowd_of

OFFER = {"name": "offer", "language": "en", "parameters": []}
OTHER = {"name": "other", "language": "en", "parameters": []}


@pytest.fixture
def line(restaurant, monkeypatch):
    monkeypatch.setattr(campaign_batches, "BATCH", 7)
    made = make_line(restaurant)
    words = [{"type": "BODY", "text": "Soup is on us today."}]
    with restaurant.scope():
        store_templates(
            template_account(made),
            [
                NetworkTemplate(str(at), name, "en", "marketing", "approved", components=words)
                for at, name in enumerate(("offer", "other"))
            ],
        )
    return made


class Network:
    """Accepts messages until it pauses the template `offer`; then it refuses it."""

    def __init__(self, business, after):
        self.business, self.left = business, after
        self.reached = Counter()

    def send_all(self):
        with self.business.scope():
            claimed = message_claim.claim_messages(500, 60.0, [])
        settled = []
        for one in claimed:
            phone, name = one.envelope.phone, one.envelope.content["name"]
            if name == "offer" and self.left <= 0:
                refusal = SendRefused("template_unusable", reasons.TEMPLATE_PAUSED, "132015")
                settled.append((one, refusal))
                continue
            self.left -= name == "offer"
            self.reached[phone] += 1
            settled.append((one, SendAccepted(f"wamid.{one.uuid}")))
        with self.business.scope():
            message_settle.settle_messages(settled)


def pause(business, name="offer"):
    with business.scope():
        db.session.execute(
            update(Template)
            .where(Template.tenant_id == business.tenant_id, Template.name == name)
            .values(state="paused")
        )


def run(business, network, rounds=30):
    for _ in range(rounds):
        steps(business)
        network.send_all()
        advance(5)


@pytest.mark.parametrize("told", ["by the refusal only", "by the event"])
def test_the_rest_gets_the_stand_in_once(restaurant, line, told):
    crowd = crowd_of(restaurant, 60)
    mine = drafts(restaurant, text="", template=OFFER, stand_in=OTHER)
    network = Network(restaurant, after=10)
    with frozen(now()):
        starts(restaurant, mine)
        steps(restaurant, most=4)
        network.send_all()
        if told == "by the event":
            pause(restaurant)
        run(restaurant, network)
    assert sorted(network.reached) == sorted(crowd.phones)
    assert set(network.reached.values()) == {1}
    done = campaign(restaurant, mine)
    assert (done.state, done.replaced) == ("finished", ["offer/en"])
    assert done.counts["failed"] == 0
    assert done.counts["sent"] == len(crowd.phones)


def test_without_a_stand_in_it_pauses_with_the_reason(restaurant, line):
    crowd_of(restaurant, 30)
    mine = drafts(restaurant, text="", template=OFFER)
    with frozen(now()):
        starts(restaurant, mine)
        steps(restaurant, most=2)
        pause(restaurant)
        run(restaurant, Network(restaurant, after=100), rounds=3)
    assert campaign(restaurant, mine).state == "paused"


def test_the_template_can_name_the_stand_in_itself(restaurant, line):
    crowd = crowd_of(restaurant, 30)
    with restaurant.scope():
        db.session.execute(
            update(Template)
            .where(Template.tenant_id == restaurant.tenant_id, Template.name == "offer")
            .values(stand_in="other")
        )
    mine = drafts(restaurant, text="", template=OFFER)
    network = Network(restaurant, after=3)
    with frozen(now()):
        starts(restaurant, mine)
        run(restaurant, network)
    assert sorted(network.reached) == sorted(crowd.phones)
    assert set(network.reached.values()) == {1}
    assert campaign(restaurant, mine).replaced == ["offer/en"]


def test_a_paused_stand_in_is_not_tried_again_and_again(restaurant, line):
    crowd_of(restaurant, 20)
    mine = drafts(restaurant, text="", template=OFFER, stand_in=OTHER)
    with frozen(now()):
        starts(restaurant, mine)
        pause(restaurant)
        pause(restaurant, "other")
        run(restaurant, Network(restaurant, after=0), rounds=4)
    assert campaign(restaurant, mine).state == "paused"
    assert not messages(restaurant)


def test_a_stand_in_that_cannot_be_sent_is_refused_at_the_start(restaurant, line):
    crowd_of(restaurant, 3)
    mine = drafts(restaurant, text="", template=OFFER, stand_in={**OTHER, "name": "unknown"})
    with pytest.raises(Invalid) as error:
        starts(restaurant, mine)
    assert error.value.faults[0].field == "stand_in"


class Died(Exception):
    """The process was killed."""


def test_killed_while_the_stand_in_takes_over(restaurant, line, monkeypatch):
    crowd = crowd_of(restaurant, 60)
    mine = drafts(restaurant, text="", template=OFFER, stand_in=OTHER)
    network = Network(restaurant, after=8)
    left = dict.fromkeys(("campaign_gathered", "campaign_claimed", "campaign_accepted"), 4)

    def at(step):
        if left.get(step, 0) > 0:
            left[step] -= 1
            raise Died(step)

    monkeypatch.setattr(chaos, "fault_point", at)
    deaths = 0
    with frozen(now()):
        starts(restaurant, mine)
        for turn in range(70):
            try:
                steps(restaurant, most=2)
            except Died:
                deaths += 1
            if turn % 3 == 0:
                network.send_all()
            if turn == 20:
                pause(restaurant)
            advance(5)
        run(restaurant, network, rounds=5)
    assert deaths >= 9
    assert sorted(network.reached) == sorted(crowd.phones)
    assert set(network.reached.values()) == {1}
    assert campaign(restaurant, mine).counts["failed"] == 0
    assert "queued" not in outcomes(restaurant, mine).values()
    assert per_phone(restaurant)
    with restaurant.scope():
        rows = db.session.scalars(
            select(CampaignRecipient.state).where(
                CampaignRecipient.tenant_id == restaurant.tenant_id,
                CampaignRecipient.campaign_id == mine,
            )
        )
        assert set(rows) <= {"handed", "left_out"}
