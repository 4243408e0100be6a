"""Unpaid online orders never reach the kitchen, and every case has exactly one outcome."""

from datetime import timedelta
from decimal import Decimal
from itertools import permutations

import pytest

from core.clock import advance, frozen, now
from core.errors import Conflict, Invalid
from restaurant.orders import card_payments
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, provider_events
from restaurant.payments import links as payment_links
from restaurant.payments.gateways.base import GatewayRefused, GatewayUnreachable
from restaurant.sites import sites
from tests.restaurant.bistro import GUEST, answers, open_bistro
from tests.restaurant.fake_provider import FakeProvider, add_account, open_till

STEPS = ("cart", "success", "success", "cancel")  # the provider reports a payment twice


@pytest.fixture
def till(restaurant, monkeypatch):
    return open_till(restaurant, monkeypatch)


@pytest.fixture
def client(app):
    return app.test_client()


def created(till):
    return till.bistro.events("order_created")


def test_the_kitchen_gets_the_order_only_after_the_payment(till, client):
    cart = till.cart()
    order = till.bistro.orders_by_chat(cart.text)
    assert order.state == "awaiting_payment"
    assert not created(till)
    till.works()
    link = till.link_of(cart.code)
    assert (link.state, link.amount, link.currency) == ("open", order.total, "TRY")
    request = till.bistro.messages_sent_to()[-1]
    assert (request.kind, request.content["interactive"]["url"]) == ("link_button", link.url)

    ref = till.session_of(cart.code)
    till.paper.pays(ref)
    assert not created(till)
    assert till.posts(client, till.event(ref)).status_code == 200
    assert not created(till)  # an event alone does not confirm a payment
    till.works()

    order = till.order_of(cart.code)
    assert (order.state, order.paid_at is not None) == ("sent_to_kitchen", True)
    (body,) = created(till)
    assert (body["order_id"], body["paid"]) == (order.number, True)
    (paid,) = till.bistro.events("payment_succeeded")
    assert (paid["order_id"], paid["amount"]) == (order.number, 765)
    assert "ödemenizi aldık" in answers(till.bistro)[-1]
    assert till.link_of(cart.code).state == "paid"
    assert [one.outcome for one in till.signals()] == ["paid"]


def test_the_confirmation_is_sent_also_where_the_move_is_not_ticked(till, client):
    with till.scope():
        sites.change(till.bistro.site_id, {"told_states": ["cancelled"]})
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    till.paper.pays(till.session_of(cart.code))
    till.posts(client, till.event(till.session_of(cart.code)))
    till.works()
    assert "ödemenizi aldık" in answers(till.bistro)[-1]


def test_nobody_taps_an_unpaid_order_into_the_kitchen(till):
    order = till.bistro.orders_by_chat(till.cart().text)
    with pytest.raises(Invalid), till.scope():
        order_lifecycle.change_state(
            till.bistro.site(), order_queries.get(order.number), "sent_to_kitchen"
        )


@pytest.mark.parametrize("first", sorted(set(STEPS)))
def test_every_order_of_arrival_has_one_end(till, client, first):
    """All orders of arrival, each with its own cart and guest."""
    for number, way in enumerate(sorted(set(permutations(STEPS)))):
        if way[0] == first:
            arrives(till, client, way, f"9053211144{number:02d}")


def arrives(till, client, way, phone):
    cart = till.cart()
    with till.scope():
        payment_links.create_for_cart(till.bistro.site(), cart, source="api")
    till.works()
    ref = till.session_of(cart.code)
    told = till.event(ref, key=f"evt_{ref}")
    before = len(created(till)), len(till.bistro.events("payment_succeeded"))
    for step in way:
        if step == "cart":
            till.bistro.orders_by_chat(cart.text, phone)
        elif step == "cancel":
            cancelled(till, cart)
        else:
            till.paper.pays(ref, payment=f"pm_{ref}")
            assert till.posts(client, told).status_code == 200
        till.works()

    order = till.order_of(cart.code)
    (payment,) = [one for one in till.payments() if one.reference == cart.code]
    (signal,) = [one for one in till.signals() if one.session == ref]
    assert signal.times == 2
    paid_first = way.index("success") < way.index("cancel")
    came_first = way.index("cart") < way.index("cancel")
    fired = int(paid_first and came_first)
    after = len(created(till)), len(till.bistro.events("payment_succeeded"))
    assert after == (before[0] + fired, before[1] + fired), way
    assert payment.state == "review", way
    if came_first:
        assert order.state == "cancelled"
        assert payment.why == ("order_cancelled" if paid_first else "after_cancel"), way
    else:
        assert order is None
        assert payment.why == "after_cancel", way


