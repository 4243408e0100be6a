"""Work off campaigns: people, batches, figures; one small transaction after the other.

What is under way is limited by the line's pace, so a job is short: it fills up and leaves, and
the sweep rings again when there is room.
"""

from sqlalchemy.exc import DBAPIError

from core import chaos
from core.clock import now
from core.db import global_scope, notify_workers, tenant_scope
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
LOCK_CONFLICTS = ("40001", "40P01")  # serialization, deadlock: not an outage, only bad luck


def drain() -> int:
    """Lanes in turn, for a while at most."""
    acknowledge_wakeup("jobs.campaigns.drain")
    done, more = round_robin.work_lanes(LANE, WORK_SECONDS, _step, _recheck_lane)
    if more:
        with global_scope():
            notify_workers("jobs.campaigns.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due now, and lanes that nobody rang for."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.campaigns.drain")


def find_lost_work() -> int:
    """Campaigns that wait in a tenant whose lanes were lost: rare, so looked for rarely."""
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


def _recheck_lane(tenant_id: int, _worked: int = 0) -> int:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = campaign_repository.next_due()
        if due is None:
            return 0
        if due <= now():
            lanes.mark_due(LANE, tenant_id)
            notify_workers("jobs.campaigns.drain")
            return 1
        lanes.mark_later(LANE, tenant_id, due)
    return 0
