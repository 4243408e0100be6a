"""Delivery: zones and fees, locations shared in chat, couriers and their steps."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import update

from core.clock import frozen, now
from core.db import db
from core.errors import Conflict, Invalid
from messaging.contacts import identities as contact_identities
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.models import Message
from restaurant.chat import shared_locations
from restaurant.chat_texts import chat_text
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.couriers import trips as courier_trips
from restaurant.delivery import zones
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import carts, staff_orders
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.hold_reasons import LOCATION_MISMATCH, NO_LOCATION, OUTSIDE_ZONES
from restaurant.payments import link_queries
from restaurant.sites import sites
from tests.restaurant.bistro import GUEST, open_bistro
from tests.restaurant.fake_provider import add_account

NEAR, FAR, SHAPE, NOWHERE = (41.03, 28.97), (41.03, 29.03), (41.05, 28.99), (41.2, 28.97)
HAKAN, EMINE = "905321117001", "905321117002"


@pytest.fixture
def bistro(restaurant):
    made = open_bistro(restaurant, told_states=["sent_to_kitchen", "out_for_delivery", "delivered"])
    made.ids = made.delivers()
    return made


@pytest.fixture
def ready(bistro):
    """A nearby delivery order that is ready."""
    order = bistro.delivery(latitude=NEAR[0], longitude=NEAR[1])
    bistro.changes_state(order, "ready")
    return order


def fresh(bistro, order):
    with bistro.scope():
        return order_queries.get(order.number)


def assign(bistro, order, name="Hakan Usta"):
    with bistro.scope():
        courier = couriers.get(bistro.ids[name]) if name else None
        return courier_dispatch.assign(bistro.site(), order_queries.get(order.number), courier)


def step(bistro, order, to, **more):
    with bistro.scope():
        return courier_dispatch.record_step(
            bistro.site(), order_queries.get(order.number), to, **more
        )


# Zones and fees


@pytest.mark.parametrize(
    ("place", "zone", "fee"),
    [(NEAR, "Yakın", "30"), (FAR, "Uzak", "75.5"), (SHAPE, "Beşiktaş", "45")],
)
def test_the_smallest_zone_around_a_place_makes_the_fee(bistro, place, zone, fee):
    cart = bistro.cart(
        order_type="delivery", payment_method="cash", latitude=place[0], longitude=place[1]
    )
    assert (cart.address["zone_name"], Decimal(cart.sums["delivery_fee"])) == (zone, Decimal(fee))
    assert cart.total == Decimal(765) + Decimal(fee)
    order = bistro.orders_by_chat(cart.text)
    assert (order.state, order.total) == ("sent_to_kitchen", cart.total)
    assert Decimal(order.sums["delivery_fee"]) == Decimal(fee)


def test_the_cart_says_its_delivery_fee(bistro):
    cart = bistro.cart(
        order_type="delivery", payment_method="card_at_door", language="en",
        address="Galip Dede 15", latitude=NEAR[0], longitude=NEAR[1],
    )  # fmt: skip
    assert "Delivery fee: ₺30.00" in cart.text
    assert "Total: ₺795.00" in cart.text
    assert "card on delivery" in cart.text


def test_outside_all_zones_nothing_is_stored_and_no_fee_invented(bistro):
    with pytest.raises(Invalid) as refused:
        bistro.cart(
            order_type="delivery", payment_method="cash", latitude=NOWHERE[0], longitude=NOWHERE[1]
        )
    assert refused.value.code == "outside_zones"


def test_an_order_below_the_minimum_is_told_what_it_is(bistro):
    with pytest.raises(Invalid) as refused:
        bistro.cart(
            RequestedItem(bistro.items["Ayran"], 1), order_type="delivery", payment_method="cash",
            latitude=NEAR[0], longitude=NEAR[1],
        )  # fmt: skip
    assert refused.value.code == "below_minimum"
    assert "200" in refused.value.message


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, "address_missing"),
        ({"address": " "}, "address_missing"),
        ({"latitude": 91, "longitude": 0}, "invalid_place"),
        ({"latitude": "x", "longitude": "y"}, "invalid_place"),
        ({"latitude": 41}, "invalid_place"),
        ({"address": "A", "payment_method": "pos_at_table"}, "payment_method_closed"),
    ],
)
def test_a_delivery_needs_somewhere_to_go(bistro, more, code):
    with pytest.raises(Invalid) as refused:
        bistro.cart(**{"order_type": "delivery", "payment_method": "cash", "table": "", **more})
    assert refused.value.code == code


def test_cards_are_taken_at_the_door_only_of_deliveries(bistro):
    with pytest.raises(Invalid, match="card on delivery"):
        bistro.cart(order_type="takeaway", payment_method="card_at_door")


def test_the_staff_says_the_zone_of_an_order_by_phone(bistro):
    items = [RequestedItem(bistro.items["Hamburger"], 1)]
    taken = staff_orders.StaffOrder(
        items, "delivery", "cash", address="Lüleci Hendek 3", zone_id=bistro.ids["Yakın"],
        phone=GUEST,
    )  # fmt: skip
    with bistro.scope():
        order = staff_orders.place_staff_order(bistro.site(), taken)
        assert (order.total, order.address["zone_name"]) == (Decimal(390), "Yakın")
        with pytest.raises(Invalid) as refused:
            staff_orders.place_staff_order(
                bistro.site(),
                staff_orders.StaffOrder(items, "delivery", "cash", address="x", zone_id="zon_x"),
            )
    assert refused.value.code == "unknown_zone"


# A location shared in chat


def test_an_address_alone_waits_until_its_location_shows_the_fee(bistro):
    order = bistro.delivery(language="en")
    assert (order.state, order.total, order.staff_note) == (
        "awaiting_confirmation",
        Decimal(765),
        NO_LOCATION,
    )
    (asked,) = bistro.texts_sent_to()
    assert "share your location" in asked
    assert bistro.events("order_created") == []
    bistro.shares(*FAR)
    order = fresh(bistro, order)
    assert (order.state, order.total) == ("sent_to_kitchen", Decimal("840.50"))
    assert order.staff_note == ""
    _, told = bistro.texts_sent_to()  # the fee and the confirmation are one message
    assert "₺75.50" in told
    assert "₺840.50" in told
    assert chat_text("en", "received", name="Ayşe", order=order.number, total="₺840.50") in told
    (created,) = bistro.events("order_created")
    assert created["delivery"] == {
        "fee": 75.5,
        "zone": "Uzak",
        "latitude": FAR[0],
        "longitude": FAR[1],
        "route_url": "https://www.google.com/maps/dir/?api=1&destination=41.03,29.03",
    }


def test_a_location_outside_is_answered_politely_and_the_order_waits(bistro):
    order = bistro.delivery(language="tr")
    bistro.shares(*NOWHERE)
    order = fresh(bistro, order)
    assert (order.state, order.staff_note, order.total) == (
        "awaiting_confirmation",
        OUTSIDE_ZONES,
        Decimal(765),
    )
    assert "teslimat yapamıyoruz" in bistro.texts_sent_to()[-1]
    bistro.shares(*NEAR)  # another location is accepted
    assert fresh(bistro, order).state == "sent_to_kitchen"


def test_a_location_with_too_small_an_order_names_the_minimum(bistro):
    order = bistro.delivery(RequestedItem(bistro.items["Menemen"], 1), language="de")
    bistro.shares(*SHAPE)
    assert "300,00" in bistro.texts_sent_to()[-1]
    assert fresh(bistro, order).state == "awaiting_confirmation"


def test_a_location_that_came_first_is_remembered(bistro):
    bistro.shares(*NEAR)
    order = fresh(bistro, bistro.delivery())
    assert (order.state, order.address["zone_name"]) == ("sent_to_kitchen", "Yakın")


def test_a_later_location_changes_the_way_but_not_what_was_agreed(bistro):
    order = bistro.delivery(latitude=NEAR[0], longitude=NEAR[1])
    bistro.shares(*FAR)
    order = fresh(bistro, order)
    assert (order.total, order.address["longitude"]) == (Decimal(795), "29.030000")
    assert order.staff_note == LOCATION_MISMATCH


def test_a_large_order_of_a_newcomer_still_needs_its_tap(bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"newcomer_limit": Decimal(100)})
    order = bistro.delivery()
    bistro.shares(*NEAR)
    order = fresh(bistro, order)
    assert (order.state, order.total) == ("awaiting_confirmation", Decimal(795))


def test_a_card_order_waits_for_its_payment_once_the_fee_is_known(bistro):
    add_account(bistro.business)
    order = bistro.delivery(payment_method="card_link")
    with bistro.scope():
        assert link_queries.of_order(order.id) is None  # nobody is asked for half of it
    bistro.shares(*NEAR)
    order = fresh(bistro, order)
    assert (order.state, order.total) == ("awaiting_payment", Decimal(795))
    with bistro.scope():
        assert link_queries.of_order(order.id).amount == Decimal(795)
    bistro.shares(*FAR)  # the amount of a payment under way stays
    assert fresh(bistro, order).total == Decimal(795)
    assert bistro.events("order_created") == []


def test_what_is_paid_already_is_not_made_dearer(bistro):
    add_account(bistro.business)
    order = bistro.delivery(payment_method="card_link")
    with bistro.scope():
        order_queries.get(order.number).paid_at = now()
    bistro.shares(*FAR)
    order = fresh(bistro, order)
    assert (order.total, order.staff_note) == (Decimal(765), LOCATION_MISMATCH)


def test_a_location_without_an_order_stays_in_the_inbox(bistro):
    bistro.shares(*NEAR)
    bistro.order()  # at a table: not a delivery
    bistro.shares(*NEAR)
    assert len(bistro.texts_sent_to()) == 1


def test_without_zones_a_location_is_only_the_way(restaurant):
    bistro = open_bistro(restaurant, order_types=["delivery"], payment_methods=["cash"])
    order = bistro.delivery(payment_method="cash")
    assert order.state == "sent_to_kitchen"
    bistro.shares(-0.0000001, 0.00001, name="Ev")
    order = fresh(bistro, order)
    assert order.total == Decimal(765)
    assert "destination=0,0.00001" in bistro.events("order_updated")[-1]["delivery"]["route_url"]


def test_the_staff_chooses_the_zone_of_an_address(bistro):
    order = bistro.delivery()
    with bistro.scope():
        shared_locations.choose_zone(
            bistro.site(), order_queries.get(order.number), zones.get(bistro.ids["Uzak"])
        )
    order = fresh(bistro, order)
    assert (order.total, order.staff_note, order.state) == (
        Decimal("840.50"),
        "",
        "awaiting_confirmation",
    )


# Couriers


def test_a_courier_gets_everything_and_brings_it(bistro, ready):
    bistro.orders_by_chat("Vardiyadayım", HAKAN, "Hakan")
    trip = assign(bistro, ready)
    assert trip.told
    (letter,) = bistro.texts_sent_to(HAKAN)
    for words in (
        ready.number,
        "Galip Dede Cd. 15",
        "Ayşe Kaya",
        "Nakit tahsil edilecek: ₺795,00",
        "https://www.google.com/maps/dir/?api=1&destination=41.03,28.97",
        "/courier/",
    ):
        assert words in letter, words
    step(bistro, ready, "picked_up")
    step(bistro, ready, "picked_up")  # a second tap does nothing
    order = step(bistro, ready, "delivered")
    assert order.state == "delivered"
    with bistro.scope():
        trip = courier_trips.trip_of(order.id)
    assert (trip.collected, trip.collected_by) == (Decimal(795), "cash")
    assert trip.assigned_at <= trip.picked_up_at <= trip.delivered_at == trip.ended_at
    published = [
        (one["change"], one["courier"]["name"]) for one in bistro.events("delivery_updated")
    ]
    assert published == [
        ("assigned", "Hakan Usta"),
        ("picked_up", "Hakan Usta"),
        ("delivered", "Hakan Usta"),
    ]
    assert len(bistro.texts_sent_to()) == 3  # received, on its way, delivered


def test_what_is_paid_is_not_collected(bistro, ready):
    with bistro.scope():
        order = order_queries.get(ready.number)
        order.paid_at = now()
        assert courier_trips.amount_to_collect(order).way == "nothing"
        order.paid_at, order.payment_method = None, "card_at_door"
        assert courier_trips.amount_to_collect(order) == courier_trips.AmountToCollect(
            "card", Decimal(795)
        )


def test_staff_taps_keep_the_couriers_times_too(bistro, ready):
    assign(bistro, ready)
    bistro.changes_state(ready, "out_for_delivery")
    bistro.changes_state(ready, "ready")
    with bistro.scope():
        assert courier_trips.trip_of(ready.id).picked_up_at is None
    bistro.changes_state(ready, "delivered")
    with bistro.scope():
        assert courier_trips.trip_of(ready.id).delivered_at is not None


def test_another_courier_takes_over_and_the_first_is_notified(bistro, ready):
    assign(bistro, ready)
    assign(bistro, ready, "Emine Yol")
    assert "artık size atanmış değil" in bistro.texts_sent_to(HAKAN)[-1]
    assert "Collect in cash" in bistro.texts_sent_to(EMINE)[0]
    assert assign(bistro, ready, None) is None
    with bistro.scope():
        assert courier_trips.trip_of(ready.id) is None


def test_a_message_that_will_not_arrive_is_reported(bistro, ready):
    """A cloud line may send free text only within a day after the contact's last message."""
    assert not assign(bistro, ready).told


