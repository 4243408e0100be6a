"""Prices add up exactly in every currency and with every choice of options."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Invalid
from core.values.money import decimal_places, quantize
from restaurant.menus.pricing import (
    PricedItem,
    PricedMenu,
    PricingTerms,
    RequestedItem,
    calculate_totals,
    price_items,
    text_in,
)

MENU = {
    "languages": ["tr"],
    "categories": [
        {
            "id": "cat_1",
            "items": [
                {
                    "id": "itm_1",
                    "texts": {"tr": {"name": "Pizza"}},
                    "price": "100",
                    "tax": "10",
                    "stations": ["kitchen"],
                    "groups": ["ogr_1"],
                }
            ],
        }
    ],
    "groups": {
        "ogr_1": {
            "texts": {"tr": {"name": "Ekstra"}},
            "least": 1,
            "most": 2,
            "free": 1,
            "options": [
                {"id": "opt_1", "texts": {"tr": {"name": "Sos"}}, "price": "5"},
                {"id": "opt_2", "texts": {"tr": {"name": "Peynir"}}, "price": "20"},
                {"id": "opt_3", "texts": {"tr": {"name": "Sade"}}, "price": "0"},
            ],
        }
    },
}


def test_the_dearest_of_the_chosen_is_the_free_one():
    (line,) = price_items(PricedMenu(MENU), [RequestedItem("itm_1", 3, ("opt_1", "opt_2"))], "tr")
    assert (line.unit_price, line.amount) == (105, 315)


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (RequestedItem("itm_1", 1), "wrong_options"),
        (RequestedItem("itm_1", 1, ("opt_1", "opt_2", "opt_3")), "wrong_options"),
        (RequestedItem("itm_1", 1, ("opt_1", "opt_1")), "wrong_options"),
        (RequestedItem("itm_1", 0, ("opt_1",)), "invalid_quantity"),
        (RequestedItem("itm_1", 100, ("opt_1",)), "invalid_quantity"),
        (RequestedItem("itm_2", 1), "not_on_menu"),
        (RequestedItem("itm_1", 1, ("opt_1", "opt_9")), "not_on_menu"),
    ],
)
def test_what_cannot_be_ordered_is_refused(wish, code):
    with pytest.raises(Invalid) as refused:
        price_items(PricedMenu(MENU), [wish], "tr")
    assert refused.value.code == code


def test_what_is_missing_is_refused_by_name():
    with pytest.raises(Invalid) as refused:
        price_items(
            PricedMenu(MENU, frozenset({"opt_2"})), [RequestedItem("itm_1", 1, ("opt_2",))], "tr"
        )
    assert refused.value.message == "Peynir is sold out."


amounts = st.decimals(0, 9999, places=3)
lines = st.lists(
    st.tuples(amounts, st.integers(1, 99), st.sampled_from([0, 1, 8, 10, 18, 20])),
    min_size=1,
    max_size=12,
)


@given(
    lines,
    st.sampled_from(["JPY", "TRY", "KWD"]),
    st.booleans(),
    st.decimals(0, 30, places=2),
    amounts,
    amounts,
)
def test_sums_add_up(wanted, currency, included, service, discount, tip):
    made = [
        PricedItem(
            "i", "n", "n", quantity, quantize(price, currency), Decimal(percent), ("kitchen",)
        )
        for price, quantity, percent in wanted
    ]
    sums = calculate_totals(
        made, PricingTerms(currency, included, service, discount, Decimal(3), tip)
    )
    taxes = sum((amount for _, amount in sums.taxes), Decimal(0))
    whole = sums.subtotal - sums.discount + sums.service + sums.delivery_fee + sums.tip
    assert sums.total == (whole if included else whole + taxes)
    assert sums.subtotal == sum(line.amount for line in made)
    assert 0 <= sums.discount <= sums.subtotal
    assert 0 <= taxes <= (sums.subtotal - sums.discount) * Decimal("0.21") + 1
    for amount in (sums.subtotal, sums.service, sums.tip, sums.total, *dict(sums.taxes).values()):
        assert amount == quantize(amount, currency)
        assert -amount.as_tuple().exponent <= max(decimal_places(currency), 3)


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        ({"tr": "Köfte", "en": "Meatballs", "ar": "كفتة"}, "كفتة"),
        ({"tr": "Köfte", "en": "Meatballs"}, "Meatballs"),
        ({"tr": "Köfte"}, "Köfte"),
        ({"tr": "Köfte", "en": ""}, "Köfte"),
    ],
)
def test_a_dish_without_a_translation_is_shown_in_english_before_the_menus_language(texts, shown):
    """Pages review 36: an Arabic guest read Turkish although English existed."""
    names = {language: {"name": name} for language, name in texts.items()}
    assert text_in(names, "ar", ["tr", "en", "ar"]) == shown
