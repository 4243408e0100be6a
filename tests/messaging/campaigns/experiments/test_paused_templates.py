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
from messaging.lines.drivers.base import SendAccepted, SendRefused, SendUnknown
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

    def __init__(self, business, after, unknown=0):
        """Of the accepted ones, the answers to the first `unknown` are lost."""
        self.business, self.left, self.unknown = business, after, unknown
        self.reached = Counter()
        self.lost = set()

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
            if len(self.lost) < self.unknown:
                self.lost.add(phone)
                settled.append((one, SendUnknown("The answer was lost.")))
                continue
            settled.append((one, SendAccepted(f"wamid.{one.uuid}")))
        with self.business.scope():
            message_settle.settle_messages(settled)


def add_template(business, line, name):
    words = [{"type": "BODY", "text": "Soup is on us today."}]
    found = [("offer", "0"), ("other", "1"), (name, "2")]
    with business.scope():
        store_templates(
            template_account(line),
            [
                NetworkTemplate(number, one, "en", "marketing", "approved", components=words)
                for one, number in found
            ],
        )


def recipients(business, campaign_id):
    with business.scope():
        query = select(CampaignRecipient).where(
            CampaignRecipient.tenant_id == business.tenant_id,
            CampaignRecipient.campaign_id == campaign_id,
            CampaignRecipient.state != "left_out",
        )
        found = list(db.session.scalars(query))
        for one in found:
            db.session.expunge(one)
        return found


def pause(business, name="offer", state="paused"):
    with business.scope():
        db.session.execute(
            update(Template)
            .where(Template.tenant_id == business.tenant_id, Template.name == name)
            .values(state=state)
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


def test_one_variant_is_replaced_and_the_groups_stay_the_same(restaurant, line):
    """The other variant keeps its template, and the holdout group gets nothing."""
    crowd = crowd_of(restaurant, 90)
    spare = {**OTHER, "name": "spare"}
    add_template(restaurant, line, "spare")
    mine = drafts(
        restaurant,
        text="",
        template=OFFER,
        stand_in=spare,
        holdout_percent=20,
        variants=[{"weight": 50, "template": OTHER}],
    )
    network = Network(restaurant, after=6)
    with frozen(now()):
        starts(restaurant, mine)
        steps(restaurant, most=5)
        network.send_all()
        run(restaurant, network)
    rows = recipients(restaurant, mine)
    held = [one for one in rows if one.variant == "holdout"]
    assert {one.state for one in held} == {"holdout"}
    assert len(network.reached) == len(crowd.phones) - len(held)
    assert set(network.reached.values()) == {1}
    sent = Counter(one.content["name"] for one in messages(restaurant) if one.state == "sent")
    assert sent["offer"] == 6
    assert sent["offer"] + sent["spare"] == sum(one.variant == "A" for one in rows)
    assert sent["other"] == sum(one.variant == "B" for one in rows)
    done = campaign(restaurant, mine)
    assert (done.state, done.replaced, done.counts["failed"]) == ("finished", ["offer/en"], 0)


def test_a_message_whose_outcome_is_unknown_is_not_repeated(restaurant, line):
    """It may have reached the person before the pause."""
    crowd = crowd_of(restaurant, 30)
    mine = drafts(restaurant, text="", template=OFFER, stand_in=OTHER)
    network = Network(restaurant, after=5, unknown=4)
    with frozen(now()):
        starts(restaurant, mine)
        steps(restaurant, most=4)
        network.send_all()
        pause(restaurant)
        run(restaurant, network)
    assert len(network.lost) == 4
    assert sorted(network.reached) == sorted(crowd.phones)
    assert set(network.reached.values()) == {1}
    done = campaign(restaurant, mine)
    assert done.counts["sent"] + len(network.lost) == len(crowd.phones)
    assert set(done.counts["causes"]) == {"answer_lost"}


def test_the_pause_that_ends_reaches_nobody_twice(restaurant, line):
    crowd = crowd_of(restaurant, 60)
    mine = drafts(restaurant, text="", template=OFFER, stand_in=OTHER)
    network = Network(restaurant, after=9)
    with frozen(now()):
        starts(restaurant, mine)
        steps(restaurant, most=3)
        network.send_all()
        pause(restaurant)
        steps(restaurant, most=3)
        network.send_all()
        pause(restaurant, state="approved")
        network.left = 1000
        run(restaurant, network)
    assert sorted(network.reached) == sorted(crowd.phones)
    assert set(network.reached.values()) == {1}
    assert campaign(restaurant, mine).counts["failed"] == 0


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
