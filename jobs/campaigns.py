"""Work off campaigns: people, batches, figures; one small transaction after the other.

What is under way is limited by the line's pace, so a job is short: it fills up and leaves, and
the sweep rings again when there is room.
"""

from sqlalchemy.exc import DBAPIError

from core import faultpoints, lanes
from core.clock import now
from core.db import global_scope, ring, tenant_scope
from core.faults import is_outage
from core.logs import logger
from core.rings import hear
from jobs import turns
from messaging.campaigns import book, working
from messaging.campaigns.acts import LANE
from restaurant import followers
from restaurant.loyalty import gifts

log = logger(__name__)

WORK_SECONDS = 10.0
LOST_RACES = ("40001", "40P01")  # serialization, deadlock: not an outage, only bad luck

followers.listen()
gifts.listen()


def drain() -> int:
    """Lanes in turn, for a while at most."""
    hear("jobs.campaigns.drain")
    done, more = turns.take(LANE, WORK_SECONDS, _step, _look_again)
    if more:
        with global_scope():
            ring("jobs.campaigns.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due now, and lanes that nobody rang for."""
    if lanes.wake_due(LANE):
        ring("jobs.campaigns.drain")


def find_forgotten() -> int:
    """Campaigns that wait in a tenant whose lanes were lost: rare, so looked for rarely."""
    hear("jobs.campaigns.find_forgotten")
    found = 0
    for tenant_id in lanes.due_anywhere(LANE):
        found += _look_again(tenant_id)
    return found


def _step(tenant_id: int) -> bool:
    try:
        with tenant_scope(tenant_id):
            worked = working.step()
    except DBAPIError as error:
        if getattr(error.orig, "pgcode", "") not in LOST_RACES:
            raise
        log.warning("a campaign lost a race and goes on", error=type(error).__name__)
        return True
    except Exception as error:
        if is_outage(error):
            raise
        log.exception("a campaign failed", tenant=tenant_id)
        return _put_off(tenant_id)
    faultpoints.at("campaign_handed")
    return worked


def _put_off(tenant_id: int) -> bool:
    with tenant_scope(tenant_id):
        troubled = working.next_one()
        if troubled is not None:
            working.put_off(troubled)
    return troubled is not None


def _look_again(tenant_id: int, _worked: int = 0) -> int:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = book.next_due()
        if due is None:
            return 0
        if due <= now():
            lanes.mark_due(LANE, tenant_id)
            ring("jobs.campaigns.drain")
            return 1
        lanes.mark_later(LANE, tenant_id, due)
    return 0
