"""The ledger only grows, and what a message costs is what it adds up to."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, update

from core.clock import now
from core.db import db, tenant_scope
from jobs.costs import close_day
from messaging.costs import ledger as message_ledger
from messaging.costs import usage as message_usage
from messaging.costs.free_messages import free_messages
from messaging.costs.ledger import ChargedMessage, ReportedPricing
from messaging.costs.usage import UsageTally
from messaging.models import LedgerEntry, UsageDay
from tenants.plans import quota
from tenants.plans.catalog import find_tenant_facts
from tests.messaging.message_factory import add_line, message_row, sent_message

QUOTED, MARKETING = Decimal("0.0009"), Decimal("0.0109")


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def make(line, **more):
    """In the open scope: a message with its place in the quota, as acceptance reserves it."""
    message_id, _ = sent_message(line, **more)
    row = message_row(line.tenant_id, message_id)
    quota.reserve(find_tenant_facts(), 1, row.quoted_usd)
    return ChargedMessage(
        row.id, row.line_id, row.country, row.category, row.quoted_usd, row.test, row.created_at
    )


def entries(line):
    rows = db.session.execute(
        select(LedgerEntry.kind, LedgerEntry.category, LedgerEntry.amount_usd)
        .where(LedgerEntry.tenant_id == line.tenant_id)
        .order_by(LedgerEntry.id)
    )
    return [tuple(row) for row in rows]


def spent():
    return quota.usage(find_tenant_facts()).spend_usd


def test_what_is_quoted_stands_when_the_network_agrees(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        assert message_ledger.charge(message, UsageTally()) == QUOTED
        assert (
            message_ledger.settle_price(message, ReportedPricing("utility", True), UsageTally())
            == QUOTED
        )
        assert entries(line) == [("quote", "utility", QUOTED)]
        assert spent() == QUOTED


def test_another_category_moves_the_whole_amount(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        message_ledger.charge(message, UsageTally())
        for _ in range(3):  # every receipt repeats it
            assert (
                message_ledger.settle_price(
                    message, ReportedPricing("marketing", True), UsageTally()
                )
                == MARKETING
            )
        assert sorted(entries(line)) == [
            ("quote", "utility", QUOTED),
            ("settle", "marketing", MARKETING),
            ("settle", "utility", -QUOTED),
        ]
        assert message_ledger.entries_by_category(message.id) == {
            "marketing": MARKETING,
            "utility": 0,
        }
        assert message_ledger.message_cost(message.id) == MARKETING == spent()
        assert message_row(line.tenant_id, message.id).cost_usd == MARKETING


def test_what_the_network_does_not_bill_costs_nothing(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        message_ledger.charge(message, UsageTally())
        assert (
            message_ledger.settle_price(message, ReportedPricing("utility", False), UsageTally())
            == 0
        )
        assert message_ledger.message_cost(message.id) == 0 == spent()


def test_a_category_nobody_knows_leaves_the_quote(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        message_ledger.charge(message, UsageTally())
        assert (
            message_ledger.settle_price(message, ReportedPricing("brand new", True), UsageTally())
            is None
        )
        assert message_ledger.message_cost(message.id) == QUOTED


@pytest.mark.parametrize("settled", [None, "utility", "marketing"])
def test_a_refund_gives_back_all_that_was_taken(line, settled):
    with tenant_scope(line.tenant_id):
        message = make(line)
        message_ledger.charge(message, UsageTally())
        if settled:
            message_ledger.settle_price(message, ReportedPricing(settled, True), UsageTally())
        message_ledger.refund(message, UsageTally())
        assert message_ledger.message_cost(message.id) == 0 == spent()
        assert message_row(line.tenant_id, message.id).cost_usd == 0
        assert entries(line)[-1][0] == "refund"
        assert quota.usage(find_tenant_facts()).messages == 0


def test_what_was_never_charged_gives_back_its_reservation_alone(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        message_ledger.refund(message, UsageTally())
        assert entries(line) == []
        assert spent() == 0


def test_a_test_message_is_not_booked(line):
    with tenant_scope(line.tenant_id):
        message = make(line, test=True)
        assert message_ledger.charge(message, UsageTally()) == 0
        assert (
            message_ledger.settle_price(message, ReportedPricing("utility", True), UsageTally())
            == 0
        )
        message_ledger.refund(message, UsageTally())
        assert entries(line) == []


def test_the_day_adds_up_while_it_runs_and_closing_it_changes_nothing(line):
    tally = UsageTally()
    with tenant_scope(line.tenant_id):
        for _ in range(3):
            message = make(line)
            message_ledger.charge(message, tally)
        message_ledger.settle_price(message, ReportedPricing("marketing", True), tally)
        tally.add(line.id, "TR", "utility", sent=3)
        tally.write()
        before = message_usage.costs_by_day(now().date(), now().date())
    assert {row.category: row.cost_usd for row in before} == {
        "utility": 2 * QUOTED,
        "marketing": MARKETING,
    }
    for _ in range(2):
        assert close_day(now().date()) >= 1
        with tenant_scope(line.tenant_id):
            assert message_usage.costs_by_day(now().date(), now().date()) == before


def test_closing_repairs_a_total_that_went_wrong(line):
    tally = UsageTally()
    with tenant_scope(line.tenant_id):
        message_ledger.charge(make(line), tally)
        tally.add(line.id, "DE", "marketing", cost=Decimal(5), sent=2)  # nowhere in the ledger
        tally.write()
        db.session.execute(
            update(UsageDay)
            .where(UsageDay.tenant_id == line.tenant_id, UsageDay.country == "TR")
            .values(cost_usd=99)
        )
    close_day(now().date())
    with tenant_scope(line.tenant_id):
        rows = message_usage.costs_by_day(now().date(), now().date())
    assert {(row.country, row.messages, row.cost_usd) for row in rows} == {
        ("TR", 0, QUOTED),
        ("DE", 2, Decimal(0)),
    }


def test_closing_without_a_day_closes_the_ones_before_today(line):
    with tenant_scope(line.tenant_id):
        yesterday = now() - timedelta(days=1)
        tally = UsageTally()
        message_ledger.charge(make(line), tally)
        tally.write()
        db.session.execute(
            update(UsageDay).where(UsageDay.tenant_id == line.tenant_id).values(cost_usd=7)
        )
        assert message_ledger.day_sums(yesterday.date()) == {}
    close_day()
    with tenant_scope(line.tenant_id):
        (row,) = message_usage.costs_by_day(now().date(), now().date())
        assert row.cost_usd == 7  # today is still open


def test_only_what_is_counted_can_be_added():
    with pytest.raises(ValueError, match="guessed"):
        UsageTally().add(1, "TR", "utility", guessed=1)


@pytest.mark.parametrize(
    ("type_", "category", "reason"),
    [
        ("free_customer_service", "service", "allowance"),
        ("free_customer_service", "utility", "window"),
        ("free_entry_point", "marketing", "entry_point"),
        ("", "utility", "not_billed"),
    ],
)
def test_a_free_message_is_counted_once_under_its_reason(line, type_, category, reason):
    with tenant_scope(line.tenant_id):
        tally = UsageTally()
        message = make(line, category=category)
        message_ledger.charge(message, tally)
        reported = ReportedPricing(category, False, type_)
        for _ in range(2):  # every receipt repeats it
            assert message_ledger.settle_price(message, reported, tally) == 0
            message = replace(
                message, free_reason=message_row(line.tenant_id, message.id).free_reason
            )
        assert message.free_reason == reason
        tally.write()
        span = message_usage.Period(now().date(), now().date())
        [free] = free_messages(span)
        assert (free.category, free.reason, free.messages) == (category, reason, 1)
        message_ledger.settle_price(message, ReportedPricing(category, True, "regular"), tally)
        tally.write()
        assert free_messages(span) == []
        assert message_row(line.tenant_id, message.id).free_reason is None
