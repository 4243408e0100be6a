"""Write the results of sent messages in sets: state, network id, ledger, timeline, events, counts.

All writers use one order (network ids, messages, ledger, counters), so that a worker and a receipt
never deadlock.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid_text
from core.live_updates import publish_update
from core.values.money import json_number
from messaging.contacts.identities import identity_of_phone
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import (
    SendAccepted,
    SendOutcome,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.messages import causes
from messaging.messages.claim import ClaimedMessage
from messaging.messages.timeline import record_state_changes
from tenants.plans import quota
from webhooks.events import wake_delivery_worker

RETRY_DELAYS = (5, 30, 120, 600, 1800, 3600)

EXPIRE_MESSAGES = text("""
UPDATE messages SET state = 'expired', due_at = NULL, changed_at = :now
 WHERE tenant_id = :tenant_id AND due_at <= :now AND state IN ('queued', 'scheduled')
   AND valid_until <= :now
RETURNING id, line_id, phone, reference, network_id, quoted_usd, state, test, created_at
""")

MARK_UNKNOWN = text("""
UPDATE messages SET state = 'unknown', due_at = NULL, changed_at = :now
 WHERE tenant_id = :tenant_id AND due_at <= :now AND state = 'sending'
RETURNING id, line_id, phone, reference, network_id, quoted_usd, state, test, created_at
""")

SETTLE_SENT = """
SELECT settled, moved FROM app.settle_sent(
    %(tenant_id)s, %(now)s, %(day)s, %(cause)s, %(ids)s::uuid[],
    %(attempts)s::integer[], %(network_ids)s::text[], %(changes)s::uuid[], %(events)s::uuid[],
    %(bodies)s::jsonb[], %(entries)s::uuid[], %(kinds)s::text[], %(values)s::text[])
"""
# The same, and the lane is left in the same round trip, as by `claim.LEAVE_LANE`.
SETTLE_SENT_AND_LEAVE = """
SELECT settled, moved, (SELECT app.leave_lane(
    %(tenant_id)s, %(lane)s, %(lease)s, %(now)s, %(soon)s, %(again)s, %(oldest)s, %(newest)s,
    %(down)s)) FROM app.settle_sent(
    %(tenant_id)s, %(now)s, %(day)s, 'accepted by the network', %(ids)s::uuid[],
    %(attempts)s::integer[], %(network_ids)s::text[], %(changes)s::uuid[], %(events)s::uuid[],
    %(bodies)s::jsonb[], %(entries)s::uuid[], %(kinds)s::text[], %(values)s::text[])
"""
# The same for one message that was not sent from its lane. The lane is marked if messages to the
# same recipient were held back meanwhile.
SETTLE_ONE = """
SELECT settled, moved, held_back FROM app.settle_one(
    %(tenant_id)s, %(now)s, %(day)s, %(cause)s, %(id)s, %(attempt)s, %(network_id)s, %(change)s,
    %(event)s, %(body)s, %(entry)s, %(kind)s, %(value)s, %(lane)s, %(oldest)s)
"""

# Parameters of SETTLE_ONE for a message, and their lists in SETTLE_SENT.
SENT_COLUMNS = {
    "id": "ids",
    "attempt": "attempts",
    "network_id": "network_ids",
    "change": "changes",
    "event": "events",
    "entry": "entries",
    "body": "bodies",
    "kind": "kinds",
    "value": "values",
}

SETTLE_OTHERS = text("""
UPDATE messages SET state = mine.state, due_at = mine.due_at, error_code = mine.code,
       error_text = mine.reason, changed_at = :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[]), CAST(:states AS text[]),
              CAST(:dues AS timestamptz[]), CAST(:codes AS text[]), CAST(:reasons AS text[]))
       AS mine (id, attempt, state, due_at, code, reason)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = 'sending'
RETURNING messages.id, line_id, phone, reference, network_id, quoted_usd, messages.state, test,
          error_code, error_text AS error_reason, country, category, created_at
