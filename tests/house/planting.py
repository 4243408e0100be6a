"""A business with a row in every table a tenant owns, full of words nobody else uses."""

import io
import json
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from flask import current_app
from psycopg2 import sql
from psycopg2.extras import Json
from sqlalchemy import null, select

from core import mail
from core.clock import now
from core.db import current_tenant_id, db, global_scope
from core.logs import new_request_id
from core.outbound import Policy
from messaging import (
    automation_book,
    automations,
    connections,
    hooks,
    lines_book,
    sending,
    store_events,
)
from messaging.crm import batches, book, erasing, fields, importing, sheets
from messaging.crm.entries import Entry
from messaging.inbox import listing, quick_replies, tending
from messaging.inbox.listing import Asked
from messaging.lines import InboundMessage
from messaging.linked import pairing
from messaging.models import LedgerEntry, LinkedDay, MediaFile, RateOverride, ReceivedHook, Template
from messaging.receiving import receive_message
from messaging.sending import Draft
from messaging.usage import Tally
from restaurant.models import Site
from tenants import accounts, calls, idempotency, people, quota, signin, team
from tenants.plans import known_facts, tenant_facts
from tests.campaigns.planting import plant_campaign
from tests.cast import Business, make_business, make_person
from tests.house.catalog import owned_tables
from tests.printing.planting import plant_printing
from tests.restaurant.planting import ids_of, plant_restaurant
from tests.tenants.planting import plant_account
from webhooks import claiming, endpoints, fanout, reading, settling
from webhooks.endpoints import Wishes
from webhooks.posting import Posted
from webhooks.publishing import publish
from webhooks.reading import Filters

MARK = "Zyxomarker"
# Ids of this moment, a thousand changes to each message.
MANY_CHANGES = """
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
SELECT %(tenant)s,
       (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7000'
        || '8000' || lpad(to_hex(n / 1000), 12, '0'))::uuid,
       gen_random_uuid(), now(), 'sent', 'planted for an export of many records'
  FROM generate_series(1, %(records)s) AS n
"""


@dataclass
class Planted:
    business: Business
    member_id: str
    invitation_id: str
    invitation_token: str
    session_id: str
    line_id: int
    message_id: str
    call_id: str
    endpoint_id: str
    delivery_id: str
    template_id: str
    contact_id: str
    note_id: str
    field_id: str
    import_id: str
    erasure_id: str
    conversation_id: str
    reply_id: str
    connection_id: str
    hook_id: str
    automation_id: str
    campaign_id: str
    audience_id: str
    mail_id: str
    site: Site
    restaurant: dict[str, str]
    printing: dict[str, str]
    account: dict[str, str]
    verify_token: str
    reset_token: str

    @property
    def tenant_id(self) -> int:
        return self.business.tenant_id


def plant(name: str) -> Planted:
    """Everything carries the name, so that a leak of any of it shows."""
    business = make_business(f"{name} business", owner=make_person(f"{name} owner"))
    with business.scope():
        facts = tenant_facts()
        quota.reserve(facts, 3, Decimal("0.01"))
        invitation, token = team.invite(
            f"{name.lower()}.guest@example.com", "viewer", "owner", f"{name} owner"
        )
        idempotency.begin(f"{name}-order", f"{name} fingerprint")
        idempotency.finish(
            f"{name}-order", idempotency.StoredAnswer(200, {}, f'{{"secret": "{name} body"}}')
        )
        accounts.change_settings(
            name=f"{name} business",
            locale="tr",
            time_zone="Europe/Istanbul",
            country="TR",
            currency="TRY",
        )
        call_id = plant_call(name)
    helper = business.hires("viewer", f"{name} helper")
    with business.scope():
        member = team.of_person(helper.id)
    line_id, message_id = plant_messages(business, name)
    site = plant_restaurant(business, name)
    endpoint_id, delivery_id = plant_webhooks(business, name)
    with business.scope():
        template_id = planted_id(Template, business.tenant_id)
    kept = plant_contacts(business, name)
    conversation_id, reply_id = plant_inbox(business, name)
    connection_id, hook_id, automation_id = plant_store(business, name)
    with global_scope():
        token_of_session = signin.open_session(helper, "192.0.2.7", f"{name} browser")
        visitor = signin.visitor(token_of_session)
        mail.write("somebody@example.com", f"{name} letter", f"{name} body", business.tenant_id)
        letter = mail.mailbox(None, 1)[0]
        verify = people.issue_token(helper.id, "verify")
        reset = people.issue_token(helper.id, "reset")
    return Planted(
        business=business,
        member_id=member.id,
        invitation_id=invitation.id,
        invitation_token=token,
        session_id=visitor.sign_in.id,
        line_id=line_id,
        message_id=message_id,
        call_id=call_id,
        endpoint_id=endpoint_id,
        delivery_id=delivery_id,
        template_id=template_id,
        **kept,
        conversation_id=conversation_id,
        reply_id=reply_id,
        connection_id=connection_id,
        hook_id=hook_id,
        automation_id=automation_id,
        **plant_campaign(business, name, kept["contact_id"]),
        mail_id=letter.id,
        site=site,
        restaurant=ids_of(business, site),
        printing=plant_printing(business, site, name),
        account=plant_account(business, name),
        verify_token=verify,
        reset_token=reset,
    )


