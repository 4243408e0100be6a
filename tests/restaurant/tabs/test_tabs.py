"""A table's tab: opened once, shared by its guests, paid in parts, settled once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from core.clock import advance, frozen, now
from core.errors import Conflict, Invalid
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import carts
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.payments import refunds, tab_shares, tab_till
from restaurant.sites import tables
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import guests as tab_guests
from restaurant.tabs import rounds, sessions
from tests.restaurant.tabs.seating import lira, open_seating


@pytest.fixture
def seating(restaurant):
    return open_seating(restaurant)


def sits(seating, name=""):
    with seating.scope():
        site = seating.bistro.site()
        table = tables.get(seating.table_id)
        return tab_guests.seat(site, table, test=False, name=name, unnamed="Guest {number}")


def events(seating, kind):
    return seating.bistro.events(kind)


def test_the_first_guest_joins_and_lets_the_others_in(seating):
    ayse = sits(seating, "Ayşe")
    mehmet, stranger = sits(seating), sits(seating, "Stranger")
    assert (ayse.state, mehmet.state, mehmet.name) == ("joined", "waiting", "Guest 2")
    with seating.scope():
        assert tab_guests.answer_request(ayse, mehmet.id, let_in=True).state == "joined"
        assert tab_guests.answer_request(ayse, stranger.id, let_in=False).state == "refused"
    with seating.scope(), pytest.raises(Conflict):
        rounds.replace_items(stranger, [RequestedItem(seating.bistro.items["Ayran"], 1)])
    assert len(events(seating, "tab_opened")) == 1


def test_the_code_of_the_table_lets_a_guest_in_after_few_tries(seating):
    sits(seating)
    guest = sits(seating)
    with seating.scope():
        code = sessions.get(guest.tab_id).join_code
        wrong = f"{(int(code) + 1) % 10_000:04d}"
        for _ in range(tab_guests.MOST_WRONG_CODES):
            with pytest.raises(tab_guests.WrongCode):
                tab_guests.enter_code(guest, wrong)
        with pytest.raises(Conflict):
            tab_guests.enter_code(guest, code)
    other = sits(seating)
    with seating.scope():
        assert tab_guests.enter_code(other, code).state == "joined"


def test_a_round_is_one_order_and_shows_whose_dish_is_whose(seating):
    ayse, mehmet = sits(seating, "Ayşe"), sits(seating, "Mehmet")
    items = seating.bistro.items
    with seating.scope():
        tab_guests.answer_request(ayse, mehmet.id, let_in=True)
        rounds.replace_items(ayse, [RequestedItem(items["Hamburger"], 1)])
        rounds.replace_items(mehmet, [RequestedItem(items["Ayran"], 2, (), "cold")])
    with seating.scope():
        table = tables.get(seating.table_id)
        request = carts.CartRequest(
            (), "dine_in", "pos_at_table", table_number=table.number, table_token=table.token
        )
        cart = rounds.send(seating.bistro.site(), ayse, request)
        assert (cart.total, len(cart.lines)) == (lira("450"), 2)
        text, tab_id = cart.text, ayse.tab_id
    order = seating.bistro.orders_by_chat(text)
    assert (order.state, order.tab_id) == ("sent_to_kitchen", tab_id)
    assert len(events(seating, "order_created")) == 1
    seating.tab_id = tab_id
    assert [(line.item.name, line.guest) for line in seating.bill().items] == [
        ("Hamburger", "Ayşe"),
        ("Ayran", "Mehmet"),
    ]
    with seating.scope():
        assert rounds.cart_items(tab_id) == []


def test_items_added_after_a_round_was_sent_stay_in_the_cart(seating):
    guest = sits(seating)
    items = seating.bistro.items
    with seating.scope():
        rounds.replace_items(guest, [RequestedItem(items["Ayran"], 1)])
    with seating.scope():
        table = tables.get(seating.table_id)
        request = carts.CartRequest(
            (), "dine_in", "pos_at_table", table_number=table.number, table_token=table.token
        )
        text = rounds.send(seating.bistro.site(), guest, request).text
    with seating.scope():
        rounds.replace_items(
            guest, [RequestedItem(items["Ayran"], 3), RequestedItem(items["Menemen"], 1)]
        )
    seating.bistro.orders_by_chat(text)
    with seating.scope():
        left = [(row.item_id, row.quantity) for row in rounds.cart_items(guest.tab_id)]
    assert left == [(items["Ayran"], 2), (items["Menemen"], 1)]


def test_three_ways_to_pay_and_the_exact_remainder(seating):
    order_id = seating.orders(("Hamburger", 2), ("Ayran", 1))
    own = seating.claims("items", items={(order_id, 1): 1}, tip="10")
    assert (own.row.amount, own.link.amount) == (lira("360"), lira("370"))
    third = seating.claims("equal", people=3)
    assert third.row.amount == lira("135")
    rest = seating.claims("all")
    assert rest.row.amount == lira("270")
    with pytest.raises(Conflict):
        seating.claims("amount", amount="1")
    for share in (own, third, rest):
        assert seating.bill().tab.state == "open"
        assert seating.pays(share.link.id, f"pm_{share.link.id}") == "paid"
    bill = seating.bill()
    assert (bill.tab.state, bill.paid, bill.open) == ("settled", lira("765"), 0)
    with seating.scope():
        order = order_queries.get(order_id)
        assert (order.paid_online, order.paid_at is not None) == (lira("765"), True)
    shares = [one["share"] for one in events(seating, "payment_succeeded")]
    assert [one["kind"] for one in shares] == ["items", "equal", "all"]
    assert shares[0]["tip"] == 10
    assert len(events(seating, "tab_settled")) == 1


def test_an_equal_split_that_does_not_divide_ends_exactly(seating):
    seating.orders(("Menemen", 2))
    amounts = []
    for _ in range(3):
        share = seating.claims("equal", people=3)
        amounts.append(share.row.amount)
        seating.pays(share.link.id, f"pm_{share.link.id}")
    assert amounts == [lira("166.67"), lira("166.67"), lira("166.66")]
    assert seating.bill().tab.state == "settled"


def test_an_expired_reservation_is_released_and_a_late_payment_is_reviewed(seating):
    seating.orders(("Ayran", 2))
    late = seating.claims("all")
    seating.expires(late.link.id)
    assert seating.bill().free == lira("90")
    other = seating.claims("all")
    paid_at = now() - timedelta(minutes=5)  # before its link expired
    assert seating.pays(late.link.id, "pm_late", paid_at=paid_at) == "late"
    assert seating.pays(other.link.id, "pm_other") == "paid"
    assert seating.pays(other.link.id, "pm_again") == "paid_twice"
    assert [(one.state, one.why) for one in seating.payments()] == [
        ("review", "late"),
        ("accepted", ""),
        ("review", "paid_twice"),
    ]


def test_a_voided_item_that_was_paid_goes_to_review(seating):
    order_id = seating.orders(("Hamburger", 1), ("Ayran", 1))
    share = seating.claims("items", items={(order_id, 2): 1})
    seating.pays(share.link.id, "pm_1")
    seating.voids(order_id, 2)
    (payment,) = seating.payments()
    assert (payment.state, payment.why, payment.surplus) == ("review", "surplus", lira("45"))
    assert (seating.bill().open, seating.bill().paid) == (lira("360"), 0)
    with seating.scope():
        refund = refunds.request_refund(payment, None, "sent back")
        assert refund.amount == lira("45")


def test_only_the_surplus_of_a_payment_is_refunded(seating):
    order_id = seating.orders(("Hamburger", 1), ("Ayran", 1))
    share = seating.claims("all", tip="20")
    seating.pays(share.link.id, "pm_1")
    seating.voids(order_id, 2)
    (payment,) = seating.payments()
    with seating.scope():
        refund = refunds.request_refund(payment, None, "sent back")
        assert refund.amount == lira("45")
        refunds.settle_done(refund, type("Back", (), {"ref": "b"})())
    assert seating.payments()[0].state == "accepted"
    assert seating.bill().tab.state == "settled"


def test_the_staff_take_the_rest_in_cash_but_not_what_is_being_paid(seating):
    seating.orders(("Hamburger", 1))
    share = seating.claims("amount", amount="100")
    seating.takes("cash", "60")
    assert seating.bill().free == lira("200")
    seating.takes("card")
    assert seating.bill().tab.state == "open"
    with pytest.raises(Conflict):
        seating.takes("cash")
    seating.pays(share.link.id, "pm_1")
    assert seating.bill().tab.state == "settled"


def test_a_table_moves_with_its_bill_and_joins_the_one_that_is_there(seating):
    order_id = seating.orders(("Hamburger", 1))
    share = seating.claims("amount", amount="100")
    first_tab = seating.tab_id
    seating.moves()
    with seating.scope():
        assert order_queries.get(order_id).table_id == seating.table_id
        assert sessions.get(first_tab).table_id == seating.table_id
    seating.pays(share.link.id, "pm_1")
    assert seating.bill().paid == lira("100")


def test_a_new_order_after_the_bill_was_settled_opens_a_new_tab(seating):
    seating.orders(("Ayran", 1))
    seating.takes("cash")
    first = seating.tab_id
    order_id = seating.orders(("Ayran", 1))
    with seating.scope():
        assert order_queries.get(order_id).tab_id != first
        assert sessions.get(first).state == "settled"


def test_closing_the_orders_without_payments_ends_the_tab(seating):
    order_id = seating.orders(("Ayran", 1))
    for state in ("ready", "served", "closed"):
        with seating.scope():
            order_lifecycle.change_state(seating.bistro.site(), order_queries.get(order_id), state)
    assert seating.bill().tab.state == "closed"


def test_closing_a_tab_cancels_payments_under_way(seating):
    seating.orders(("Ayran", 1))
    share = seating.claims("all")
    with seating.scope():
        tab_till.close_tab(seating.bistro.site(), sessions.get(seating.tab_id))
    assert seating.pays(share.link.id, "pm_1") == "after_cancel"
    with seating.scope(), pytest.raises(Conflict):
        tab_shares.claim(
            seating.bistro.site(),
            sessions.get(seating.tab_id),
            None,
            tab_shares.ShareRequest("all"),
        )


def test_wrong_amounts_are_refused_in_words(seating):
    seating.orders(("Ayran", 1))
    for request in (
        {"kind": "amount", "amount": "45.01"},
        {"kind": "amount", "amount": "abc"},
        {"kind": "amount", "amount": "0"},
        {"kind": "equal", "people": 1},
        {"kind": "items"},
        {"kind": "all", "tip": "46"},
        {"kind": "everything"},
    ):
        with pytest.raises(Invalid):
            seating.claims(request.pop("kind"), **request)
    assert seating.bill().reserved == 0


def test_guests_who_only_looked_at_the_menu_leave_an_empty_tab_that_ends(seating):
    with frozen(now()):
        first = sits(seating)
        advance(4 * 3600)
        second = sits(seating)
        assert second.state == "joined"
        with seating.scope():
            assert sessions.get(first.tab_id).state == "closed"
            assert sessions.close_abandoned() == 0
            advance(4 * 3600)
            assert sessions.close_abandoned() == 1


def test_the_parts_of_a_discounted_order_add_up(seating):
    order_id = seating.orders(("Hamburger", 2), ("Ayran", 3))
    with seating.scope():
        items = order_queries.items_of(order_id)
        parts = tab_bill.allocate(lira("100.01"), items, "TRY")
    assert sum(sum(one) for one in parts.values()) == lira("100.01")


def test_two_phones_that_pay_everything_at_once_do_not_both_pay(seating, app):
    seating.orders(("Hamburger", 1))

    def claims(_number):
        with app.app_context():
            try:
                return seating.claims("all").row.amount
            except Conflict:
                return None

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(claims, range(4)))
    assert sorted(found, key=bool) == [None, None, None, lira("360")]
