"""The bill of a table for the staff: who paid, cash for a part, other table, closing."""

import pytest

from restaurant.sites import tables
from restaurant.tabs import guests as tab_guests
from restaurant.tabs import sessions
from tests.restaurant.tabs.seating import lira, open_seating


@pytest.fixture
def seating(restaurant):
    made = open_seating(restaurant)
    made.order_id = made.orders(("Hamburger", 1), ("Ayran", 2))
    with made.scope():
        site, table = made.bistro.site(), tables.get(made.table_id)
        for name in ("Ayşe", "Mehmet", "Zeynep"):
            guest = tab_guests.seat(site, table, test=False, name=name, unnamed="{number}")
            guest.state = tab_guests.JOINED
    return made


@pytest.fixture
def staff(browser, restaurant):
    browser.signs_in(restaurant.hires("waiter", "Mehmet Demir"))
    return browser


def address(seating):
    return f"/orders/board/{seating.bistro.site_id}/tables/{seating.table_id}/bill"


def test_the_staff_see_who_paid_and_take_the_rest(staff, seating):
    share = seating.claims("amount", amount="150")
    page = staff.get(address(seating)).get_data(as_text=True)
    assert "0 of 3 paid" in page
    assert "being paid" in page
    seating.pays(share.link.id, "pm_1")
    page = staff.get(address(seating)).get_data(as_text=True)
    assert "1 of 3 paid" in page
    board = staff.get(f"/orders/board/{seating.bistro.site_id}?view=tables")
    assert "1 of 3 paid" in board.get_data(as_text=True)
    staff.post(address(seating), act="cash", amount="100")
    assert seating.bill().open == lira("200")
    staff.post(address(seating), act="card", seen="150.000")  # no longer what is open
    assert seating.bill().open == lira("200")
    staff.post(address(seating), act="card", seen="200.000")
    assert seating.bill().tab.state == "settled"


def test_the_staff_release_a_payment_under_way(staff, seating):
    share = seating.claims("all")
    staff.post(address(seating), act="release", share=share.row.id)
    assert (seating.bill().reserved, seating.bill().free) == (0, lira("450"))
    assert seating.pays(share.link.id, "pm_1") == "after_cancel"


def test_the_staff_move_and_close_a_tab(staff, seating):
    with seating.scope():
        (other,) = tables.add_tables(seating.bistro.site(), "T77")
    staff.post(address(seating), act="move", to=other.id)
    with seating.scope():
        assert sessions.get(seating.tab_id).table_number == "T77"
    seating.table_id = other.id
    staff.post(address(seating), act="close")
    assert seating.bill().tab.state == "closed"
