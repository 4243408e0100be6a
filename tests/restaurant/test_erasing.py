"""An erased guest leaves no trace in orders and carts; what was sold still adds up."""

import pytest

from messaging import contacts
from messaging.crm import erasing
from printing import printers
from restaurant import orders
from restaurant.pricing import Wish
from tests.messaging.test_contact_erase import traces
from tests.restaurant.kitchen import open_bistro

PHONE, NAME = "5511987150771", "Zyxandra Quux"  # as tests.messaging.test_contact_erase seeks them
SAID = "quince marmalade please"


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def test_an_erased_guest_leaves_no_trace(bistro, run_jobs, superuser_connection):
    with bistro.scope():
        everywhere = {"stations": ["kitchen", "bar"]}
        printers.add(bistro.site_id, "Mutfak", "cloudprnt", everywhere)
    first = bistro.cart(notes=f"{SAID}, {NAME}")
    order = bistro.hears(f"{first.text}\nmarmalade!", PHONE, NAME)
    more = bistro.cart(Wish(bistro.items["Ayran"], 2, note="booth seven"))
    assert bistro.hears(more.text, PHONE, NAME).id == order.id
    kept = bistro.order(phone="905321110001", table="3")
    with superuser_connection.cursor() as cursor:
        before = {table for table, _, _ in traces(cursor, bistro.business.tenant_id)}
    assert before >= {"orders", "order_lines", "carts", "print_jobs"}, before
    with bistro.scope():
        total = orders.get(order.number).total
        erasing.erase(contacts.find(PHONE))
    run_jobs()
    with superuser_connection.cursor() as cursor:
        assert traces(cursor, bistro.business.tenant_id) == []
    with bistro.scope():
        blank = orders.get(order.number)
        assert (blank.total, blank.customer_phone, blank.contact_id) == (total, "", None)
        assert orders.get(kept.number).customer_phone == "905321110001"
