"""Sessions of lines that are gone: the phone is logged out and its keys are deleted, by a host.

Only hosts reach the sessions, and the line's rows may be erased before one of them comes by. What
is left to do is a lease of a kind of its own, which outlives its tenant.
"""

from collections.abc import Iterable

from sqlalchemy import delete, select

from core.db import current_tenant_id, db, notify_workers
from core.queue import leases
from core.queue.leases import Lease
from messaging.lines.drivers.linked.client import LINKED_KIND
from messaging.models import Line, LinkedLine

NETWORKS = ("whatsapp", "simulator")


def logout_lease_kind(network: str) -> str:
    return f"{LINKED_KIND}:{network}{leases.ENDED_SUFFIX}"


def log_out_all_lines() -> int:
    """All of the open transaction's tenant, whose account is being erased. Says how many."""
    tenant_id = current_tenant_id()
    rows = db.session.execute(
        select(Line.id, Line.network)
        .join(
            LinkedLine, (LinkedLine.tenant_id == Line.tenant_id) & (LinkedLine.line_id == Line.id)
        )
        .where(Line.tenant_id == tenant_id, LinkedLine.tenant_id == tenant_id)
    ).all()
    for line_id, network in rows:
        leases.request(logout_lease_kind(network), tenant_id, line_id)
    # Whoever holds a session loses it: nothing more is received for the account.
    db.session.execute(delete(Lease).where(Lease.tenant_id == tenant_id, Lease.kind == LINKED_KIND))
    if rows:
        notify_workers("jobs.linked.wakeup.wake_hosts", tenant_id)
    return len(rows)


def is_line_gone(line_id: int) -> bool:
    """In the tenant's transaction, asked by a host about keys it has."""
    return db.session.get(LinkedLine, (current_tenant_id(), line_id)) is None


def request_logout(tenant_id: int, line_ids: Iterable[int], network: str) -> None:
    """In a global transaction: keys without a line, as an older version left them behind."""
    for line_id in line_ids:
        leases.request(logout_lease_kind(network), tenant_id, line_id)
