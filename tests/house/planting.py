"""A business with a row in every table a tenant owns, full of words nobody else uses."""

import json
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from psycopg2 import sql
from psycopg2.extras import Json

from core import mail
from core.clock import now
from core.db import db, global_scope
from messaging import (
    automation_book,
    automations,
    connections,
    hooks,
    lines_book,
    sending,
    store_events,
)
from messaging.lines import InboundMessage
from messaging.models import LedgerEntry, RateOverride, ReceivedHook
from messaging.receiving import receive_message
from messaging.sending import Draft
from messaging.usage import Tally
from tenants import accounts, idempotency, people, quota, signin, team
from tenants.plans import known_facts, tenant_facts
from tests.cast import Business, make_business, make_person
from tests.house.catalog import owned_tables

MARK = "Zyxomarker"


@dataclass
class Planted:
    business: Business
    member_id: str
    invitation_id: str
    invitation_token: str
    session_id: str
    line_id: int
    message_id: str
    connection_id: str
    hook_id: str
    automation_id: str
    mail_id: str
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
    helper = business.hires("viewer", f"{name} helper")
    with business.scope():
        member = team.of_person(helper.id)
    line_id, message_id = plant_messages(business, name)
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
        connection_id=connection_id,
        hook_id=hook_id,
        automation_id=automation_id,
        mail_id=letter.id,
        verify_token=verify,
        reset_token=reset,
    )


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
        db.session.add(RateOverride(**where, line_kind="cloud", since=now().date(), usd=one))
        db.session.add(
            ReceivedHook(
                tenant_id=business.tenant_id,
                kind="cloud",
                target=str(line.id),
                body=name.encode(),
                state="parked",
                due_at=None,
            )
        )
    return line.id, ticket.id


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
        connections.record(shop.id, "store", f"{name}-key", {}, json.dumps(told).encode())
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
