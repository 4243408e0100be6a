"""Accept a message: check it, store it, and wake a worker. An accepted message cannot be lost.

`app.accept_message` writes all rows of the message or none: the message, its first timeline row,
its quota use, its idempotency key and the due time of its lane.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol
from uuid import UUID

import psycopg2
from psycopg2.extras import Json
from sqlalchemy.exc import DBAPIError

from core.clock import now
from core.db import current_tenant_id, db, notify_workers, notify_workers_now, savepoint
from core.errors import invalid
from core.ids import from_uuid, new_uuid, new_uuid_text
from core.sql.db_errors import sqlstate
from core.sql.pool import run_global
from core.values.network_address import address_country
from messaging.contacts.identities import contact_blocked_error, has_opted_out
from messaging.costs import rates as message_rates
from messaging.lines import recipient_limits
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.send_lane import LANE
from messaging.models import Line
from messaging.templates import code_buttons
from messaging.templates import validation as template_validation
from tenants.audit import current_actor
from tenants.idempotency import KEY_LIFETIME
from tenants.plans import quota, usage_alerts
from tenants.plans.catalog import TenantFacts
from tenants.plans.usage_alerts import MonthlyUsage

JOB = "jobs.sending.worker.drain"
DEFAULT_VALIDITY = timedelta(hours=24)
TRANSACTIONAL, BULK = 0, 1

ACCEPT = """
SELECT used, spent FROM app.accept_message(
    %(tenant_id)s, %(id)s, %(change_id)s, %(now)s, %(line_id)s, %(kind)s, %(phone)s, %(text)s,
    %(content)s, %(state)s, %(priority)s, %(due_at)s, %(valid_until)s, %(reference)s,
    %(country)s, %(category)s, %(quoted_usd)s, %(test)s, %(lane)s, %(month)s, %(quota)s, %(cap)s,
    %(trial_since)s, %(trial_most)s, %(key)s, %(key_since)s, %(fingerprint)s, %(status)s,
    %(headers)s, %(body)s)
"""
# Accepts a message that is due now and begins its first attempt if it may leave at once.
ACCEPT_AND_BEGIN = """
SELECT used, spent, begun, line_kind, network, phone_number_id, token, per_second
  FROM app.accept_and_begin(
    %(tenant_id)s, %(id)s, %(change_id)s, %(begin_change_id)s, %(now)s, %(until)s, %(oldest)s,
    %(down)s, %(line_id)s, %(kind)s, %(phone)s, %(text)s, %(content)s, %(priority)s,
    %(valid_until)s, %(reference)s, %(country)s, %(category)s, %(quoted_usd)s, %(test)s, %(lane)s,
    %(month)s, %(quota)s, %(cap)s, %(trial_since)s, %(trial_most)s, %(key)s, %(key_since)s,
    %(fingerprint)s, %(status)s, %(headers)s, %(body)s)
"""
# Accepts several messages of one line in one round trip, so that the lock on the tenant's quota is
# held briefly.
ACCEPT_MANY = """
SELECT one.id, done.used, done.spent
  FROM jsonb_to_recordset(%(rows)s) AS one (
       id uuid, change_id uuid, phone text, text text, content jsonb, reference text,
       country text, quoted_usd numeric)
 CROSS JOIN LATERAL app.accept_message(
    %(tenant_id)s, one.id, one.change_id, %(now)s, %(line_id)s, %(kind)s, one.phone, one.text,
    one.content, %(state)s, %(priority)s, %(due_at)s, %(valid_until)s, one.reference,
    one.country, %(category)s, one.quoted_usd, %(test)s, %(lane)s, %(month)s, %(quota)s, %(cap)s,
    %(trial_since)s, %(trial_most)s, NULL, %(key_since)s, NULL, NULL, NULL, NULL) AS done
