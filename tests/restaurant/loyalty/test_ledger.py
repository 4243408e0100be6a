"""Points and stamps: earned once per order, revoked with it, never overspent."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from core.errors import Conflict, Invalid
from messaging.contacts import merging
from messaging.contacts.erasure import erasures as contact_erasures
from restaurant.loyalty import coupons, ledger, rewards
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.wiring import wire_domains
from tests.restaurant.bistro import GUEST
from tests.restaurant.loyalty_club import OTHER, open_club


@pytest.fixture
def club(restaurant):
    return open_club(restaurant)


def test_points_come_with_the_served_order_and_only_once(club):
    club.counts(amount="10")
    order = club.bistro.order()  # 765
    assert club.balance() == 0
    club.serves(order)
    assert (club.balance(), club.visits()) == (76, 1)
    club.bistro.changes_state(order, "closed")
    assert (club.balance(), club.visits()) == (76, 1)


def test_a_stamp_for_each_visit_of_some_size(club):
    club.counts("stamps", "500")
    club.serves(club.bistro.order())
    assert club.balance() == 1
    club.bistro.changes_state(club.bistro.order(), "cancelled", because="no")  # an addition to it
    small = club.bistro.order(RequestedItem(club.bistro.items["Ayran"], 1), table="3")
    club.serves(small)
    assert (club.balance(), club.visits()) == (0, 1)


def test_points_that_become_stamps_are_worth_what_they_were(club):
    club.counts(amount="10")
    club.serves(club.bistro.order())
    assert club.balance() == 76
    with pytest.raises(Invalid, match=r"1 guest has points \(76 in total\)"):
        club.counts("stamps", "500")
    assert club.balance() == 76
    club.counts("stamps", "500", worth=25)
    assert club.balance() == 3
    guest = club.guest()
    with club.scope():
        line = ledger.entries(guest)[0]
        assert (line.amount, line.because) == (-73, "points → stamps")
    club.counts("stamps", "400")
    assert club.balance() == 3
    club.counts(amount="10", worth=10)
    assert club.balance() == 30
    club.counts("stamps", "500", worth=0)
    assert club.balance() == 0
    club.counts(amount="10")


def test_what_is_cancelled_or_voided_is_taken_back(club):
    club.counts(amount="10")
    order = club.serves(club.bistro.order())
    with club.scope():
        order_changes.void_item(club.bistro.site(), order_queries.get(order.number), 1, 1, "cold")
    assert club.balance() == 40  # 405 is left
    with club.scope():
        order_lifecycle.cancel(club.bistro.site(), order_queries.get(order.number), "left")
    assert (club.balance(), club.visits()) == (0, 0)


def test_more_for_an_open_table_earns_the_difference(club):
    club.counts(amount="10")
    order = club.serves(club.bistro.order())
    club.bistro.order(RequestedItem(club.bistro.items["Menemen"], 1))
    assert club.balance() == 101
    club.serves(order)
    assert (club.balance(), club.visits()) == (101, 1)


def test_a_new_rate_does_not_reprice_old_orders(club):
    club.counts(amount="10")
    order = club.serves(club.bistro.order())
    club.counts(amount="1")
    club.bistro.changes_state(order, "closed")
    assert club.balance() == 76


def test_nobody_spends_what_they_do_not_have(club, app):
    club.counts(amount="10")
    club.serves(club.bistro.order())
    reward = club.reward(cost=30)

    def spend(_):
        with app.app_context():
            try:
                with club.scope():
                    site = club.bistro.site()
                    return ledger.exchange_points(site, guest, rewards.get(reward.id)).code
            except Conflict as error:
                return error.code

    guest = club.guest()
    with ThreadPoolExecutor(6) as pool:
        got = list(pool.map(spend, range(6)))
    assert got.count("balance_too_low") == 4
    assert club.balance() == 16


def test_a_cancelled_coupon_brings_its_points_back(club):
    club.counts(amount="10")
    club.serves(club.bistro.order())
    reward, guest = club.reward(cost=30), club.guest()
    with club.scope():
        coupon = ledger.exchange_points(club.bistro.site(), guest, rewards.get(reward.id))
        for _ in range(2):
            ledger.cancel_coupon(coupons.get(coupon.id), "by mistake")
    assert club.balance() == 76


def test_the_automatic_reward(club):
    reward = club.reward("Free ayran", "item", item_id=club.bistro.items["Ayran"], cost=2)
    club.counts("stamps", "0", gift_id=reward.id)
    club.serves(club.bistro.order())
    assert club.balance() == 1
    club.serves(club.bistro.order(table="3"))
    assert club.balance() == 0
    guest = club.guest()
    with club.scope():
        (mine,) = coupons.open_of_contact(guest)
        assert coupons.terms_of(mine).name == "Free ayran"


def test_a_correction_needs_its_reason(club):
    club.counts()
    club.serves(club.bistro.order())
    guest = club.guest()
    with club.scope(), pytest.raises(Invalid, match="Enter a reason"):
        ledger.correct_balance(club.bistro.site(), guest, 5, " ")
    with club.scope():
        ledger.correct_balance(club.bistro.site(), guest, -6, "counted twice")
        assert ledger.entries(guest)[0].because == "counted twice"
    assert club.balance() == 70


def test_guests_who_are_one_have_one_balance(club):
    club.counts()
    club.serves(club.bistro.order())
    club.serves(club.bistro.order(phone=OTHER, table="3"))
    mine = club.coupon(phone=OTHER)
    wire_domains()
    kept, gone = club.guest(), club.guest(OTHER)
    with club.scope():
        merging.merge(kept, gone)
    assert (club.balance(), club.visits()) == (152, 2)
    assert club.fresh(mine).contact_id == kept


def test_an_erased_guest_leaves_no_balance_and_no_open_coupon(club):
    club.counts()
    club.serves(club.bistro.order())
    mine, guest = club.coupon(phone=GUEST), club.guest()
    wire_domains()
    with club.scope():
        contact_erasures.start_erasure(guest)
        while (work := contact_erasures.next_open()) is not None:
            contact_erasures.run_step(work, lambda keys: None)
    with club.scope():
        assert ledger.balances(guest) == []
        assert ledger.entries(guest) == []
    assert (club.fresh(mine).contact_id, club.fresh(mine).state) == (None, "cancelled")