def test_who_may_not_have_an_order(bistro, ready):
    table = bistro.order()
    waiting = bistro.delivery(phone="905321110009")
    for order in (table, waiting):
        with pytest.raises(Conflict):
            assign(bistro, order)
    with bistro.scope():
        couriers.change(bistro.site(), couriers.get(bistro.ids["Hakan Usta"]), {"active": False})
    with pytest.raises(Invalid):
        assign(bistro, ready)
    assign(bistro, ready, "Emine Yol")
    step(bistro, ready, "picked_up")
    with pytest.raises(Conflict):
        assign(bistro, ready, None)


def test_a_problem_is_sent_to_the_manager_and_to_the_customer(bistro, ready):
    with bistro.scope():
        sites.change(bistro.site_id, {"manager_phone": "905321119999"})
    assign(bistro, ready)
    step(bistro, ready, "picked_up")
    order = step(bistro, ready, "problem", kind="no_answer", note="Zil bozuk")
    assert order.state == "out_for_delivery"
    (received,) = bistro.texts_sent_to("905321119999")
    assert "Hakan Usta" in received
    assert "Zil bozuk" in received
    assert "teslim edemedi" in bistro.texts_sent_to()[-1]
    assert bistro.events("delivery_updated")[-1]["courier"]["problem"] == "no_answer"
    for kind, note in (("other", ""), ("nonsense", "x")):
        with pytest.raises(Invalid):
            step(bistro, ready, "problem", kind=kind, note=note)
    assert step(bistro, ready, "delivered").state == "delivered"


