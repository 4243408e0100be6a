"""Log out the sessions of removed lines: a host logs out the device and deletes its keys.

Only hosts reach the sessions, and the line's rows may be erased before a host gets to it. The
pending logout is a lease of a separate kind, which outlives its tenant.
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
    """Request a logout for all linked lines of the current tenant, whose account is being erased.

    Returns how many there are.
    """
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
    # The host that holds a session loses its lease: nothing more is received for the account.
    db.session.execute(delete(Lease).where(Lease.tenant_id == tenant_id, Lease.kind == LINKED_KIND))
    if rows:
        notify_workers("jobs.linked.wakeup.wake_hosts", tenant_id)
    return len(rows)


def is_line_gone(line_id: int) -> bool:
    """Return whether a line no longer exists. A host asks this about keys that it has.

    Runs in the tenant's transaction.
    """
    return db.session.get(LinkedLine, (current_tenant_id(), line_id)) is None


def request_logout(tenant_id: int, line_ids: Iterable[int], network: str) -> None:
    """Request the logout of keys without a line, which an older version left behind.

    Runs in a global transaction.
    """
    for line_id in line_ids:
        leases.request(logout_lease_kind(network), tenant_id, line_id)
