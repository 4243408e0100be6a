"""A store of one's own can name a contact, so that automations reach people without a phone."""

import pytest

from core.clock import advance, frozen, now
from messaging.contacts import consent as contact_consent
from messaging.contacts import identities as contact_identities
from messaging.lines import repository as line_repository
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    connect_store,
    enable_automations,
    run_hooks_and_automations,
    run_states,
    sent_texts,
)

USER_ID = "TR.13491208655302741918"


@pytest.fixture
def line(shop):
    return make_line(shop)


@pytest.fixture
def orders(app, shop, client, line):
    enable_automations(shop, "order_confirmation")
    store = connect_store(shop, client, "store")

    def send(contact_id):
        order = {"id": "A-1", "number": "A-1", "total": "10.00", "currency": "EUR"}
        customer = {"first_name": "Deniz", "contact_id": contact_id}
        assert store.posts_event("order.created", order=order, customer=customer).status_code < 300
        run_hooks_and_automations(app)

    return send


def hidden(shop, line):
    with shop.scope():
        return contact_identities.find_or_create("", USER_ID, "Deniz", now(), line_id=line.id).id


def test_the_contact_is_written_to_by_the_id_of_the_line(shop, line, orders):
    orders(hidden(shop, line))
    assert [phone for phone, _ in sent_texts(shop)] == [USER_ID]
    assert run_states(shop) == [("sent", "")]


def test_a_line_that_cannot_use_the_id_says_so(shop, line, orders):
    guest = hidden(shop, line)
    with shop.scope():
        line_repository.get(line.id).kind = "linked"
    orders(guest)
    assert run_states(shop) == [
        (
            "skipped",
            "The contact has no phone number, and this line cannot write to their WhatsApp ID.",
        )
    ]


@pytest.mark.parametrize("named", ["con_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z", "nobody"])
def test_an_unknown_contact_is_said_plainly(shop, orders, named):
    orders(named)
    assert run_states(shop) == [
        ("skipped", "The store named a contact that does not exist, so nobody was written to.")
    ]
    assert not sent_texts(shop)


def test_an_opt_out_of_a_person_without_a_phone_counts_for_marketing(app, shop, client, line):
    guest = hidden(shop, line)
    with shop.scope():
        contact_consent.opt_out(guest, now(), "word")
    enable_automations(shop, "abandoned_cart")
    store = connect_store(shop, client, "store")
    checkout = {"id": "C-1", "url": "https://example.com/c/1", "total": "5.00", "currency": "EUR"}
    customer = {"contact_id": guest, "accepts_marketing": True}
    with frozen(now()):
        store.posts_event("checkout.created", checkout=checkout, customer=customer)
        run_hooks_and_automations(app)
        advance(86400)
        run_hooks_and_automations(app)
    assert run_states(shop) == [("skipped", "The customer has opted out of marketing messages.")]
