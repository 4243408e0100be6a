"""Fallbacks for a message that cannot be sent as it is: send its template, or retry its own line.

A fallback applies only when the message certainly was not delivered: it is still queued, or the
network refused it. So the recipient gets it at most once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from psycopg2.extras import Json
from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db, notify_workers, savepoint
from core.errors import Invalid, PaymentRequired
from core.queue import lanes
from core.values.network_address import is_phone
from messaging import reasons, refusal_reasons
from messaging.contacts import identities as contact_identities
from messaging.contacts.identities import canonical_spelling
from messaging.costs.rates import tenant_rates
from messaging.lines import direct_send
from messaging.lines.drivers.base import SendOutcome, SendRefused
from messaging.lines.drivers.cloud.errors import DIRECT_SEND_UNAVAILABLE
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.repository import SENDING_STATES
from messaging.lines.send_lane import LANE
from messaging.messages.claim import ClaimedMessage
from messaging.messages.timeline import insert_changes
from messaging.models import Line
from messaging.reasons import with_detail
from messaging.templates import validation as template_validation
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts

WINDOW_CLOSED = "window_closed"
CLOSED_CODES = (WINDOW_CLOSED, DIRECT_SEND_UNAVAILABLE)
WINDOW = timedelta(hours=24)
FALLBACK_CONTENT_KEYS = frozenset({"own_line", "gone_ids"})

WINDOWS_OPEN_UNTIL = text("""
SELECT c.line_id, i.value, max(c.window_until) AS until
  FROM identities i
  JOIN conversations c ON c.tenant_id = i.tenant_id AND c.contact_id = i.contact_id
 WHERE i.tenant_id = :tenant_id AND c.tenant_id = :tenant_id
   AND i.kind IN ('phone', 'network_id', 'lid') AND i.value = ANY(:phones)
   AND c.line_id = ANY(:line_ids)
 GROUP BY c.line_id, i.value
""")
READ_PRICES = text("""
SELECT id, country, category, quoted_usd, test, created_at FROM messages
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
READ_MESSAGE = text("""
SELECT id, line_id, phone, kind, text, content, country, category, quoted_usd, test, created_at
  FROM messages WHERE tenant_id = :tenant_id AND id = :id
""")
APPLY_FALLBACK = text("""
UPDATE messages
   SET state = :state, due_at = :due_at, line_id = :line_id, kind = :kind, text = :text,
       content = :content, category = :category, quoted_usd = :quoted_usd, cost_usd = 0,
       network_id = NULL, error_code = NULL, error_text = NULL, changed_at = :now
 WHERE tenant_id = :tenant_id AND id = :id AND state = ANY(:states)
   AND (CAST(:attempt AS integer) IS NULL OR attempt = :attempt)
RETURNING id
""")


@dataclass(frozen=True)
class FallbackMessage:
    """The fields of a message that choosing and pricing a fallback needs."""

    uuid: str
    line_id: int
    phone: str
    kind: str
    text: str
    content: dict[str, Any]
    country: str
    category: str
    quoted_usd: Decimal
    test: bool
    created_at: datetime


@dataclass(frozen=True)
class Fallback:
    """How a message is sent instead, and why."""

    line_id: int
    kind: str
    text: str
    content: dict[str, Any]
    category: str
    cause: str
    wait: timedelta = timedelta()


def has_template_candidates(batch: Iterable[ClaimedMessage]) -> bool:
    """Return whether `send_as_templates` has anything to check in this batch."""
    return any(one.envelope.content.get("fallback") for one in batch)


def send_as_templates(
    batch: list[ClaimedMessage], lines: Mapping[int, Line], lease: float
) -> list[ClaimedMessage]:
    """Turn claimed messages into their template if our records show a closed 24-hour window.

    Returns the whole batch, with the changed messages in place.
    """
    candidates = [one for one in batch if _has_template(one, lines)]
    if not candidates:
        return batch
    shut = _closed_windows(candidates, lines)
    turned: dict[str, ClaimedMessage] = {}
    priced = _messages(shut)
    for one in shut:
        message = priced.get(one.uuid)
        way = _choose_fallback(message, lines) if message is not None else None
        if message is None or way is None:
            continue
        way = replace(way, wait=timedelta(seconds=lease))
        price = _apply_fallback(
            message, way, ["sending"], one.envelope.attempt, lines, state="sending"
        )
        if price is not None:
            envelope = replace(one.envelope, kind=way.kind, text=way.text, content=way.content)
            turned[one.uuid] = replace(one, envelope=envelope, quoted_usd=price)
    return [turned.get(one.uuid, one) for one in batch]


