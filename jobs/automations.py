"""Run due automation runs: several in one transaction, each in a savepoint."""

from sqlalchemy.exc import DBAPIError

from core.db import notify_workers, savepoint, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.sql.db_errors import is_outage
from jobs.engine import round_robin
from messaging.automations import runs as automation_runs
from messaging.automations.runs import LANE

log = logger(__name__)

WORK_SECONDS = 20.0
BATCH = 20
LOCK_CONFLICTS = ("40001", "40P01")  # serialization failure, deadlock: a conflict, not an outage


def drain() -> int:
    """Work the lanes in turn, for WORK_SECONDS at most. Returns how many runs were done."""
    acknowledge_wakeup("jobs.automations.drain")
    return round_robin.work_lanes(
        "jobs.automations.drain", LANE, WORK_SECONDS, _work, _recheck_lane
    )


def sweep() -> None:
    """In the sweep's global transaction: later work that is due now, and lanes without a
    wake-up.
    """
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.automations.drain")


def find_lost_work() -> int:
    """Find due runs of tenants whose lane was lost. This is rare, so it runs rarely."""
    acknowledge_wakeup("jobs.automations.find_lost_work")
    found = 0
    for tenant_id in lanes.tenants_with_due_work(LANE):
        found += _recheck_lane(tenant_id)
    return found


def _work(tenant_id: int) -> int:
    try:
        with tenant_scope(tenant_id):
            run_ids = automation_runs.claim_runs(BATCH)
            for run_id in run_ids:
                _work_one(run_id)
    except DBAPIError as error:
        if getattr(error.orig, "pgcode", "") not in LOCK_CONFLICTS:
            raise
        log.warning("automation runs retried after conflict", error=type(error).__name__)
        return 1
    return len(run_ids)


def _work_one(run_id: str) -> None:
    """One run is atomic: a failure does not affect the other runs of the batch."""
    try:
        with savepoint():
            automation_runs.execute_run(run_id)
    except Exception as error:
        if is_outage(error) or isinstance(error, DBAPIError):
            raise
        log.warning("automation run failed", run=run_id, exc_info=error)
        automation_runs.retry_run(run_id, type(error).__name__)


def _recheck_lane(tenant_id: int, _worked: int = 0) -> bool:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        due = lanes.mark_next(LANE, tenant_id, automation_runs.next_due())
        if due:
            notify_workers("jobs.automations.drain")
    return due