def test_a_cancelled_order_calls_its_courier_back(bistro, ready):
    assign(bistro, ready)
    with bistro.scope():
        order_lifecycle.cancel(bistro.site(), order_queries.get(ready.number), "Misafir vazgeçti")
    assert "iptal edildi" in bistro.texts_sent_to(HAKAN)[-1]
    with bistro.scope():
        assert courier_dispatch.open_trips(bistro.site_id) == {}


def test_a_courier_who_has_it_in_hand_need_not_wait_for_the_kitchens_tap(bistro):
    order = bistro.delivery(latitude=NEAR[0], longitude=NEAR[1])
    assign(bistro, order)
    assert step(bistro, order, "picked_up").state == "out_for_delivery"


def test_several_orders_in_one_list_and_what_was_collected(bistro):
    made = [
        bistro.delivery(phone=f"90532111000{n}", latitude=NEAR[0], longitude=NEAR[1])
        for n in range(3)
    ]
    for order in made:
        assign(bistro, order)
    step(bistro, made[1], "delivered")
    with bistro.scope():
        courier = couriers.get(bistro.ids["Hakan Usta"])
        todo, done = courier_dispatch.trips_of_courier(courier)
        assert [ride.order.id for ride in todo] == [made[0].id, made[2].id]
        assert [ride.order.id for ride in done] == [made[1].id]
        since = now() - timedelta(hours=1)
        assert courier_dispatch.deliveries_since(bistro.site_id, since) == {
            courier.id: (1, Decimal(795))
        }