def cancelled(till, cart):
    """Cancel the order if there is one, else its payment link."""
    order = till.order_of(cart.code)
    with till.scope():
        if order is not None:
            order_lifecycle.cancel(
                till.bistro.site(), order_queries.get(order.number), "changed their mind"
            )
        else:
            payment_links.cancel(link_queries.by_reference(cart.code))


def test_a_success_before_the_order_is_parked_and_attached(till, client):
    cart = till.cart()
    with till.scope():
        payment_links.create_for_cart(till.bistro.site(), cart, source="api")
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref)
    till.posts(client, till.event(ref))
    till.works()
    assert [(one.state, one.order_id) for one in till.payments()] == [("parked", None)]
    order = till.bistro.orders_by_chat(cart.text)
    assert order.state == "sent_to_kitchen"
    assert len(created(till)) == 1
    assert [(one.state, one.order_id) for one in till.payments()] == [("accepted", order.id)]
    assert "ödemenizi aldık" in answers(till.bistro)[-1]


def test_a_paid_order_that_needs_a_tap_still_needs_it(till, client):
    with till.scope():
        sites.change(till.bistro.site_id, {"newcomer_limit": Decimal(10)})
    cart = till.cart()
    with till.scope():
        payment_links.create_for_cart(till.bistro.site(), cart, source="api")
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref)
    till.posts(client, till.event(ref))
    till.works()
    order = till.bistro.orders_by_chat(cart.text)
    assert order.state == "awaiting_confirmation"
    assert not created(till)
    order = till.bistro.changes_state(order, "sent_to_kitchen")
    assert order.state == "sent_to_kitchen"
    assert len(created(till)) == 1


def test_money_for_an_order_that_never_came_is_reviewed(till, client):
    with frozen():
        cart = till.cart()
        with till.scope():
            payment_links.create_for_cart(till.bistro.site(), cart, source="api")
        till.works()
        till.paper.pays(till.session_of(cart.code))
        till.posts(client, till.event(till.session_of(cart.code)))
        till.works()
        advance(timedelta(hours=3))
        with till.scope():
            assert payments.review_orphans() == 1
    assert [(one.state, one.why) for one in till.payments()] == [("review", "no_order")]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"amount": Decimal("764.99")}, "wrong_amount"),
        ({"amount": Decimal(7650)}, "wrong_amount"),
        ({"amount": Decimal(1)}, "wrong_amount"),
        ({"amount": None}, "wrong_amount"),
        ({"currency": "USD"}, "wrong_currency"),
        ({"reference": "OTHERONE"}, "wrong_order"),
        ({"owner": "acct_else"}, "wrong_account"),
        ({"live": True}, "wrong_account"),
        ({"state": "open"}, "not_confirmed"),
        ({"state": "failed"}, "not_confirmed"),
        ({"payment": ""}, "not_confirmed"),
    ],
)
def test_what_does_not_fit_is_never_paid_and_always_shown(till, client, changes, outcome):
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref, **changes)
    with frozen():
        till.posts(client, till.event(ref))
        for _ in range(4):
            till.works()
            advance(120)
    assert till.order_of(cart.code).state == "awaiting_payment"
    assert not created(till)
    assert [one.outcome for one in till.signals() if one.source == "hook"] == [outcome]
    reviewed = [one.why for one in till.payments() if one.state == "review"]
    assert reviewed == ([outcome] if outcome in payments.REVIEW_REASONS else [])


def test_a_signal_for_another_order_pays_neither(till, client):
    one, other = till.cart(), till.cart()
    for cart in (one, other):
        till.bistro.orders_by_chat(cart.text)
    till.works()
    # The session of the first cart with the reference of the second.
    ref = till.session_of(one.code)
    till.paper.pays(ref, reference=other.code)
    till.posts(client, till.event(ref))
    till.works()
    assert {till.order_of(cart.code).state for cart in (one, other)} == {"awaiting_payment"}
    assert [row.why for row in till.payments()] == ["wrong_order"]


def test_forged_unsigned_and_replayed_signals_do_nothing_and_are_seen(till, client):
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref)
    raw = till.event(ref)
    bare = {"webhook-signature": "", "webhook-id": "", "webhook-timestamp": ""}
    assert till.posts(client, raw, **bare).status_code == 401
    assert till.posts(client, raw, **{"webhook-signature": "v1,AAAA"}).status_code == 401
    old = str(int(now().timestamp()) - 3600)
    assert till.posts(client, raw, **{"webhook-timestamp": old}).status_code == 401
    till.works()
    assert till.order_of(cart.code).state == "awaiting_payment"
    forged = till.signals()
    assert {one.outcome for one in forged} == {"forged"}
    assert sum(one.times for one in forged) == 3
    most = provider_events.MAX_FORGED_EVENTS
    for number in range(3 * most):  # an attacker cannot fill our tables
        till.posts(client, b"%d" % number, **bare)
    assert len(till.signals()) <= most


