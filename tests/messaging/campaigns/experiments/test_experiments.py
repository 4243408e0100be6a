"""Holdout group and variants: assigned repeatably, compared in the same way everywhere."""

from collections import Counter
from decimal import Decimal

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from core.errors import Invalid
from core.ids import new_id
from messaging.campaigns.experiments.assignment import HOLDOUT, assign
from messaging.campaigns.experiments.effect import effect_of
from messaging.models import CampaignRecipient
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    looks,
    messages,
    sends,
    starts,
    steps,
)
from tests.messaging.campaigns.many_contacts import crowd_of


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def rows_of(business, campaign_id):
    with business.scope():
        query = select(CampaignRecipient).where(
            CampaignRecipient.tenant_id == business.tenant_id,
            CampaignRecipient.campaign_id == campaign_id,
        )
        found = list(db.session.scalars(query))
        for one in found:
            db.session.expunge(one)
        return found


def test_assignment_is_repeatable_and_follows_the_weights():
    mine = new_id("cmp")
    people = [new_id("con") for _ in range(4000)]
    groups = [assign(mine, one, 20, [50, 30, 20]) for one in people]
    assert groups == [assign(mine, one, 20, [50, 30, 20]) for one in people]
    counted = Counter(groups)
    assert 700 < counted[HOLDOUT] < 900
    assert counted["A"] > counted["B"] > counted["C"] > 500
    other = new_id("cmp")
    assert groups != [assign(other, one, 20, [50, 30, 20]) for one in people]
    assert assign(mine, people[0], 0, [50]) == ""


def test_the_holdout_group_gets_no_message_and_is_followed(restaurant, line):
    crowd = crowd_of(restaurant, 120)
    mine = drafts(
        restaurant,
        text="Soup A",
        holdout_percent=30,
        variants=[{"weight": 50, "text": "Soup B"}],
    )
    seen = looks(restaurant, mine)
    assert seen.holdout == round((seen.recipients + seen.holdout) * 0.3)
    with frozen(now()):
        starts(restaurant, mine)
        for _ in range(12):
            steps(restaurant)
            sends(restaurant)
            advance(5)
    rows = rows_of(restaurant, mine)
    held = [one for one in rows if one.state == "holdout"]
    sent = [one for one in rows if one.state == "handed"]
    assert len(held) + len(sent) == len(crowd.phones)
    assert held
    assert {one.variant for one in held} == {HOLDOUT}
    assert all(one.message_id is None and one.handed_at for one in held)
    assert {one.variant for one in sent} == {"A", "B"}
    assert Counter(one.text for one in messages(restaurant)) == Counter(
        f"Soup {one.variant}" for one in sent
    )
    done = campaign(restaurant, mine)
    assert done.counts["holdout"] == len(held)
    assert done.counts["recipients"] == len(sent)


def test_variants_and_percent_are_checked(restaurant, line):
    with pytest.raises(Invalid) as error:
        drafts(restaurant, holdout_percent=60)
    assert error.value.faults[0].field == "holdout_percent"
    with pytest.raises(Invalid) as error:
        drafts(restaurant, variants=[{"weight": 50, "text": ""}])
    assert error.value.faults[0].field == "variants.0"
    with pytest.raises(Invalid):
        drafts(restaurant, variants=[{"weight": 0, "text": "B"}])
    with pytest.raises(Invalid):
        drafts(restaurant, variants=[{"weight": 1, "text": "B"}] * 4)


def group(variant, people, orders, spent, cost="0"):
    return {
        "variant": variant,
        "people": people,
        "sent": people,
        "clicked": 0,
        "link_clicks": 0,
        "buyers": orders,
        "orders": orders,
        "orders_squared": orders,
        "spent": Decimal(spent),
        "spent_squared": Decimal(spent) ** 2 / max(orders, 1),
        "cost": Decimal(cost),
    }


def test_extra_orders_are_those_beyond_the_holdout_rate():
    found = effect_of([group("A", 1000, 60, "9000"), group(HOLDOUT, 250, 5, "750")], "TRY")
    [whole] = found["comparisons"]
    assert whole["extra_orders"] == 40
    assert whole["extra_spent"] == "6000.00"
    assert whole["extra_orders_low"] > 0
    assert whole["verdict"] == "more"


def test_no_claim_when_the_interval_holds_zero():
    found = effect_of([group("A", 100, 4, "400"), group(HOLDOUT, 20, 1, "90")], "TRY")
    assert found["comparisons"][0]["verdict"] == "unclear"


def test_each_variant_is_compared():
    groups = [group("A", 500, 20, "3000"), group("B", 500, 40, "6000"), group(HOLDOUT, 100, 2, "1")]
    found = effect_of(groups, "TRY")
    assert [one["variant"] for one in found["comparisons"]] == ["all", "A", "B"]
