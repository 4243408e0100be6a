"""Work of the shared inbox: assignment, snooze, replies for later, satisfaction questions."""

from datetime import datetime

from core.db import current_tenant_id, notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from jobs.engine import round_robin
from messaging.inbox.team import assignment, ratings, scheduled_replies, snooze
from messaging.messages.inbound.cases import LANE

WORK_SECONDS, TURN_SECONDS = 20.0, 5.0
STEPS = (
    scheduled_replies.send_due,
    snooze.return_due,
    assignment.release_silent,
    assignment.assign_queued,
    ratings.ask_due,
)
NEXT_TIMES = (
    scheduled_replies.next_due,
    snooze.next_return,
    assignment.next_due,
    ratings.next_due,
)


def drain() -> int:
    acknowledge_wakeup("jobs.inbox.drain")
    return round_robin.work_lanes(
        "jobs.inbox.drain", LANE, WORK_SECONDS, _work, _mark_next, turn=TURN_SECONDS
    )


def sweep() -> None:
    """In the sweep's global transaction."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.inbox.drain")


def _work(tenant_id: int) -> int:
    """Each step has its own transaction: one that fails does not undo the others."""
    done = 0
    for step in STEPS:
        with tenant_scope(tenant_id):
            done += step()
    return done


def _mark_next(tenant_id: int, _done: int) -> None:
    with tenant_scope(tenant_id):
        times: list[datetime] = [at for one in NEXT_TIMES if (at := one()) is not None]
        if lanes.mark_next(LANE, current_tenant_id(), min(times, default=None)):
            notify_workers("jobs.inbox.drain")
