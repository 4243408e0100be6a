"""Work off automation runs that are due: a few in one transaction, a troublesome one alone."""

from sqlalchemy.exc import DBAPIError

from core import lanes
from core.clock import now
from core.db import global_scope, ring, savepoint, tenant_scope
from core.faults import is_outage
from core.logs import logger
from core.rings import hear
from jobs import turns
from messaging import automations
from messaging.automations import LANE

log = logger(__name__)

WORK_SECONDS = 20.0
BATCH = 20
LOST_RACES = ("40001", "40P01")  # serialization, deadlock: not an outage, only bad luck


def drain() -> int:
    """Lanes in turn, for a while at most."""
    hear("jobs.automations.drain")
    done, more = turns.take(LANE, WORK_SECONDS, _work, _look_again)
    if more:
        with global_scope():
            ring("jobs.automations.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due now, and lanes that nobody rang for."""
    if lanes.wake_due(LANE):
        ring("jobs.automations.drain")


def find_forgotten() -> int:
    """Runs that wait in a tenant whose lanes were lost: rare, so looked for rarely."""
    hear("jobs.automations.find_forgotten")
    found = 0
    for tenant_id in lanes.due_anywhere(LANE):
        found += _look_again(tenant_id)
    return found


def _work(tenant_id: int) -> int:
    try:
        with tenant_scope(tenant_id):
            run_ids = automations.claim(BATCH)
            for run_id in run_ids:
                _work_one(run_id)
    except DBAPIError as error:
        if getattr(error.orig, "pgcode", "") not in LOST_RACES:
            raise
        log.warning("runs lost a race and are taken again", error=type(error).__name__)
        return 1
    return len(run_ids)


def _work_one(run_id: str) -> None:
    """What one run writes is all or nothing, and spares its neighbours."""
    try:
        with savepoint():
            automations.work(run_id)
    except Exception as error:
        if is_outage(error) or isinstance(error, DBAPIError):
            raise
        log.warning("a run failed", run=run_id, exc_info=error)
        automations.try_later(run_id, type(error).__name__)


def _look_again(tenant_id: int, _worked: int = 0) -> int:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = automations.next_due()
        if due is None:
            return 0
        if due <= now():
            lanes.mark_due(LANE, tenant_id)
            ring("jobs.automations.drain")
            return 1
        lanes.mark_later(LANE, tenant_id, due)
    return 0
