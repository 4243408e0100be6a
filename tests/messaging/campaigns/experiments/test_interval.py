"""500 simulated campaigns: the interval covers the truth, and luck is rarely called a win."""

import math
import random

import pytest

from messaging.campaigns.experiments.interval import Sample, difference

CAMPAIGNS = 500
MORE_ORDERS = 0.15
"""The share of buyers who order once more, again and again."""
BILL = (5.2, 0.5)
ORDERS_PER_BUYER = 1 / (1 - MORE_ORDERS)
MONEY_PER_BUYER = ORDERS_PER_BUYER * math.exp(BILL[0] + BILL[1] ** 2 / 2)


def buyers(rng, people, rate):
    """How many of them buy, without asking each one."""
    found, at, scale = 0, -1, math.log(1 - rate)
    while True:
        at += 1 + int(math.log(1 - rng.random()) / scale)
        if at >= people:
            return found
        found += 1


def group(rng, people, rate):
    orders = orders_squared = money = money_squared = 0.0
    for _ in range(buyers(rng, people, rate)):
        count = 1
        while rng.random() < MORE_ORDERS:
            count += 1
        bill = sum(rng.lognormvariate(*BILL) for _ in range(count))
        orders, orders_squared = orders + count, orders_squared + count**2
        money, money_squared = money + bill, money_squared + bill**2
    return Sample(people, orders, orders_squared), Sample(people, money, money_squared)


def simulate(seed, treated, held, rate, lift):
    """The shares of campaigns whose intervals cover the truth, and in which a win is claimed."""
    rng = random.Random(seed)
    covers_orders = covers_money = wins = 0
    for _ in range(CAMPAIGNS):
        got_orders, got_money = group(rng, treated, rate + lift)
        held_orders, held_money = group(rng, held, rate)
        orders = difference(got_orders, held_orders)
        money = difference(got_money, held_money)
        covers_orders += orders.low <= lift * ORDERS_PER_BUYER <= orders.high
        covers_money += money.low <= lift * MONEY_PER_BUYER <= money.high
        wins += orders.low > 0
    return covers_orders / CAMPAIGNS, covers_money / CAMPAIGNS, wins / CAMPAIGNS


@pytest.mark.parametrize(
    ("treated", "held", "rate", "lift"),
    [
        (4500, 500, 0.04, 0.02),
        (1600, 400, 0.05, 0.02),
        (420, 180, 0.05, 0.03),
        (2700, 300, 0.04, 0.0),
    ],
)
def test_covers_the_truth_in_95_of_100_campaigns(treated, held, rate, lift):
    orders, money, wins = simulate(2, treated, held, rate, lift)
    assert 0.93 <= orders <= 0.97
    assert 0.93 <= money <= 0.97
    if not lift:
        assert wins <= 0.05


@pytest.mark.parametrize(("treated", "held"), [(900, 100), (360, 40), (5000, 5000)])
def test_claims_no_win_without_an_effect(treated, held):
    assert simulate(2, treated, held, 0.03, 0.0)[2] <= 0.05


def test_large_effect_is_found():
    assert simulate(2, 4500, 500, 0.04, 0.06)[2] > 0.9


def test_too_few_people_are_not_compared():
    assert difference(Sample(100, 5, 5), Sample(1, 0, 0)) is None


def test_groups_without_orders_have_an_interval_around_zero():
    nothing = difference(Sample(900, 0, 0), Sample(100, 0, 0))
    assert nothing.low < 0 < nothing.high
    assert nothing.value == 0
