"""Random histories of a table: the money in equals the bill, and nothing is paid twice.

`TAB_EXAMPLES=5000` runs more histories than the ordinary suite.
"""

import os
from contextlib import suppress
from decimal import Decimal
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.db import db
from core.errors import DomainError
from tests.restaurant.tabs.seating import Seating, open_seating

EXAMPLES = int(os.environ.get("TAB_EXAMPLES", "8"))
DISHES = ("Hamburger", "Menemen", "Ayran")
ZERO = Decimal(0)
_payments = count(1)

number = st.integers(0, 9)
STEP = st.one_of(
    st.tuples(st.just("round"), number, st.integers(1, 3)),
    st.tuples(st.just("claim_all"), number, number),
    st.tuples(st.just("claim_equal"), st.integers(2, 4), number),
    st.tuples(st.just("claim_items"), number, st.integers(1, 2)),
    st.tuples(st.just("claim_amount"), st.integers(1, 90000), st.integers(0, 500)),
    st.tuples(st.just("pay"), number, number),
    st.tuples(st.just("pay"), number, number),
    st.tuples(st.just("pay_again"), number, number),
    st.tuples(st.just("pay_killed"), number, number),
    st.tuples(st.just("decline"), number, number),
    st.tuples(st.just("expire"), number, number),
    st.tuples(st.just("void"), number, st.integers(1, 2)),
    st.tuples(st.just("cash"), st.integers(1, 60000), number),
    st.tuples(st.just("move"), number, number),
)


class Killed(Exception):
    """The process dies before its commit."""


@pytest.fixture
def seating(restaurant):
    return open_seating(restaurant)


def test_random_histories_of_a_table(seating):
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # shrinking takes minutes; the steps are in the report
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.lists(STEP, min_size=3, max_size=14))
    def runs(steps):
        seating.sits_down()
        seating.orders(("Hamburger", 2), ("Ayran", 1))
        for step in steps:
            act(seating, *step)
            check(seating)
        finish(seating)

    runs()


def act(table: Seating, what: str, first: int, second: int) -> None:
    """A refused action changes nothing."""
    with suppress(DomainError, Killed):
        ACTIONS[what](table, first, second)


def a_round(table: Seating, first: int, second: int) -> None:
    table.orders((DISHES[first % 3], second))


def claim_items(table: Seating, first: int, second: int) -> None:
    lines = [line for line in table.bill().items if line.free]
    if lines:
        line = lines[first % len(lines)]
        pieces = {(line.order.id, line.item.position): min(second, line.free)}
        table.claims("items", items=pieces)


def claim_amount(table: Seating, first: int, second: int) -> None:
    table.claims("amount", amount=f"{Decimal(first) / 100:.2f}", tip=f"{Decimal(second) / 100:.2f}")


def link(table: Seating, first: int) -> str:
    if not table.links:
        raise Killed
    return table.links[first % len(table.links)]


def pay(table: Seating, first: int, _second: int) -> None:
    table.pays(link(table, first), f"pm_{link(table, first)}")


def pay_again(table: Seating, first: int, _second: int) -> None:
    table.pays(link(table, first), f"again_{next(_payments)}")


def pay_killed(table: Seating, first: int, _second: int) -> None:
    with table.scope():
        table._report(link(table, first), "paid", f"pm_{link(table, first)}")
        db.session.flush()
        raise Killed


def void(table: Seating, first: int, second: int) -> None:
    lines = table.bill().items
    if lines:
        line = lines[first % len(lines)]
        table.voids(line.order.id, line.item.position, min(second, line.quantity))


ACTIONS = {
    "round": a_round,
    "claim_all": lambda table, _first, second: table.claims("all", tip=f"{second}.00"),
    "claim_equal": lambda table, first, _second: table.claims("equal", people=first),
    "claim_items": claim_items,
    "claim_amount": claim_amount,
    "pay": pay,
    "pay_again": pay_again,
    "pay_killed": pay_killed,
    "decline": lambda table, first, _second: table.declines(link(table, first)),
    "expire": lambda table, first, _second: table.expires(link(table, first)),
    "void": void,
    "cash": lambda table, first, _second: table.takes("cash", f"{Decimal(first) / 100:.2f}"),
    "move": lambda table, _first, _second: table.moves(),
}


def check(table: Seating) -> None:
    """Holds after every action."""
    bill = table.bill()
    payments, shares = table.payments(), table.shares()
    assert bill.paid + bill.reserved <= bill.total
    for line in bill.items:
        assert line.paid + line.reserved <= line.quantity
    accepted = [one for one in payments if one.why in ("", "surplus")]
    assert len({one.link_id for one in accepted}) == len(accepted), "a share was paid twice"
    for payment in payments:
        share = shares[payment.link_id]
        if payment.why in ("", "surplus"):
            assert payment.amount == share.amount + share.tip
            assert payment.surplus == share.surplus
            assert payment.state == ("review" if share.surplus else "accepted")
        else:
            assert payment.state == "review"
    online = sum((shares[one.link_id].amount - one.surplus for one in accepted), ZERO)
    cash = sum((min(order.taken, order.total) for order in bill.on_bill), ZERO)
    assert online + cash == bill.paid
    assert online == sum((order.paid_online for order in bill.orders), ZERO)
    received = sum((one.amount for one in payments), ZERO)
    on_bill = online + sum((shares[one.link_id].tip for one in accepted), ZERO)
    in_review = sum(
        (one.surplus if one.why == "surplus" else one.amount for one in payments if one.why), ZERO
    )
    assert received == on_bill + in_review, "money was lost"
    assert (bill.tab.state == "settled") <= (bill.open == 0)


def finish(table: Seating) -> None:
    """All payments under way expire, and the staff take the rest in cash."""
    for one in list(table.links):
        table.expires(one)
    bill = table.bill()
    if bill.free:
        table.takes("cash")
    check(table)
    bill = table.bill()
    assert table.settled_events() == (bill.tab.state == "settled")
    if bill.total:
        assert (bill.tab.state, bill.paid, bill.open) == ("settled", bill.total, 0)
        assert all(order.open_amount <= 0 for order in bill.on_bill)
        over = sum((-order.open_amount for order in bill.on_bill), ZERO)
        assert over == bill.to_give_back
