"""Held messages: send them to the chats of members, and expire those that nobody decided about."""

from core.db import notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from jobs.engine import round_robin
from messaging.approvals import decisions, member_chats
from messaging.approvals.submit import LANE

WORK_SECONDS, TURN_SECONDS = 20.0, 5.0


def drain() -> int:
    acknowledge_wakeup("jobs.approvals.drain")
    return round_robin.work_lanes(
        "jobs.approvals.drain", LANE, WORK_SECONDS, _work, _mark_next, turn=TURN_SECONDS
    )


def sweep() -> None:
    """In the sweep's global transaction."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.approvals.drain")


def _work(tenant_id: int) -> int:
    with tenant_scope(tenant_id):
        return member_chats.notify_members() + decisions.expire_due()


def _mark_next(tenant_id: int, _done: int) -> None:
    with tenant_scope(tenant_id):
        if decisions.mark_next_expiry():
            notify_workers("jobs.approvals.drain")
