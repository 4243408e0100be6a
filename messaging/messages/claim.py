"""Claim due messages for a worker, in one short transaction.

Claimed messages are `sending`. They are claimed in small groups right before they are sent; all
others stay `queued`. `attempt` is the fencing token: a worker whose lease has expired writes
nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from sqlalchemy import text

from core.clock import now, running_now
from core.db import current_tenant_id, db
from core.ids import from_uuid
from core.security.encryption import EncryptedText, current_keyring
from core.sql.partitions import id_at
from messaging.lines.drivers.base import Envelope, LineFacts
from messaging.lines.repository import SENDING_STATES
from messaging.messages.timeline import insert_changes
from messaging.models import Line

RECIPIENT_ORDER_HOLD = timedelta(minutes=10)
# A message is scheduled at most 35 days ahead and is valid for at most 35 more.
MAX_WAIT = timedelta(days=75)
CLOCK_SKEW = timedelta(hours=1)
DOWN_STATES = ["token_expired", "restricted", "quality_low", "logged_out", "disconnected"]
MAX_CACHED_SECRETS = 20_000

CLAIM_MESSAGES = """
SELECT * FROM app.take_messages(
    %(tenant_id)s, %(lane)s, %(lease)s, %(lane_until)s, %(now)s, %(until)s, %(held_since)s,
    %(oldest)s, %(newest)s, %(most)s, %(change)s, %(lines)s::integer[], %(allowed)s::integer[],
    %(down)s, %(sends)s)
"""
# For lanes with due work: leases each lane and returns its first messages.
LEASE_AND_CLAIM = """
SELECT * FROM app.lease_and_take(
    %(lane)s, %(lease)s, %(lane_until)s, %(lanes)s, %(now)s, %(until)s, %(held_since)s,
    %(oldest)s, %(newest)s, %(most)s, %(change)s, %(lines)s::integer[], %(allowed)s::integer[],
    %(down)s, %(sends)s)
"""
LEAVE_LANE = """
SELECT app.leave_lane(
    %(tenant_id)s, %(lane)s, %(lease)s, %(now)s, %(soon)s, %(again)s, %(oldest)s, %(newest)s,
    %(down)s)
"""
REQUEUE = text("""
UPDATE messages SET state = 'queued', due_at = :due_at
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[])) AS mine (id, attempt)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = 'sending'
RETURNING messages.id
""")

_secrets: dict[tuple[int, str], str] = {}


@dataclass(frozen=True)
class LineSnapshot:
    """A line as it was when the message was claimed, with all that sending needs."""

    facts: LineFacts
    network: str
    test: bool
    per_second: float


@dataclass(frozen=True)
class ClaimedMessage:
    uuid: str
    envelope: Envelope
    reference: str | None = None
    quoted_usd: Decimal = Decimal(0)
    test: bool = False
    line_snapshot: LineSnapshot | None = None
    due_at: datetime | None = None
    """When the message was accepted, or when its schedule or its next retry is due."""


def claim_params(most: int, lease: float, allowed: Mapping[int, int]) -> dict[str, Any]:
    """Parameters for CLAIM_MESSAGES and LEASE_AND_CLAIM.

    `allowed` maps a line to the number of messages it may send now. A line that is not in it may
    send its burst.
    """
    moment = now()
    return {
        "now": moment,
        "until": moment + timedelta(seconds=lease),
        "held_since": moment - RECIPIENT_ORDER_HOLD,
        "most": most,
        "change": id_at(running_now())[:13],
        **pending_id_range(moment),
        "lines": list(allowed),
        "allowed": list(allowed.values()),
        "down": DOWN_STATES,
        "sends": sorted(SENDING_STATES),
        "lane": None,
        "lease": None,
        "lane_until": None,
    }


def leave_lane_params(lane: str, lease: UUID, soon: datetime, again: datetime) -> dict[str, Any]:
    return {
        "lane": lane,
        "lease": str(lease),
        "now": (moment := now()),
        "soon": soon,
        "again": again,
        **pending_id_range(moment),
        "down": DOWN_STATES,
    }


def pending_id_range(moment: datetime) -> dict[str, str]:
    """The range of ids that pending messages can have.

    Ids are made from the real clock, so the range uses it too when `now()` is behind.
    """
    latest = max(moment, running_now())
    return {"oldest": id_at(moment - MAX_WAIT), "newest": id_at(latest + CLOCK_SKEW)}


def claim_messages(most: int, lease: float, not_lines: Sequence[int] = ()) -> list[ClaimedMessage]:
    """Claim due messages in the open transaction: transactional before bulk, one per recipient."""
    tenant_id = current_tenant_id()
    params = claim_params(most, lease, dict.fromkeys(not_lines, 0))
    rows = (
        db.session.connection()
        .exec_driver_sql(CLAIM_MESSAGES, {**params, "tenant_id": tenant_id})
        .all()
    )
    return messages_from_rows(tenant_id, [tuple(row) for row in rows])


def messages_from_rows(tenant_id: int, rows: Sequence[tuple[Any, ...]]) -> list[ClaimedMessage]:
    """Return the messages among the rows of CLAIM_MESSAGES, in order of acceptance."""
    messages = [row for row in rows if row[0] == "message"]
    return [
        _message_from_row(tenant_id, row) for row in sorted(messages, key=lambda row: str(row[1]))
    ]


def _message_from_row(tenant_id: int, row: tuple[Any, ...]) -> ClaimedMessage:
    (_, uuid, attempt, line_id, phone, kind, body, content, reference, quoted, test) = row[:11]
    line_kind, network, phone_number_id, token, per_second, due_at = row[11:]
    return ClaimedMessage(
        uuid=str(uuid),
        reference=reference,
        quoted_usd=quoted,
        test=test,
        due_at=due_at,
        envelope=Envelope(
            message_id=from_uuid("msg", UUID(str(uuid))),
            attempt=attempt,
            tenant_id=tenant_id,
            line_id=line_id,
            phone=phone,
            kind=kind,
            text=body,
            content=content,
        ),
        line_snapshot=LineSnapshot(
            facts=LineFacts(
                tenant_id=tenant_id,
                id=line_id,
                kind=line_kind,
                phone_number_id=phone_number_id or "",
                token=_decrypted_token(tenant_id, token),
            ),
            network=network,
            test=test,
            per_second=float(per_second),
        ),
    )


def _decrypted_token(tenant_id: int, sealed: str | None) -> str:
    """Return the decrypted token of a line.

    Cached by its ciphertext, so that each token is decrypted once; a new token has a new
    ciphertext.
    """
    if sealed is None:
        return ""
    found = _secrets.get((tenant_id, sealed))
    if found is None:
        context = cast("EncryptedText", Line.__table__.c.token.type).context_of(tenant_id)
        if len(_secrets) >= MAX_CACHED_SECRETS:
            _secrets.clear()
        found = _secrets[tenant_id, sealed] = current_keyring().decrypt(sealed, context)
    return found


def requeue_messages(
    group: Sequence[ClaimedMessage], seconds: float, cause: str = "waits for its turn"
) -> None:
    """Return claimed messages to the queue unsent, because a limit is reached."""
    moment = now()
    back = db.session.execute(
        REQUEUE,
        {
            "tenant_id": current_tenant_id(),
            "due_at": moment + timedelta(seconds=seconds),
            "ids": [one.uuid for one in group],
            "attempts": [one.envelope.attempt for one in group],
        },
    ).scalars()
    ids = [str(uuid) for uuid in back]
    insert_changes(ids, ["queued"] * len(ids), [cause] * len(ids), moment)
