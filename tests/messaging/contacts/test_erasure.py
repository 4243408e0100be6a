"""After an erasure, no table contains the phone, the name or the text."""

import io
from decimal import Decimal

import pytest
from psycopg2 import sql
from sqlalchemy import select

from core import mail
from core.clock import now
from core.db import db, global_scope
from core.errors import NotFound
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.importing.imports import ImportOptions
from messaging.contacts.validation import ContactInput
from messaging.costs import ledger as message_ledger
from messaging.costs.usage import UsageTally
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from messaging.messages.receive import receive_message
from messaging.models import Contact, ContactErasure, LedgerEntry, Message
from tenants import idempotency
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.message_factory import add_line, wrote
from webhooks.inbound import hook_queue
from webhooks.inbound.models import ReceivedHook

PHONE, NAME = "5511987150771", "Zyxandra Quux"
OTHER_WAY, NETWORK_ID = "551187150771", "BR.70413378"
SAID, ANSWERED, NOTED = "quince marmalade please", "your marmalade is ready", "prefers booth seven"
SECRETS = (PHONE, OTHER_WAY, PHONE[-9:], NETWORK_ID, "Zyxandra", "zyxandra", "Quux", SAID, ANSWERED)
SECRETS += (NOTED, "marmalade", "wamid.HBgN", "booth seven", "order-77")


def traces(cursor, tenant_id):
    """Every column of every table, as text, held against every secret; other tenants aside."""
    cursor.execute(
        "SELECT c.relname, a.attname, EXISTS (SELECT 1 FROM pg_attribute o WHERE"
        " o.attrelid = c.oid AND o.attname = 'tenant_id')"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')"
        " AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped"
    )
    found, looked = [], 0
    for table, column, owned in cursor.fetchall():
        looked += 1
        mine = "WHERE coalesce(tenant_id, %(tenant)s) = %(tenant)s" if owned else ""
        # bytea is written in hexadecimal
        query = sql.SQL(
            "SELECT count(*) FROM (SELECT {c}::text AS it FROM {t} {mine}) x"
            " WHERE it ILIKE %(said)s OR it ILIKE %(bytes)s"
        ).format(t=sql.Identifier(table), c=sql.Identifier(column), mine=sql.SQL(mine))
        for secret in SECRETS:
            cursor.execute(
                query,
                {
                    "tenant": tenant_id,
                    "said": f"%{secret}%",
                    "bytes": f"%{secret.encode().hex()}%",
                },
            )
            if cursor.fetchone()[0]:
                found.append((table, column, secret))
    assert looked > 200
    return found


@pytest.fixture
def known(app, restaurant, run_jobs):
    """Somebody who left traces wherever one can."""
    line = add_line(restaurant)
    blobs = app.extensions["blobs"]
    blobs.put("tenants/1/media/photo.jpg", b"a photo", "image/jpeg")
    with restaurant.scope():
        tally = UsageTally()
        came = wrote(
            SAID,
            network_id="wamid.HBgNNTUxMTk4NzE1MDc3MQ",
            sender_phone=OTHER_WAY,
            sender_network_id=NETWORK_ID,
            sender_name=NAME,
            content={"media": {"blob": "tenants/1/media/photo.jpg"}},
        )
        receive_message(line, came, tally)
        tally.write()
        contact_id = contact_identities.find_contact(PHONE)
        later = MessageDraft(
            kind="text",
            phone=PHONE,
            text=ANSWERED,
            reference="order-77",
            scheduled_at=now().replace(year=now().year + 1),
        )
        ticket = message_accept.accept_message(later, line, current_tenant_facts())
        db.session.add(
            LedgerEntry(
                tenant_id=restaurant.tenant_id,
                message_id=ticket.id,
                kind="settle",
                line_id=line.id,
                country="BR",
                category="utility",
                amount_usd=Decimal("0.0068"),
            )
        )
        for state, due in (("done", None), ("parked", None)):
            db.session.add(
                ReceivedHook(
                    tenant_id=restaurant.tenant_id,
                    kind="cloud",
                    target=str(line.id),
                    body=f'{{"wa_id": "{OTHER_WAY}", "name": "{NAME}", "body": "{SAID}"}}'.encode(),
                    state=state,
                    due_at=due,
                )
            )
        idempotency.begin("first", "x")
        idempotency.finish(
            "first",
            idempotency.StoredResponse(200, {}, f'{{"phone": "{PHONE}", "t": "{ANSWERED}"}}'),
        )
        idempotency.begin(f"for-{PHONE}", "x")
        contact_repository.change(
            contact_id, ContactInput(name=NAME, tags=["vip"], birthday="--04-23")
        )
        contact_repository.add_note(contact_id, NOTED)
        contact_repository.set_consent(contact_id, "form")
        contact_repository.set_opted_out(contact_id, True)
        contact_repository.set_blocked(contact_id, True)
        text = f"phone,name\n+55 11 98715-0771,{NAME}\n+55 11 98715-0771,{NAME}\n"
        one = contact_importing.upload_file(io.BytesIO(text.encode()), "a.csv", blobs)
        contact_importing.start_check(one.id, ["phone", "name"], ImportOptions())
    with global_scope():
        mail.queue_email(
            "o@example.com", f"{NAME} wrote", f"{NAME} says {SAID}", restaurant.tenant_id
        )
    run_jobs()
    return line, contact_id, ticket.id


