"""Delivery totals add up exactly in currencies with 0, 2 and 3 decimal places."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from core.values.money import decimal_places, quantize
from restaurant.menus.pricing import PricedItem, PricingTerms, calculate_totals

CURRENCIES = st.sampled_from(["JPY", "TRY", "KWD"])


@st.composite
def carts(draw):
    currency = draw(CURRENCIES)
    step = Decimal(1).scaleb(-decimal_places(currency))

    def amount(most):
        return draw(st.integers(0, most)) * step

    lines = [
        PricedItem("", f"dish {n}", "", draw(st.integers(1, 9)), amount(500_000),
             Decimal(draw(st.sampled_from([0, 1, 8, 10, 20]))), ("kitchen",))
        for n in range(draw(st.integers(1, 6)))
    ]  # fmt: skip
    terms = PricingTerms(
        currency=currency,
        tax_included=draw(st.booleans()),
        service_percent=Decimal(draw(st.sampled_from(["0", "7.5", "10", "12.345"]))),
        discount=amount(200_000),
        delivery_fee=amount(20_000),
        tip=amount(20_000),
    )
    return lines, terms


@given(carts())
def test_the_parts_make_the_whole(cart):
    lines, terms = cart
    sums = calculate_totals(lines, terms)
    on_top = Decimal(0) if terms.tax_included else sum(amount for _, amount in sums.taxes)
    parts = sums.subtotal - sums.discount + sums.service + sums.delivery_fee + sums.tip + on_top
    assert sums.total == parts
    assert sums.delivery_fee == terms.delivery_fee
    every = [sums.total, sums.service, sums.discount, *(amount for _, amount in sums.taxes)]
    assert all(one == quantize(one, terms.currency) for one in every)
    told = sums.as_json()
    assert Decimal(told["total"]) == sums.total
    assert Decimal(told["delivery_fee"]) == sums.delivery_fee


@given(carts(), st.integers(0, 50_000))
def test_only_the_total_moves_with_the_fee(cart, more):
    """Service charge and tax do not apply to the delivery fee."""
    lines, terms = cart
    step = Decimal(1).scaleb(-decimal_places(terms.currency))
    without = calculate_totals(lines, PricingTerms(**{**vars(terms), "delivery_fee": Decimal(0)}))
    dearer = calculate_totals(lines, PricingTerms(**{**vars(terms), "delivery_fee": more * step}))
    assert dearer.total - without.total == more * step
    assert (dearer.service, dearer.taxes) == (without.service, without.taxes)
