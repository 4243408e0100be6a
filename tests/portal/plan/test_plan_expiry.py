"""When a paid month ends: reminders, the grace period, the base plan, and renewing."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select

from core.clock import frozen, now
from core.db import db, global_scope
from core.errors import PaymentRequired
from core.mail import Mail
from jobs.tenants import account_closure as closing_job
from jobs.tenants import plan_renewals as plans_job
from messaging.lines import repository as line_repository
from messaging.lines.drivers.linked import pairing
from restaurant.sites import sites
from tenants import accounts, audit, people, team
from tenants.data import account_closure
from tenants.plans import billing, quota, renewals
from tenants.plans.catalog import current_tenant_facts
from tests.factories import make_business
from tests.portal.page_reader import text_of
from tests.portal.plan_payment_provider import open_bank

LAST = date(2031, 3, 20)


@pytest.fixture
def bank(app, monkeypatch):
    return open_bank(app, monkeypatch)


@pytest.fixture
def business(app):
    made = make_business("Ocakbaşı Kor", "growth")
    with made.scope():
        accounts.account().paid_until = LAST
    return made


def on(days, hour=9):
    """The given number of days after the last paid day."""
    return frozen(
        datetime(LAST.year, LAST.month, LAST.day, hour, tzinfo=UTC) + timedelta(days=days)
    )


def emails(business):
    with global_scope():
        query = select(Mail.subject).where(Mail.tenant_id == business.tenant_id).order_by(Mail.id)
        return list(db.session.scalars(query))


def plan_status(business):
    with business.scope():
        return accounts.get(business.tenant_id).plan, accounts.account().paid_until


def test_it_is_told_twice_before_once_after_and_then_taken_back(business):
    for day, told in ((-9, 0), (-7, 1), (-3, 1), (-1, 2), (0, 2), (1, 3), (7, 3)):
        with on(day):
            plans_job.check_renewals()
            plans_job.check_renewals()
            assert len(emails(business)) == told, day
            assert plan_status(business) == ("growth", LAST)
    with business.scope():
        accounts.change_limits(50, None, 90_000, Decimal(700))
        line_repository.add_cloud_line(
            "One", "905321110011", "1000001", "t", "s", network="simulator"
        )
        pairing.add_linked_line("Two", network="simulator")
    with on(8):
        plans_job.check_renewals()
        plans_job.check_renewals()
    assert plan_status(business) == ("free", None)
    assert emails(business) == [
        "The plan Growth ends on 20 March 2031",
        "The plan Growth ends on 20 March 2031",
        "The plan Growth has ended; you can keep using it until 27 March 2031",
        "Ocakbaşı Kor is now on the plan Free",
    ]
    with business.scope():
        entries = audit.entries(act="account.plan_lapsed")
        assert [(e.actor_kind, e.detail) for e in entries] == [
            ("system", {"was": "growth", "now": "free"})
        ]
        assert current_tenant_facts().monthly_messages == 100
        assert len([line for line in line_repository.list_lines() if not line.test]) == 2


def test_more_than_the_smaller_plan_has_room_for_stays_and_another_is_refused(business, browser):
    with business.scope():
        for name in ("One", "Two"):
            pairing.add_linked_line(name, network="simulator")
        site = {"currency": "TRY", "time_zone": "Europe/Istanbul", "country": "TR"}
        sites.open_site("Kor", slug="kor-1", prefix="KOR", languages=["tr"], **site)
        renewals.set_plan_until("free", None)
    for act, words in (
        (lambda: pairing.add_linked_line("Three"), "includes 1 line. "),
        (
            lambda: sites.open_site("B", slug="kor-2", prefix="BAR", languages=["tr"], **site),
            "includes 1 restaurant. ",
        ),
        (lambda: team.invite("a@example.com", "viewer", "owner", "x"), None),
        (lambda: team.invite("b@example.com", "viewer", "owner", "x"), "includes 2 team members"),
        (lambda: quota.reserve(current_tenant_facts(), 101, Decimal(0)), "used all 100 messages"),
    ):
        with business.scope():
            if words is None:
                act()
            else:
                with pytest.raises(PaymentRequired, match=words):
                    act()
    page = text_of(browser.signs_in(business.owner).get("/plan"))
    assert (
        "You have more than the plan includes. They all keep working, but you cannot add more."
        in page
    )
    with business.scope():
        assert len([line for line in line_repository.list_lines() if not line.test]) == 2


def test_paid_in_grace_the_month_follows_the_one_before(business, bank, browser):
    with on(1):
        plans_job.check_renewals()
    with on(3):
        browser.signs_in(business.owner)
        home = text_of(browser.get("/home"))
        assert "until 27 March. After that, the account moves to the plan Free." in home
        assert "On 28 March the account moves to a smaller plan." in home
        assert "Pay $94.80" in text_of(browser.get("/plan"))
        browser.post("/plan/pay", plan="growth")
        bank.pays()
        browser.get("/plan/back")
        assert "Everything keeps working until" not in text_of(browser.get("/home"))
    assert plan_status(business) == ("growth", date(2031, 4, 20))
    with on(9):
        plans_job.check_renewals()
    assert plan_status(business) == ("growth", date(2031, 4, 20))
    assert len(emails(business)) == 1


def test_paid_after_grace_everything_is_as_it_was(business, bank, browser):
    with business.scope():
        accounts.change_limits(50, None, 90_000, Decimal("700.5"))
    with on(1):
        plans_job.check_renewals()
    with on(12):
        plans_job.check_renewals()
        browser.signs_in(business.owner)
        assert "Nothing was deleted" in text_of(browser.get("/home"))
        browser.post("/plan/pay", plan="growth")
        bank.pays()
        closing_job.check_plan_payments()
        assert plan_status(business) == ("growth", date(2031, 4, 30))
        with business.scope():
            facts, own = current_tenant_facts(), accounts.account()
            assert (facts.rate_per_second, facts.monthly_messages) == (50, 90_000)
            assert (own.spend_cap_usd, own.lapsed) == (Decimal("700.5"), None)
            assert len(billing.list_invoices()) == 1


def test_a_payment_under_way_when_grace_ends_is_waited_for(business, bank, browser):
    with on(1):
        plans_job.check_renewals()
    with on(8):
        browser.signs_in(business.owner)
        browser.post("/plan/pay", plan="growth")
        plans_job.check_renewals()
        assert plan_status(business) == ("growth", LAST)
    with on(8, hour=15):
        plans_job.check_renewals()
    assert plan_status(business) == ("free", None)


def test_who_was_told_late_has_the_whole_of_the_grace(business):
    """After an upgrade, or when the scheduler was down."""
    with on(40):
        plans_job.check_renewals()
        assert plan_status(business) == ("growth", LAST)
    with on(46):
        plans_job.check_renewals()
        assert plan_status(business)[0] == "growth"
    with on(47):
        plans_job.check_renewals()
        assert plan_status(business)[0] == "free"


def test_the_operator_says_until_when_a_plan_is_paid(app, business, browser):
    with global_scope():
        people.get(business.owner.id).operator = True
    browser.signs_in(business.owner)
    page = f"/operator/tenants/{business.tenant_id}"
    far = browser.post(f"{page}/limits", plan="growth", paid_until="9999-12-31")
    assert "within five years" in text_of(far)
    until = now().date() + timedelta(days=60)
    browser.post(f"{page}/limits", plan="starter", paid_until=until.isoformat())
    assert plan_status(business) == ("starter", until)
    browser.post(f"{page}/limits", plan="starter", paid_until="")
    assert plan_status(business) == ("starter", None)
    with on(400):
        plans_job.check_renewals()
    assert plan_status(business) == ("starter", None)


def test_a_closed_account_receives_nothing_of_its_plan(business):
    with on(-20), business.scope():
        account_closure.close("Ocakbaşı Kor")
    with on(2):
        plans_job.check_renewals()
    assert emails(business) == []
    assert plan_status(business) == ("growth", LAST)