def test_no_table_holds_the_phone_the_name_or_the_text(
    app, restaurant, known, run_jobs, superuser_connection
):
    _, contact_id, message_id = known
    with superuser_connection.cursor() as cursor:
        before = traces(cursor, restaurant.tenant_id)
    tables = {table for table, _, _ in before}
    assert tables >= {
        *("contacts", "identities", "contact_tokens", "contact_notes", "messages", "events"),
        *("received_hooks", "idempotency_keys", "audit_entries", "network_ids", "mails"),
        *("contact_import_rejects", "contact_imports", "blocked_phones", "contact_import_phones"),
    }, tables
    with restaurant.scope():
        cost = message_ledger.day_sums(now().date())
        contact_erasures.start_erasure(contact_id)
        with pytest.raises(NotFound):
            contact_cards.get(contact_id)
    run_jobs()
    with superuser_connection.cursor() as cursor:
        assert traces(cursor, restaurant.tenant_id) == []
    assert not app.extensions["blobs"].exists("tenants/1/media/photo.jpg")
    with restaurant.scope():
        assert message_ledger.day_sums(now().date()) == cost
        blank = message_queries.get(message_id)
        assert (blank.state, blank.text, blank.phone) == ("cancelled", "", "")
        done = db.session.scalars(
            select(ContactErasure).where(ContactErasure.tenant_id == restaurant.tenant_id)
        ).one()
        assert (done.step, done.names) == ("done", {})
        assert done.done_at is not None


def test_others_keep_what_is_theirs(restaurant, known, run_jobs):
    line, contact_id, _ = known
    with restaurant.scope():
        receive_message(line, wrote("hello", sender_name="Ayşe"), UsageTally())
        contact_erasures.start_erasure(contact_id)
    run_jobs()
    with restaurant.scope():
        other = contact_cards.get(contact_identities.find_contact("905321112233"))
        assert other.title == "Ayşe"
        texts = select(Message.text).where(
            Message.tenant_id == restaurant.tenant_id, Message.phone == "905321112233"
        )
        assert list(db.session.scalars(texts)) == ["hello"]


def test_who_writes_again_is_somebody_new(restaurant, known, run_jobs):
    line, contact_id, _ = known
    with restaurant.scope():
        contact_erasures.start_erasure(contact_id)
    run_jobs()
    with restaurant.scope():
        receive_message(
            line, wrote("back again", sender_phone=PHONE, sender_name=NAME), UsageTally()
        )
        new = contact_cards.get(contact_identities.find_contact(PHONE))
        assert new.id != contact_id
        assert new.contact.tags == []
        assert new.contact.blocked_at is None


def test_a_message_that_is_just_leaving_is_waited_for(restaurant, known, run_jobs):
    _, contact_id, message_id = known
    with restaurant.scope():
        message = message_queries.get(message_id)
        message.state = "sending"
        erasure = contact_erasures.start_erasure(contact_id)
    run_jobs()
    with restaurant.scope():
        assert contact_erasures.get(erasure.id).done_at is None
        message_queries.get(message_id).state = "sent"
    with restaurant.scope():
        contact_importing.wake_importer()
    run_jobs()
    with restaurant.scope():
        assert contact_erasures.get(erasure.id).done_at is not None
        assert message_queries.get(message_id).text == ""


def test_a_hook_nobody_has_read_yet_is_not_lost(restaurant, known, run_jobs):
    line, contact_id, _ = known
    with restaurant.scope():
        hook = ReceivedHook(
            tenant_id=restaurant.tenant_id,
            kind="cloud",
            target=str(line.id),
            body=f'{{"wa_id": "{PHONE}"}}'.encode(),
            due_at=now().replace(year=now().year + 1),
        )
        db.session.add(hook)
        erasure = contact_erasures.start_erasure(contact_id)
    run_jobs()
    with restaurant.scope():
        assert contact_erasures.get(erasure.id).step == "hooks"
        kept = db.session.get(ReceivedHook, (restaurant.tenant_id, hook.id))
        assert kept.body
        hook_queue.mark_done(hook_queue.ClaimedHook(hook.id, "cloud", "", b"", 0))
        contact_importing.wake_importer()
    run_jobs()
    with restaurant.scope():
        assert contact_erasures.get(erasure.id).done_at is not None


def test_many_messages_go_in_many_bites(restaurant, known, run_jobs, monkeypatch):
    line, contact_id, _ = known
    monkeypatch.setattr("messaging.contacts.erasure.personal_data.BATCH", 3)
    with restaurant.scope():
        for number in range(10):
            receive_message(line, wrote(f"{SAID} {number}", sender_phone=PHONE), UsageTally())
        contact_erasures.start_erasure(contact_id)
    run_jobs()
    with restaurant.scope():
        mine = Message.tenant_id == restaurant.tenant_id
        assert set(db.session.scalars(select(Message.text).where(mine))) == {""}


def test_removing_from_the_contact_list_leaves_the_messages(restaurant, known):
    _, contact_id, message_id = known
    with restaurant.scope():
        contact_erasures.delete_contact_only(contact_id)
        assert not list(
            db.session.scalars(select(Contact).where(Contact.tenant_id == restaurant.tenant_id))
        )
        assert message_queries.get(message_id).text == ANSWERED
