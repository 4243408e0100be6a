"""The staff take an order for later, for example on the telephone."""

from datetime import UTC, datetime, timedelta

import pytest

from core.clock import frozen
from restaurant.orders import queries as order_queries
from tests.restaurant.bistro import open_bistro

NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)  # Monday, 12:00 in Istanbul
OPEN = {str(day): [["11:00", "23:00"]] for day in range(7)}


@pytest.fixture
def bistro(restaurant):
    return open_bistro(
        restaurant,
        hours=OPEN,
        later_days=2,
        preparation_minutes=25,
        order_types=["dine_in", "takeaway"],
    )


@pytest.fixture
def staff(browser, restaurant):
    with frozen(NOON):
        browser.signs_in(restaurant.hires("waiter", "Mehmet Demir"))
        yield browser


def post(staff, bistro, due_at):
    fields = {
        "site": bistro.site_id,
        "order_type": "takeaway",
        "payment_method": "cash",
        "due_at": due_at,
        f"q.{bistro.items['Menemen']}.0": "2",
    }
    return staff.post("/orders/new", **fields)


def test_the_kitchen_gets_it_in_time(staff, bistro):
    assert 'name="due_at"' in staff.get("/orders/new").get_data(as_text=True)
    made = post(staff, bistro, "2026-11-16T19:30")
    assert made.status_code == 302
    with bistro.scope():
        order = order_queries.get(made.location.rpartition("/")[2])
    evening = datetime(2026, 11, 16, 16, 30, tzinfo=UTC)
    assert (order.state, order.due_at) == ("scheduled", evening)
    assert order.fires_at == evening - timedelta(minutes=25)
    page = staff.get(made.location).get_data(as_text=True).replace("\u202f", " ")
    assert f"Order {order.number} will be sent to the kitchen at 7:05 PM." in page


def test_without_a_time_it_goes_to_the_kitchen_at_once(staff, bistro):
    made = post(staff, bistro, "")
    with bistro.scope():
        assert order_queries.get(made.location.rpartition("/")[2]).state == "sent_to_kitchen"


@pytest.mark.parametrize(
    ("due_at", "text"),
    [
        ("2026-11-16T12:05", "This time is too soon."),
        ("2026-11-16T23:45", "The restaurant is closed at this time."),
        ("2026-12-24T19:30", "Orders can be placed up to 2 days ahead"),
        ("tonight", "Enter a date and a time."),
        ("0001-01-01T00:00", "Enter a date and a time."),
    ],
)
def test_an_impossible_time_is_explained_and_the_form_keeps_it(staff, bistro, due_at, text):
    answer = post(staff, bistro, due_at)
    assert answer.status_code == 422
    page = answer.get_data(as_text=True)
    assert text in page
    assert f'value="{due_at}"' in page
    with bistro.scope():
        assert order_queries.listed(order_queries.OrderFilters(), None, 5) == []


def test_the_field_is_there_only_if_the_restaurant_takes_orders_for_later(staff, restaurant):
    open_bistro(restaurant, hours=OPEN)
    assert 'name="due_at"' not in staff.get("/orders/new").get_data(as_text=True)
