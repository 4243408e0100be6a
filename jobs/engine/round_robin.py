"""Work lanes in turn within one job, for a limited time."""

import time
from collections.abc import Callable
from uuid import UUID

from flask import current_app

from core.db import global_scope
from core.queue import lanes
from core.queue.presence import should_yield
from core.settings import Settings


def work_lanes(
    lane: str,
    seconds: float,
    work: Callable[[int], int],
    look_again: Callable[[int, int], object],
    *,
    turn: float | None = None,
    lease_seconds: float = 0,
) -> tuple[int, bool]:
    """Return how much was done, and whether time ran out first. Then the job must be queued again.

    Time is also over when messages wait that this worker could send, or when the process has been
    asked to stop. `work` is called for a tenant until it returns 0, or until its `turn` is over and
    another tenant's lane comes first; the lease is extended meanwhile. `look_again` gets the amount
    of work done, after the lane was released: marks made while it was held had no effect.
    """
    settings: Settings = current_app.extensions["comanda"]
    held = lease_seconds or settings.lane_lease_seconds
    stop, done = time.monotonic() + seconds, 0
    while time.monotonic() < stop and not (done and should_yield()):
        with global_scope():
            leased = lanes.lease_next(lane, held)
        if leased is None:
            return done, False
        tenant_id, lease = leased
        until = min(stop, time.monotonic() + (turn or seconds))
        worked = _work_lane(lane, tenant_id, lease, work, until, held)
        with global_scope():
            lanes.release(lane, tenant_id, lease)
        look_again(tenant_id, worked)
        done += worked
    return done, True


def _work_lane(
    lane: str, tenant_id: int, lease: UUID, work: Callable[[int], int], until: float, held: float
) -> int:
    done, renew_at = 0, time.monotonic() + held / 3
    while time.monotonic() < until and (worked := work(tenant_id)):
        done += worked
        if should_yield():
            break
        if time.monotonic() > renew_at:
            renew_at = time.monotonic() + held / 3
            with global_scope():
                if not lanes.extend(lane, tenant_id, lease, held):
                    break
    return done
