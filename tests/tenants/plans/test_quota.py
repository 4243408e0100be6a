"""Trial, quota and spend cap are enforced by the database under concurrent sends."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest

from core.clock import advance, frozen, now
from core.db import global_scope
from core.errors import DomainError, PaymentRequired
from tenants import accounts
from tenants.plans import catalog as plan_catalog
from tenants.plans import quota
from tests.factories import make_business

COST = Decimal("0.0034")


@pytest.fixture
def newcomer(app):
    return make_business("Just arrived", plan="trial")


def facts_of(business):
    with business.scope():
        return plan_catalog.find_tenant_facts()


def reserve(business, messages=1, cost=Decimal(0)):
    with business.scope():
        quota.reserve(plan_catalog.find_tenant_facts(), messages, cost)


def refusal(business, messages=1, cost=Decimal(0)):
    with pytest.raises(PaymentRequired) as refused:
        reserve(business, messages, cost)
    return refused.value.code


def usage(business):
    with business.scope():
        return quota.usage(plan_catalog.find_tenant_facts())


def limit(business, messages=None, cap=None):
    with business.scope():
        accounts.change_limits(None, None, messages, cap)


def test_the_plans_are_the_ones_promised(app):
    with global_scope():
        found = {
            p.code: (p.rate_per_second, p.burst, p.trial_days, p.trial_messages)
            for p in plan_catalog.every_plan()
        }
    promised = {
        "free": (2, 5, None, None),
        "trial": (5, 10, 3, 200),
        "starter": (20, 40, None, None),
        "growth": (80, 160, None, None),
    }
    assert promised.items() <= found.items()


def test_an_unknown_plan_is_refused_with_the_known_ones(app):
    with global_scope(), pytest.raises(DomainError, match="trial, starter, growth"):
        plan_catalog.get_plan("gold")


def test_an_operator_may_set_limits_of_a_tenants_own(restaurant):
    with restaurant.scope():
        accounts.change_limits(7, 9, 0, Decimal("1.50"))
    facts = facts_of(restaurant)
    assert (facts.rate_per_second, facts.burst, facts.monthly_messages) == (7, 9, 0)
    assert facts.spend_cap_usd == Decimal("1.50")
    limit(restaurant)
    assert facts_of(restaurant).monthly_messages == 50_000


@pytest.mark.parametrize("wrong", [(0, None), (-5, None), (None, 0), (None, -1)])
def test_a_limit_that_would_switch_it_off_is_refused(restaurant, wrong):
    with pytest.raises(DomainError), restaurant.scope():
        accounts.change_limits(*wrong, None, None)
    with pytest.raises(DomainError), restaurant.scope():
        accounts.change_limits(None, None, -1, None)
    with pytest.raises(DomainError), restaurant.scope():
        accounts.change_limits(None, None, None, Decimal(-1))


def test_a_trial_begins_with_the_first_message_and_lasts_three_days(newcomer):
    with frozen():
        assert usage(newcomer).trial_ends_at is None
        advance(timedelta(days=10))
        reserve(newcomer)
        assert usage(newcomer).trial_ends_at == now() + timedelta(days=3)
        advance(timedelta(days=3) - timedelta(seconds=1))
        reserve(newcomer)
        advance(1)
        assert refusal(newcomer) == "trial_over"
        assert usage(newcomer).trial_left == 198


def test_a_trial_has_two_hundred_messages(newcomer):
    reserve(newcomer, 199)
    assert refusal(newcomer, 2) == "trial_over"
    reserve(newcomer)
    assert refusal(newcomer) == "trial_over"
    assert usage(newcomer).trial_left == 0


def test_choosing_a_plan_ends_the_trials_limits(newcomer):
    reserve(newcomer, 200)
    with newcomer.scope():
        accounts.change_plan("starter")
    reserve(newcomer)
    assert usage(newcomer).trial_left is None


def test_a_months_quota_is_kept(restaurant):
    limit(restaurant, messages=5)
    reserve(restaurant, 3)
    assert refusal(restaurant, 3) == "quota_exceeded"
    reserve(restaurant, 2)
    assert refusal(restaurant) == "quota_exceeded"
    assert usage(restaurant).messages == 5


def test_a_quota_of_nothing_allows_nothing(restaurant):
    limit(restaurant, messages=0)
    assert refusal(restaurant) == "quota_exceeded"


def test_a_new_month_starts_from_zero(restaurant):
    limit(restaurant, messages=1)
    with frozen("2026-03-31T23:59:59Z"):
        reserve(restaurant)
        assert refusal(restaurant) == "quota_exceeded"
        advance(1)
        reserve(restaurant)
        assert usage(restaurant).messages == 1


def test_the_spend_cap_is_kept_to_the_last_millionth(restaurant):
    limit(restaurant, cap=Decimal("0.01"))
    reserve(restaurant, 1, Decimal("0.009999"))
    assert refusal(restaurant, 1, Decimal("0.000002")) == "spend_cap_reached"
    reserve(restaurant, 1, Decimal("0.000001"))
    assert usage(restaurant).spend_usd == Decimal("0.01")
    reserve(restaurant, 1, Decimal(0))
    assert refusal(restaurant, 1, Decimal("0.000001")) == "spend_cap_reached"


def test_the_first_message_of_a_month_can_be_too_dear(restaurant):
    limit(restaurant, cap=Decimal("0.001"))
    assert refusal(restaurant, 1, COST) == "spend_cap_reached"
    assert usage(restaurant).messages == 0


def test_a_refusal_takes_nothing_even_if_the_caller_goes_on(newcomer):
    """A trial with a spend cap: the trial's allowance is restored if the cap refuses."""
    limit(newcomer, cap=Decimal("0.001"))
    with newcomer.scope(), pytest.raises(PaymentRequired):
        quota.reserve(plan_catalog.find_tenant_facts(), 1, COST)
    used = usage(newcomer)
    assert (used.trial_left, used.trial_ends_at, used.messages) == (200, None, 0)


