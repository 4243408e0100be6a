"""Courses of a table's order: what waits, what is fired, what prints, and bumping item by item."""

import threading

import pytest
from sqlalchemy import func, select

from core.db import db
from core.errors import Conflict, DomainError
from printing import printers
from printing.models import PrintJob
from restaurant.menus import menus, publishing
from restaurant.menus.pricing import RequestedItem
from restaurant.models import KitchenItem
from restaurant.orders import changes as order_changes
from restaurant.orders import queries as order_queries
from restaurant.orders import staff_orders
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.sites import sites
from tests.printing.bistro_printers import pair
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    """Food is the first course, drinks the second: the menu's own two categories."""
    found = open_bistro(restaurant)
    with found.scope():
        for number, category in enumerate(menus.categories(found.menu_id), 1):
            menus.change_category(category.id, {"course": number})
        publishing.publish(found.menu_id)
    return found


def item_states(bistro, order):
    with bistro.scope():
        progress = kitchen_progress.progress_of([order.id])[order.id]
        return {
            item.name: "held" if kitchen_progress.is_held(item) else progress.of(item)
            for item in order_queries.items_of(order.id)
        }


def act(bistro, order, how, *given, **more):
    with bistro.scope():
        return how(bistro.site(), order_queries.get(order.number), *given, **more).state


def tap(bistro, order, to="ready", position=0, station=""):
    return act(bistro, order, kitchen_display.tap, station, to, 9, position=position)


def set_up_printer(bistro):
    agent = pair(bistro)
    with bistro.scope():
        settings = {"agent_id": agent.id, "output": {"kind": "demo"}}
        printers.add(bistro.site_id, "Hepsi", "agent", {**settings, "stations": ["kitchen", "bar"]})


def printed(bistro):
    with bistro.scope():
        query = select(PrintJob).where(PrintJob.tenant_id == bistro.business.tenant_id)
        jobs = db.session.scalars(query.order_by(PrintJob.id))
        return [(job.kind, job.station) for job in jobs]


def test_the_second_course_waits_until_it_is_fired(bistro):
    order = bistro.order()
    assert item_states(bistro, order) == {"Hamburger": "waiting", "Ayran": "held"}
    assert tap(bistro, order) == "preparing"
    assert item_states(bistro, order) == {"Hamburger": "ready", "Ayran": "held"}
    with pytest.raises(Conflict) as refused:
        tap(bistro, order, position=2)
    assert refused.value.code == "course_waiting"
    assert act(bistro, order, kitchen_display.fire_course, 2) == "preparing"
    assert item_states(bistro, order)["Ayran"] == "waiting"
    assert tap(bistro, order) == "ready"


def test_a_course_prints_when_it_is_fired_and_only_once(bistro):
    set_up_printer(bistro)
    order = bistro.order()
    assert printed(bistro) == [("order", "kitchen")]
    for _ in range(2):
        act(bistro, order, kitchen_display.fire_course, 2)
    assert printed(bistro) == [("order", "kitchen"), ("course", "bar")]
    assert [one["change"] for one in bistro.events("order_updated")] == ["course"]


def test_voiding_or_cancelling_a_waiting_course_prints_nothing_for_it(bistro):
    set_up_printer(bistro)
    order = bistro.order()
    act(bistro, order, order_changes.void_item, 2, 1, "Misafir vazgeçti")
    other = bistro.order(table="3", phone="905321110000")
    bistro.changes_state(other, "cancelled", because="Misafir gitti")
    assert [one for one in printed(bistro) if one[1] == "bar"] == []


def test_takeaway_has_no_courses(bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"order_types": ["dine_in", "takeaway"]})
    order = bistro.order(order_type="takeaway", table="", payment_method="cash")
    assert item_states(bistro, order) == {"Hamburger": "waiting", "Ayran": "waiting"}


def test_a_dessert_ordered_after_the_meal_is_made_at_once(bistro):
    order = bistro.order(RequestedItem(bistro.items["Hamburger"], 1))
    tap(bistro, order)
    with bistro.scope():
        held = order_queries.get(order.number)
        staff_orders.add_items(bistro.site(), held, [RequestedItem(bistro.items["Ayran"], 1)])
    assert item_states(bistro, order) == {"Hamburger": "ready", "Ayran": "waiting"}


def test_a_later_course_that_is_added_early_waits(bistro):
    order = bistro.order(RequestedItem(bistro.items["Hamburger"], 1))
    with bistro.scope():
        held = order_queries.get(order.number)
        staff_orders.add_items(bistro.site(), held, [RequestedItem(bistro.items["Ayran"], 1)])
    assert item_states(bistro, order) == {"Hamburger": "waiting", "Ayran": "held"}


def test_marking_the_whole_order_ready_finishes_waiting_courses_too(bistro):
    order = bistro.order()
    bistro.changes_state(order, "ready")
    assert item_states(bistro, order) == {"Hamburger": "ready", "Ayran": "ready"}


def test_one_item_is_bumped_and_recalled(bistro):
    order = bistro.order(
        RequestedItem(bistro.items["Hamburger"], 1), RequestedItem(bistro.items["Menemen"], 1)
    )
    assert tap(bistro, order, position=1) == "preparing"
    assert item_states(bistro, order) == {"Hamburger": "ready", "Menemen": "waiting"}
    assert act(bistro, order, kitchen_display.recall_item, "", 1) == "sent_to_kitchen"
    assert act(bistro, order, kitchen_display.recall_item, "", 1) == "sent_to_kitchen"
    for position in (1, 2):
        state = tap(bistro, order, position=position)
    assert state == "ready"
    assert act(bistro, order, kitchen_display.recall_item, "", 2) == "preparing"


def test_two_cooks_bump_the_same_item_once(bistro, app):
    order = bistro.order(RequestedItem(bistro.items["Hamburger"], 1))
    start, failed = threading.Barrier(4), []

    def bump():
        with app.app_context():
            start.wait()
            try:
                tap(bistro, order, position=1)
            except DomainError as error:
                failed.append(error)

    cooks = [threading.Thread(target=bump) for _ in range(4)]
    for cook in cooks:
        cook.start()
    for cook in cooks:
        cook.join()
    assert not failed
    with bistro.scope():
        rows = db.session.scalar(
            select(func.count()).where(
                KitchenItem.tenant_id == bistro.business.tenant_id, KitchenItem.order_id == order.id
            )
        )
        assert rows == 1
    ready = [one for one in bistro.events("order_updated") if one["status"] == "ready"]
    assert len(ready) == 1
