"""Continue journeys: start those of today, waiting times that are over, calls to other services."""

from flask import current_app
from sqlalchemy.exc import DBAPIError

from core import chaos
from core.db import notify_workers, savepoint, tenant_scope
from core.http.guard import Policy
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from core.sql.db_errors import is_outage
from jobs.engine import round_robin
from messaging.journeys import calls, dates, repository
from messaging.journeys import runs as journey_runs
from messaging.journeys.runs import LANE

log = logger(__name__)

WORK_SECONDS, TURN_SECONDS = 20.0, 5.0
BATCH = 20
LOCK_CONFLICTS = ("40001", "40P01")  # serialization failure, deadlock: a conflict, not an outage


def drain() -> int:
    """Work the lanes in turn, for WORK_SECONDS at most. Returns how many runs were continued."""
    acknowledge_wakeup("jobs.journeys.drain")
    return round_robin.work_lanes(
        "jobs.journeys.drain", LANE, WORK_SECONDS, _work, _recheck_lane, turn=TURN_SECONDS
    )


def sweep() -> None:
    """In the sweep's global transaction: later work that is due now, lanes without a wake-up."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.journeys.drain")


def find_lost_work() -> int:
    """Find due runs of tenants whose lane was lost. This is rare, so it runs rarely."""
    acknowledge_wakeup("jobs.journeys.find_lost_work")
    found = 0
    for tenant_id in lanes.tenants_with_due_work(LANE):
        found += _recheck_lane(tenant_id)
    return found


def _work(tenant_id: int) -> int:
    calling: list[str] = []
    try:
        with tenant_scope(tenant_id):
            started = dates.start_due()
            run_ids = journey_runs.claim_due(BATCH)
            continued = [_continue(run_id) for run_id in run_ids]
            calling += [run_id for run_id in continued if run_id is not None]
            chaos.fault_point("journey_before_commit")
    except DBAPIError as error:
        if getattr(error.orig, "pgcode", "") not in LOCK_CONFLICTS:
            raise
        log.warning("journey runs retried after conflict", error=type(error).__name__)
        return 1
    chaos.fault_point("journey_committed")
    for run_id in calling:
        _call(tenant_id, run_id)
    return started + len(run_ids)


def _continue(run_id: str) -> str | None:
    """One run is atomic: a failure does not affect the other runs of the batch."""
    try:
        with savepoint():
            return journey_runs.continue_run(run_id)
    except Exception as error:
        if is_outage(error) or isinstance(error, DBAPIError):
            raise
        log.warning("journey run failed", run=run_id, exc_info=error)
        journey_runs.retry_run(run_id)
        return None


def _call(tenant_id: int, run_id: str) -> None:
    """Call another service, at most once: the run already tells that it is being called."""
    settings: Settings = current_app.extensions["comanda"]
    policy = Policy(settings.ports_allowed, settings.allow_loopback)
    with tenant_scope(tenant_id):
        work = calls.prepare(run_id)
    if work is None:
        return
    done = calls.make(work, policy)
    chaos.fault_point("journey_called")
    with tenant_scope(tenant_id):
        run = journey_runs.called_run(run_id, work.visit)
        if run is not None:
            definition = repository.version_of_run(run)
            journey_runs.settle_call(run, definition, done)


def _recheck_lane(tenant_id: int, _worked: int = 0) -> bool:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        times = [one for one in (journey_runs.next_due(), dates.next_check()) if one is not None]
        due = lanes.mark_next(LANE, tenant_id, min(times, default=None))
        if due:
            notify_workers("jobs.journeys.drain")
    return due
