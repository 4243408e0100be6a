"""Ask the tenant's language model about guests' orders and voice notes.

Claim, call, settle; no transaction is open during a call.
"""

import time
from typing import Any

from flask import current_app

from core.db import notify_workers, tenant_scope
from core.http import Policy
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from core.storage.blobs import BlobError, Blobs
from jobs.engine import round_robin
from restaurant.text_orders.model import port, requests
from restaurant.text_orders.model.requests import LANE, Work

log = logger(__name__)

WORK_SECONDS, TURN_SECONDS, LANE_SECONDS = 30.0, 10.0, 120.0


def drain() -> int:
    acknowledge_wakeup("jobs.restaurant.text_orders.drain")
    return round_robin.work_lanes(
        "jobs.restaurant.text_orders.drain",
        LANE,
        WORK_SECONDS,
        _work,
        _recheck_lane,
        turn=TURN_SECONDS,
        lease_seconds=LANE_SECONDS,
    )


def sweep() -> None:
    """In the sweep's global transaction: requests that are due again, lanes without a wake-up."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.restaurant.text_orders.drain")


def _work(tenant_id: int) -> int:
    with tenant_scope(tenant_id):
        work = requests.claim()
    if work is None:
        return 0
    settings: Settings = current_app.extensions["comanda"]
    policy = Policy(settings.ports_allowed, settings.allow_loopback)
    started = time.monotonic()
    answer, failed = _ask(work, policy)
    took = time.monotonic() - started
    if failed:
        log.warning("language model not used", reason=failed, message=work.message_id)
    with tenant_scope(tenant_id):
        if work.kind == requests.VOICE:
            requests.settle_voice(work, answer or "", failed, took)
        else:
            requests.settle_order(work, answer, failed, took)
    return 1


def _ask(work: Work, policy: Policy) -> tuple[Any, str]:
    """The answer, or why there is none."""
    if work.access is None:
        return None, "budget"
    try:
        if work.kind == requests.VOICE:
            sound = _sound(work)
            return port.transcribe(work.access, policy, sound, work.mime_type, work.language), ""
        if work.menu is None:
            return None, "no_menu"
        return port.ask_for_cart(work.access, policy, work.menu, work.cart, work.text), ""
    except port.ModelFailed as error:
        return None, error.reason
    except (BlobError, OSError) as error:
        return None, type(error).__name__


def _sound(work: Work) -> bytes:
    blobs: Blobs = current_app.extensions["blobs"]
    with blobs.open(work.blob_key) as file:
        return file.read(port.LARGEST_VOICE_NOTE + 1)


def _recheck_lane(tenant_id: int, _worked: int) -> None:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        if lanes.mark_next(LANE, tenant_id, requests.next_due()):
            notify_workers("jobs.restaurant.text_orders.drain")
