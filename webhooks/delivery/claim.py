"""Claim due deliveries for the endpoints that are free: one batch for each, under a lease.

A webhook delivery may be repeated, so a claim needs no second step before it is sent: if a worker
dies, the lease expires and the delivery is sent again.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from core.ids import from_uuid
from core.security.encryption import current_keyring
from webhooks.custom_headers import unpack_headers
from webhooks.endpoints import FAILURES_BEFORE_PAUSE
from webhooks.models import Endpoint

# A delivery of an ordered endpoint waits for the earlier ones of its conversation.
IN_TURN = """(d.conversation IS NULL OR NOT EXISTS (
                      SELECT 1 FROM deliveries AS earlier
                       WHERE earlier.tenant_id = :tenant_id
                         AND earlier.endpoint_id = d.endpoint_id
                         AND earlier.conversation = d.conversation
                         AND earlier.sequence < d.sequence AND earlier.due_at IS NOT NULL))"""
CLAIM_ENDPOINTS = text(f"""
UPDATE endpoints SET busy_until = :lease_until
 WHERE tenant_id = :tenant_id AND enabled AND removed_at IS NULL
   AND (busy_until IS NULL OR busy_until <= :now)
   AND (rests_until IS NULL OR rests_until <= :now)
   AND EXISTS (SELECT 1 FROM deliveries AS d
                WHERE d.tenant_id = :tenant_id
                  AND d.endpoint_id = endpoints.id AND d.due_at <= :now AND {IN_TURN})
RETURNING id, url, secret, old_secret, old_secret_until, failures, headers
""")  # noqa: S608
CLAIM_DELIVERIES = text(f"""
UPDATE deliveries
   SET state = 'sending', attempt = attempt + 1, due_at = :lease_until, changed_at = :now
  FROM (SELECT waiting.id, waiting.due_at, happened.body, happened.occurred_at
          FROM unnest(CAST(:endpoint_ids AS uuid[]), CAST(:most AS integer[]))
               AS free (endpoint_id, most)
         CROSS JOIN LATERAL (
               SELECT d.id, d.event_id, d.due_at FROM deliveries AS d
                WHERE d.tenant_id = :tenant_id AND d.endpoint_id = free.endpoint_id
                  AND d.due_at <= :now AND {IN_TURN}
                ORDER BY d.due_at, d.sequence LIMIT free.most) AS waiting
          LEFT JOIN LATERAL (
               SELECT e.body, e.occurred_at FROM events AS e
                WHERE e.tenant_id = :tenant_id AND e.id = waiting.event_id) AS happened ON true
       ) AS due
 WHERE deliveries.tenant_id = :tenant_id AND deliveries.id = due.id
   AND deliveries.due_at = due.due_at
RETURNING deliveries.id, deliveries.endpoint_id, deliveries.event_id, deliveries.attempt,
          deliveries.step, deliveries.sequence, due.body, due.occurred_at
""")  # noqa: S608
NEXT_DUE = text(f"""
SELECT min(greatest(first.due_at, e.rests_until, e.busy_until))
  FROM endpoints AS e
 CROSS JOIN LATERAL (
       SELECT d.due_at FROM deliveries AS d
        WHERE d.tenant_id = :tenant_id AND d.endpoint_id = e.id
          AND d.due_at IS NOT NULL AND {IN_TURN} ORDER BY d.due_at LIMIT 1) AS first
 WHERE e.tenant_id = :tenant_id AND e.enabled AND e.removed_at IS NULL
""")  # noqa: S608


@dataclass(frozen=True)
class ClaimedDelivery:
    uuid: str
    attempt: int
    step: int
    event_id: str
    body: bytes | None
    """None: the event has been deleted."""


@dataclass
class EndpointBatch:
    endpoint_id: str
    uuid: str
    """The endpoint's uuid, as the SQL statements need it."""
    url: str
    secrets: tuple[str, ...]
    failures: int
    headers: dict[str, str] = field(default_factory=dict)
    """The endpoint's own."""
    claimed: list[ClaimedDelivery] = field(default_factory=list)


def claim_batches(most: int, lease: float) -> list[EndpointBatch]:
    """Claim up to `most` deliveries for each free endpoint. An endpoint that keeps failing gets a
    single delivery, to test whether it works again.
    """
    moment, tenant_id = now(), current_tenant_id()
    params = {
        "tenant_id": tenant_id,
        "now": moment,
        "lease_until": moment + timedelta(seconds=lease),
    }
    free = db.session.execute(CLAIM_ENDPOINTS, params).all()
    if not free:
        return []
    batches = {row.id: _batch(row, moment) for row in free}
    rows = db.session.execute(
        CLAIM_DELIVERIES,
        {
            **params,
            "endpoint_ids": [str(row.id) for row in free],
            "most": [1 if row.failures >= FAILURES_BEFORE_PAUSE else most for row in free],
        },
    ).all()
    for row in sorted(rows, key=lambda row: (row.sequence, row.id)):
        event_id = from_uuid("evt", row.event_id)
        body = row.body and wire_body(event_id, row.body, row.occurred_at, row.sequence)
        batches[row.endpoint_id].claimed.append(
            ClaimedDelivery(str(row.id), row.attempt, row.step, event_id, body)
        )
    return list(batches.values())


def next_due() -> datetime | None:
    """When this tenant's deliveries must be looked at again; None if there are none."""
    found: datetime | None = db.session.execute(
        NEXT_DUE, {"tenant_id": current_tenant_id()}
    ).scalar()
    return found


def wire_body(event_id: str, body: dict[str, Any], occurred_at: datetime, sequence: int) -> bytes:
    """The body that is posted: the fields that identify the event first, then its own fields."""
    return json.dumps(
        wire_fields(event_id, body, occurred_at, sequence),
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()


def wire_fields(
    event_id: str, body: dict[str, Any], occurred_at: datetime, sequence: int | None
) -> dict[str, Any]:
    return {
        "event": body.get("event"),
        "event_id": event_id,
        "occurred_at": rfc3339(occurred_at),
        "sequence": sequence,
        **{name: value for name, value in body.items() if name != "event"},
    }


def _batch(row: Any, moment: datetime) -> EndpointBatch:
    secrets = [_decrypted(row.secret, "secret")]
    if row.old_secret is not None and row.old_secret_until > moment:
        secrets.append(_decrypted(row.old_secret, "old_secret"))
    headers = unpack_headers(row.headers and _decrypted(row.headers, "headers"))
    return EndpointBatch(
        from_uuid("ep", row.id), str(row.id), row.url, tuple(secrets), row.failures, headers
    )


def _decrypted(envelope: str, column: str) -> str:
    kind = Endpoint.__table__.c[column].type
    return current_keyring().decrypt(envelope, kind.context_of())  # type: ignore[attr-defined]