""")


@dataclass(frozen=True)
class MessageOutcome:
    """The result of sending a message, for a caller that waits for it."""

    id: str
    state: str
    network_id: str | None
    cost_usd: Decimal
    error_code: str | None = None
    error_reason: str | None = None


def expire_stale_messages() -> None:
    """Expire messages past their validity; mark those of a dead worker as unknown."""
    moment = now()
    params = {"tenant_id": current_tenant_id(), "now": moment}
    expired = db.session.execute(EXPIRE_MESSAGES, params).all()
    lost = db.session.execute(MARK_UNKNOWN, params).all()
    for row in expired:
        if not row.test:
            quota.release(1, row.quoted_usd, row.created_at)
    record_state_changes(expired, moment, [causes.NOT_SENT_IN_TIME] * len(expired))
    record_state_changes(lost, moment, [causes.WORKER_STOPPED] * len(lost))


def settle_messages(results: list[tuple[ClaimedMessage, SendOutcome]]) -> list[MessageOutcome]:
    """Write results in sets. Returns the outcomes to publish to waiting callers."""
    accepted = [(one, out) for one, out in results if isinstance(out, SendAccepted)]
    others = [(one, out) for one, out in results if not isinstance(out, SendAccepted)]
    moment = now()
    outcomes = _settle_sent(accepted, moment) if accepted else []
    outcomes += _settle_others(others, moment) if others else []
    return outcomes


def _settle_sent(
    accepted: Sequence[tuple[ClaimedMessage, SendAccepted]], moment: datetime
) -> list[MessageOutcome]:
    params = {**settle_sent_params(accepted, moment), "tenant_id": current_tenant_id()}
    settled, moved = db.session.connection().exec_driver_sql(SETTLE_SENT, params).one()
    for one in sent_live_updates(settled, moved):
        publish_update(**one)
    if settled:
        wake_delivery_worker("messages.sent")
    return sent_outcomes(accepted, settled)


def sent_live_updates(settled: Sequence[str], moved: Sequence[str]) -> list[dict[str, str]]:
    """Live updates for open pages, from the result of SETTLE_SENT."""
    updates = [
        {"kind": "messages.changed", "id": from_uuid("msg", UUID(uuid)), "state": "sent"}
        for uuid in settled
    ]
    for conversation, message in (both.split() for both in moved):
        ids = {
            "id": from_uuid("cnv", UUID(conversation)),
            "message": from_uuid("msg", UUID(message)),
        }
        updates.append({"kind": "conversations.changed", **ids})
    return updates


def settle_sent_params(
    accepted: Sequence[tuple[ClaimedMessage, SendAccepted]], moment: datetime
) -> dict[str, Any]:
    """Parameters for SETTLE_SENT, which writes only messages whose attempt has not changed."""
    rows = [_sent_row(one, out, moment) for one, out in accepted]
    columns = {many: [row[name] for row in rows] for name, many in SENT_COLUMNS.items()}
    return _moment_params(moment) | columns


def settle_one_params(one: ClaimedMessage, out: SendAccepted, moment: datetime) -> dict[str, Any]:
    """Parameters for SETTLE_ONE but the lane, which writes only if the attempt has not changed."""
    return _moment_params(moment) | _sent_row(one, out, moment)


def _moment_params(moment: datetime) -> dict[str, Any]:
    return {"now": moment, "day": moment.date(), "cause": causes.TAKEN_BY_NETWORK}


def _sent_row(one: ClaimedMessage, out: SendAccepted, moment: datetime) -> dict[str, Any]:
    kind, value = identity_of_phone(one.envelope.phone)
    return {
        "id": one.uuid,
        "attempt": one.envelope.attempt,
        "network_id": out.network_id,
        "change": new_uuid_text(),
        "event": new_uuid_text(),
        "entry": new_uuid_text(),
        "body": _sent_event_body(one, out.network_id, moment),
        "kind": kind,
        "value": value,
    }


def sent_outcomes(
    accepted: Sequence[tuple[ClaimedMessage, SendAccepted]], settled: Sequence[str]
) -> list[MessageOutcome]:
    settled_ids = set(settled)
    return [
        MessageOutcome(
            one.envelope.message_id,
            "sent",
            out.network_id,
            one.quoted_usd if one.uuid in settled_ids and not one.test else Decimal(0),
        )
        for one, out in accepted
    ]


def queued_outcomes(late: Sequence[ClaimedMessage]) -> list[MessageOutcome]:
    """Outcomes of messages that a rate limit delays: their callers get a 202 response now."""
    return [MessageOutcome(one.envelope.message_id, "queued", None, Decimal(0)) for one in late]


def _sent_event_body(one: ClaimedMessage, network_id: str, moment: datetime) -> str:
    sent = {
        "id": one.envelope.message_id,
        "message_id": network_id,
        "to": one.envelope.phone,
        "timestamp": int(moment.timestamp()),
        "status_code": "sent",
        "reference": one.reference,
        "cost_usd": 0 if one.test else json_number(one.quoted_usd),
        "test": one.test,
    }
    event = {"event": "messages.sent", "instance_id": one.envelope.line_id, "data": sent}
    return json.dumps(event)


def _settle_others(
    others: Sequence[tuple[ClaimedMessage, SendOutcome]], moment: datetime
) -> list[MessageOutcome]:
    results = [_next_state(one, out, moment) for one, out in others]
    rows = db.session.execute(
        SETTLE_OTHERS,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "ids": [one.uuid for one, _ in others],
            "attempts": [one.envelope.attempt for one, _ in others],
            "states": [result[0] for result in results],
            "dues": [result[1] for result in results],
            "codes": [result[2] for result in results],
            "reasons": [result[3] for result in results],
        },
    ).all()
    for row in rows:
        if row.state == "failed":
            quota.release(1, row.quoted_usd, row.created_at)
    record_state_changes(rows, moment, [row.error_reason or "" for row in rows])
    _count_usage(rows)
    return [
        MessageOutcome(
            from_uuid("msg", row.id), row.state, None, Decimal(0), row.error_code, row.error_reason
        )
        for row in rows
        if row.state != "queued"
    ]


def _next_state(
    one: ClaimedMessage, outcome: SendOutcome, moment: datetime
) -> tuple[str, datetime | None, str | None, str]:
    """Return state, next due time, error code and reason for an outcome."""
    if isinstance(outcome, TryLater):
        step = RETRY_DELAYS[min(one.envelope.attempt, len(RETRY_DELAYS)) - 1]
        wait = step if outcome.after is None else max(outcome.after, 1.0)
        return "queued", moment + timedelta(seconds=wait), outcome.code, outcome.reason
    if isinstance(outcome, SendRefused):
        return "failed", None, outcome.code, outcome.reason
    if isinstance(outcome, SendUnknown):
        return "unknown", None, "answer_lost", outcome.reason
    raise TypeError(f"no next state for {outcome!r}")


def _count_usage(rows: Sequence[Any]) -> None:
    """Add to the usage counters.

    It is the last write of a transaction, because all writers share these rows.
    """
    tally = UsageTally()
    for row in rows:
        if row.state == "failed" and not row.test:
            tally.add(row.line_id, row.country, row.category, failed=1)
    tally.write()
