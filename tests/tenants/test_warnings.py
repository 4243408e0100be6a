"""Passing 80 and 100 per cent of a limit is noticed once, by the reservation that passes it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from tenants.plans import known_facts
from tenants.quota import Totals
from tenants.warnings import note_crossing


@pytest.fixture
def facts(restaurant):
    with restaurant.scope():
        return replace(known_facts(), monthly_messages=10, spend_cap_usd=Decimal(2))


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        ((6, "0"), (7, "0"), []),
        ((7, "0"), (8, "0"), [("messages", 80)]),
        ((8, "0"), (9, "0"), []),
        ((9, "0"), (10, "0"), [("messages", 100)]),
        ((1, "1.59"), (2, "1.61"), [("spend", 80)]),
        (
            (7, "1.5"),
            (10, "2"),
            [("messages", 80), ("messages", 100), ("spend", 80), ("spend", 100)],
        ),
    ],
)
def test_what_was_passed_is_told_once(facts, before, after, passed):
    before, after = (Totals(count, Decimal(spend)) for count, spend in (before, after))
    assert note_crossing(facts, before, after) == passed


def test_what_has_no_limit_is_never_passed(facts):
    free = replace(facts, monthly_messages=None, spend_cap_usd=None)
    assert note_crossing(free, Totals(0, Decimal(0)), Totals(10**6, Decimal(10**6))) == []
