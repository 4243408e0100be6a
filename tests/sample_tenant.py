"""A business with a row in every tenant-owned table, full of unique words."""

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
from core.http import Policy
from core.ids import new_id
from core.logs import new_request_id
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import runs as automation_runs
from messaging.automations import store_events
from messaging.contacts import custom_fields, duplicates
from messaging.contacts import repository as contact_repository
from messaging.contacts.address_changes import AddressChange, record_change
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.importing import batches as import_batches
from messaging.contacts.importing import csv_files
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.validation import ContactInput
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions, quick_replies
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage, LineUpdate
from messaging.lines.drivers.linked import pairing
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import (
    LedgerEntry,
    LinkedDay,
    MediaFile,
    RateOverride,
    Template,
    UploadedMedia,
    VolumeTier,
)
from restaurant.models import (
    AdConversion,
    AdConversionSettings,
    LanguageModel,
    ModelRequest,
    OrderProposal,
    Site,
)
from tenants import accounts, idempotency, people, signin, team
from tenants import request_log as tenant_request_log
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts, find_tenant_facts
from tests.architecture.tenancy.schema_rules import owned_tables
from tests.factories import Business, make_business, make_person
from tests.messaging.approvals.sample_app import add_sample_app
from tests.messaging.campaigns.sample_campaign import plant_campaign
from tests.messaging.inbox.team.sample_team import add_sample_team
from tests.messaging.journeys.sample_run import add_sample_journey
from tests.printing.seed_printing import seed_printing
from tests.restaurant.seed_restaurant import ids_of, seed_restaurant
from tests.tenants.sample_account import add_sample_account
from webhooks import endpoints
from webhooks import queries as webhook_queries
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import fanout
from webhooks.delivery import settle as webhook_settle
from webhooks.delivery.post import AttemptResult
from webhooks.endpoints import EndpointFields
from webhooks.events import publish_webhook_event
from webhooks.inbound import hook_queue
from webhooks.inbound.models import ReceivedHook
from webhooks.queries import DeliveryFilters

MARKER = "Zyxomarker"
# Ids of the current time, a thousand changes for each message.
MANY_CHANGES = """
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
SELECT %(tenant)s,
       (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7000'
        || '8000' || lpad(to_hex(n / 1000), 12, '0'))::uuid,
       gen_random_uuid(), now(), 'sent', 'planted for an export of many records'
  FROM generate_series(1, %(records)s) AS n
"""


@dataclass
class SampleTenant:
    business: Business
    member_id: str
    invitation_id: str
    invitation_token: str
    session_id: str
    line_id: int
    message_id: str
    media_id: str
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
    label_id: str
    scheduled_id: str
    device_id: str
    connection_id: str
    hook_id: str
    automation_id: str
    grant_id: str
    campaign_id: str
    audience_id: str
    mail_id: str
    site: Site
    restaurant: dict[str, str]
    printing: dict[str, str]
    account: dict[str, str]
    journey: dict[str, str]
    verify_token: str
    reset_token: str

    @property
    def tenant_id(self) -> int:
        return self.business.tenant_id


def make_sample_tenant(name: str) -> SampleTenant:
    """Everything contains the name, so that a leak of any of it is visible."""
    business = make_business(f"{name} business", owner=make_person(f"{name} owner"))
    with business.scope():
        facts = find_tenant_facts()
        quota.reserve(facts, 3, Decimal("0.01"))
        invitation, token = team.invite(
            f"{name.lower()}.guest@example.com", "viewer", "owner", f"{name} owner"
        )
        idempotency.begin(f"{name}-order", f"{name} fingerprint")
        idempotency.finish(
            f"{name}-order", idempotency.StoredResponse(200, {}, f'{{"secret": "{name} body"}}')
        )
        accounts.change_settings(
            name=f"{name} business",
            locale="tr",
            time_zone="Europe/Istanbul",
            country="TR",
            currency="TRY",
        )
        call_id = add_sample_request(name)
    helper = business.hires("viewer", f"{name} helper")
    with business.scope():
        member = team.find_by_person(helper.id)
    line_id, message_id = add_sample_messages(business, name)
    media_id = add_sample_media(business, name)
    site = seed_restaurant(business, name)
    endpoint_id, delivery_id = add_sample_webhooks(business, name)
    with business.scope():
        template_id = only_row_id(Template, business.tenant_id)
    kept = add_sample_contacts(business, name)
    conversation_id, reply_id = add_sample_inbox(business, name)
    add_sample_words(business, name, site)
    connection_id, hook_id, automation_id = add_sample_store(business, name)
    with global_scope():
        token_of_session = signin.open_session(helper, "192.0.2.7", f"{name} browser")
        visitor = signin.load_session(token_of_session)
        mail.queue_email(
            "somebody@example.com", f"{name} letter", f"{name} body", business.tenant_id
        )
        letter = mail.recent_emails(None, 1)[0]
        verify = people.issue_token(helper.id, "verify")
        reset = people.issue_token(helper.id, "reset")
    return SampleTenant(
        business=business,
        member_id=member.id,
        invitation_id=invitation.id,
        invitation_token=token,
        session_id=visitor.sign_in.id,
        line_id=line_id,
        message_id=message_id,
        media_id=media_id,
        call_id=call_id,
        endpoint_id=endpoint_id,
        delivery_id=delivery_id,
        template_id=template_id,
        **kept,
        conversation_id=conversation_id,
        reply_id=reply_id,
        **add_sample_team(business, name, conversation_id),
        connection_id=connection_id,
        hook_id=hook_id,
        automation_id=automation_id,
        grant_id=add_sample_app(business, name, line_id),
        **plant_campaign(business, name, kept["contact_id"]),
        mail_id=letter.id,
        site=site,
        restaurant=ids_of(business, site),
        printing=seed_printing(business, site, name),
        account=add_sample_account(business, name),
        journey=add_sample_journey(business, name),
        verify_token=verify,
        reset_token=reset,
    )


