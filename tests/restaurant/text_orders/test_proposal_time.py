"""A proposal takes less than 400 ms (p95) without a model."""

import time

import pytest

from jobs.inbound import messages as inbound_messages
from restaurant.menus import menus, publishing
from restaurant.text_orders import reaction
from tests.restaurant.text_orders.gold_orders import generate
from tests.restaurant.text_orders.grill import open_grill
from tests.timeouts import allow_for_load

LIMIT_SECONDS, COUNT = 0.4, 60


@pytest.mark.timing
def test_a_proposal_is_fast_also_with_a_long_menu(restaurant, capsys, monkeypatch):
    grill = open_grill(restaurant)
    with grill.scope():
        menu = menus.get(grill.menu_id)
        category = menus.categories(menu.id)[0].id
        for number in range(300):
            texts = {"tr": {"name": f"Yemek {number} özel"}, "en": {"name": f"Dish {number}"}}
            menus.add_item(menu, {"category_id": category, "texts": texts, "price": "10"})
        publishing.publish(menu.id)
    took = []

    def timed(line, message, message_id):
        started = time.perf_counter()
        answered = reaction.answer(line, message, message_id)
        took.append(time.perf_counter() - started)
        return answered

    monkeypatch.setattr(inbound_messages, "REACTIONS", ((reaction.may_answer, timed),))
    for number, order in enumerate(generate(3, COUNT)):
        grill.writes(order.messages[0], f"90532111{number:04d}")
    assert len(took) == COUNT
    p95 = sorted(took)[int(0.95 * COUNT)]
    with capsys.disabled():
        print(f"\nproposal p95: {p95 * 1000:.0f} ms over {COUNT} messages, 310 items")
    assert p95 < allow_for_load(LIMIT_SECONDS)
