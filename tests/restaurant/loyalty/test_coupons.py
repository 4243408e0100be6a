"""A coupon is entered on the diner's page, sent with the cart, and used by one order."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import advance, frozen
from core.errors import Invalid
from core.ids import READABLE_ALPHABET
from core.values.money import quantize
from core.values.reasons import split_reasons
from restaurant.loyalty import campaign_coupons, coupon_codes, coupon_terms, coupons
from restaurant.loyalty.coupon_terms import CouponTerms
from restaurant.loyalty.coupons import CouponRefused
from restaurant.menus.pricing import (
    ChosenOption,
    PricedItem,
    PricingTerms,
    RequestedItem,
    calculate_totals,
)
from restaurant.orders import carts, staff_orders
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.staff_orders import StaffOrder
from restaurant.sites import sites
from tests.restaurant.bistro import GUEST, lira
from tests.restaurant.loyalty_club import OTHER, open_club


@pytest.fixture
def club(restaurant):
    return open_club(restaurant)


def test_a_code_is_read_however_it_is_typed_and_a_slip_is_noticed():
    code = coupon_codes.new_code()
    assert coupon_codes.normalize(f" {coupon_codes.format_code(code).lower()} ") == code
    assert coupon_codes.normalize(" ".join(code)) == code
    for at, letter in enumerate(code):
        other = READABLE_ALPHABET[(READABLE_ALPHABET.index(letter) + 1) % len(READABLE_ALPHABET)]
        assert coupon_codes.normalize(code[:at] + other + code[at + 1 :]) is None
    assert (
        coupon_codes.normalize("")
        is coupon_codes.normalize("I'm not one")
        is coupon_codes.normalize("ı" * 12)
        is None
    )


def test_the_coupon_travels_with_the_cart_and_is_used_by_the_order(club):
    coupon = club.coupon()
    cart = club.bistro.cart(coupon=coupon_codes.format_code(coupon.code).lower())
    assert (cart.total, cart.sums["discount"]) == (lira("688.5"), "76.50")
    assert f"Kupon: {coupon_codes.format_code(coupon.code)}" in cart.text
    assert "İndirim: -₺76,50" in cart.text
    assert club.fresh(coupon).state == "open"
    order = club.bistro.orders_by_chat(cart.text)
    assert order.total == lira("688.5")
    used = club.fresh(coupon)
    assert (used.state, used.order_id, used.discount) == ("used", order.id, lira("76.5"))
    (body,) = club.bistro.events("order_created")
    assert (body["total_amount"], body["discount"]) == (688.5, 76.5)


def test_a_code_written_into_the_text_gives_nothing(club):
    coupon = club.coupon()
    text = club.bistro.cart().text
    order = club.bistro.orders_by_chat(
        f"{text}\nKupon: {coupon_codes.format_code(coupon.code)}\nİndirim: ₺700"
    )
    assert order.total == lira("765")
    assert club.fresh(coupon).state == "open"


def test_of_two_orders_with_one_coupon_one_wins_and_the_other_guest_is_told(club, app):
    coupon = club.coupon()
    texts = [
        (club.bistro.cart(table=table, coupon=coupon.code, language="en").text, phone)
        for table, phone in (("3", GUEST), ("4", OTHER))
    ]

    def send(pair):
        with app.app_context():
            return club.bistro.orders_by_chat(*pair)

    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(send, texts))
    assert sorted(order.total for order in made) == [lira("688.5"), lira("765")]
    (loser,) = [order for order in made if order.total == lira("765")]
    assert "coupon_used" in split_reasons(loser.staff_note)
    assert Decimal(loser.sums["discount"]) == 0
    said = club.bistro.texts_sent_to(loser.customer_phone)
    assert any("It has already been used." in one and "₺765.00" in one for one in said)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"minimum": "1000"}, "below_minimum"),
        ({"kind": "item", "value": "", "item": "Menemen"}, "item_missing"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(club, more, why):
    item = more.pop("item", None)
    if item:
        more["item_id"] = club.bistro.items[item]
    coupon = club.coupon(club.reward(**more))
    with pytest.raises(CouponRefused) as refused:
        club.bistro.cart(coupon=coupon.code)
    assert refused.value.code == f"coupon_{why}"


def test_an_old_an_unknown_and_another_places_code_are_refused(club):
    with club.scope():
        other = sites.open_site(
            "Other place", slug=f"other-{club.bistro.business.tenant_id}", prefix="OTH",
            currency="TRY", time_zone="Europe/Istanbul", country="TR", languages=["tr"],
        )  # fmt: skip
    elsewhere = club.coupon(club.reward(site_ids=(other.id,)))
    with pytest.raises(CouponRefused, match="another restaurant"):
        club.bistro.cart(coupon=elsewhere.code)
    with pytest.raises(CouponRefused, match="This coupon does not exist"):
        club.bistro.cart(coupon=coupon_codes.new_code())
    with frozen():
        coupon = club.coupon()
        in_time = club.bistro.cart(coupon=coupon.code)
        with club.scope():
            coupons.get(coupon.id).expires_at = in_time.made_at + timedelta(minutes=30)
        advance(timedelta(hours=1))
        with pytest.raises(CouponRefused, match="has expired"):
            club.bistro.cart(coupon=coupon.code)
        assert club.bistro.orders_by_chat(in_time.text).total == lira("688.5")  # entered in time


def test_somebody_elses_coupon_is_noticed_when_the_message_comes(club):
    club.bistro.orders_by_chat("merhaba", OTHER)
    coupon = club.coupon(phone=OTHER)
    cart = club.bistro.cart(coupon=coupon.code)
    assert cart.total == lira("688.5")
    order = club.bistro.orders_by_chat(cart.text)
    assert order.total == lira("765")
    assert "coupon_not_yours" in split_reasons(order.staff_note)
    assert club.fresh(coupon).state == "open"


def test_a_reward_once_for_each_guest(club):
    reward = club.reward(per_contact=1)
    first, second = club.coupon(reward), club.coupon(reward)
    assert club.bistro.order(coupon=first.code).total == lira("688.5")
    again = club.bistro.order(coupon=second.code, table="3")
    assert again.total == lira("765")
    assert club.fresh(second).state == "open"
    assert club.bistro.order(coupon=second.code, phone=OTHER, table="5").total == lira("688.5")


def test_a_cancelled_order_gives_its_coupon_back_with_the_time_it_lay_there(club):
    with frozen():
        coupon = club.coupon()
        order = club.bistro.order(coupon=coupon.code)
        advance(timedelta(hours=3))
        with club.scope():
            order_lifecycle.cancel(club.bistro.site(), order_queries.get(order.number), "left")
        back = club.fresh(coupon)
        assert (back.state, back.order_id) == ("open", None)
        assert back.expires_at == coupon.expires_at + timedelta(hours=3)
        assert club.bistro.order(coupon=coupon.code, table="3").total == lira("688.5")


def test_a_void_takes_no_more_off_than_is_left(club):
    free = club.coupon(club.reward("Ayran", "item", "", item_id=club.bistro.items["Ayran"]))
    order = club.bistro.order(coupon=free.code)
    assert order.total == lira("720")
    with club.scope():
        order = order_changes.void_item(
            club.bistro.site(), order_queries.get(order.number), 2, 1, "none left"
        )
        assert (order.total, Decimal(order.sums["discount"])) == (lira("720"), 0)


def test_a_second_coupon_on_an_open_table_is_added_to_the_first(club):
    first = club.coupon()
    second = club.coupon(club.reward("50 off", "amount", "50"))
    club.bistro.order(coupon=first.code)
    order = club.bistro.order(RequestedItem(club.bistro.items["Menemen"], 1), coupon=second.code)
    assert order.total == lira("765") + lira("250") - lira("76.5") - lira("50")


def test_the_staff_applies_a_code(club):
    coupon = club.coupon()
    items = [RequestedItem(club.bistro.items["Hamburger"], 1)]
    with club.scope():
        taken = StaffOrder(items, "takeaway", "cash", coupon=coupon_codes.format_code(coupon.code))
        order = staff_orders.place_staff_order(club.bistro.site(), taken)
        assert order.total == lira("324")
    assert club.fresh(coupon).order_id == order.id
    with club.scope(), pytest.raises(Invalid, match="already used"):
        staff_orders.place_staff_order(club.bistro.site(), taken)


def test_a_campaign_gives_each_guest_one_code_however_often_it_asks(club):
    club.bistro.orders_by_chat("merhaba")
    club.bistro.orders_by_chat("merhaba", OTHER)
    reward, people = club.reward(), [club.guest(), club.guest(OTHER)]
    giver, tenant_id = campaign_coupons.CampaignCoupons(), club.bistro.business.tenant_id
    with club.scope():
        assert giver.offers(tenant_id) == [(reward.id, "Ten percent")]
        first = giver.issue(tenant_id, reward.id, people[:1], "cmp_1")
        again = giver.issue(tenant_id, reward.id, people, "cmp_1")
        other = giver.issue(tenant_id, reward.id, people, "cmp_2")
    assert again[people[0]] == first[people[0]]
    assert len({*again.values(), *other.values()}) == 4
    assert club.bistro.order(coupon=again[people[0]]).total == lira("688.5")


@st.composite
def baskets(draw):
    currency, places = draw(st.sampled_from([("JPY", 0), ("TRY", 2), ("KWD", 3)]))
    money = st.integers(0, 10**6).map(lambda n: Decimal(n).scaleb(-places))
    lines = []
    for number in range(draw(st.integers(1, 5))):
        extra = draw(money)
        lines.append(
            PricedItem(
                f"itm_{number}",
                "x",
                "x",
                draw(st.integers(1, 9)),
                draw(money) + extra,
                draw(st.sampled_from([Decimal(0), Decimal(1), Decimal(10), Decimal("18.5")])),
                ("kitchen",),
                (ChosenOption("opt", "x", "x", extra),),
            )
        )
    kind = draw(st.sampled_from(coupon_terms.KINDS))
    value = draw(st.integers(1, 100).map(Decimal) if kind == "percent" else money)
    promise = CouponTerms(kind, value, currency, "x", most=draw(st.none() | money), item_id="itm_0")
    charges = PricingTerms(
        currency, draw(st.booleans()), draw(st.sampled_from([Decimal(0), Decimal("7.5")])),
        delivery_fee=draw(money), tip=draw(money),
    )  # fmt: skip
    return lines, promise, charges


@given(baskets())
def test_whatever_is_taken_off_the_sums_add_up(basket):
    lines, promise, charges = basket
    off = coupon_terms.calculate_discount(promise, lines, promise.currency)
    whole = coupon_terms.subtotal(lines)
    assert 0 <= off <= whole
    assert off == quantize(off, charges.currency)
    sums = calculate_totals(lines, PricingTerms(**{**charges.__dict__, "discount": off}))
    on_top = 0 if charges.tax_included else sum(amount for _, amount in sums.taxes)
    assert sums.discount == off
    parts = sums.subtotal - sums.discount + sums.service + sums.delivery_fee + sums.tip + on_top
    assert sums.total == parts
    full = calculate_totals(lines, charges)
    assert sums.total <= full.total
    assert sum(a for _, a in sums.taxes) <= sum(a for _, a in full.taxes)


def test_a_cart_with_a_coupon_never_promises_a_price_that_the_order_has_not(club):
    """Also with service charge, tip and added taxes."""
    with club.scope():
        changes = {"service_percent": Decimal(10), "tip_percents": [10], "tax_included": False}
        changes["country"] = "DE"
        sites.change(club.bistro.site_id, changes)
    coupon = club.coupon(club.reward("50 off", "amount", "50"))
    cart = club.bistro.cart(coupon=coupon.code, tip_percent=10)
    order = club.bistro.orders_by_chat(cart.text)
    assert order.total == cart.total == Decimal(order.sums["total"])
    with club.scope():
        held = order_queries.get(order.number)
        order_changes.recalculate(club.bistro.site(), held)
        assert held.total == cart.total
        assert carts.get_by_code(cart.code).coupon == coupon.code