def plant_changes(cursor: Any, tenant_id: int, records: int) -> None:
    """Very many rows of one table, for what must not take long."""
    cursor.execute(MANY_CHANGES, {"tenant": tenant_id, "records": records})


def plant_messages(business: Business, name: str) -> tuple[int, str]:
    """A line, a message that leaves tomorrow, an answer, and what is counted and kept of them."""
    with business.scope():
        line = lines_book.add_cloud_line(
            f"{name} line", "905321112200", f"7{business.tenant_id}", f"{name}-token", "secret"
        )
        draft = Draft(
            kind="text",
            phone="905321112233",
            text=f"{name} text",
            reference=f"{name}-order",
            scheduled_at=now() + timedelta(days=1),
        )
        ticket = sending.accept(draft, line, known_facts())
        tally = Tally()
        answer = InboundMessage(
            network_id=f"wamid.{name}.{business.tenant_id}",
            sender_phone="905321112233",
            sender_network_id="",
            sender_name=f"{name} guest",
            at=int(now().timestamp()),
            kind="text",
            text=f"{name} answer",
        )
        receive_message(line, answer, tally)
        tally.write()
        where = {"tenant_id": business.tenant_id, "country": "TR", "category": "utility"}
        one = Decimal("0.01")
        db.session.add(
            LedgerEntry(
                **where, message_id=ticket.id, kind="quote", line_id=line.id, amount_usd=one
            )
        )
        phone = pairing.add_line(f"{name} phone", network="simulator")
        pairing.known(phone.id).qr = f"2@{name}"
        day = {"line_id": phone.id, "day": now().date(), "sent": 3, "strangers": 1}
        db.session.add(LinkedDay(tenant_id=business.tenant_id, **day))
        db.session.add(RateOverride(**where, line_kind="cloud", since=now().date(), usd=one))
        db.session.add(
            ReceivedHook(
                tenant_id=business.tenant_id,
                kind="cloud",
                target=str(line.id),
                body=name.encode(),
                state="parked",
                due_at=null(),  # a plain None would be now
            )
        )
        db.session.add(
            Template(
                tenant_id=business.tenant_id,
                account_id=name,
                name=f"{name.lower()}_template",
                language="en",
                network_id="1",
                category="utility",
                state="approved",
                components=[{"type": "BODY", "text": f"{name} wording"}],
            )
        )
        db.session.add(
            MediaFile(
                tenant_id=business.tenant_id,
                message_id=ticket.id,
                source=name,
                kind="image",
                filename=f"{name}.jpg",
                state="failed",
                due_at=null(),
            )
        )
    return line.id, ticket.id


def plant_call(name: str) -> str:
    """A line of the request log of the open transaction's tenant."""
    call_id = new_request_id()
    row = {
        "id": call_id,
        "at": now(),
        "method": "POST",
        "path": "/api/v1/messages/send",
        "query": "",
        "call": "POST /messages/send",
        "status": 422,
        "code": "invalid_phone",
        "duration_ms": 12,
        "key_id": "",
        "key_name": f"{name} key",
        "address": "192.0.2.7",
        "asked": "",
        "answered": "",
    }
    calls.write({current_tenant_id(): [row]})
    return call_id