def test_late_money_goes_to_the_review(till, client):
    with frozen():
        cart = till.cart()
        till.bistro.orders_by_chat(cart.text)
        till.works()
        ref = till.session_of(cart.code)
        advance(timedelta(minutes=63))
        till.works()
        assert till.link_of(cart.code).state == "expired"
        assert ref in till.paper.closed
        till.paper.pays(ref)
        till.posts(client, till.event(ref))
        till.works()
        assert [(one.state, one.why) for one in till.payments()] == [("review", "late")]
        assert till.order_of(cart.code).state == "awaiting_payment"


def test_a_late_event_for_a_payment_that_was_in_time(till, client):
    with frozen():
        cart = till.cart()
        till.bistro.orders_by_chat(cart.text)
        till.works()
        ref = till.session_of(cart.code)
        advance(timedelta(minutes=63))
        till.paper.trouble = [GatewayUnreachable("down")] * 3
        till.works()
        till.paper.trouble = []
        till.paper.pays(ref, paid_at=now() - timedelta(minutes=30))
        till.posts(client, till.event(ref))
        till.works()
        assert till.order_of(cart.code).state == "sent_to_kitchen"


def test_money_that_nobody_told_of_is_found_by_asking(till):
    with frozen():
        cart = till.cart()
        till.bistro.orders_by_chat(cart.text)
        till.works()
        till.paper.pays(till.session_of(cart.code))
        advance(timedelta(minutes=6))
        till.works()
        till.works()
    assert till.order_of(cart.code).state == "sent_to_kitchen"
    assert [(one.source, one.outcome) for one in till.signals()] == [("asked", "paid")]


def test_a_second_payment_is_reviewed_and_changes_nothing(till, client):
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    first = till.session_of(cart.code)
    with till.scope():
        payment_links.renew(link_queries.by_reference(cart.code))
    till.works()
    second = till.session_of(cart.code)
    assert first != second
    for ref in (first, second):
        till.paper.pays(ref)
        till.posts(client, till.event(ref))
        till.works()
    assert [(one.state, one.why) for one in reversed(till.payments())] == [
        ("accepted", ""),
        ("review", "paid_twice"),
    ]
    assert len(created(till)) == 1


def test_a_declined_card_can_be_tried_again(till, client):
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    ref = till.session_of(cart.code)
    till.paper.pays(ref, state="failed", payment="")
    till.posts(client, till.event(ref, "payment.declined"))
    till.works()
    assert till.link_of(cart.code).state == "failed"
    assert "alınamadı" in answers(till.bistro)[-1]
    assert len(till.bistro.events("payment_failed")) == 1
    till.paper.pays(ref)
    till.posts(client, till.event(ref))
    till.works()
    assert till.order_of(cart.code).state == "sent_to_kitchen"


def test_less_on_the_order_is_a_new_link_for_less(till, client):
    cart = till.cart()
    order = till.bistro.orders_by_chat(cart.text)
    till.works()
    first = till.session_of(cart.code)
    with till.scope():
        order_changes.void_item(
            till.bistro.site(), order_queries.get(order.number), 2, 1, "none left"
        )
    till.works()
    second = till.session_of(cart.code)
    assert till.link_of(cart.code).amount == Decimal(720)
    assert first in till.paper.closed
    till.paper.pays(first)  # the old session is still paid
    till.posts(client, till.event(first))
    till.works()
    assert till.payments()[0].why == "wrong_amount"
    till.paper.pays(second)
    till.posts(client, till.event(second))
    till.works()
    assert till.order_of(cart.code).state == "sent_to_kitchen"


def test_a_provider_that_refuses_leaves_a_link_that_can_be_made_again(till):
    till.paper.trouble = [GatewayRefused("the key is wrong")]
    cart = till.cart()
    till.bistro.orders_by_chat(cart.text)
    till.works()
    link = till.link_of(cart.code)
    assert (link.state, link.error) == ("broken", "the key is wrong")
    with till.scope():
        payment_links.renew(link_queries.get(link.id))
    till.works()
    assert till.link_of(cart.code).state == "open"


