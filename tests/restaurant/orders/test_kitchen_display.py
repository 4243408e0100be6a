"""Each station starts and finishes its own items; order state and guest message follow."""

from datetime import timedelta

import pytest

from core.clock import frozen, now
from core.errors import Conflict
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import changes as order_changes
from restaurant.orders import queries as order_queries
from restaurant.orders import staff_orders
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.kitchen import progress as kitchen_progress
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant, told_states=["sent_to_kitchen", "ready"])


def tap(bistro, order, station, to, batch=1):
    with bistro.scope():
        held = order_queries.get(order.number)
        if to == "undo":
            return kitchen_display.undo(bistro.site(), held, station).state
        return kitchen_display.tap(bistro.site(), held, station, to, batch).state


def ready_messages(bistro):
    return [text for text in bistro.texts_sent_to() if "hazır" in text.lower()]


def made(bistro, order, station=""):
    with bistro.scope():
        progress = kitchen_progress.progress_of([order.id])[order.id]
        return {
            line.name: progress.of(line, station)
            for line in kitchen_progress.remaining_items(order_queries.items_of(order.id), station)
        }


def test_ready_at_the_bar_does_not_finish_the_kitchens_dishes(bistro):
    order = bistro.order()
    assert tap(bistro, order, "bar", "preparing") == "preparing"
    assert tap(bistro, order, "bar", "ready") == "preparing"
    assert made(bistro, order) == {"Hamburger": "waiting", "Ayran": "ready"}
    assert not ready_messages(bistro)
    assert tap(bistro, order, "kitchen", "ready") == "ready"
    assert len(ready_messages(bistro)) == 1
    assert [one["status"] for one in bistro.events("order_updated")][-1] == "ready"


def test_a_tap_is_taken_back_step_by_step(bistro):
    """Regression: there was no undo."""
    order = bistro.order()
    tap(bistro, order, "bar", "preparing")
    tap(bistro, order, "bar", "ready")
    assert tap(bistro, order, "bar", "undo") == "preparing"
    assert made(bistro, order, "bar") == {"Ayran": "started"}
    assert tap(bistro, order, "bar", "undo") == "sent_to_kitchen"
    with pytest.raises(Conflict):
        tap(bistro, order, "bar", "undo")


def test_a_recalled_order_is_not_announced_to_the_guest_twice(bistro):
    order = bistro.order()
    bistro.changes_state(order, "ready")
    assert tap(bistro, order, "kitchen", "undo") == "preparing"
    assert made(bistro, order) == {"Hamburger": "waiting", "Ayran": "ready"}
    assert tap(bistro, order, "kitchen", "ready") == "ready"
    assert len(ready_messages(bistro)) == 1


def test_an_order_that_was_served_is_not_recalled(bistro):
    order = bistro.order()
    for to in ("ready", "served"):
        bistro.changes_state(order, to)
    with pytest.raises(Conflict):
        tap(bistro, order, "kitchen", "undo")


def test_an_addition_leaves_what_is_unmade_unmade_and_what_is_made_made(bistro):
    order = bistro.order()
    tap(bistro, order, "bar", "ready")
    with bistro.scope():
        staff_orders.add_items(
            bistro.site(),
            order_queries.get(order.number),
            [RequestedItem(bistro.items["Menemen"], 1)],
        )
    assert made(bistro, order) == {"Hamburger": "waiting", "Ayran": "ready", "Menemen": "waiting"}
    # The kitchen's display was drawn before the addition.
    assert tap(bistro, order, "kitchen", "ready", batch=1) == "preparing"
    assert made(bistro, order, "kitchen") == {"Hamburger": "ready", "Menemen": "waiting"}
    assert tap(bistro, order, "kitchen", "ready", batch=2) == "ready"


