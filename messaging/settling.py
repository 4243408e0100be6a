"""What became of messages, written in sets: state, network id, ledger, timeline, events, counts.

Writes go in one order everywhere (network ids, messages, ledger, counters), so that a worker
and a receipt never wait for each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid
from messaging.claiming import Claimed
from messaging.inbox import moving
from messaging.lines import Accepted, Outcome, Refused, TryLater, Unknown
from messaging.timeline import write_down
from messaging.usage import Tally
from tenants import quota

RETRIES = (5, 30, 120, 600, 1800, 3600)

TIDY = text("""
UPDATE messages SET state = 'expired', due_at = NULL, changed_at = :now
 WHERE tenant_id = :tenant_id AND due_at <= :now AND state IN ('queued', 'scheduled')
   AND valid_until <= :now
RETURNING id, line_id, phone, reference, network_id, quoted_usd, state, test, created_at
""")

LOST = text("""
UPDATE messages SET state = 'unknown', due_at = NULL, changed_at = :now
 WHERE tenant_id = :tenant_id AND due_at <= :now AND state = 'sending'
RETURNING id, line_id, phone, reference, network_id, quoted_usd, state, test, created_at
""")

SENT = text("""
UPDATE messages SET state = 'sent', due_at = NULL, network_id = mine.network_id,
       cost_usd = CASE WHEN test THEN 0 ELSE quoted_usd END, changed_at = :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[]), CAST(:network_ids AS text[]))
       AS mine (id, attempt, network_id)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = ANY(:from_states)
RETURNING messages.id, line_id, phone, reference, messages.network_id, cost_usd AS quoted_usd,
          state, test, country, category, created_at
""")

OTHERWISE = text("""
UPDATE messages SET state = mine.state, due_at = mine.due_at, error_code = mine.code,
       error_text = mine.sentence, changed_at = :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[]), CAST(:states AS text[]),
              CAST(:dues AS timestamptz[]), CAST(:codes AS text[]), CAST(:sentences AS text[]))
       AS mine (id, attempt, state, due_at, code, sentence)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = 'sending'
RETURNING messages.id, line_id, phone, reference, network_id, quoted_usd, messages.state, test,
          error_code, error_text, country, category, created_at
""")

NETWORK_IDS = text("""
INSERT INTO network_ids (tenant_id, network_id, message_id)
SELECT :tenant_id, mine.network_id, mine.id
  FROM unnest(CAST(:network_ids AS text[]), CAST(:ids AS uuid[])) AS mine (network_id, id)
    ON CONFLICT DO NOTHING RETURNING network_id
""")

LEDGER = text("""
INSERT INTO ledger_entries (tenant_id, id, at, message_id, kind, line_id, country, category,
                            amount_usd)
SELECT :tenant_id, mine.id, :now, mine.message_id, 'quote', mine.line_id, mine.country,
       mine.category, mine.amount
  FROM unnest(CAST(:ids AS uuid[]), CAST(:message_ids AS uuid[]), CAST(:line_ids AS integer[]),
              CAST(:countries AS text[]), CAST(:categories AS text[]),
              CAST(:amounts AS numeric[]))
       AS mine (id, message_id, line_id, country, category, amount)
