"""The dry run of a campaign, and its results."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.clock import advance, frozen, now
from core.db import db
from core.errors import Invalid
from messaging.campaigns import audiences, coupon_port
from messaging.campaigns import batches as campaign_batches
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import runner as campaign_runner
from messaging.campaigns.filters import parse_filters
from messaging.campaigns.repository import CampaignInput
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    looks,
    meets,
    messages,
    receive_receipts,
    sends,
    sets,
    starts,
    steps,
)
from tests.messaging.campaigns.test_campaigns import Gifts, line

__all__ = ["line"]


def test_a_draft_whose_time_has_passed_does_not_leave_by_surprise(restaurant, line):
    meets(restaurant, "Ayşe")
    with frozen(now()):
        mine = drafts(restaurant, scheduled_at=now() + timedelta(hours=1))
        assert looks(restaurant, mine).problem is None
        advance(timedelta(hours=2))
        assert "has passed" in looks(restaurant, mine).problem.message
        with pytest.raises(Invalid, match="has passed"):
            starts(restaurant, mine, campaign(restaurant, mine).scheduled_at)
        assert campaign(restaurant, mine).state == "draft"
        with restaurant.scope():
            campaign_repository.change(mine, CampaignInput(scheduled_at=None))
        starts(restaurant, mine)
        steps(restaurant)
        assert len(messages(restaurant)) == 1


def test_a_name_that_is_missing_is_reported_before_it_leaves(restaurant, line):
    _, nobody = meets(restaurant, "Ayşe", "")
    plain = drafts(restaurant, text="Hi {{customer.first_name}}!")
    assert campaign_dry_run.SOME_WITHOUT_NAME in looks(restaurant, plain).warnings
    careful = drafts(restaurant, text="Hi {{customer.first_name|there}}! {{shop.name}}")
    assert campaign_dry_run.SOME_WITHOUT_NAME not in looks(restaurant, careful).warnings
    sets(restaurant, [nobody], opted_out_at=now())
    assert campaign_dry_run.SOME_WITHOUT_NAME not in looks(restaurant, plain).warnings


def test_while_some_sleep_the_others_are_followed(restaurant, line):
    meets(restaurant, "Ayşe")
    meets(restaurant, "Lisa", prefix="121255501")  # New York
    with frozen(now()):
        there = now().astimezone(ZoneInfo("America/New_York"))
        minute = there.hour * 60 + there.minute
        hours = ((minute - 60) % 1440, (minute + 120) % 1440)
        mine = drafts(restaurant, quiet=hours)
        starts(restaurant, mine)
        steps(restaurant)
        sends(restaurant)
        receive_receipts(restaurant, line, ("905321110001", "delivered"))
        advance(timedelta(minutes=1))
        steps(restaurant)
        found = campaign(restaurant, mine)
        assert (found.state, found.counts["delivered"], found.counts["waiting"]) == (
            "running",
            1,
            1,
        )


def test_what_a_stop_called_off_has_not_failed(restaurant, line, monkeypatch):
    monkeypatch.setattr(campaign_batches, "BATCH", 2)
    meets(restaurant, "Ayşe", "Mehmet", "Elif")
    mine = drafts(restaurant)
    starts(restaurant, mine)
    for _ in range(2):
        with restaurant.scope():
            campaign_runner.run_next_step()
    sends(restaurant, most=1)
    with restaurant.scope():
        campaign_lifecycle.stop(mine)
    steps(restaurant)
    counts = campaign(restaurant, mine).counts
    assert (counts["sent"], counts["stopped"], counts["failed"]) == (1, 2, 0)
    assert counts["causes"] == {}


def test_a_copy_gives_the_same_gift(restaurant, line, monkeypatch):
    monkeypatch.setattr(coupon_port, "_provider", Gifts())
    mine = drafts(restaurant, text="Your soup: {{coupon}}", gift="soup")
    with restaurant.scope():
        assert campaign_repository.copy(mine, "Again").gift == "soup"
    monkeypatch.setattr(Gifts, "offers", lambda self, tenant_id: [])
    with restaurant.scope():
        assert campaign_repository.copy(mine, "Too late").gift is None


@pytest.mark.parametrize(
    ("day", "found"),
    [((2027, 2, 28), True), ((2027, 3, 1), False), ((2028, 2, 28), False), ((2028, 2, 29), True)],
)
def test_a_29_february_has_its_day_every_year(restaurant, day, found):
    (leap,) = meets(restaurant, "Leyla")
    sets(restaurant, [leap], birthday=229)
    with frozen(datetime(*day, 9, tzinfo=UTC)), restaurant.scope():
        query = audiences.matching_contacts(parse_filters({"birthday_within_days": 0}))
        assert (leap in set(db.session.scalars(query))) is found
