"""A proposal takes less than 400 ms (p95) without a model."""

import time

import pytest

from restaurant.menus import menus, publishing
from tests.restaurant.text_orders.gold_orders import generate
from tests.restaurant.text_orders.grill import open_grill

LIMIT_SECONDS, COUNT = 0.4, 60


@pytest.mark.timing
def test_a_proposal_is_fast_also_with_a_long_menu(restaurant, capsys):
    grill = open_grill(restaurant)
    with grill.scope():
        menu = menus.get(grill.menu_id)
        category = menus.categories(menu.id)[0].id
        for number in range(300):
            texts = {"tr": {"name": f"Yemek {number} özel"}, "en": {"name": f"Dish {number}"}}
            menus.add_item(menu, {"category_id": category, "texts": texts, "price": "10"})
        publishing.publish(menu.id)
    took = []
    for number, order in enumerate(generate(3, COUNT)):
        started = time.perf_counter()
        grill.writes(order.messages[0], f"90532111{number:04d}")
        took.append(time.perf_counter() - started)
    p95 = sorted(took)[int(0.95 * COUNT)]
    with capsys.disabled():
        print(f"\nproposal p95: {p95 * 1000:.0f} ms over {COUNT} messages, 310 items")
    assert p95 < LIMIT_SECONDS
