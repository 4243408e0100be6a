"""The clock of a tenant's test mode. Advancing it makes everything that waits in test mode older.

Times of test rows move back instead of the clock moving forward, so that every job and rule works
with the one real clock and live rows cannot be affected. See docs/decisions/0054-test-clock.md.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.errors import invalid
from core.queue import lanes
from messaging.approvals.submit import LANE as APPROVALS
from messaging.campaigns.lifecycle import LANE as CAMPAIGNS
from messaging.journeys.runs import LANE as JOURNEYS
from messaging.lines import send_lane
from messaging.lines.simulated_time import clock
from messaging.models import TestClock
from tenants import audit

MOST_AT_ONCE = timedelta(days=366)
MOST_AHEAD = timedelta(days=3660)

# Conversations have no mode of their own: those of the test line are in test mode.
MOVE = (
    text("""
UPDATE conversations SET window_until = (window_until AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC',
       entry_point_until = (entry_point_until AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id
   AND line_id IN (SELECT id FROM lines WHERE tenant_id = :tenant_id AND test)
"""),
    text("""
UPDATE messages SET due_at = (due_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC',
       valid_until = (valid_until AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND test
"""),
    text("""
UPDATE held_messages SET expires_at = (expires_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND state = 'held' AND test
"""),
    text("""
UPDATE campaigns SET due_at = (due_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC',
       scheduled_at = (scheduled_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND test
"""),
    text("""
UPDATE campaign_recipients SET due_at = (due_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND state = 'waiting'
   AND campaign_id IN (SELECT id FROM campaigns WHERE tenant_id = :tenant_id AND test
                          AND due_at IS NOT NULL)
"""),
    text("""
UPDATE journey_runs SET due_at = (due_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND waits <> 'calling' AND test
"""),
)


def advance(by: timedelta) -> TestClock:
    """Make what waits in test mode older, and wake the workers for what is due now.

    The caller moves the rows of other domains and the simulated network's chats.
    """
    before = clock().seconds_ahead
    if not timedelta(0) < by <= MOST_AT_ONCE:
        raise invalid(
            "advance_seconds", "invalid_duration", "Move the clock by 1 second to 366 days."
        )
    if before + by.total_seconds() > MOST_AHEAD.total_seconds():
        raise invalid(
            "advance_seconds", "invalid_duration", "The clock is ten years ahead. Reset it first."
        )
    for statement in MOVE:
        db.session.execute(statement, params(by))
    send_lane.wake_waiting_messages()
    lanes.mark_due(APPROVALS, current_tenant_id(), now())
    notify_workers("jobs.approvals.drain")
    lanes.mark_due(CAMPAIGNS, current_tenant_id(), now())
    notify_workers("jobs.campaigns.drain")
    lanes.mark_due(JOURNEYS, current_tenant_id(), now())
    notify_workers("jobs.journeys.drain")
    return _store(before + int(by.total_seconds()))


def reset() -> TestClock:
    """Count from the real time again. What has happened stays as it is."""
    return _store(0)


def params(by: timedelta) -> dict[str, Any]:
    return {"tenant_id": current_tenant_id(), "by": by}


def _store(seconds: int) -> TestClock:
    was, values = clock().seconds_ahead, {"seconds_ahead": seconds, "changed_at": now()}
    db.session.execute(
        insert(TestClock)
        .values(tenant_id=current_tenant_id(), **values)
        .on_conflict_do_update(index_elements=[TestClock.tenant_id], set_=values)
    )
    db.session.expire_all()
    audit.record("test_clock.changed", "", was=was, now=seconds)
    return clock()
