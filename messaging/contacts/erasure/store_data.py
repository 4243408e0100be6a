"""Erase what stores and forms sent about a contact, and the automation runs that followed."""

import contextlib
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict
from core.ids import from_uuid
from messaging.automations.reasons import ERASED
from messaging.messages import queries as message_queries
from messaging.models import ContactErasure

NO_ID = "00000000-0000-0000-0000-000000000000"

# `data` holds numbers as the store wrote them, so only their digits are compared.
EVENTS = text("""
SELECT id, connection_id, hook_id, data->'links' AS links,
       phone = ANY(:names) OR data::text LIKE ANY(:marks)
       OR regexp_replace(concat(data::text, no_phone), '[^0-9]', '', 'g') LIKE ANY(:ends) AS found
  FROM store_events
 WHERE tenant_id = :tenant_id AND id > :reached AND id <= :until ORDER BY id LIMIT :most
""")
RUNS = text("""
SELECT runs.id, runs.message_id, messages.state FROM automation_runs AS runs
  LEFT JOIN messages ON messages.tenant_id = :tenant_id AND messages.id = runs.message_id
 WHERE runs.tenant_id = :tenant_id AND runs.event_id = ANY(CAST(:ids AS uuid[]))
""")
# The owner's notification about an order also names the customer.
BLANK_MESSAGES = text("""
UPDATE messages SET text = '', content = '{}', error_text = NULL
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_RUNS = text("""
UPDATE automation_runs
   SET phone = '', due_at = NULL,
       ended_at = CASE WHEN state = 'waiting' THEN :now ELSE ended_at END,
       because = CASE WHEN state = 'waiting' OR because <> '' THEN :erased ELSE '' END,
       state = CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_HOOKS = text("""
UPDATE received_hooks SET body = '', error = NULL
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[])) AND state <> 'waiting'
""")
DROP_LINKS = text("""
DELETE FROM store_links
 WHERE tenant_id = :tenant_id AND connection_id = ANY(CAST(:ids AS uuid[]))
   AND link = ANY(:links)
""")
BLANK_EVENTS = text("""
UPDATE store_events SET phone = '', no_phone = '', data = '{"erased": true}'
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")


def erase_store_events(
    erasure: ContactErasure, params: dict[str, Any], most: int
) -> tuple[int, int]:
    """Erase one batch of store events, with their runs, messages and hooks.

    Returns how many rows were scanned and how many matched. Scanned is -1 if a message about an
    event is being sent; the step has to wait for it.
    """
    reached = {"reached": erasure.reached or NO_ID, "most": most}
    rows = db.session.execute(EVENTS, {**params, **reached}).all()
    found = [row for row in rows if row.found]
    if found and not _blank(found):
        return -1, 0
    if rows:
        erasure.reached = str(rows[-1].id)
    return len(rows), len(found)


def _blank(found: list[Any]) -> bool:
    here = {"tenant_id": current_tenant_id(), "ids": [str(row.id) for row in found]}
    runs = db.session.execute(RUNS, here).all()
    for run in runs:
        if run.state in ("scheduled", "queued"):
            with contextlib.suppress(Conflict):  # it was sent in the meantime
                message_queries.cancel_message(from_uuid("msg", run.message_id))
    runs = db.session.execute(RUNS, here).all()
    if any(run.state in ("scheduled", "queued", "sending") for run in runs):
        return False
    message_ids = [str(run.message_id) for run in runs if run.message_id]
    db.session.execute(BLANK_MESSAGES, {**here, "ids": message_ids})
    db.session.execute(
        BLANK_RUNS,
        {**here, "ids": [str(run.id) for run in runs], "now": now(), "erased": ERASED},
    )
    hooks = [str(row.hook_id) for row in found if row.hook_id]
    db.session.execute(BLANK_HOOKS, {**here, "ids": hooks})
    links = sorted({str(link)[:300] for row in found for link in row.links or ()})
    shops = sorted({str(row.connection_id) for row in found})
    db.session.execute(DROP_LINKS, {**here, "ids": shops, "links": links})
    db.session.execute(BLANK_EVENTS, here)
    return True