def test_a_provider_that_is_down_is_asked_again_with_the_same_key(till):
    with frozen():
        till.paper.trouble = [GatewayUnreachable("away")]
        cart = till.cart()
        till.bistro.orders_by_chat(cart.text)
        till.works()
        assert till.link_of(cart.code).state == "making"
        advance(5)
        till.works()
    assert till.link_of(cart.code).state == "open"
    assert len(till.paper.keys) == 1


def test_a_repeated_call_carries_the_same_parameters(till, monkeypatch):
    """The answer was lost, but the provider created the session."""
    made, answers_lost = FakeProvider.create_link, [True]

    def lost(paper, desk, asking):
        found = made(paper, desk, asking)
        if answers_lost:
            answers_lost.pop()
            raise GatewayUnreachable("the answer was lost")
        return found

    monkeypatch.setattr(FakeProvider, "create_link", lost)
    with frozen():
        cart = till.cart()
        till.bistro.orders_by_chat(cart.text)
        till.works()
        assert till.link_of(cart.code).state == "making"
        advance(5)
        till.works()
    assert (till.link_of(cart.code).state, till.link_of(cart.code).error) == ("open", "")


def test_a_real_order_is_never_paid_at_a_test_account(restaurant):
    bistro = open_bistro(restaurant, payment_methods=["cash", "card_link"])
    live = add_account(restaurant, "stripe", key="sk_live_1", hook_secret="whsec_1", live=True)
    test = add_account(restaurant, "stripe", key="sk_test_1", hook_secret="whsec_2")
    with restaurant.scope():
        assert payment_accounts.require_for_site(bistro.site_id).id == live.id
        assert payment_accounts.require_for_site(bistro.site_id, test=True).id == test.id
        payment_accounts.set_enabled(live.id, False)
        assert not card_payments.accepts_cards(bistro.site())
        with pytest.raises(Invalid) as refused:
            payment_accounts.require_for_site(bistro.site_id)
    assert refused.value.code == "test_provider"


def test_a_renewed_test_link_stays_away_from_the_live_account(till):
    with till.scope():
        link = payment_links.create_standalone(
            till.bistro.site(), "10", "Kapora", source="api", test=True
        )
    till.works()
    business = till.bistro.business
    spare = add_account(business, "stripe", key="sk_test_1", hook_secret="whsec_1")
    add_account(business, "stripe", key="sk_live_1", hook_secret="whsec_2", live=True)
    with till.scope():
        payment_accounts.set_enabled(till.account_id, False)
        renewed = payment_links.renew(link_queries.get(link.id))
        assert renewed.account_id == spare.id


def test_a_signal_nobody_could_confirm_is_parked_and_run_again(till, client):
    with frozen():
        cart = till.cart()
        till.bistro.orders_by_chat(cart.text)
        till.works()
        ref = till.session_of(cart.code)
        till.paper.pays(ref)
        till.paper.trouble = [GatewayUnreachable("away")] * 50
        till.posts(client, till.event(ref))
        for _ in range(8):
            till.works()
            advance(901)
        (signal,) = [one for one in till.signals() if one.source == "hook"]
        assert (signal.state, signal.outcome) == ("parked", "not_confirmed")
        till.paper.trouble = []
        with till.scope():
            assert provider_events.retry_event(signal.id)
        till.works()
    assert till.order_of(cart.code).state == "sent_to_kitchen"


def test_a_link_of_its_own(till, client):
    with till.scope():
        link = payment_links.create_standalone(
            till.bistro.site(), "250.00", "Deposit", source="staff", phone=GUEST, notify=True
        )
    till.works()
    assert "Deposit" in answers(till.bistro)[-1]
    ref = till.session_of(link.reference)
    till.paper.pays(ref)
    till.posts(client, till.event(ref))
    till.works()
    assert till.link_of(link.reference).state == "paid"
    assert len(till.bistro.events("payment_succeeded")) == 1
    with till.scope(), pytest.raises(Conflict):
        payment_links.cancel(link_queries.get(link.id))


@pytest.mark.parametrize("amount", ["0", "-1", "1.005", "abc", "1e9", "99999999999", ""])
def test_an_amount_that_is_none_is_refused(till, amount):
    with till.scope(), pytest.raises(Invalid):
        payment_links.create_standalone(till.bistro.site(), amount, "Deposit", source="staff")


def test_without_a_provider_cards_are_not_offered(restaurant):
    bistro = open_bistro(restaurant, payment_methods=["cash", "card_link"])
    with pytest.raises(Invalid):
        bistro.cart(order_type="takeaway", payment_method="card_link", table="")
