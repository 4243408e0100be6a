"""The ledger only grows, and what a message costs is what it adds up to."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, update

from core.clock import now
from core.db import db, tenant_scope
from jobs.costs import close_day
from messaging import ledger, usage
from messaging.ledger import Charged
from messaging.models import LedgerEntry, UsageDay
from messaging.usage import Tally
from tenants import quota
from tenants.plans import tenant_facts
from tests.messaging.line_cast import add_line, message_row, sent_message

QUOTED, MARKETING = Decimal("0.0053"), Decimal("0.0109")


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def make(line, **more):
    """In the open scope: a message with its place in the quota, as acceptance reserves it."""
    message_id, _ = sent_message(line, **more)
    row = message_row(line.tenant_id, message_id)
    quota.reserve(tenant_facts(), 1, row.quoted_usd)
    return Charged(
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
    return quota.usage(tenant_facts()).spend_usd


def test_what_is_quoted_stands_when_the_network_agrees(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        assert ledger.charge(message, Tally()) == QUOTED
        assert ledger.settle(message, "utility", True, Tally()) == QUOTED
        assert entries(line) == [("quote", "utility", QUOTED)]
        assert spent() == QUOTED


def test_another_category_moves_the_whole_amount(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        ledger.charge(message, Tally())
        for _ in range(3):  # each receipt says it again
            assert ledger.settle(message, "marketing", True, Tally()) == MARKETING
        assert sorted(entries(line)) == [
            ("quote", "utility", QUOTED),
            ("settle", "marketing", MARKETING),
            ("settle", "utility", -QUOTED),
        ]
        assert ledger.entered(message.id) == {"marketing": MARKETING, "utility": 0}
        assert ledger.cost_of(message.id) == MARKETING == spent()
        assert message_row(line.tenant_id, message.id).cost_usd == MARKETING


def test_what_the_network_does_not_bill_costs_nothing(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        ledger.charge(message, Tally())
        assert ledger.settle(message, "utility", False, Tally()) == 0
        assert ledger.cost_of(message.id) == 0 == spent()


def test_a_category_nobody_knows_leaves_the_quote(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        ledger.charge(message, Tally())
        assert ledger.settle(message, "brand new", True, Tally()) is None
        assert ledger.cost_of(message.id) == QUOTED


@pytest.mark.parametrize("settled", [None, "utility", "marketing"])
def test_a_refund_gives_back_all_that_was_taken(line, settled):
    with tenant_scope(line.tenant_id):
        message = make(line)
        ledger.charge(message, Tally())
        if settled:
            ledger.settle(message, settled, True, Tally())
        ledger.refund(message, Tally())
        assert ledger.cost_of(message.id) == 0 == spent()
        assert message_row(line.tenant_id, message.id).cost_usd == 0
        assert entries(line)[-1][0] == "refund"
        assert quota.usage(tenant_facts()).messages == 0


def test_what_was_never_charged_gives_back_its_reservation_alone(line):
    with tenant_scope(line.tenant_id):
        message = make(line)
        ledger.refund(message, Tally())
        assert entries(line) == []
        assert spent() == 0


def test_a_test_message_is_not_booked(line):
    with tenant_scope(line.tenant_id):
        message = make(line, test=True)
        assert ledger.charge(message, Tally()) == 0
        assert ledger.settle(message, "utility", True, Tally()) == 0
        ledger.refund(message, Tally())
        assert entries(line) == []


def test_the_day_adds_up_while_it_runs_and_closing_it_changes_nothing(line):
    tally = Tally()
    with tenant_scope(line.tenant_id):
        for _ in range(3):
            message = make(line)
            ledger.charge(message, tally)
        ledger.settle(message, "marketing", True, tally)
        tally.add(line.id, "TR", "utility", sent=3)
        tally.write()
        before = usage.costs(now().date(), now().date())
    assert {row.category: row.cost_usd for row in before} == {
        "utility": 2 * QUOTED,
        "marketing": MARKETING,
    }
    for _ in range(2):
        assert close_day(now().date()) >= 1
        with tenant_scope(line.tenant_id):
            assert usage.costs(now().date(), now().date()) == before


def test_closing_repairs_a_total_that_went_wrong(line):
    tally = Tally()
    with tenant_scope(line.tenant_id):
        ledger.charge(make(line), tally)
        tally.add(line.id, "DE", "marketing", cost=Decimal(5), sent=2)  # nowhere in the ledger
        tally.write()
        db.session.execute(
            update(UsageDay)
            .where(UsageDay.tenant_id == line.tenant_id, UsageDay.country == "TR")
            .values(cost_usd=99)
        )
    close_day(now().date())
    with tenant_scope(line.tenant_id):
        rows = usage.costs(now().date(), now().date())
    assert {(row.country, row.messages, row.cost_usd) for row in rows} == {
        ("TR", 0, QUOTED),
        ("DE", 2, Decimal(0)),
    }


def test_closing_without_a_day_closes_the_ones_before_today(line):
    with tenant_scope(line.tenant_id):
        yesterday = now() - timedelta(days=1)
        tally = Tally()
        ledger.charge(make(line), tally)
        tally.write()
        db.session.execute(
            update(UsageDay).where(UsageDay.tenant_id == line.tenant_id).values(cost_usd=7)
        )
        assert ledger.sums_of(yesterday.date()) == {}
    close_day()
    with tenant_scope(line.tenant_id):
        (row,) = usage.costs(now().date(), now().date())
        assert row.cost_usd == 7  # today is still open


def test_only_what_is_counted_can_be_added():
    with pytest.raises(ValueError, match="guessed"):
        Tally().add(1, "TR", "utility", guessed=1)