def test_dishes_of_a_served_order_stay_made_after_an_addition(bistro):
    order = bistro.order()
    for to in ("ready", "served"):
        bistro.changes_state(order, to)
    with bistro.scope():
        staff_orders.add_items(
            bistro.site(),
            order_queries.get(order.number),
            [RequestedItem(bistro.items["Ayran"], 1)],
        )
    with bistro.scope():
        progress = kitchen_progress.progress_of([order.id])[order.id]
        states = [progress.of(line) for line in order_queries.items_of(order.id)]
    assert states == ["ready", "ready", "waiting"]


def test_an_order_is_ready_when_the_last_unmade_dish_is_voided(bistro):
    order = bistro.order()
    tap(bistro, order, "bar", "ready")
    with bistro.scope():
        held = order_changes.void_item(
            bistro.site(), order_queries.get(order.number), 1, 2, "Tamamlandı"
        )
        assert held.state == "ready"


def test_the_card_is_as_old_as_its_oldest_unmade_dish(bistro, browser):
    browser.signs_in(bistro.business.hires("waiter", "Mehmet Demir"))
    with frozen(now() - timedelta(minutes=25)):
        order = bistro.order()
    with bistro.scope():
        staff_orders.add_items(
            bistro.site(),
            order_queries.get(order.number),
            [RequestedItem(bistro.items["Menemen"], 1)],
        )
    page = browser.get(f"/orders/board/{bistro.site_id}?view=kitchen").get_data(as_text=True)
    assert "25 min" in page
    assert "ticket-hot" in page
    assert "dish-ready" not in page
    tap(bistro, order, "kitchen", "ready", batch=1)
    page = browser.get(f"/orders/board/{bistro.site_id}?view=kitchen&station=kitchen")
    assert "0 min" in page.get_data(as_text=True)


def test_the_display_of_a_station_taps_and_recalls_only_its_own(bistro, browser):
    """The same rules on the page."""
    browser.signs_in(bistro.business.hires("waiter", "Mehmet Demir"))
    order = bistro.order()
    view = f"/orders/board/{bistro.site_id}?view=kitchen&station="
    for to in ("preparing", "ready"):
        assert f'name="to" value="{to}"' in browser.get(f"{view}bar").get_data(as_text=True)
        browser.post(f"/orders/{order.number}/kitchen", to=to, station="bar", batch="1")
    bar = browser.get(f"{view}bar").get_data(as_text=True)
    assert "Recall" in bar
    assert f'data-order="{order.id}"' not in bar
    assert f'data-order="{order.id}"' in browser.get(f"{view}kitchen").get_data(as_text=True)
    browser.post(f"/orders/{order.number}/kitchen", to="undo", station="bar")
    assert f'data-order="{order.id}"' in browser.get(f"{view}bar").get_data(as_text=True)


def test_the_order_page_sends_a_ready_order_back_to_the_kitchen(bistro, browser):
    browser.signs_in(bistro.business.hires("waiter", "Mehmet Demir"))
    order = bistro.order()
    bistro.changes_state(order, "ready")
    assert "Send back to kitchen" in browser.get(f"/orders/{order.number}").get_data(as_text=True)
    browser.post(f"/orders/{order.number}/kitchen", to="undo")
    page = browser.get(f"/orders/{order.number}").get_data(as_text=True)
    assert "Returned to the kitchen" in page


def test_a_display_of_all_stations_starts_what_nobody_has_started(bistro, browser):
    """The bar's tap moves the order to "preparing"; the kitchen's items are not started by it."""
    browser.signs_in(bistro.business.hires("waiter", "Mehmet Demir"))
    order = bistro.order()
    tap(bistro, order, "bar", "ready")
    page = browser.get(f"/orders/board/{bistro.site_id}?view=kitchen").get_data(as_text=True)
    assert 'name="to" value="preparing"' in page
    assert tap(bistro, order, "", "preparing") == "preparing"
    assert made(bistro, order) == {"Hamburger": "started", "Ayran": "ready"}
    assert tap(bistro, order, "", "ready") == "ready"
