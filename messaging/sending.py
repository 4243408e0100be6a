"""Accepting a message: check it, store it, ring. From here nothing can lose it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from psycopg2.extras import Json
from sqlalchemy import text

from core import lanes
from core.clock import now
from core.db import current_tenant_id, db, ring
from core.ids import from_uuid, new_uuid
from core.phone import country_of
from messaging.contacts import contact_blocked
from messaging.models import Line
from messaging.rates import quote
from tenants import quota
from tenants.plans import TenantFacts

LANE = "sends"
JOB = "jobs.sends.drain"
VALID = timedelta(hours=24)
TRANSACTIONAL, BULK = 0, 1

# The last statement rides along: it answers whether the recipient is blocked.
STORE = text("""
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, text, content, state,
                      priority, attempt, due_at, valid_until, reference, country, category,
                      quoted_usd, cost_usd, test, created_at, changed_at)
VALUES (:tenant_id, :id, :line_id, 'out', :kind, :phone, :text, :content, :state,
        :priority, 0, :due_at, :valid_until, :reference, :country, :category,
        :quoted_usd, 0, :test, :now, :now);
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
VALUES (:tenant_id, :id, :change_id, :now, :state, :cause);
SELECT 1 FROM blocked_phones WHERE tenant_id = :tenant_id AND phone = :phone
""")


@dataclass(frozen=True)
class Draft:
    """A message as a door hands it over, already checked for form."""

    kind: str
    phone: str
    text: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    reference: str | None = None
    scheduled_at: datetime | None = None
    valid_for: timedelta = VALID
    priority: int = TRANSACTIONAL
    category: str = "service"


@dataclass(frozen=True)
class Ticket:
    """What the caller gets to know at once."""

    id: str
    line_id: int
    phone: str
    state: str
    quoted_usd: Decimal
    reference: str | None
    test: bool


def accept(draft: Draft, line: Line, facts: TenantFacts) -> Ticket:
    """In the open transaction: the message, its first timeline row, its quota, its lane."""
    moment, tenant_id, uuid = now(), current_tenant_id(), new_uuid()
    scheduled = draft.scheduled_at is not None and draft.scheduled_at > moment
    state, due_at = ("scheduled", draft.scheduled_at) if scheduled else ("queued", moment)
    country = country_of(draft.phone) or "other"
    price = quote(line.kind, country, draft.category, moment)
    blocked = db.session.execute(
        STORE,
        {
            "tenant_id": tenant_id,
            "id": str(uuid),
            "change_id": str(new_uuid()),
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
            "now": moment,
            "cause": "accepted",
        },
    ).first()
    if blocked is not None:  # what was just stored goes with the transaction
        raise contact_blocked()
    if not line.test:
        quota.reserve(facts, 1, price)
    if scheduled and due_at is not None:
        lanes.mark_later(LANE, tenant_id, due_at)
    else:
        lanes.mark_due(LANE, tenant_id, moment)
        ring("jobs.sends.drain")
    return Ticket(
        from_uuid("msg", uuid), line.id, draft.phone, state, price, draft.reference, line.test
    )


def look_again() -> None:
    """A line can send again: what waited for it is looked at now."""
    lanes.mark_due(LANE, current_tenant_id(), now())
    ring("jobs.sends.drain")
