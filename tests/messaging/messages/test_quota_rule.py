"""Every way of taking from the quota uses one rule, and so refuses at the same count."""

from decimal import Decimal
from itertools import cycle

import pytest

from core.errors import PaymentRequired
from messaging.costs import rates as message_rates
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from tenants import accounts
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts
from tests.factories import make_business
from tests.line_factory import make_line

DRAFT = MessageDraft(kind="text", phone="905321112233", text="Merhaba", category="marketing")


def by_accept(business, line):
    with business.scope():
        message_accept.accept_message(DRAFT, line, current_tenant_facts())


def by_accept_many(business, line):
    with business.scope():
        message_accept.accept_messages([DRAFT], line, current_tenant_facts())


def by_own_transaction(business, line):
    with business.scope():
        ready = message_accept.prepare_message(
            DRAFT, line, current_tenant_facts(), message_rates.tenant_rates()
        )
    message_accept.accept_in_own_transaction(ready)


def by_reservation(business, line):
    price = price_of(business, line)
    with business.scope():
        quota.reserve(current_tenant_facts(), 1, price)


WAYS = (by_accept, by_accept_many, by_own_transaction, by_reservation)


def price_of(business, line):
    with business.scope():
        cards = message_rates.tenant_rates()
        ready = message_accept.prepare_message(DRAFT, line, current_tenant_facts(), cards)
        return ready.ticket.quoted_usd


def limit_messages(business, line):
    with business.scope():
        accounts.change_limits(None, None, 3, None)


def limit_spend(business, line):
    price = price_of(business, line)
    assert price > 0
    with business.scope():
        accounts.change_limits(None, None, None, price * 3 + price / 2)


def use_trial(business, line):
    with business.scope():
        quota.reserve(current_tenant_facts(), 197, Decimal(0))


def exhaust_both(business, line):
    """The third message reaches the quota, and the cap is lower than the price of one more."""
    limit_messages(business, line)
    for _ in range(3):
        by_reservation(business, line)
    price = price_of(business, line)
    with business.scope():
        accounts.change_limits(None, None, 3, price / 2)


LIMITS = {
    "quota_exceeded": (limit_messages, "growth"),
    "spend_cap_reached": (limit_spend, "growth"),
    "trial_over": (use_trial, "trial"),
}


def count_until_refused(business, line, ways):
    count, code = 0, ""
    try:
        for send in cycle(ways):
            send(business, line)
            count += 1
    except PaymentRequired as refused:
        code = refused.code
    return count, code


@pytest.mark.parametrize("code", LIMITS)
@pytest.mark.parametrize("ways", [*((way,) for way in WAYS), WAYS])
def test_every_way_is_refused_at_the_same_count(app, code, ways):
    set_limit, plan = LIMITS[code]
    business = make_business("Both ways", plan=plan)
    line = make_line(business)
    set_limit(business, line)
    assert count_until_refused(business, line, ways) == (3, code)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_names_the_same_limit_when_two_are_reached(app, way):
    business = make_business("Two limits", plan="growth")
    line = make_line(business)
    exhaust_both(business, line)
    assert count_until_refused(business, line, [way]) == (0, "spend_cap_reached")
