"""Work off automation runs that are due: a few in one transaction, a troublesome one alone."""

from sqlalchemy.exc import DBAPIError

from core.clock import now
from core.db import global_scope, notify_workers, savepoint, tenant_scope
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
LOCK_CONFLICTS = ("40001", "40P01")  # serialization, deadlock: not an outage, only bad luck


def drain() -> int:
    """Lanes in turn, for a while at most."""
    acknowledge_wakeup("jobs.automations.drain")
    done, more = round_robin.work_lanes(LANE, WORK_SECONDS, _work, _recheck_lane)
    if more:
        with global_scope():
            notify_workers("jobs.automations.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due now, and lanes that nobody rang for."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.automations.drain")


def find_lost_work() -> int:
    """Runs that wait in a tenant whose lanes were lost: rare, so looked for rarely."""
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
    """What one run writes is all or nothing, and spares its neighbours."""
    try:
        with savepoint():
            automation_runs.execute_run(run_id)
    except Exception as error:
        if is_outage(error) or isinstance(error, DBAPIError):
            raise
        log.warning("automation run failed", run=run_id, exc_info=error)
        automation_runs.retry_run(run_id, type(error).__name__)


def _recheck_lane(tenant_id: int, _worked: int = 0) -> int:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = automation_runs.next_due()
        if due is None:
            return 0
        if due <= now():
            lanes.mark_due(LANE, tenant_id)
            notify_workers("jobs.automations.drain")
            return 1
        lanes.mark_later(LANE, tenant_id, due)
    return 0
