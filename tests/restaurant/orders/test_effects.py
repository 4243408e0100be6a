"""What follows a change of an order runs in a fixed order, in the transaction of the change."""

import pytest

from restaurant.orders import effects
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.effects import Change
from restaurant.wiring import wire_domains
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def other_effects(monkeypatch):
    """The test may register other effects; the usual ones come back afterwards."""
    monkeypatch.setattr(effects, "_effects", dict(effects._effects))


def cancel(bistro, order):
    with bistro.scope():
        order_lifecycle.cancel(bistro.site(), order_queries.get(order.id), "sold out")


def names(change):
    return [f"{one.__module__}.{one.__name__}" for one in effects._effects[change]]


def test_the_effects_of_a_state_change_have_a_fixed_order(app):
    assert names(Change.STATE) == [
        "restaurant.orders.pace.guest_changes.clear_request",
        "restaurant.orders.pace.holds.release_if_cancelled",
        "restaurant.orders.pace.holds.take_again_if_sent",
        "restaurant.orders.pace.firing.schedule_firing",
        "restaurant.payments.links.close_if_cancelled",
        "restaurant.orders.notifications.publish_state",
        "restaurant.payments.links.create_if_awaited",
        "restaurant.couriers.trips.update_trip_of_order",
        "restaurant.orders.loyalty_effects.release_coupons",
        "restaurant.orders.loyalty_effects.update_points",
        "restaurant.orders.notifications.notify_customer_of_state",
        "restaurant.feedback.questions.schedule_question",
        "restaurant.orders.kitchen.promise.learn_from_order",
        "restaurant.payments.tab_accounts.follow_order",
        "restaurant.journey_triggers.start_for_order",
    ]


def test_wiring_twice_registers_every_effect_once(app):
    before = {change: names(change) for change in Change}
    wire_domains()
    assert {change: names(change) for change in Change} == before


def test_effects_run_one_after_another(bistro, other_effects):
    order, calls = bistro.order(), []
    effects.register(
        Change.STATE,
        lambda update: calls.append(("first", update.order.state)),
        lambda update: calls.append(("second", update.because)),
    )
    cancel(bistro, order)
    assert calls == [("first", "cancelled"), ("second", "sold out")]


def test_an_effect_that_fails_undoes_the_change(bistro, other_effects):
    def fail(update):
        raise RuntimeError("no paper")

    order = bistro.order()
    effects.register(Change.STATE, fail)
    with pytest.raises(RuntimeError, match="no paper"):
        cancel(bistro, order)
    with bistro.scope():
        assert order_queries.get(order.id).state == "sent_to_kitchen"


def test_a_process_without_wiring_cannot_change_an_order(bistro, other_effects):
    order = bistro.order()
    effects._effects.clear()
    with pytest.raises(RuntimeError, match="wire_domains"):
        cancel(bistro, order)