RETURNING id
""")


@dataclass(frozen=True)
class Told:
    """What became of a message, for whoever waits for it."""

    id: str
    state: str
    network_id: str | None
    cost_usd: Decimal
    error_code: str | None = None
    error_text: str | None = None


def tidy() -> None:
    """Expire what is too old; what was being sent when its worker died is unknown now."""
    moment = now()
    mine = {"tenant_id": current_tenant_id(), "now": moment}
    expired = db.session.execute(TIDY, mine).all()
    lost = db.session.execute(LOST, mine).all()
    for row in expired:
        if not row.test:
            quota.release(1, row.quoted_usd, row.created_at)
    write_down(expired, moment, ["not sent in time"] * len(expired))
    write_down(lost, moment, ["the worker stopped while sending"] * len(lost))


def settle(results: list[tuple[Claimed, Outcome]]) -> list[Told]:
    """Write what happened, in sets. Returns what waiting callers are told."""
    accepted = [(one, out) for one, out in results if isinstance(out, Accepted)]
    others = [(one, out) for one, out in results if not isinstance(out, Accepted)]
    moment = now()
    told = _settle_sent(accepted, moment) if accepted else []
    told += _settle_others(others, moment) if others else []
    moving.move_up([one for one, _ in accepted], moment)
    return told


def _settle_sent(accepted: list[tuple[Claimed, Accepted]], moment: datetime) -> list[Told]:
    mine = {
        "tenant_id": current_tenant_id(),
        "now": moment,
        "ids": [one.uuid for one, _ in accepted],
        "attempts": [one.envelope.attempt for one, _ in accepted],
        "network_ids": [out.network_id for _, out in accepted],
    }
    # A receipt may have been faster than our own answer; its network id is kept all the same.
    db.session.execute(NETWORK_IDS, mine)
    rows = db.session.execute(SENT, {**mine, "from_states": ["sending", "unknown"]}).all()
    write_down(rows, moment, ["accepted by the network"] * len(rows))
    _charge(rows, moment)
    _count(rows)
    by_id = {str(row.id): row for row in rows}
    return [
        Told(
            one.envelope.message_id,
            "sent",
            out.network_id,
            by_id[one.uuid].quoted_usd if one.uuid in by_id else Decimal(0),
        )
        for one, out in accepted
    ]


def _settle_others(others: Sequence[tuple[Claimed, Outcome]], moment: datetime) -> list[Told]:
    fates = [_fate(one, out, moment) for one, out in others]
    rows = db.session.execute(
        OTHERWISE,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "ids": [one.uuid for one, _ in others],
            "attempts": [one.envelope.attempt for one, _ in others],
            "states": [fate[0] for fate in fates],
            "dues": [fate[1] for fate in fates],
            "codes": [fate[2] for fate in fates],
            "sentences": [fate[3] for fate in fates],
        },
    ).all()
    for row in rows:
        if row.state == "failed" and not row.test:
            quota.release(1, row.quoted_usd, row.created_at)
    write_down(rows, moment, [row.error_text or "" for row in rows])
    _count(rows)
    return [
        Told(from_uuid("msg", row.id), row.state, None, Decimal(0), row.error_code, row.error_text)
        for row in rows
        if row.state != "queued"
    ]


def _fate(
    one: Claimed, outcome: Outcome, moment: datetime
) -> tuple[str, datetime | None, str | None, str]:
    """State, next due time, code and sentence. Drivers answer; here it is decided."""
    if isinstance(outcome, TryLater):
        step = RETRIES[min(one.envelope.attempt, len(RETRIES)) - 1]
        wait = step if outcome.after is None else max(outcome.after, 1.0)
        return "queued", moment + timedelta(seconds=wait), outcome.code, outcome.sentence
    if isinstance(outcome, Refused):
        return "failed", None, outcome.code, outcome.sentence
    if isinstance(outcome, Unknown):
        return "unknown", None, "answer_lost", outcome.sentence
    raise TypeError(f"no fate for {outcome!r}")


def _charge(rows: Sequence[Any], moment: datetime) -> None:
    paid = [row for row in rows if not row.test]
    if paid:
        db.session.execute(
            LEDGER,
            {
                "tenant_id": current_tenant_id(),
                "now": moment,
                "ids": [str(new_uuid()) for _ in paid],
                "message_ids": [str(row.id) for row in paid],
                "line_ids": [row.line_id for row in paid],
                "countries": [row.country for row in paid],
                "categories": [row.category for row in paid],
                "amounts": [row.quoted_usd for row in paid],
            },
        )


def _count(rows: Sequence[Any]) -> None:
    """Last in a transaction, in one order everywhere: counters are where writers meet."""
    tally = Tally()
    for row in rows:
        if row.test or row.state not in ("sent", "failed"):
            continue
        if row.state == "sent":
            tally.add(row.line_id, row.country, row.category, cost=row.quoted_usd, sent=1)
        else:
            tally.add(row.line_id, row.country, row.category, failed=1)
    tally.write()
