"""Alerts at 80 % and 100 % of the quota, once each, to members who can act on them."""

from decimal import Decimal

import pytest
from sqlalchemy import select

from core.db import db, global_scope
from core.mail import Mail
from jobs.tenants import usage_alerts as job
from tenants import accounts
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.message_factory import events_of


@pytest.fixture
def capped(restaurant):
    with restaurant.scope():
        accounts.change_limits(None, None, 10, None)
    return restaurant


def use(business, messages, cost="0"):
    with business.scope():
        quota.reserve(current_tenant_facts(), messages, Decimal(cost))


def emails(business):
    with global_scope():
        rows = db.session.scalars(
            select(Mail).where(Mail.tenant_id == business.tenant_id).order_by(Mail.id)
        )
        return [(row.recipient, row.subject) for row in rows]


def alerts_of(business):
    with business.scope():
        return [one["data"]["percent"] for one in events_of(business.tenant_id, THRESHOLD)]


THRESHOLD = "usage.threshold_reached"


def test_at_80_and_at_100_percent_once_each(capped, run_jobs):
    admin = capped.hires("admin")
    capped.hires("viewer")
    use(capped, 7)
    run_jobs()
    assert alerts_of(capped) == []
    use(capped, 1)
    run_jobs()
    assert alerts_of(capped) == [80]
    use(capped, 1)
    run_jobs()
    use(capped, 1)
    run_jobs()
    assert alerts_of(capped) == [80, 100]
    found = emails(capped)
    assert {recipient for recipient, _ in found} == {capped.owner.email, admin.email}
    assert [subject for _, subject in found][:2] == ["80% of this month's messages used"] * 2
    assert len(found) == 4


def test_a_jump_over_both_thresholds_reports_only_the_higher_one(capped, run_jobs):
    use(capped, 10)
    run_jobs()
    assert alerts_of(capped) == [100]


def test_a_cap_counts_as_reached_when_one_more_would_not_fit(restaurant, run_jobs):
    with restaurant.scope():
        accounts.change_limits(None, None, None, Decimal("1.00"))
    use(restaurant, 1, "0.30")
    run_jobs()
    assert alerts_of(restaurant) == []
    use(restaurant, 1, "0.55")
    run_jobs()
    assert alerts_of(restaurant) == [100]
    assert emails(restaurant)[0][1] == "100% of this month's spend cap used"


def test_a_lost_wakeup_is_recovered(app, capped, redis):
    use(capped, 9)
    redis.flushdb()
    with app.app_context():
        assert job.check_usage() >= 1
    assert alerts_of(capped) == [80]


def test_no_limit_no_word(restaurant, run_jobs):
    with restaurant.scope():
        accounts.change_limits(None, None, None, None)
        facts = current_tenant_facts()
    assert facts.spend_cap_usd is None or facts.monthly_messages
    use(restaurant, 5)
    run_jobs()
    assert alerts_of(restaurant) == []


def test_people_read_it_in_their_own_language(capped, run_jobs):
    with global_scope():
        db.session.merge(capped.owner).locale = "tr"
    use(capped, 8)
    run_jobs()
    [(_, subject)] = emails(capped)
    assert subject != "80% of this month's messages used"
    assert "80" in subject