"""
ROW_FIELDS = ("id", "change_id", "phone", "text", "reference", "country")
KEY_REUSED, RECIPIENT_BLOCKED = "CM004", "CM005"


class SendingLine(Protocol):
    """The part of a line that accepting reads: a database row or an entry point's cached copy."""

    @property
    def id(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def test(self) -> bool: ...


@dataclass(frozen=True)
class MessageDraft:
    """A message from an entry point, already validated."""

    kind: str
    phone: str
    text: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    reference: str | None = None
    scheduled_at: datetime | None = None
    valid_for: timedelta = DEFAULT_VALIDITY
    priority: int = TRANSACTIONAL
    category: str = "service"
    counts_recipient: bool = False
    """The line has a limit of new recipients: a worker counts this one before it sends."""


def check_template_draft(draft: MessageDraft, line: Line) -> MessageDraft:
    """Return a template draft with the template's text and price category.

    Raises Invalid for one that the network would refuse, and for marketing to a contact who opted
    out. If templates were never synced, the network decides.
    """
    if draft.kind != "template":
        if (other := draft.content.get("fallback")) and DRIVERS[line.kind].has_templates:
            checked = template_validation.check_template(line, other, "fallback_template")
            code_buttons.check_recipient(
                line, other, checked.category, draft.phone, "fallback_template"
            )
            return replace(draft, content={**draft.content, "fallback": checked.content})
        return draft
    checked = template_validation.check_template(line, draft.content)
    category = checked.category
    code_buttons.check_recipient(line, draft.content, category, draft.phone)
    if category == template_validation.MARKETING and has_opted_out(draft.phone):
        raise invalid(
            "phone",
            "recipient_opted_out",
            "This contact has opted out of marketing messages, and {name} is a marketing template.",
            name=draft.content["name"],
        )
    text = template_validation.template_text(line, draft.content)
    return replace(
        draft,
        content=checked.content,
        category=category or draft.category,
        text=text,
        counts_recipient=recipient_limits.limit_of(line) is not None,
    )


def author_field() -> dict[str, Any]:
    """Content field that names the portal user who wrote the message; the inbox shows the author.

    Empty if the current actor is not a person.
    """
    actor = current_actor()
    return {"by": actor.id} if actor.kind == "person" else {}


@dataclass(frozen=True)
class AcceptedMessage:
    """The data returned to the caller as soon as the message is stored."""

    id: str
    line_id: int
    phone: str
    state: str
    quoted_usd: Decimal
    reference: str | None
    test: bool


@dataclass(frozen=True)
class IdempotencyRecord:
    """An idempotency key, stored with the message and with the response if it is already known."""

    key: str
    fingerprint: str
    status: int | None
    headers: dict[str, str] | None
    body: str


class IdempotencyKeyReused(Exception):
    """Raised when the idempotency key was used before. Nothing was written."""


@dataclass(frozen=True)
class PreparedMessage:
    """A checked and priced message, ready to be written."""

    draft: MessageDraft
    ticket: AcceptedMessage
    facts: TenantFacts
    params: dict[str, Any]


def prepare_message(
    draft: MessageDraft,
    line: SendingLine,
    facts: TenantFacts,
    cards: message_rates.TenantRates,
    message_id: UUID | None = None,
) -> PreparedMessage:
    """`message_id`: of a message that was held until now; otherwise it gets a new one."""
    moment, uuid = now(), message_id or new_uuid()
    scheduled = draft.scheduled_at is not None and draft.scheduled_at > moment
    state, due_at = ("scheduled", draft.scheduled_at) if scheduled else ("queued", moment)
    country = address_country(draft.phone) or "other"
    price = cards.quote_and_count(line, draft.phone, country, draft.category, moment)
    params = {
        "tenant_id": facts.id,
        "id": str(uuid),
        "change_id": new_uuid_text(),
        "line_id": line.id,
        "kind": draft.kind,
        "phone": draft.phone,
        "text": draft.text,
        "content": Json(draft.content),
        "state": state,
        "priority": draft.priority,
        "due_at": due_at,
        "valid_until": (due_at or moment) + draft.valid_for,
        "reference": draft.reference,
        "country": country,
        "category": draft.category,
        "quoted_usd": price,
        "test": line.test,
        "lane": LANE,
        **quota.reservation_params(facts, moment),
        "key": None,
        "key_since": moment - KEY_LIFETIME,
        "fingerprint": None,
        "status": None,
        "headers": None,
        "body": None,
    }
    ticket = AcceptedMessage(
        from_uuid("msg", uuid), line.id, draft.phone, state, price, draft.reference, line.test
    )
    return PreparedMessage(draft, ticket, facts, params)


def accept_message(
    draft: MessageDraft, line: SendingLine, facts: TenantFacts, message_id: UUID | None = None
) -> AcceptedMessage:
    """Accept one message in the open transaction.

    A refusal rolls back only its own savepoint.
    """
    ready = prepare_message(draft, line, facts, message_rates.tenant_rates(), message_id)
    params = {**ready.params, "tenant_id": current_tenant_id()}
    with accept_errors(facts), savepoint():
        rows = db.session.connection().exec_driver_sql(ACCEPT, params).all()
    if (percent := _crossed_threshold(ready, *rows[0])) is not None:
        notify_workers("jobs.tenants.usage_alerts.send_usage_alert", facts.id, percent)
    if ready.ticket.state == "queued":
        notify_workers("jobs.sending.worker.drain")
    return ready.ticket


def accept_messages(
    drafts: Sequence[MessageDraft], line: SendingLine, facts: TenantFacts
) -> list[AcceptedMessage]:
    """Accept drafts of one kind, priority and category that are due now, in the open transaction.

    Accepts all of them, or raises a refusal and accepts none.
    """
    cards = message_rates.tenant_rates()
    ready = [prepare_message(draft, line, facts, cards) for draft in drafts]
    if not ready:
        return []
    rows = [
        {name: one.params[name] for name in ROW_FIELDS}
        | {"content": draft.content, "quoted_usd": str(one.ticket.quoted_usd)}
        for one, draft in zip(ready, drafts, strict=True)
    ]
    params = {**ready[0].params, "tenant_id": current_tenant_id(), "rows": Json(rows)}
    with accept_errors(facts), savepoint():
        done = db.session.connection().exec_driver_sql(ACCEPT_MANY, params).all()
    for one, (_, used, spent) in zip(ready, done, strict=True):
        if (percent := _crossed_threshold(one, used, spent)) is not None:
            notify_workers("jobs.tenants.usage_alerts.send_usage_alert", facts.id, percent)
    notify_workers("jobs.sending.worker.drain")
    return [one.ticket for one in ready]


def accept_in_own_transaction(
    ready: PreparedMessage, once: IdempotencyRecord | None = None
) -> None:
    """Accept a message in its own transaction, in one round trip.

    The caller wakes the worker. Raises IdempotencyKeyReused.
    """
    with accept_errors(ready.facts):
        rows = run_global(ACCEPT, accept_params(ready, once))
    announce_usage(ready, *rows[0])


def accept_params(ready: PreparedMessage, once: IdempotencyRecord | None) -> dict[str, Any]:
    """Parameters for ACCEPT and ACCEPT_AND_BEGIN."""
    if once is None:
        return ready.params
    return {
        **ready.params,
        "key": once.key,
        "fingerprint": once.fingerprint,
        "status": once.status,
        "headers": None if once.headers is None else Json(once.headers),
        "body": once.body,
    }


def announce_usage(ready: PreparedMessage, used: int | None, spent: Decimal | None) -> None:
    """Wake a worker for the usage alert if this message crossed a threshold."""
    if (percent := _crossed_threshold(ready, used, spent)) is not None:
        notify_workers_now("jobs.tenants.usage_alerts.send_usage_alert", ready.facts.id, percent)


def _crossed_threshold(
    ready: PreparedMessage, used: int | None, spent: Decimal | None
) -> int | None:
    """Return the usage threshold that this message crossed, or None.

    A test message uses no quota and crosses none.
    """
    if used is None or spent is None:
        return None
    before = MonthlyUsage(used - 1, spent - ready.ticket.quoted_usd)
    return usage_alerts.crossed_threshold(ready.facts, before, MonthlyUsage(used, spent))


@contextmanager
def accept_errors(facts: TenantFacts) -> Iterator[None]:
    """Raise what the SQL functions refuse as IdempotencyKeyReused or a DomainError."""
    try:
        with quota.limit_errors(facts):
            yield
    except (DBAPIError, psycopg2.Error) as error:
        state = sqlstate(error)
        if state == KEY_REUSED:
            raise IdempotencyKeyReused from None
        if state == RECIPIENT_BLOCKED:
            raise contact_blocked_error() from None
        raise