def plant_webhooks(business: Business, name: str) -> tuple[str, str]:
    """An endpoint that failed once: an event, its delivery, the attempt, and the day's count."""
    with business.scope():
        endpoint = endpoints.register(
            Wishes(f"https://{name.lower()}.example.com/hook", ["*"], f"{name} endpoint"), Policy()
        )
        publish("contacts.opted_out", {"data": {"name": f"{name} contact"}})
        db.session.flush()
        fanout.number()
        [batch] = claiming.claim(1, 60.0)
        failed = Posted(now(), 12, 500, f"{name} answered 500.", answer=f"{name} sorry")
        settling.settle(batch, [(batch.claimed[0], failed)], [], finished=True)
        [delivery] = reading.listed(Filters(), None, 1)
    return endpoint.id, delivery.id


def planted_id(model: Any, tenant_id: int) -> str:
    """Of the one row that was planted, in the open scope."""
    query = select(model.id).where(model.tenant_id == tenant_id)
    return str(db.session.scalars(query.limit(1)).one())


def plant_contacts(business: Business, name: str) -> dict[str, str]:
    """A contact with all that can be kept of one, a file half-way in, and somebody erased."""
    with business.scope():
        field = fields.add(f"{name} field", "text", [])
        gone = book.create(Entry(name=f"{name} gone", phone="905321112299"))
        erasure = erasing.erase(gone.id)
        card = book.create(
            Entry(
                name=f"{name} contact",
                phone="905321112298",
                tags=[f"{name}-tag"[:40]],
                fields={field.id: f"{name} value"},
            )
        )
        note = book.add_note(card.id, f"{name} note")
        book.set_consent(card.id, f"{name} source"[:120])
        book.set_blocked(card.id, True)
        text = f"phone,name\n905321112297,{name.replace(',', ' ')}\nnone,{name}\n".encode()
        one = importing.take_in(io.BytesIO(text), f"{name}.csv", current_app.extensions["blobs"])
        one.state = "ready"
        rows = [sheets.Row(2, ["905321112297", name]), sheets.Row(3, ["none", name])]
        batches.apply(one, rows, write=False)
    return {
        "contact_id": card.id,
        "note_id": note.id,
        "field_id": field.id,
        "import_id": one.id,
        "erasure_id": erasure.id,
    }


def plant_inbox(business: Business, name: str) -> tuple[str, str]:
    """A note in the conversation of `plant_messages`, and a quick reply."""
    with business.scope():
        talk = listing.listed(Asked(view="all"), None, 1)[0]
        tending.add_note(talk.id, f"{name} note")
        reply = quick_replies.save(f"r{business.tenant_id}", f"{name} quick")
    return talk.id, reply.id


def plant_store(business: Business, name: str) -> tuple[str, str, str]:
    """A shop whose cart waits for its reminder, with the post that told of it."""
    with business.scope():
        shop = connections.add("store", f"{name} shop")
        automation = automation_book.add("abandoned_cart", f"{name} reminder")
        told = {
            "event": "checkout.created",
            "checkout": {"id": f"{name}-cart", "url": f"https://example.com/{name}"},
            "customer": {"name": f"{name} customer", "phone": "+905321112233"},
        }
        connections.record(shop.id, "store", [f"{name}-key"], {}, json.dumps(told).encode())
        (row,) = connections.received(shop.id, None, 1)
        hook = hooks.Hook(row.id, "store", shop.id, json.dumps(told).encode(), 0)
        for one in store_events.read(hook).events:
            event = store_events.keep(one, hook)
            if event is not None:
                automations.receive(event)
        hooks.done(hook)
    return shop.id, row.id, automation.id


def rows_of(cursor: Any, tenant_id: int) -> dict[str, list[Any]]:
    """All a tenant owns, as stored; read as a role that sees everything."""
    found = {}
    for table in owned_tables(cursor):
        query = "SELECT to_jsonb(t) FROM {} t WHERE tenant_id = %s ORDER BY to_jsonb(t)::text"
        cursor.execute(sql.SQL(query).format(sql.Identifier(table)), (tenant_id,))
        found[table] = [row for (row,) in cursor.fetchall()]
    return found


def insert_row(cursor: Any, table: str, row: dict[str, Any]) -> None:
    query = "INSERT INTO {0} SELECT * FROM jsonb_populate_record(NULL::{0}, %s)"
    cursor.execute(sql.SQL(query).format(sql.Identifier(table)), (Json(row),))
