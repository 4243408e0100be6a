"""Lanes worked in turn by one job, for a while at most."""

import time
from collections.abc import Callable

from flask import current_app

from core import lanes
from core.db import global_scope
from core.settings import Settings


def take(
    lane: str, seconds: float, work: Callable[[int], int], look_again: Callable[[int], object]
) -> tuple[int, bool]:
    """How much was done, and whether the time was over before the work: then ring again.

    `work` is called for a tenant until it says 0; `look_again` after its lane was given back,
    because marks that were made meanwhile did nothing.
    """
    settings: Settings = current_app.extensions["comanda"]
    stop, done = time.monotonic() + seconds, 0
    while time.monotonic() < stop:
        with global_scope():
            leased = lanes.lease_next(lane, settings.lane_lease_seconds)
        if leased is None:
            return done, False
        tenant_id, lease = leased
        while time.monotonic() < stop and (worked := work(tenant_id)):
            done += worked
        with global_scope():
            lanes.release(lane, tenant_id, lease)
        look_again(tenant_id)
    return done, True
