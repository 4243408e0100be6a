"""Run campaigns: recipients, batches, figures; one small transaction after another.

The line's pace limits how many messages are in flight, so a job is short: it fills the available
room and ends, and the sweep wakes it when there is room again.
"""

from sqlalchemy.exc import DBAPIError

from core import chaos
from core.db import notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.sql.db_errors import is_outage
from jobs.engine import round_robin
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import runner as campaign_runner
from messaging.campaigns.lifecycle import LANE

log = logger(__name__)

WORK_SECONDS = 10.0
LOCK_CONFLICTS = ("40001", "40P01")  # serialization failure, deadlock: a conflict, not an outage


def drain() -> int:
    """Work the lanes in turn, for WORK_SECONDS at most. Returns how many steps were done."""
    acknowledge_wakeup("jobs.campaigns.drain")
    return round_robin.work_lanes("jobs.campaigns.drain", LANE, WORK_SECONDS, _step, _recheck_lane)


def sweep() -> None:
    """In the sweep's global transaction: later work that is due now, and lanes without a
    wake-up.
    """
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.campaigns.drain")


def find_lost_work() -> int:
    """Find due campaigns of tenants whose lane was lost. This is rare, so it runs rarely."""
    acknowledge_wakeup("jobs.campaigns.find_lost_work")
    found = 0
    for tenant_id in lanes.tenants_with_due_work(LANE):
        found += _recheck_lane(tenant_id)
    return found


def _step(tenant_id: int) -> bool:
    try:
        with tenant_scope(tenant_id):
            worked = campaign_runner.run_next_step()
    except DBAPIError as error:
        if getattr(error.orig, "pgcode", "") not in LOCK_CONFLICTS:
            raise
        log.warning("campaign batch retried after conflict", error=type(error).__name__)
        return True
    except Exception as error:
        if is_outage(error):
            raise
        log.exception("campaign batch failed", tenant=tenant_id)
        return _postpone(tenant_id)
    chaos.fault_point("campaign_handed")
    return worked


def _postpone(tenant_id: int) -> bool:
    with tenant_scope(tenant_id):
        troubled = campaign_runner.claim_campaign()
        if troubled is not None:
            campaign_runner.postpone_campaign(troubled)
    return troubled is not None


def _recheck_lane(tenant_id: int, _worked: int = 0) -> bool:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        due = lanes.mark_next(LANE, tenant_id, campaign_repository.next_due())
        if due:
            notify_workers("jobs.campaigns.drain")
    return due
