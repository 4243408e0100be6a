"""Work lanes in turn within one job, for a limited time.

Jobs that work many lanes at once use `jobs/engine/drain.py`.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from flask import current_app

from core.db import global_scope, notify_workers
from core.queue import lanes
from core.queue.presence import should_yield
from core.settings import Settings


@dataclass
class LaneTurn:
    """A leased lane, and how long it is this tenant's turn."""

    kind: str
    tenant_id: int
    lease: UUID
    lease_seconds: float
    until: float
    held: bool = True

    @property
    def over(self) -> bool:
        return not self.held or time.monotonic() >= self.until

    def extend(self) -> bool:
        """In a transaction: extend the lease. False: it was lost."""
        self.held = lanes.extend(self.kind, self.tenant_id, self.lease, self.lease_seconds)
        return self.held

    def release(self) -> None:
        with global_scope():
            lanes.release(self.kind, self.tenant_id, self.lease)


def lanes_in_turn(
    job: str, lane: str, seconds: float, *, turn: float | None = None, lease_seconds: float = 0
) -> Iterator[LaneTurn]:
    """Lease one lane after another until none is due or the time is over; then the job is queued
    again. The caller works each lane and releases it.

    After the first lane, time is also over when messages wait that this worker could send, or when
    the process has been asked to stop.
    """
    settings: Settings = current_app.extensions["comanda"]
    hold_seconds = lease_seconds or settings.lane_lease_seconds
    stop, worked = time.monotonic() + seconds, False
    while time.monotonic() < stop and not (worked and should_yield()):
        with global_scope():
            leased = lanes.lease_next(lane, hold_seconds)
        if leased is None:
            return
        yield LaneTurn(lane, *leased, hold_seconds, min(stop, time.monotonic() + (turn or seconds)))
        worked = True
    with global_scope():
        notify_workers(job)


def work_lanes(
    job: str,
    lane: str,
    seconds: float,
    work: Callable[[int], int],
    after_release: Callable[[int, int], object],
    *,
    turn: float | None = None,
    lease_seconds: float = 0,
) -> int:
    """Work lanes in small steps. Returns how much was done.

    `work` is called for a tenant until it returns 0, or until its `turn` is over and another
    tenant's lane comes first; the lease is extended meanwhile. `after_release` gets the amount of
    work done, after the lane was released: marks made while it was held had no effect.
    """
    done = 0
    for one in lanes_in_turn(job, lane, seconds, turn=turn, lease_seconds=lease_seconds):
        worked = _work_lane(one, work)
        one.release()
        after_release(one.tenant_id, worked)
        done += worked
    return done


def _work_lane(one: LaneTurn, work: Callable[[int], int]) -> int:
    done, extend_at = 0, time.monotonic() + one.lease_seconds / 3
    while not one.over and (worked := work(one.tenant_id)):
        done += worked
        if should_yield():
            break
        if time.monotonic() > extend_at:
            extend_at = time.monotonic() + one.lease_seconds / 3
            with global_scope():
                one.extend()
    return done
