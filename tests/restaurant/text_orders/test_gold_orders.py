"""Rules alone build the exact cart for most of 1,000 generated orders."""

from collections import Counter

import pytest

from restaurant.text_orders.reading.drafts import Draft
from restaurant.text_orders.reading.menu_words import MenuWords
from restaurant.text_orders.reading.reader import Reading, read_text
from tests.restaurant.text_orders.gold_orders import Cart, GoldOrder, generate, menu_content

SEED, COUNT = 20261116, 1000
TABLES = frozenset(str(number) for number in range(1, 15))


def read_gold(menu: MenuWords, order: GoldOrder) -> Reading:
    draft, reading, table = Draft(), None, ""
    for text in order.messages:
        reading = read_text(menu, text, draft, TABLES)
        draft, table = reading.draft, reading.table or table
    assert reading is not None
    reading.table = table
    return reading


def cart_of(draft: Draft) -> Cart:
    cart: Cart = Counter()
    for one in draft.items:
        options = frozenset(option.removeprefix("opt_") for option in one.options)
        key = (one.item_id.removeprefix("itm_"), options)
        cart[(*key, one.note) if one.note else key] += one.quantity  # type: ignore[index]
    return cart


def is_exact(order: GoldOrder, reading: Reading) -> bool:
    draft = reading.draft
    return (
        cart_of(draft) == order.cart
        and not draft.unclear
        and (not order.table or reading.table == order.table)
    )


@pytest.fixture(scope="module")
def menu():
    return MenuWords(menu_content())


def test_rules_alone_build_the_exact_cart(menu, capsys):
    orders = generate(SEED, COUNT)
    exact = [is_exact(order, read_gold(menu, order)) for order in orders]
    by_language = {
        language: [
            ok for ok, order in zip(exact, orders, strict=True) if order.language == language
        ]
        for language in ("tr", "en")
    }
    with capsys.disabled():
        shown = ", ".join(f"{one}: {sum(all_)}/{len(all_)}" for one, all_ in by_language.items())
        print(f"\nexact carts by rules alone: {sum(exact)} of {COUNT} ({shown})")
    assert sum(exact) >= 0.85 * COUNT


def test_the_generator_is_reproducible_and_varied():
    assert generate(7, 20) == generate(7, 20)
    orders = generate(SEED, COUNT)
    assert len({order.messages for order in orders}) > 0.98 * COUNT
    assert sum(len(order.messages) > 1 for order in orders) > 0.1 * COUNT
