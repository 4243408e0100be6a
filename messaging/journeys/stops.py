"""End runs at once: those of a contact, for example because a member answered or the contact opted
out, and those of a journey that was paused or deleted.

In the transaction of what ended them. A worker that is carrying out a step holds the run's lock, so
this waits for it, and nothing is sent afterwards.
"""

from typing import Any

from sqlalchemy import TextClause, text

from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.live_updates import publish_update
from core.values.reasons import reason_code
from webhooks.events import publish_webhook_event

STOP = text("""
UPDATE journey_runs SET state = 'stopped', because = :because, due_at = NULL, waits = '',
       ended_at = :now, changed_at = :now
 WHERE tenant_id = :tenant_id AND contact_id = :contact_id AND state = 'running'
   AND (CAST(:line_id AS integer) IS NULL OR line_id = :line_id)
   AND (NOT :only_questions OR waits = 'reply')
   AND (CAST(:test AS boolean) IS NULL OR test = :test)
   AND (CAST(:spared AS uuid) IS NULL OR id <> CAST(:spared AS uuid))
RETURNING id, journey_id, version, contact_id, line_id, test
""")

STOP_JOURNEY = text("""
UPDATE journey_runs SET state = 'stopped', because = :because, due_at = NULL, waits = '',
       ended_at = :now, changed_at = :now
 WHERE tenant_id = :tenant_id AND id = ANY (ARRAY(
       SELECT id FROM journey_runs
        WHERE tenant_id = :tenant_id AND journey_id = :journey_id AND state = 'running'
        ORDER BY id FOR UPDATE))
RETURNING id, journey_id, version, contact_id, line_id, test
""")


def stop_journey(journey_id: str, because: str) -> int:
    """Stop all runs of a journey. Returns how many were stopped."""
    params = {"journey_id": str(to_uuid("jny", journey_id)), "because": because}
    return _stop(STOP_JOURNEY, params)


def stop_runs(
    contact_id: str,
    because: str,
    *,
    line_id: int | None = None,
    only_questions: bool = False,
    spared: str = "",
    test: bool | None = None,
) -> int:
    """Stop the running journeys of a contact; with `test`, only those of this mode. Returns how
    many were stopped.
    """
    return _stop(
        STOP,
        {
            "contact_id": str(to_uuid("con", contact_id)),
            "because": because,
            "line_id": line_id,
            "only_questions": only_questions,
            "test": test,
            "spared": str(to_uuid("jrn", spared)) if spared else None,
        },
    )


def _stop(statement: TextClause, params: dict[str, Any]) -> int:
    where = {"tenant_id": current_tenant_id(), "now": now()}
    rows = db.session.execute(statement, where | params).all()
    for row in rows:
        publish_run_event(
            "stopped",
            run_id=from_uuid("jrn", row.id),
            journey_id=from_uuid("jny", row.journey_id),
            version=row.version,
            contact_id=from_uuid("con", row.contact_id),
            line_id=row.line_id,
            test=row.test,
            because=params["because"],
        )
    return len(rows)


def publish_run_event(
    what: str,
    *,
    run_id: str,
    journey_id: str,
    version: int,
    contact_id: str,
    line_id: int,
    test: bool,
    because: str = "",
) -> None:
    """`what` is started, completed, stopped or failed."""
    publish_webhook_event(
        f"journeys.{what}",
        {
            "instance_id": line_id,
            "data": {
                "run_id": run_id,
                "journey_id": journey_id,
                "version": version,
                "contact_id": contact_id,
                "reason": reason_code(because) or None,
                "at": rfc3339(now()),
                **({"test": True} if test else {}),
            },
        },
    )
    publish_update("journeys.changed", id=journey_id, run=run_id)
