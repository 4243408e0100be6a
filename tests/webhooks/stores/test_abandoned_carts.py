"""An abandoned cart gets one reminder; a cart that is bought gets none, even in a race."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier, Event

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db, global_scope, tenant_scope
from core.queue import lanes
from jobs import automations as automations_job
from jobs import maintenance
from jobs.inbound import hooks as hooks_job
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import runs as automation_runs
from messaging.contacts import identities as contact_identities
from messaging.messages import claim as message_claim
from messaging.messages.linked import send_queue
from messaging.models import AutomationRun, Contact, HookKey, StoreEvent, StoreLink
from tenants import accounts
from tests.factories import make_business
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    connect_store,
    enable_automations,
    messages,
    run_hooks_and_automations,
    run_states,
    runs,
    sent_texts,
    shopify_checkout,
    shopify_order,
)

AYSE = "905321112233"
ORDERED = "The order was placed before the reminder was sent."


@pytest.fixture
def cart(app, shop, client, redis):
    make_line(shop)
    enable_automations(shop, "abandoned_cart")
    return connect_store(shop, client, "shopify")


def test_a_checkout_with_no_order_gets_one_reminder_after_its_delay(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        assert not sent_texts(shop)
        advance(timedelta(minutes=59))
        run_hooks_and_automations(app)
        assert not sent_texts(shop)
        advance(timedelta(minutes=2))
        run_hooks_and_automations(app)
        ((phone, text),) = sent_texts(shop)
        assert phone == AYSE
        assert "https://kumru.example/checkouts/chk-1/recover" in text
        # A later change of the same cart does not remind again.
        cart.shopify("checkouts/update", shopify_checkout(total_price="10.00"))
        advance(timedelta(days=2))
        run_hooks_and_automations(app)
    assert len(sent_texts(shop)) == 1
    assert len(runs(shop)) == 1


def test_the_sweep_finds_a_reminder_that_no_bell_announces(app, shop, cart, redis):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        with app.app_context():
            with global_scope():
                automations_job.sweep()
            automations_job.drain()
    assert len(sent_texts(shop)) == 1


def test_a_cart_that_is_still_being_filled_is_not_abandoned(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout(shipping_address=None))
        run_hooks_and_automations(app)
        advance(timedelta(minutes=50))
        cart.shopify("checkouts/update", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(minutes=50))
        run_hooks_and_automations(app)
        assert not sent_texts(shop)
        advance(timedelta(minutes=11))
        run_hooks_and_automations(app)
    assert [phone for phone, _ in sent_texts(shop)] == [AYSE]


@pytest.mark.parametrize(
    "order",
    [
        {"checkout_token": "chk-1"},
        {"checkout_token": None, "checkout_id": 981820079255243537},
        {"checkout_token": None, "cart_token": "cart-1"},
        # Nothing but the customer ties them together.
        {"checkout_token": None, "customer": {}},
        {"checkout_token": None, "shipping_address": None},
    ],
)
def test_an_order_cancels_the_reminder(app, shop, cart, order):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(minutes=10))
        cart.shopify("orders/create", shopify_order(**order))
        run_hooks_and_automations(app)
        assert run_states(shop) == [("cancelled", ORDERED)]
        advance(timedelta(hours=3))
        run_hooks_and_automations(app)
    assert not sent_texts(shop)


def test_an_order_that_is_reported_before_its_checkout_counts_too(app, shop, cart):
    with frozen():
        cart.shopify("orders/create", shopify_order())
        run_hooks_and_automations(app)
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=3))
        run_hooks_and_automations(app)
    assert run_states(shop) == [("cancelled", ORDERED)]
    assert not sent_texts(shop)


def test_a_new_cart_of_somebody_who_ordered_before_is_reminded(app, shop, cart):
    with frozen():
        cart.shopify("orders/create", shopify_order(checkout_token="chk-old"))
        run_hooks_and_automations(app)
    time.sleep(0.002)  # ids rise with the real clock
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=3))
        run_hooks_and_automations(app)
    assert len(sent_texts(shop)) == 1


def test_a_completed_checkout_needs_no_order(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        done = shopify_checkout(completed_at="2026-03-01T10:00:00Z")
        cart.shopify("checkouts/update", done)
        run_hooks_and_automations(app)
        advance(timedelta(hours=3))
        run_hooks_and_automations(app)
    assert not sent_texts(shop)
    assert run_states(shop) == [("cancelled", ORDERED)]


def test_who_opted_out_gets_no_reminder_but_still_a_confirmation(app, shop, cart):
    enable_automations(shop, "order_confirmation")
    with shop.scope():
        met = contact_identities.find_or_create(AYSE, "", "Ayşe", now())
        contact_identities.record_opt_out(met.id, now())
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
        assert run_states(shop) == [
            ("skipped", "The customer has opted out of marketing messages.")
        ]
        cart.shopify("orders/create", shopify_order())
        run_hooks_and_automations(app)
    assert len(sent_texts(shop)) == 1


def test_who_is_blocked_gets_no_reminder(app, shop, cart):
    with shop.scope():
        met = contact_identities.find_or_create(AYSE, "", "Ayşe", now())
        db.session.get(Contact, (shop.tenant_id, met.id)).blocked_at = now()
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
    assert run_states(shop) == [("skipped", "The customer is blocked.")]


def test_switched_off_meanwhile_it_sends_nothing(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        (run,) = runs(shop)
        with shop.scope():
            automation_definitions.set_enabled(run.automation_id, False)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
    assert run_states(shop) == [("cancelled", "The automation was turned off.")]


def test_disconnected_meanwhile_it_sends_nothing(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        with shop.scope():
            store_connections.remove(cart.connection.id)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
    assert run_states(shop) == [("cancelled", "The connection was deleted.")]


def test_a_refused_message_leaves_no_trace_but_its_reason(app, client, redis):
    """The quota is counted last, when the message is written already."""
    tiny = make_business("Tiny", plan="trial")
    make_line(tiny)
    enable_automations(tiny, "order_confirmation")
    door = connect_store(tiny, client, "shopify")
    with tiny.scope():
        accounts.account().trial_used = 10_000
        accounts.account().trial_started_at = now()
    door.shopify("orders/create", shopify_order())
    run_hooks_and_automations(app)
    ((state, because),) = run_states(tiny)
    assert state == "failed"
    assert because
    assert not messages(tiny)


def test_what_is_old_is_forgotten(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
        advance(timedelta(days=100))
        with app.app_context():
            maintenance.delete_expired()
        assert left_of(shop, StoreLink, StoreEvent, AutomationRun) == [0, 1, 1]
        advance(timedelta(days=100))
        with app.app_context():
            maintenance.delete_expired()
        assert left_of(shop, StoreEvent, AutomationRun) == [0, 0]
        assert left_of(shop, HookKey) == [2], "the same post is still known as a repeat"
        advance(timedelta(days=210))
        with app.app_context():
            maintenance.delete_expired()
    assert left_of(shop, HookKey) == [0]


def left_of(business, *models):
    with business.scope():
        return [
            len(db.session.scalars(select(one).where(one.tenant_id == business.tenant_id)).all())
            for one in models
        ]


def test_an_order_takes_back_a_reminder_that_has_not_left(app, shop, cart):
    """Accepted, even held by the host of a linked line: until its bytes leave it is ours."""
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
        assert len(sent_texts(shop)) == 1
        [message] = messages(shop)
        with shop.scope():
            [held] = send_queue.hold_messages(message.line_id, 10, 60.0)
        cart.shopify("orders/create", shopify_order())
        run_hooks_and_automations(app)
        with shop.scope():
            assert not send_queue.begin_sending(held, 60.0)
    assert run_states(shop) == [("cancelled", ORDERED)]
    assert [one.state for one in messages(shop)] == ["cancelled"]


def test_a_reminder_whose_bytes_have_left_is_not_called_cancelled(app, shop, cart):
    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        run_hooks_and_automations(app)
        with shop.scope():
            assert message_claim.claim_messages(10, 60.0, [])
        cart.shopify("orders/create", shopify_order())
        run_hooks_and_automations(app)
    assert run_states(shop) == [("sent", "")]
    assert [one.state for one in messages(shop)] == ["sending"]


def test_an_order_that_comes_while_the_reminder_is_being_sent(app, shop, cart, monkeypatch):
    """The worker has looked for an order, found none, and is about to send when it comes."""
    looked, go_on = Event(), Event()
    real = automation_runs.compose_message

    def slow(*args):
        looked.set()
        assert go_on.wait(10)
        return real(*args)

    with frozen():
        cart.shopify("checkouts/create", shopify_checkout())
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        with shop.scope():
            lanes.mark_due(automation_runs.LANE, shop.tenant_id)
        monkeypatch.setattr(automation_runs, "compose_message", slow)

        def reminds():
            with app.app_context():
                automations_job.drain()

        def orders():
            assert looked.wait(10)
            assert cart.shopify("orders/create", shopify_order()).status_code == 200
            with app.app_context():
                hooks_job.drain()

        with ThreadPoolExecutor(2) as pool:
            reminder, order = pool.submit(reminds), pool.submit(orders)
            looked.wait(10)
            time.sleep(0.4)  # the order's transaction now waits for the run
            assert not order.done()
            go_on.set()
            reminder.result(20)
            order.result(20)
    assert run_states(shop) == [("cancelled", ORDERED)]
    assert [one.state for one in messages(shop)] == ["cancelled"]


def test_many_orders_race_with_their_reminders_and_none_of_both_wins(app, shop, cart):
    """In either order of events, a cart that was bought has no message that can still be sent."""
    many = 12
    with frozen():
        for number in range(many):
            payload = shopify_checkout(
                token=f"c-{number}",
                id=number + 1,
                cart_token=None,
                shipping_address={"phone": f"0532 111 22 {number:02d}", "country_code": "TR"},
                customer={"email": f"a{number}@example.com"},
            )
            cart.shopify("checkouts/create", payload)
        run_hooks_and_automations(app)
        advance(timedelta(hours=2))
        for number in range(many):
            payload = shopify_order(
                id=9000 + number,
                checkout_token=f"c-{number}",
                customer={},
                shipping_address=None,
            )
            cart.shopify("orders/create", payload)
        with tenant_scope(shop.tenant_id):
            lanes.mark_due(automation_runs.LANE, shop.tenant_id)
        start = Barrier(2)

        def run(job):
            with app.app_context():
                start.wait()
                job.drain()

        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(run, job) for job in (automations_job, hooks_job)]:
                done.result(60)
        run_hooks_and_automations(app)
    assert [state for state, _ in run_states(shop)] == ["cancelled"] * many
    assert {one.state for one in messages(shop)} <= {"cancelled"}
