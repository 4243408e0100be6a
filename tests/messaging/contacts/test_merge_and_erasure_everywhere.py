"""A contact with data in every package: merged with another one, and erased everywhere."""

import json
from decimal import Decimal
from itertools import count

import pytest
from sqlalchemy import insert, select, update

from core.clock import now
from core.db import db
from core.ids import new_id
from jobs.media import delete_pending_files
from messaging.automations.recipes import RECIPES
from messaging.contacts import identities as contact_identities
from messaging.contacts import merging
from messaging.contacts import repository as contact_repository
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.validation import ContactInput
from messaging.costs import ledger as message_ledger
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions, thread
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineUpdate
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import (
    AutomationRun,
    Conversation,
    ConversationNote,
    LedgerEntry,
    MediaFile,
    Message,
    StoreEvent,
)
from restaurant.models import Order
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.contacts.test_erasure import NAME, NETWORK_ID, OTHER_WAY, PHONE, SAID, traces
from tests.messaging.inbox.inbox_factory import talk_with, talks, writes
from tests.messaging.message_factory import add_line, wrote
from tests.restaurant.bistro import open_bistro
from tests.webhooks.stores.shops import connect_store, enable_automations, run_hooks_and_automations
from webhooks.models import Event, WebhookAttempt, WebhookDelivery

OWNER = "905321110001"
RECIPE_FOR_OWNERS = next(one.code for one in RECIPES.values() if one.to_owner)
_numbers = count(1)


def picture(app, business, line):
    """A photo that came and was fetched, and one that a member sent."""
    blobs = app.extensions["blobs"]
    for key in ("t/in.jpg", "t/in-small.jpg", "t/sent.jpg"):
        blobs.put(key, b"a photo", "image/jpeg")
    with business.scope():
        came = wrote(
            "",
            kind="image",
            sender_phone=PHONE,
            sender_name=NAME,
            content={"id": "media-1", "mime_type": "image/jpeg", "filename": f"{NAME}.jpg"},
        )
        message_id = receive_message(line, came, UsageTally())
        db.session.execute(
            update(MediaFile)
            .where(MediaFile.tenant_id == business.tenant_id, MediaFile.message_id == message_id)
            .values(state="kept", blob_key="t/in.jpg", preview_blob_key="t/in-small.jpg")
        )
        early = {"network_id": "wamid.early", "at": 1, "text": SAID, "person": PHONE}
        receive_line_update(line, LineUpdate("edited", early))
        content = {"blob": "t/sent.jpg", "url": "https://x.example/p", "filename": "p.jpg"}
        ticket = message_accept.accept_message(
            MessageDraft("image", PHONE, text=SAID, content=content), line, current_tenant_facts()
        )
        db.session.execute(
            update(Message)
            .where(Message.tenant_id == business.tenant_id, Message.id == ticket.id)
            .values(state="sent", due_at=None)
        )
        db.session.add(
            LedgerEntry(
                tenant_id=business.tenant_id,
                message_id=ticket.id,
                kind="settle",
                line_id=line.id,
                country="BR",
                category="utility",
                amount_usd=Decimal("0.0068"),
            )
        )


def delivered_to_an_endpoint(business):
    """Its response contains the event that it received."""
    with business.scope():
        events = db.session.scalars(
            select(Event.id).where(
                Event.tenant_id == business.tenant_id, Event.type == "messages.upsert"
            )
        ).all()
        for event_id in events:
            delivery_id = new_id("dlv")
            db.session.execute(
                insert(WebhookDelivery).values(
                    tenant_id=business.tenant_id,
                    id=delivery_id,
                    endpoint_id=new_id("ep"),
                    event_id=event_id,
                    type="messages.upsert",
                    sequence=next(_numbers),
                    state="delivered",
                    attempt=1,
                    due_at=None,
                )
            )
            db.session.execute(
                insert(WebhookAttempt).values(
                    tenant_id=business.tenant_id,
                    delivery_id=delivery_id,
                    number=1,
                    at=now(),
                    millis=5,
                    status=200,
                    signature="v1,x",
                    headers={"X-Echo": PHONE},
                    answer=json.dumps({"thanks": NAME, "from": PHONE}),
                )
            )


def buys(app, client, business):
    """An order, an open cart, and a form whose owner is notified."""
    enable_automations(business, "order_confirmation", "abandoned_cart")
    enable_automations(business, RECIPE_FOR_OWNERS, to_phone=OWNER)
    store = connect_store(business, client, "store")
    customer = {"name": NAME, "phone": "+55 (11) 98715-0771", "email": "zyxandra@example.com"}
    store.posts_event("order.created", customer=customer, order={"id": "A-7", "total": "12.50"})
    store.posts_event(
        "checkout.created", customer=customer, checkout={"id": "C-8", "total": "9.00"}
    )
    form = connect_store(business, client, "form")
    form.submits({"name": NAME, "phone": "+55 11 98715-0771", "wish": SAID})
    store.submits(b'{"phone": "+55 11 98715-0771"}')
    run_hooks_and_automations(app)