def test_a_link_expires_and_can_be_revoked(bistro):
    with bistro.scope():
        courier = couriers.get(bistro.ids["Hakan Usta"])
        token = couriers.link_url(courier)[0].rpartition("/")[2]
        who = couriers.read_link(token)
        assert couriers.courier_of_link(who).id == courier.id
        couriers.revoke_links(courier)
        assert couriers.courier_of_link(who) is None
    with frozen(now() + timedelta(hours=25)):
        assert couriers.read_link(token) is None
    assert couriers.read_link("nonsense") is None


def test_an_erased_courier_leaves_no_name(bistro, ready, run_jobs, superuser_connection):
    assign(bistro, ready)
    step(bistro, ready, "delivered")
    with bistro.scope():
        contact_erasures.start_erasure(contact_identities.find_contact(HAKAN))
    run_jobs()
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM order_changes WHERE tenant_id = %s"
            " AND because || by LIKE '%%Hakan%%'",
            (bistro.business.tenant_id,),
        )
        assert cursor.fetchone() == (0,)
    with bistro.scope():
        gone = couriers.get(bistro.ids["Hakan Usta"])
        assert (gone.name, gone.phone, gone.active) == ("", "", False)
        assert courier_trips.trip_of(ready.id).collected == Decimal(795)


def test_a_cart_keeps_the_zone_it_was_priced_by(bistro):
    cart = bistro.cart(
        order_type="delivery", payment_method="cash", latitude=NEAR[0], longitude=NEAR[1]
    )
    with bistro.scope():
        zones.remove(zones.get(bistro.ids["Yakın"]))
        assert carts.get_by_code(cart.code).total == Decimal(795)
    assert bistro.orders_by_chat(cart.text).total == Decimal(795)


def test_a_message_that_was_read_is_not_shown_as_missing(bistro, ready):
    """Regression: the page showed the expectation instead of the message's actual state."""
    trip = assign(bistro, ready)
    assert not trip.told

    def missing(state):
        with bistro.scope():
            db.session.execute(
                update(Message)
                .where(
                    Message.tenant_id == bistro.business.tenant_id, Message.id == trip.message_id
                )
                .values(state=state)
            )
        with bistro.scope():
            return courier_dispatch.not_notified(
                courier_dispatch.open_trips(bistro.site_id).values()
            )

    assert missing("queued") == {ready.id}
    assert missing("read") == set()
    assert missing("failed") == {ready.id}
