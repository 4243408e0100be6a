"""Delivery receipts of the demo's messages, written in bulk."""

from collections.abc import Sequence
from datetime import datetime
from types import SimpleNamespace
from typing import Any, NamedTuple

from sqlalchemy import insert, text

from core.clock import frozen
from core.db import current_tenant_id, db
from core.ids import from_uuid
from messaging.costs.rates import ALLOWANCE, ENTRY_POINT
from messaging.costs.usage import UsageTally
from messaging.messages import causes
from messaging.messages.timeline import state_event_body
from messaging.models import MessageChange
from webhooks.events import wake_delivery_worker
from webhooks.models import Event

SELECT_SENT = text("""
SELECT m.id, m.line_id, m.phone, m.reference, n.network_id, m.country, m.category, m.test,
       m.cost_usd AS quoted_usd, m.created_at
  FROM network_ids n
  JOIN messages m ON m.tenant_id = :tenant_id AND m.id = n.message_id
 WHERE n.tenant_id = :tenant_id AND n.network_id = ANY(:network_ids)
""")
UPDATE_STATES = text("""
UPDATE messages SET state = mine.state, changed_at = mine.at, free_reason = mine.reason
  FROM unnest(CAST(:ids AS uuid[]), CAST(:states AS text[]), CAST(:moments AS timestamptz[]),
              CAST(:reasons AS text[])) AS mine (id, state, at, reason)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
""")


class PastReceipt(NamedTuple):
    network_id: str
    state: str
    """delivered or read"""
    at: datetime
    from_ad: bool = False
    """Whether the message is free because the customer came from an ad."""


def add_receipts(receipts: Sequence[PastReceipt]) -> None:
    """Runs in the tenant's transaction; the receipts of each message must be in order."""
    if not receipts:
        return
    owner, tally = current_tenant_id(), UsageTally()
    names = [one.network_id for one in receipts]
    rows = db.session.execute(SELECT_SENT, {"tenant_id": owner, "network_ids": names})
    sent = {row["network_id"]: SimpleNamespace(**row) for row in rows.mappings()}
    changes, events, last = [], [], {}
    for one in receipts:
        message, kind = sent[one.network_id], f"messages.{one.state}"
        last[str(message.id)] = one
        changes.append(
            {
                "tenant_id": owner,
                "message_id": from_uuid("msg", message.id),
                "at": one.at,
                "state": one.state,
                "cause": causes.RECEIPT,
            }
        )
        message.state = one.state
        events.append(
            {
                "tenant_id": owner,
                "type": kind,
                "body": state_event_body(kind, message, one.at),
                "occurred_at": one.at,
            }
        )
        counts: dict[str, Any] = {one.state: 1}
        with frozen(one.at):
            tally.add(message.line_id, message.country, message.category, **counts)
    reasons = [_free_reason(sent[one.network_id], one) for one in last.values()]
    for one, reason in zip(last.values(), reasons, strict=True):
        if reason:
            message = sent[one.network_id]
            day = message.created_at.date()
            tally.add_free(day, message.line_id, message.category, reason, 1)
    db.session.execute(insert(MessageChange), changes)
    db.session.execute(insert(Event), events)
    db.session.execute(
        UPDATE_STATES,
        {
            "tenant_id": owner,
            "ids": list(last),
            "states": [one.state for one in last.values()],
            "moments": [one.at for one in last.values()],
            "reasons": reasons,
        },
    )
    tally.write()
    wake_delivery_worker()


def _free_reason(message: Any, receipt: PastReceipt) -> str | None:
    if message.test or message.quoted_usd:
        return None
    if receipt.from_ad:
        return ENTRY_POINT
    return ALLOWANCE if message.category == "service" else None