def test_what_never_left_is_given_back(newcomer):
    with frozen():
        reserve(newcomer, 3, COST)
        advance(60)
        with newcomer.scope():
            quota.release(1, COST, now() - timedelta(seconds=60))
        used = usage(newcomer)
        assert (used.messages, used.trial_left, used.spend_usd) == (2, 198, Decimal(0))


def test_what_is_given_back_goes_to_the_month_it_came_from(restaurant):
    with frozen("2026-03-31T23:59:59Z") as then:
        reserve(restaurant, 5, COST)
        advance(60)
        reserve(restaurant, 2, COST)
        with restaurant.scope():
            quota.release(5, COST, then)
        assert usage(restaurant).messages == 2


def test_nothing_goes_below_zero(restaurant):
    reserve(restaurant)
    with restaurant.scope():
        quota.release(9, Decimal(9), now())
    assert (usage(restaurant).messages, usage(restaurant).spend_usd) == (0, 0)


def test_a_rolled_back_send_reserves_nothing(restaurant):
    with pytest.raises(ZeroDivisionError), restaurant.scope():
        quota.reserve(plan_catalog.find_tenant_facts(), 5, COST)
        raise ZeroDivisionError
    assert usage(restaurant).messages == 0


def all_at_once(app, business, count, cost):
    def send(_):
        with app.app_context():
            try:
                reserve(business, 1, cost)
                return "sent"
            except PaymentRequired as refused:
                return refused.code

    with ThreadPoolExecutor(10) as pool:
        return list(pool.map(send, range(count)))


def test_fifty_at_once_do_not_pass_the_quota(app, restaurant):
    limit(restaurant, messages=20)
    done = all_at_once(app, restaurant, 50, COST)
    assert (done.count("sent"), done.count("quota_exceeded")) == (20, 30)
    assert usage(restaurant).messages == 20


def test_fifty_at_once_do_not_pass_the_spend_cap(app, restaurant):
    limit(restaurant, cap=Decimal("0.034"))
    done = all_at_once(app, restaurant, 50, COST)
    assert (done.count("sent"), done.count("spend_cap_reached")) == (10, 40)
    assert usage(restaurant).spend_usd == Decimal("0.034")


def test_fifty_at_once_do_not_pass_the_trial(app, newcomer):
    reserve(newcomer, 175)
    done = all_at_once(app, newcomer, 50, Decimal(0))
    assert (done.count("sent"), done.count("trial_over")) == (25, 25)
    assert usage(newcomer).trial_left == 0