@pytest.fixture
def known(app, client, restaurant, run_jobs):
    bistro = open_bistro(restaurant)
    line = bistro.line
    writes(restaurant, line.id, PHONE, SAID, NAME, network_id=NETWORK_ID)
    picture(app, restaurant, line)
    talk = talk_with(restaurant, PHONE)
    with restaurant.scope():
        conversation_actions.add_note(talk.id, f"{NAME} likes marmalade")
    cart = bistro.cart(notes=f"for {NAME}")
    order = bistro.orders_by_chat(cart.text, OTHER_WAY, NAME)
    assert order is not None
    buys(app, client, restaurant)
    client.post(
        "/api/v1/messages/send",
        json={"phone": PHONE, "message": SAID},
        headers=restaurant.bearer,
    )
    client.get(f"/api/v1/contacts?q={PHONE}", headers=restaurant.bearer)
    app.extensions["request_log"].write()
    delivered_to_an_endpoint(restaurant)
    run_jobs()
    with restaurant.scope():
        return contact_identities.find_contact(PHONE)


def test_erased_from_every_part(app, restaurant, known, run_jobs, superuser_connection):
    with superuser_connection.cursor() as cursor:
        tables = {table for table, _, _ in traces(cursor, restaurant.tenant_id)}
    assert tables >= {
        *("conversation_notes", "conversation_words", "media_files", "store_events", "orders"),
        *("automation_runs", "delivery_attempts", "received_hooks", "store_links", "carts"),
    }, tables
    with restaurant.scope():
        cost = message_ledger.day_sums(now().date())
        contact_erasures.start_erasure(known)
    for _ in range(3):
        run_hooks_and_automations(app)
        run_jobs()
        with restaurant.scope():
            contact_importing.wake_importer()
    run_jobs()
    with app.app_context():
        delete_pending_files()
    with superuser_connection.cursor() as cursor:
        assert traces(cursor, restaurant.tenant_id) == []
    blobs = app.extensions["blobs"]
    assert not [key for key in ("in.jpg", "in-small.jpg", "sent.jpg") if blobs.exists(f"t/{key}")]
    with restaurant.scope():
        assert cost
        assert message_ledger.day_sums(now().date()) == cost
        mine = AutomationRun.tenant_id == restaurant.tenant_id
        assert not list(
            db.session.scalars(select(AutomationRun).where(mine, AutomationRun.due_at.is_not(None)))
        )
        order = db.session.scalars(select(Order).where(Order.tenant_id == restaurant.tenant_id))
        assert order.one().total > 0
        kinds = select(StoreEvent.kind).where(StoreEvent.tenant_id == restaurant.tenant_id)
        assert set(db.session.scalars(kinds)) == {
            *("order.created", "checkout.created", "form.submitted"),
        }


def test_the_conversations_of_two_who_are_one(restaurant):
    one, other = add_line(restaurant), add_line(restaurant)
    writes(restaurant, one.id, "905321117701", "Merhaba", "Ayşe")
    writes(restaurant, one.id, "905321117702", "kırmızı elma", "Ayşecik")
    writes(restaurant, other.id, "905321117702", "yeşil armut", "Ayşecik")
    with restaurant.scope():
        kept, gone = (
            contact_identities.find_contact("905321117701"),
            contact_identities.find_contact("905321117702"),
        )
        fruit = inbox_conversations.list_conversations(
            ConversationFilters(view="all", query="elma"), None, 9
        )[0]
        conversation_actions.add_note(fruit.id, "asks for fruit")
        conversation_actions.close(fruit.id)
        merging.merge(kept, gone)
    assert {(one.line_id, one.contact_id) for one in talks(restaurant)} == {
        (one.id, kept),
        (other.id, kept),
    }
    for asked in ("elma", "ayşecik", "7702"):
        found = {talk.line_id for talk in talks(restaurant, query=asked)}
        assert one.id in found, asked
    assert {talk.line_id for talk in talks(restaurant, query="7701")} == {one.id, other.id}
    (here,) = [talk for talk in talks(restaurant) if talk.line_id == one.id]
    with restaurant.scope():
        assert here.closed_at is None
        said = [entry.text for entry in thread.newest_entries(here).entries]
        assert {"Merhaba", "kırmızı elma", "asks for fruit"} <= set(said)
        left = select(ConversationNote.conversation_id).where(
            ConversationNote.tenant_id == restaurant.tenant_id
        )
        assert set(db.session.scalars(left)) == {here.id}


def test_a_conversation_is_found_by_the_new_name(restaurant):
    line = add_line(restaurant)
    writes(restaurant, line.id, "905321117701", "Merhaba", "Ayşe")
    with restaurant.scope():
        contact_repository.change(
            contact_identities.find_contact("905321117701"), ContactInput(name="Nilüfer Hanım")
        )
    assert [talk.contact_name for talk in talks(restaurant, query="nilüf")] == ["Nilüfer Hanım"]
    with restaurant.scope():
        count = select(Conversation.id).where(Conversation.tenant_id == restaurant.tenant_id)
        assert len(list(db.session.scalars(count))) == 1
        assert line_repository.get(line.id).enabled