def _has_template(one: ClaimedMessage, lines: Mapping[int, Line]) -> bool:
    line = lines.get(one.envelope.line_id)
    has_fallback = bool(one.envelope.content.get("fallback"))
    return has_fallback and line is not None and DRIVERS[line.kind].has_templates


def _closed_windows(
    candidates: list[ClaimedMessage], lines: Mapping[int, Line]
) -> list[ClaimedMessage]:
    """Return the messages whose 24-hour window is closed.

    For an unknown recipient the window counts as open only during the first 24 hours of the line,
    because the customer may have written before the line was added.
    """
    moment = now()
    until = read_windows([(one.envelope.line_id, one.envelope.phone) for one in candidates])
    shut = []
    for one in candidates:
        line_id = one.envelope.line_id
        known = until.get((line_id, one.envelope.phone))
        known = known or lines[line_id].created_at + WINDOW
        if known <= moment:
            shut.append(one)
    return shut


def read_windows(pairs: Sequence[tuple[int, str]]) -> dict[tuple[int, str], datetime]:
    """Until when the 24-hour window of each line and recipient is open; unknown ones are left
    out.
    """
    names = {phone: _network_spelling(phone) for _, phone in pairs}
    rows = db.session.execute(
        WINDOWS_OPEN_UNTIL,
        {
            "tenant_id": current_tenant_id(),
            "phones": list(set(names.values())),
            "line_ids": list({line_id for line_id, _ in pairs}),
        },
    )
    until = {(row.line_id, row.value): row.until for row in rows if row.until is not None}
    return {
        pair: until[pair[0], names[pair[1]]] for pair in pairs if (pair[0], names[pair[1]]) in until
    }


def _network_spelling(phone: str) -> str:
    return canonical_spelling(phone) if is_phone(phone) else phone


def try_fallbacks(
    results: list[tuple[ClaimedMessage, SendOutcome]], lines: Mapping[int, Line]
) -> list[tuple[ClaimedMessage, SendOutcome]]:
    """Apply fallbacks, and return the results without one to be settled as they are."""
    hopeful = [
        (one, out)
        for one, out in results
        if isinstance(out, SendRefused) and (out.code in CLOSED_CODES or out.line_state)
    ]
    if not hopeful:
        return results
    priced = _messages([one for one, _ in hopeful])
    replaced: set[str] = set()
    for one, out in hopeful:
        message = priced.get(one.uuid)
        if message is None:
            continue
        if out.code == DIRECT_SEND_UNAVAILABLE and message.line_id in lines:
            direct_send.record_refusal(lines[message.line_id], out.reason)
        way = (
            _choose_fallback(message, lines)
            if out.code in CLOSED_CODES
            else _retry_own_line(message, lines)
        )
        if way is None:
            continue
        if _apply_fallback(message, way, ["sending"], one.envelope.attempt, lines) is not None:
            replaced.add(one.uuid)
    return [(one, out) for one, out in results if one.uuid not in replaced]


def read_message(uuid: UUID) -> FallbackMessage:
    row = db.session.execute(
        READ_MESSAGE, {"tenant_id": current_tenant_id(), "id": str(uuid)}
    ).one()
    return FallbackMessage(str(row.id), *row[1:])


def try_fallback_after_receipt(
    message: FallbackMessage, network_id: str, lines: Iterable[Line]
) -> bool:
    """Apply a fallback after the network first accepted the message and then refused it.

    Returns True if the message is queued again.
    """
    known = {line.id: line for line in lines}
    way = _choose_fallback(message, known)
    if way is None:
        return False
    replaced_ids = [*message.content.get("gone_ids", []), network_id]
    way = replace(way, content={**way.content, "gone_ids": replaced_ids})
    # The caller has refunded the whole charge of the message, so the full price is charged again.
    fresh = replace(message, quoted_usd=Decimal(0))
    if _apply_fallback(fresh, way, ["sending", "sent", "unknown"], None, known, messages=1) is None:
        return False
    lanes.mark_due(LANE, current_tenant_id(), now())
    notify_workers("jobs.sending.worker.drain")
    return True


