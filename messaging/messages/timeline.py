"""Write a message's timeline and its webhook events: one row each per change."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from psycopg2.extras import Json
from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid
from core.live_updates import publish_update
from core.values.money import json_number
from messaging.reasons import NETWORK_REASONS
from webhooks.events import wake_delivery_worker

INSERT_CHANGES = text("""
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
SELECT :tenant_id, mine.id, mine.change_id, :now, mine.state, mine.cause
  FROM unnest(CAST(:ids AS uuid[]), CAST(:change_ids AS uuid[]), CAST(:states AS text[]),
              CAST(:causes AS text[])) AS mine (id, change_id, state, cause)
RETURNING id
""")

INSERT_EVENTS = text("""
INSERT INTO events (tenant_id, id, type, body, occurred_at)
SELECT :tenant_id, mine.id, mine.type, mine.body, :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:bodies AS jsonb[]))
       AS mine (id, type, body)
RETURNING id
""")


def record_state_changes(rows: Sequence[Any], moment: datetime, causes: list[str]) -> None:
    """Write the timeline, live updates, and an event for every state except `queued`."""
    if not rows:
        return
    insert_changes([str(row.id) for row in rows], [row.state for row in rows], causes, moment)
    for row in rows:
        publish_update("messages.changed", id=from_uuid("msg", row.id), state=row.state)
    changed = [row for row in rows if row.state != "queued"]
    if changed:
        types = [f"messages.{row.state}" for row in changed]
        db.session.execute(
            INSERT_EVENTS,
            {
                "tenant_id": current_tenant_id(),
                "now": moment,
                "ids": [str(new_uuid()) for _ in changed],
                "types": types,
                "bodies": [
                    Json(state_event_body(kind, row, moment))
                    for kind, row in zip(types, changed, strict=True)
                ],
            },
        )
        wake_delivery_worker(*sorted(set(types)))


def state_event_body(kind: str, row: Any, moment: datetime) -> dict[str, Any]:
    sent = row.state in ("sent", "delivered", "read")
    data = {
        "id": from_uuid("msg", row.id),
        "message_id": row.network_id,
        "to": row.phone,
        "timestamp": int(moment.timestamp()),
        "status_code": row.state,
        "reference": row.reference,
        "cost_usd": json_number(row.quoted_usd) if sent else 0,
        "test": row.test,
    }
    code = getattr(row, "error_code", None)
    if code:
        reason = getattr(row, "error_reason", None)
        data["error"] = {"code": code, "message": reason and NETWORK_REASONS.english(reason)}
    return {"event": kind, "instance_id": row.line_id, "data": data}


def insert_changes(ids: list[str], states: list[str], causes: list[str], moment: datetime) -> None:
    if ids:
        db.session.execute(
            INSERT_CHANGES,
            {
                "tenant_id": current_tenant_id(),
                "now": moment,
                "ids": ids,
                "change_ids": [str(new_uuid()) for _ in ids],
                "states": states,
                "causes": causes,
            },
        )
