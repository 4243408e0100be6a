"""The worker's first step with messages: take those whose turn it is, in one short transaction.

What is taken is `sending`, in small groups just before their bytes leave; all else stays
`queued`. `attempt` is the fencing token: a worker that was paused past its lease writes nothing.
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
from core.keyring import Sealed, the_keyring
from core.partitions import id_at
from messaging.lines import Envelope, LineFacts
from messaging.lines_book import SENDS
from messaging.models import Line
from messaging.timeline import note_changes

HOLDS_BACK = timedelta(minutes=10)
# Scheduled 35 days ahead and valid for 35 more, at most.
WAITS_AT_MOST = timedelta(days=75)
CLOCKS_DIFFER = timedelta(hours=1)
DOWN = ["token_expired", "restricted", "quality_low", "logged_out", "disconnected"]
MOST_SECRETS = 20_000

TAKE = """
SELECT * FROM app.take_messages(
    %(tenant_id)s, %(lane)s, %(lease)s, %(lane_until)s, %(now)s, %(until)s, %(held_since)s,
    %(oldest)s, %(newest)s, %(most)s, %(change)s, %(lines)s::integer[], %(allowed)s::integer[],
    %(down)s, %(sends)s)
"""
# For lanes that wait: each is leased and gives its first messages.
LEASE_AND_TAKE = """
SELECT * FROM app.lease_and_take(
    %(lane)s, %(lease)s, %(lane_until)s, %(lanes)s, %(now)s, %(until)s, %(held_since)s,
    %(oldest)s, %(newest)s, %(most)s, %(change)s, %(lines)s::integer[], %(allowed)s::integer[],
    %(down)s, %(sends)s)
"""
LEAVE = """
SELECT app.leave_lane(
    %(tenant_id)s, %(lane)s, %(lease)s, %(now)s, %(soon)s, %(again)s, %(oldest)s, %(newest)s,
    %(down)s)
"""
PUT_BACK = text("""
UPDATE messages SET state = 'queued', due_at = :due_at
  FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS integer[])) AS mine (id, attempt)
 WHERE messages.tenant_id = :tenant_id AND messages.id = mine.id
   AND messages.attempt = mine.attempt AND messages.state = 'sending'
RETURNING messages.id
""")

_secrets: dict[tuple[int, str], str] = {}


@dataclass(frozen=True)
class Departure:
    """What sending must know of a line, as it was when the message was taken."""

    facts: LineFacts
    network: str
    test: bool
    per_second: float


@dataclass(frozen=True)
class Claimed:
    uuid: str
    envelope: Envelope
    reference: str | None = None
    quoted_usd: Decimal = Decimal(0)
    test: bool = False
    departure: Departure | None = None
    due_at: datetime | None = None
    """When it was accepted, scheduled for or to be retried."""


def take_params(most: int, lease: float, allowed: Mapping[int, int]) -> dict[str, Any]:
    """`allowed` says how many a line may give just now; a line not named gives its burst."""
    moment = now()
    return {
        "now": moment,
        "until": moment + timedelta(seconds=lease),
        "held_since": moment - HOLDS_BACK,
        "most": most,
        "change": id_at(running_now())[:13],
        **months(moment),
        "lines": list(allowed),
        "allowed": list(allowed.values()),
        "down": DOWN,
        "sends": sorted(SENDS),
        "lane": None,
        "lease": None,
        "lane_until": None,
    }


def leave_params(lane: str, lease: UUID, soon: datetime, again: datetime) -> dict[str, Any]:
    return {
        "lane": lane,
        "lease": str(lease),
        "now": (moment := now()),
        "soon": soon,
        "again": again,
        **months(moment),
        "down": DOWN,
    }


def months(moment: datetime) -> dict[str, str]:
    """Between these ids is everything that may still wait. Ids are made by the real clock."""
    latest = max(moment, running_now())
    return {"oldest": id_at(moment - WAITS_AT_MOST), "newest": id_at(latest + CLOCKS_DIFFER)}


def claim(most: int, lease: float, not_lines: Sequence[int] = ()) -> list[Claimed]:
    """In the open transaction: what is due, transactional before bulk, one to each recipient."""
    tenant_id = current_tenant_id()
    params = take_params(most, lease, dict.fromkeys(not_lines, 0))
    rows = db.session.connection().exec_driver_sql(TAKE, {**params, "tenant_id": tenant_id}).all()
    return taken(tenant_id, [tuple(row) for row in rows])


def taken(tenant_id: int, rows: Sequence[tuple[Any, ...]]) -> list[Claimed]:
    """The messages among the rows of TAKE, in the order of acceptance."""
    messages = [row for row in rows if row[0] == "message"]
    return [_claimed(tenant_id, row) for row in sorted(messages, key=lambda row: str(row[1]))]


def _claimed(tenant_id: int, row: tuple[Any, ...]) -> Claimed:
    (_, uuid, attempt, line_id, phone, kind, body, content, reference, quoted, test) = row[:11]
    line_kind, network, phone_number_id, token, per_second, due_at = row[11:]
    return Claimed(
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
        departure=Departure(
            facts=LineFacts(
                tenant_id=tenant_id,
                id=line_id,
                kind=line_kind,
                phone_number_id=phone_number_id or "",
                token=_unsealed(tenant_id, token),
            ),
            network=network,
            test=test,
            per_second=float(per_second),
        ),
    )


def _unsealed(tenant_id: int, sealed: str | None) -> str:
    """Opened once for each envelope: a new token comes in a new one."""
    if sealed is None:
        return ""
    found = _secrets.get((tenant_id, sealed))
    if found is None:
        context = cast("Sealed", Line.__table__.c.token.type).context_of(tenant_id)
        if len(_secrets) >= MOST_SECRETS:
            _secrets.clear()
        found = _secrets[tenant_id, sealed] = the_keyring().decrypt(sealed, context)
    return found


def put_back(group: Sequence[Claimed], seconds: float) -> None:
    """Not sent after all: its recipient has had enough for now."""
    moment = now()
    back = db.session.execute(
        PUT_BACK,
        {
            "tenant_id": current_tenant_id(),
            "due_at": moment + timedelta(seconds=seconds),
            "ids": [one.uuid for one in group],
            "attempts": [one.envelope.attempt for one in group],
        },
    ).scalars()
    ids = [str(uuid) for uuid in back]
    note_changes(ids, ["queued"] * len(ids), ["waits for its turn"] * len(ids), moment)
