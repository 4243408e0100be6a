"""Store a hook as it came and wake a worker. Hooks are verified before they get here."""

import psycopg2
from psycopg2.extras import Json

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.ids import new_uuid_text
from core.queue import lanes
from core.queue.wakeups import WakeUp, send_wakeups
from core.sql.pool import run_global
from webhooks.inbound.hook_queue import LANE
from webhooks.inbound.models import ReceivedHook

STORE_HOOK = """
SELECT app.store_hook(%(tenant_id)s, %(id)s, %(kind)s, %(target)s, %(body)s, %(facts)s, %(now)s,
                      %(lane)s)
"""


def store_hook(
    tenant_id: int, kind: str, target: str, body: bytes, facts: dict[str, str] | None = None
) -> None:
    """In its own transaction and one round trip: the network sends thousands a minute."""
    run_global(
        STORE_HOOK,
        {
            "tenant_id": tenant_id,
            "id": new_uuid_text(),
            "kind": kind,
            "target": target,
            "body": psycopg2.Binary(body),
            "facts": Json(facts) if facts else None,
            "lane": LANE,
            "now": now(),
        },
    )
    send_wakeups([WakeUp("jobs.inbound.hooks.drain")])


def add_hook(kind: str, target: str, body: bytes, facts: dict[str, str]) -> None:
    """In the open transaction of the tenant, with other rows. The worker wakes after commit."""
    tenant_id = current_tenant_id()
    db.session.add(
        ReceivedHook(tenant_id=tenant_id, kind=kind, target=target, body=body, facts=facts)
    )
    lanes.mark_due(LANE, tenant_id)
    notify_workers("jobs.inbound.hooks.drain")
