"""Usage and costs: the period in the URL, test lines counted separately, the spend cap."""

import codecs
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import insert

from core.clock import now
from core.db import db
from core.errors import PaymentRequired
from messaging.costs import pricing_facts
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.models import UsageDay
from portal.onboarding.new_tenant import add_simulated_lines
from tenants import accounts, audit
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts
from tests.portal.page_reader import text_of

TODAY = now().date()


@pytest.fixture
def lines(restaurant):
    """(the live line, the test line)"""
    with restaurant.scope():
        add_simulated_lines(live=True)
        return tuple(line_repository.default_line(test=test).id for test in (False, True))


def used(business, line_id, **more):
    row = {"day": TODAY, "country": "TR", "category": "utility", "sent": 3, "delivered": 2, **more}
    with business.scope():
        db.session.execute(
            insert(UsageDay).values(tenant_id=business.tenant_id, line_id=line_id, **row)
        )


def test_this_month_by_default_and_test_messages_apart(browser, restaurant, lines):
    live, test = lines
    used(restaurant, live, sent=1234, cost_usd=Decimal("6.5402"), received=5, failed=7)
    used(restaurant, test, sent=21)
    browser.signs_in(restaurant.owner)
    text = text_of(browser.get("/usage"))
    assert "1,234" in text
    assert "$6.54" in text
    assert "Sent in this period: 21, received: 0." in text
    assert "1,255" not in text


def test_a_breakdown_by_country_and_category_in_names(browser, restaurant, lines):
    used(restaurant, lines[0], cost_usd=Decimal("0.5"))
    used(restaurant, lines[0], country="DE", category="marketing", cost_usd=Decimal(2))
    used(restaurant, lines[0], country="other", category="service")
    browser.signs_in(restaurant.owner)
    text = text_of(browser.get("/usage?by=country"))
    assert text.index("Germany") < text.index("Türkiye") < text.index("Other countries")
    text = text_of(browser.get("/usage?by=category&sort=sent"))
    assert all(name in text for name in ("Marketing", "Utility", "Service"))


def test_a_range_of_days_and_one_that_is_none(browser, restaurant, lines):
    used(restaurant, lines[0], day=TODAY - timedelta(days=90), sent=777)
    browser.signs_in(restaurant.owner)
    since, until = TODAY - timedelta(days=91), TODAY - timedelta(days=89)
    assert "777" in text_of(browser.get(f"/usage?period=range&since={since}&until={until}"))
    assert "777" not in text_of(browser.get("/usage?period=30-days"))
    for odd in (f"since={until}&until={since}", "since=x&until=y", "since=0001-01-01"):
        page = browser.get(f"/usage?period=range&{odd}")
        assert page.status_code == 200
    assert "Choose a first day before the last day, at most one year apart." in text_of(page)


def test_the_file_has_every_total_and_no_formula(browser, restaurant, lines):
    with restaurant.scope():
        line_repository.rename(lines[0], "=cmd|' /C calc'!A0")
    used(restaurant, lines[0], cost_usd=Decimal("0.0159"))
    used(restaurant, lines[0], country="DE", sent=9)
    browser.signs_in(restaurant.owner)
    answer = browser.get("/usage.csv?period=30-days")
    assert answer.get_data().startswith(codecs.BOM_UTF8), "or Excel spoils the letters"
    rows = answer.get_data().decode("utf-8-sig").splitlines()
    assert rows[0].startswith("day,line,country,category,sent,delivered,read,failed,received")
    assert len(rows) == 3
    assert "'=cmd" in rows[1]
    assert ",0.015900" in rows[2]
    assert "usage.csv" in answer.headers["Content-Disposition"]


def test_the_cap_a_tenant_chooses_holds_and_cannot_pass_the_plan(browser, restaurant):
    browser.signs_in(restaurant.owner)
    with restaurant.scope():
        allowed = current_tenant_facts().most_spend_usd
    refused = browser.post("/usage/spend-cap", cap_usd=str(allowed + 1))
    assert refused.status_code == 200
    assert "Your plan allows" in text_of(refused)
    assert browser.post("/usage/spend-cap", cap_usd="1.50").status_code == 302
    with restaurant.scope():
        facts = current_tenant_facts()
        assert (facts.spend_cap_usd, facts.most_spend_usd) == (Decimal("1.5"), allowed)
        assert audit.entries(limit=1)[0].act == "account.spend_cap_chosen"
    with pytest.raises(PaymentRequired, match="spend cap"), restaurant.scope():
        quota.reserve(facts, 1, Decimal("1.51"))
    assert browser.post("/usage/spend-cap", cap_usd="").status_code == 302
    with restaurant.scope():
        assert current_tenant_facts().spend_cap_usd == allowed


@pytest.mark.parametrize(
    ("spent", "words"), [("1.19", ""), ("1.20", "80% used."), ("1.50", "new messages are ref")]
)
def test_the_monthly_usage_is_shown_as_text(browser, restaurant, spent, words):
    with restaurant.scope():
        accounts.choose_spend_cap(Decimal("1.5"))
        quota.reserve(current_tenant_facts(), 1, Decimal(spent))
    browser.signs_in(restaurant.owner)
    text = text_of(browser.get("/usage"))
    assert words in text
    assert words or ("% used" not in text and "refused until" not in text)


def test_who_may_not_manage_sees_no_form_and_who_may_not_look_no_page(
    browser, other_browser, restaurant
):
    browser.signs_in(restaurant.hires("viewer"))
    assert "Your spend cap" not in text_of(browser.get("/usage"))
    other_browser.signs_in(restaurant.hires("inbox"))
    assert other_browser.get("/usage").status_code == 403


def test_the_page_shows_what_was_free_and_why(browser, restaurant, lines):
    used(restaurant, lines[0], category="service", sent=734)
    with restaurant.scope():
        tally = UsageTally()
        tally.add_free(TODAY, lines[0], "service", "allowance", 700)
        tally.add_free(TODAY, lines[0], "marketing", "entry_point", 12)
        tally.add_free(TODAY - timedelta(days=90), lines[0], "utility", "window", 5)
        tally.write()
        pricing_facts.clear_cache()
    browser.signs_in(restaurant.owner)
    text = text_of(browser.get("/usage"))
    assert "Free service message of the month" in text
    assert "The customer came from an ad" in text
    assert "734 of 1,000 free service messages used this month." in text
    assert "Sent within the 24-hour window" not in text