def _choose_fallback(message: FallbackMessage, lines: Mapping[int, Line]) -> Fallback | None:
    """Choose Direct Send if the line has it, else the template, else the message's original line.

    None: there is no other way to send it.
    """
    line, template = lines.get(message.line_id), message.content.get("fallback")
    if line is not None and direct_send.can_send_directly(line, message.kind, message.content):
        return Fallback(
            line_id=message.line_id,
            kind=message.kind,
            text=message.text,
            content=direct_send.as_direct_send(message.content),
            category=direct_send.CATEGORY,
            cause=refusal_reasons.SENT_DIRECTLY,
        )
    if line is not None and template and message.kind != "template":
        try:
            checked = template_validation.check_template(line, template, "fallback_template")
            template, category = checked.content, checked.category
        except Invalid:
            category = None  # it was valid when it was accepted; the network decides
        if category == template_validation.MARKETING and contact_identities.has_opted_out(
            message.phone
        ):
            return None
        was = {"kind": message.kind, "text": message.text}
        kept = {
            name: value for name, value in message.content.items() if name in FALLBACK_CONTENT_KEYS
        }
        return Fallback(
            line_id=message.line_id,
            kind="template",
            text=template_validation.template_text(line, template),
            content={**kept, **template, "instead_of": was},
            category=category or "utility",
            cause=with_detail(reasons.SENT_AS_TEMPLATE, template["name"]),
        )
    own: Any = message.content.get("own_line")
    if own in lines and own != message.line_id:
        content = {k: v for k, v in message.content.items() if k != "own_line"}
        return Fallback(
            line_id=own,
            kind=message.kind,
            text=message.text,
            content={**content, "stays": True},
            category=message.category,
            cause=reasons.RETURNED_TO_OWN_LINE,
        )
    return None


def _retry_own_line(message: FallbackMessage, lines: Mapping[int, Line]) -> Fallback | None:
    """Queue the message again if its line failed and the backup line of that line can send."""
    line = lines.get(message.line_id)
    other = lines.get(line.fallback_line_id or 0) if line is not None else None
    if other is None or not other.enabled or other.state not in SENDING_STATES:
        return None
    content = message.content
    if content.get("own_line") is not None or content.get("stays"):
        return None
    return Fallback(
        message.line_id,
        message.kind,
        message.text,
        content,
        message.category,
        reasons.RETRIED_AFTER_LINE_FAILURE,
    )


def _messages(claimed: list[ClaimedMessage]) -> dict[str, FallbackMessage]:
    rows = db.session.execute(
        READ_PRICES, {"tenant_id": current_tenant_id(), "ids": [one.uuid for one in claimed]}
    )
    priced = {str(row.id): row for row in rows}
    return {
        one.uuid: FallbackMessage(
            uuid=one.uuid,
            line_id=one.envelope.line_id,
            phone=one.envelope.phone,
            kind=one.envelope.kind,
            text=one.envelope.text,
            content=one.envelope.content,
            country=priced[one.uuid].country,
            category=priced[one.uuid].category,
            quoted_usd=priced[one.uuid].quoted_usd,
            test=priced[one.uuid].test,
            created_at=priced[one.uuid].created_at,
        )
        for one in claimed
        if one.uuid in priced
    }


def _apply_fallback(
    message: FallbackMessage,
    way: Fallback,
    states: list[str],
    attempt: int | None,
    lines: Mapping[int, Line],
    messages: int = 0,
    state: str = "queued",
) -> Decimal | None:
    """Write the fallback and return the new price.

    Returns None if the message has changed in the meantime or the new price exceeds the tenant's
    limits.
    """
    moment = now()
    price = tenant_rates().quote(
        lines[way.line_id], message.phone, message.country, way.category, message.created_at
    )
    written = {
        "tenant_id": current_tenant_id(),
        "id": message.uuid,
        "state": state,
        "states": states,
        "attempt": attempt,
        "now": moment,
        "due_at": moment + way.wait,
        "line_id": way.line_id,
        "kind": way.kind,
        "text": way.text,
        "content": Json(way.content),
        "category": way.category,
        "quoted_usd": price,
    }
    try:
        with savepoint():
            if db.session.execute(APPLY_FALLBACK, written).first() is None:
                return None
            if not message.test:
                _charge_quota(messages, price - message.quoted_usd, message.created_at)
    except PaymentRequired:
        return None
    insert_changes([message.uuid], [state], [way.cause], moment)
    return price


def _charge_quota(messages: int, extra: Decimal, created_at: datetime) -> None:
    if messages or extra > 0:
        quota.reserve(current_tenant_facts(), messages, extra)
    elif extra < 0:
        quota.release(0, -extra, created_at)