def plant_changes(cursor: Any, tenant_id: int, records: int) -> None:
    """Insert very many rows into one table, for tests of duration."""
    cursor.execute(MANY_CHANGES, {"tenant": tenant_id, "records": records})


def add_sample_messages(business: Business, name: str) -> tuple[int, str]:
    """A line, a message scheduled for tomorrow, a reply, and the rows derived from them."""
    with business.scope():
        line = line_repository.add_cloud_line(
            f"{name} line", "905321112200", f"7{business.tenant_id}", f"{name}-token", "secret"
        )
        draft = MessageDraft(
            kind="text",
            phone="905321112233",
            text=f"{name} text",
            reference=f"{name}-order",
            scheduled_at=now() + timedelta(days=1),
        )
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
        tally = UsageTally()
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
        early = {"network_id": f"wamid.{name}.early", "at": 1, "text": f"{name} edit"}
        receive_line_update(line, LineUpdate("edited", early))
        tally.add_free(now().date(), line.id, "service", "allowance", 1)
        tally.write()
        where = {"tenant_id": business.tenant_id, "country": "TR", "category": "utility"}
        one = Decimal("0.01")
        db.session.add(
            LedgerEntry(
                **where, message_id=ticket.id, kind="quote", line_id=line.id, amount_usd=one
            )
        )
        phone = pairing.add_linked_line(f"{name} phone", network="simulator")
        pairing.find_linked_line(phone.id).qr = f"2@{name}"
        day = {"line_id": phone.id, "day": now().date(), "sent": 3, "strangers": 1}
        db.session.add(LinkedDay(tenant_id=business.tenant_id, **day))
        db.session.add(RateOverride(**where, line_kind="cloud", since=now().date(), usd=one))
        db.session.add(
            VolumeTier(
                **where,
                account_id="account",
                month=now().date().replace(day=1),
                from_messages=100_001,
                reached_at=now(),
            )
        )
        db.session.add(
            ReceivedHook(
                tenant_id=business.tenant_id,
                kind="cloud",
                target=str(line.id),
                body=name.encode(),
                state="parked",
                due_at=null(),  # a plain None would mean now
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


def add_sample_media(business: Business, name: str) -> str:
    with business.scope():
        media = UploadedMedia(
            tenant_id=business.tenant_id,
            kind="document",
            mime_type="application/pdf",
            filename=f"{name}.pdf",
            size=1,
            blob_key=f"{business.tenant_id}/sent/{name}",
        )
        db.session.add(media)
        db.session.flush()
        return media.id


def add_sample_request(name: str) -> str:
    """An entry in the request log of the open transaction's tenant."""
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
    tenant_request_log.write_requests({current_tenant_id(): [row]})
    return call_id


def add_sample_webhooks(business: Business, name: str) -> tuple[str, str]:
    """An endpoint that failed once: an event, its delivery, the attempt, and the day's count."""
    with business.scope():
        endpoint = endpoints.register(
            EndpointFields(f"https://{name.lower()}.example.com/hook", ["*"], f"{name} endpoint"),
            Policy(),
        )
        publish_webhook_event("contacts.opted_out", {"data": {"name": f"{name} contact"}})
        db.session.flush()
        fanout.number_events()
        [batch] = webhook_claim.claim_batches(1, 60.0)
        failed = AttemptResult(now(), 12, 500, f"{name} answered 500.", answer=f"{name} sorry")
        webhook_settle.settle_batch(batch, [(batch.claimed[0], failed)], [], finished=True)
        [delivery] = webhook_queries.list_deliveries(DeliveryFilters(), None, 1)
    return endpoint.id, delivery.id


def only_row_id(model: Any, tenant_id: int) -> str:
    """The id of the only row, in the open scope."""
    query = select(model.id).where(model.tenant_id == tenant_id)
    return str(db.session.scalars(query.limit(1)).one())


def add_sample_contacts(business: Business, name: str) -> dict[str, str]:
    """A contact with all data a contact can have, an unfinished import, and an erased contact."""
    with business.scope():
        field = custom_fields.add(f"{name} field", "text", [])
        gone = contact_repository.create(ContactInput(name=f"{name} gone", phone="905321112299"))
        erasure = contact_erasures.start_erasure(gone.id)
        card = contact_repository.create(
            ContactInput(
                name=f"{name} contact",
                phone="905321112298",
                tags=[f"{name}-tag"[:40]],
                fields={field.id: f"{name} value"},
            )
        )
        note = contact_repository.add_note(card.id, f"{name} note")
        contact_repository.set_consent(card.id, f"{name} source"[:120])
        contact_repository.set_blocked(card.id, True)
        twin = contact_repository.create(ContactInput(name=f"{name} twin", phone="905321112296"))
        record_change(AddressChange("905321112296", "905321112295", (), ""), now(), None)
        duplicates.record(card.id, twin.id, duplicates.SAME_ID, now())
        text = f"phone,name\n905321112297,{name.replace(',', ' ')}\nnone,{name}\n".encode()
        one = contact_importing.upload_file(
            io.BytesIO(text), f"{name}.csv", current_app.extensions["blobs"]
        )
        one.state = "ready"
        rows = [csv_files.FileRow(2, ["905321112297", name]), csv_files.FileRow(3, ["none", name])]
        import_batches.apply_batch(one, rows, write=False)
    return {
        "contact_id": card.id,
        "note_id": note.id,
        "field_id": field.id,
        "import_id": one.id,
        "erasure_id": erasure.id,
    }


def add_sample_inbox(business: Business, name: str) -> tuple[str, str]:
    """A note in the conversation of `add_sample_messages`, and a quick reply."""
    with business.scope():
        talk = inbox_conversations.list_conversations(ConversationFilters(view="all"), None, 1)[0]
        conversation_actions.add_note(talk.id, f"{name} note")
        reply = quick_replies.save(f"r{business.tenant_id}", f"{name} quick")
    return talk.id, reply.id


def add_sample_words(business: Business, name: str, site: Site) -> None:
    """A proposal in a guest's own words, a language model, and a message that waits for it."""
    with business.scope():
        talk = inbox_conversations.list_conversations(ConversationFilters(view="all"), None, 1)[0]
        db.session.add_all(
            [
                OrderProposal(
                    tenant_id=business.tenant_id,
                    site_id=site.id,
                    line_id=talk.line_id,
                    contact_id=talk.contact_id,
                    language="tr",
                    texts=[f"{name} soup"],
                    expires_at=now() + timedelta(hours=2),
                ),
                LanguageModel(
                    tenant_id=business.tenant_id,
                    url="https://models.example.com/v1",
                    key=f"{name} key",
                    model=f"{name} model",
                ),
                AdConversionSettings(
                    tenant_id=business.tenant_id,
                    dataset_id="1234567890",
                    token=f"{name} token",
                    enabled=False,
                    error="",
                ),
                AdConversion(
                    tenant_id=business.tenant_id,
                    order_id=new_id("ord"),
                    contact_id=talk.contact_id,
                    click_id=f"{name}-click",
                    account_id="1",
                ),
                ModelRequest(
                    tenant_id=business.tenant_id,
                    message_id=talk.last_message_id,
                    line_id=talk.line_id,
                    contact_id=talk.contact_id,
                    kind="order",
                    text=f"{name} soup",
                ),
            ]
        )


def add_sample_store(business: Business, name: str) -> tuple[str, str, str]:
    """A store whose abandoned cart waits for its reminder, with the hook that reported it."""
    with business.scope():
        shop = store_connections.add("store", f"{name} shop")
        automation = automation_definitions.add("abandoned_cart", f"{name} reminder")
        payload = {
            "event": "checkout.created",
            "checkout": {"id": f"{name}-cart", "url": f"https://example.com/{name}"},
            "customer": {"name": f"{name} customer", "phone": "+905321112233"},
        }
        store_connections.record_hook(
            shop.id, "store", [f"{name}-key"], {}, json.dumps(payload).encode()
        )
        (row,) = store_connections.list_received(shop.id, None, 1)
        hook = hook_queue.ClaimedHook(row.id, "store", shop.id, json.dumps(payload).encode(), 0)
        for one in store_events.parse_hook(hook).events:
            event = store_events.store_event(one, hook)
            if event is not None:
                automation_runs.start_runs(event)
        hook_queue.mark_done(hook)
    return shop.id, row.id, automation.id


def rows_of(cursor: Any, tenant_id: int) -> dict[str, list[Any]]:
    """All rows of a tenant as stored, read as a role that sees everything."""
    found = {}
    for table in owned_tables(cursor):
        query = "SELECT to_jsonb(t) FROM {} t WHERE tenant_id = %s ORDER BY to_jsonb(t)::text"
        cursor.execute(sql.SQL(query).format(sql.Identifier(table)), (tenant_id,))
        found[table] = [row for (row,) in cursor.fetchall()]
    return found


def insert_row(cursor: Any, table: str, row: dict[str, Any]) -> None:
    query = "INSERT INTO {0} SELECT * FROM jsonb_populate_record(NULL::{0}, %s)"
    cursor.execute(sql.SQL(query).format(sql.Identifier(table)), (Json(row),))
