"""Ask the network for the templates of each tenant's accounts."""

import time

from flask import current_app

from core import lanes
from core.db import global_scope, ring, tenant_scope
from core.rings import hear
from core.settings import Settings
from jobs import rounds
from messaging import lines_book, template_sync, templates
from messaging.templates import LANE

WORK_SECONDS = 60.0


def mark_all() -> int:
    """Hourly: everybody who has a cloud line is asked about."""
    hear("jobs.templates.mark_all")
    marked = 0

    def mark(tenant_id: int) -> bool:
        nonlocal marked
        with tenant_scope(tenant_id):
            if any(templates.account_of(line) for line in lines_book.listed()):
                templates.look_soon()
                marked += 1
        return False

    rounds.go("jobs.templates.mark_all", mark)
    return marked


def drain() -> int:
    """Lanes in turn, for a minute at most."""
    hear("jobs.templates.drain")
    settings: Settings = current_app.extensions["comanda"]
    stop, done = time.monotonic() + WORK_SECONDS, 0
    while time.monotonic() < stop:
        with global_scope():
            leased = lanes.lease_next(LANE, settings.lane_lease_seconds)
        if leased is None:
            return done
        tenant_id, lease = leased
        sync(settings, tenant_id)
        with global_scope():
            lanes.release(LANE, tenant_id, lease)
        done += 1
    with global_scope():
        ring("jobs.templates.drain")
    return done


def sync(settings: Settings, tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        asked = template_sync.accounts()
    answers = template_sync.ask(settings, asked)
    with tenant_scope(tenant_id):
        template_sync.settle(answers)


def sweep() -> None:
    """In the sweep's global transaction: lanes that nobody rang for."""
    if lanes.any_due(LANE):
        ring("jobs.templates.drain")
