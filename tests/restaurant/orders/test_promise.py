"""The promise: minutes learned from the kitchen, told before and after ordering, and when late."""

import random
from datetime import timedelta
from statistics import quantiles

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from jobs.restaurant import orders as order_jobs
from portal.diner.menu_cache import menu_cache
from restaurant.menus.pricing import RequestedItem
from restaurant.models import DishTimes
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.kitchen import late_notices, promise, times
from restaurant.sites import sites
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant, told_states=["sent_to_kitchen", "ready", "late"])


def cook(bistro, minutes, *wishes, phone="905321112233"):
    """An order that is ready after so many minutes."""
    order = bistro.order(*wishes, phone=phone)
    advance(timedelta(minutes=minutes))
    bistro.changes_state(order, "ready")
    bistro.changes_state(order, "served")
    bistro.changes_state(order, "closed")
    return order


def burger(bistro):
    return RequestedItem(bistro.items["Hamburger"], 1)


def learned(bistro, *minutes):
    for number, one in enumerate(minutes):
        cook(bistro, one, burger(bistro), phone=f"90532100{number:04d}")


def test_guests_are_told_nothing_before_the_kitchen_is_known(bistro):
    order = bistro.order()
    assert (order.promise_minutes, order.promised_at) == (None, None)
    assert "dakika" not in bistro.texts_sent_to()[-1]
    with bistro.scope():
        items = order_queries.items_of(order.id)
        assert promise.promise_minutes(bistro.site(), items) == promise.DEFAULT_MINUTES


def test_the_promise_is_the_time_within_which_four_of_five_were_ready(bistro):
    with frozen(now()):
        learned(bistro, 8, 9, 10, 11, 12, 12, 13, 14, 15, 18)
        order = bistro.order(burger(bistro))
        assert order.promise_minutes in (14, 15)
        assert order.promised_at == now() + timedelta(minutes=15)
        assert "15 dakika" in bistro.texts_sent_to()[-1]
        assert bistro.events("order_created")[-1]["promise_minutes"] == order.promise_minutes


def test_a_dish_without_times_takes_as_long_as_the_station(bistro):
    with frozen(now()):
        learned(bistro, *[10] * 8)
        order = bistro.order(RequestedItem(bistro.items["Menemen"], 1))
        assert order.promise_minutes == 10
        drink = bistro.order(RequestedItem(bistro.items["Ayran"], 1), phone="905321119999")
        assert drink.promise_minutes is None  # nothing is known about the bar


def test_a_recalled_ticket_is_counted_once(bistro):
    with frozen(now()):
        order = bistro.order(burger(bistro))
        advance(timedelta(minutes=10))
        bistro.changes_state(order, "ready")
        with bistro.scope():
            kitchen_display.undo(bistro.site(), order_queries.get(order.number), "")
        advance(timedelta(minutes=30))
        bistro.changes_state(order, "ready")
    with bistro.scope():
        tenant_id = bistro.business.tenant_id
        rows = db.session.scalars(select(DishTimes).where(DishTimes.tenant_id == tenant_id))
        assert {sum(row.weights) for row in rows} == {1.0}


def test_the_menu_and_the_waiting_page_tell_the_time(bistro, browser):
    with frozen(now()):
        learned(bistro, *[10] * 8)
        menu_cache.forget()
        slug = f"lemar-{bistro.business.tenant_id}"
        page = browser.get(f"/r/{slug}?lang=en").get_data(as_text=True)
        assert "about 10 min" in page
        cart = bistro.cart(burger(bistro))
        bistro.orders_by_chat(cart.text, "905321119999")
        status = browser.get(f"/r/{slug}/orders/{cart.code}?lang=en").json
        assert status["minutes"] == 10
        assert "Ready in about 10 min." in status["message"]
        with bistro.scope():
            sites.change(bistro.site_id, {"shows_promise": False})
        menu_cache.forget()
        assert "about 10 min" not in browser.get(f"/r/{slug}?lang=en").get_data(as_text=True)
        assert browser.get(f"/r/{slug}/orders/{cart.code}").json["minutes"] is None


def test_old_times_fade(bistro):
    with frozen(now()):
        learned(bistro, *[30] * 10)
        advance(timedelta(days=28))
        learned(bistro, *[10] * 10)
        assert bistro.order(burger(bistro)).promise_minutes <= 11


def test_a_busy_kitchen_promises_more():
    weights = times.empty_weights()
    for _ in range(10):
        weights = times.add_time(weights, timedelta(minutes=8), load=0)
        weights = times.add_time(weights, timedelta(minutes=25), load=20)
    assert times.quantile(weights, 0) < 9
    assert times.quantile(weights, 20) > 22


def test_the_guest_is_told_once_that_the_order_is_late(bistro):
    with frozen(now()):
        learned(bistro, *[10] * 8)
        order = bistro.order(burger(bistro))
        told = len(bistro.texts_sent_to())
        advance(timedelta(minutes=9))
        assert order_jobs.tell_late_guests(bistro.business.tenant_id) == 0
        advance(timedelta(minutes=2))
        assert order_jobs.tell_late_guests(bistro.business.tenant_id) == 1
        advance(timedelta(minutes=20))
        assert order_jobs.tell_late_guests(bistro.business.tenant_id) == 0
    texts = bistro.texts_sent_to()[told:]
    assert len(texts) == 1
    assert order.number in texts[0]
    assert "5 dakika" in texts[0]


@pytest.mark.parametrize("why", ["ready", "turned_off", "no_guest"])
def test_nobody_is_told_without_reason(bistro, why):
    with frozen(now()):
        learned(bistro, *[10] * 8)
        order = bistro.order(burger(bistro))
        if why == "ready":
            bistro.changes_state(order, "ready")
        with bistro.scope():
            if why == "turned_off":
                sites.change(bistro.site_id, {"told_states": ["ready"]})
            if why == "no_guest":
                order_queries.get(order.number).line_id = None
        advance(timedelta(minutes=30))
        with bistro.scope():
            assert late_notices.send_due_notices(now()) == []


def test_a_simulated_month_keeps_the_promise_within_five_minutes():
    """After one day, the 80th percentile of |promise − actual| is at most five minutes.

    Each dish has its own time, evenings are busy, and the times of a busy kitchen are longer.
    """
    dice = random.Random(7)
    dishes = {f"itm_{number}": 6 + 2 * number for number in range(8)}
    known = {dish: (times.empty_weights(), now()) for dish in dishes}
    opened, errors, of_one_time = now(), [], []
    for day in range(30):
        for _ in range(120):
            dish = dice.choice(list(dishes))
            evening = dice.random() < 0.6
            load = max(0, int(dice.gauss(14, 5))) if evening else dice.randrange(4)
            actual = dishes[dish] * dice.lognormvariate(0, 0.18) + 0.35 * load
            at = opened + timedelta(days=day, minutes=dice.randrange(600))
            weights, since = known[dish]
            promised = times.quantile(weights, load)
            if day and promised is not None:
                errors.append(abs(promised - actual))
                of_one_time.append(abs(promise.DEFAULT_MINUTES - actual))
            faded = times.decayed(weights, since, at)
            known[dish] = (times.add_time(faded, timedelta(minutes=actual), load), at)
    assert len(errors) > 3000
    assert quantiles(errors, n=10)[7] <= 5
    first_day_after = errors[:120]
    assert quantiles(first_day_after, n=10)[7] <= 5
    assert quantiles(of_one_time, n=10)[7] > 5  # one time for all dishes would not be enough
