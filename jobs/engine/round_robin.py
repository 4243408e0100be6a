"""Lanes worked in turn by one job, for a while at most."""

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
    """How much was done, and whether the time was over before the work: then ring again. It is
    over too when messages wait that this worker could send, or the process is asked to end.

    `work` is called for a tenant until it says 0, or its turn is over and another tenant's lane
    comes first; what takes long keeps the lane meanwhile. `look_again` is told how much was done,
    after the lane was given back: marks that were made meanwhile did nothing.
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
