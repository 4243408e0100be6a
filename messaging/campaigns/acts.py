"""What people do with a campaign: start it, now or later, pause, resume, stop."""

import contextlib
from datetime import datetime
from typing import Any

from sqlalchemy import text

from core import lanes, news
from core.clock import now
from core.db import current_tenant_id, db, ring
from core.errors import Conflict, DomainError, invalid
from core.ids import from_uuid, to_uuid
from messaging import reading
from messaging.campaigns import book, outlook
from messaging.models import Campaign
from tenants import audit

LANE = "campaigns"
JOB = "jobs.campaigns.drain"

STOP_WAITING = text("""
UPDATE campaign_recipients SET state = 'stopped'
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
""")
NOT_LEFT = text("""
SELECT r.message_id FROM campaign_recipients AS r
  JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = r.message_id
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.outcome = 'queued'
   AND m.state = 'queued'
""")


def start(campaign_id: str, at: datetime | None = None) -> Campaign:
    """Now, or at a time. Refused with the reason when it could not be sent as it is."""
    campaign = book.get(campaign_id, lock=True)
    if campaign.state not in book.EDITABLE:
        raise Conflict("campaign_begun", "This campaign has begun already.")
    outlook.refuse_unready(campaign, book.line_of(campaign))
    moment = now()
    outlook.refuse_passed(at)
    if at is not None and at > moment + book.FARTHEST:
        raise invalid("at", "too_far", "A campaign can be scheduled up to a year ahead.")
    later = at is not None and at > moment
    campaign.because, campaign.changed_at = {}, moment
    campaign.scheduled_at = at if later else None
    if later:
        campaign.state, campaign.due_at = "scheduled", at
    else:
        begin(campaign, moment)
    act = "campaigns.scheduled" if later else "campaigns.started"
    audit.record(act, campaign.name, campaign=campaign.id)
    wake(campaign)
    return campaign


def begin(campaign: Campaign, moment: datetime) -> None:
    campaign.state, campaign.started_at, campaign.due_at = "running", moment, moment


def unschedule(campaign_id: str) -> Campaign:
    """Back to a draft, which remembers its time."""
    campaign = book.get(campaign_id, lock=True)
    if campaign.state != "scheduled":
        raise Conflict("not_scheduled", "This campaign is not waiting for its time.")
    campaign.state, campaign.due_at = "draft", None
    audit.record("campaigns.unscheduled", campaign.name, campaign=campaign.id)
    return campaign


def pause(campaign_id: str) -> Campaign:
    """What is on its way already, a few seconds' worth, still arrives."""
    campaign = book.get(campaign_id, lock=True)
    if campaign.state != "running":
        raise Conflict("not_running", "Only a running campaign can be paused.")
    hold(campaign)
    audit.record("campaigns.paused", campaign.name, campaign=campaign.id)
    return campaign


def hold(campaign: Campaign, because: DomainError | None = None) -> None:
    """By a person, or by itself with a reason."""
    campaign.state, campaign.because, campaign.changed_at = "paused", _said(because), now()
    campaign.due_at = now()  # what has left is still followed
    wake(campaign)


def resume(campaign_id: str) -> Campaign:
    campaign = book.get(campaign_id, lock=True)
    if campaign.state != "paused":
        raise Conflict("not_paused", "Only a paused campaign can be resumed.")
    outlook.refuse_unready(campaign, book.line_of(campaign))
    campaign.state, campaign.because, campaign.due_at = "running", {}, now()
    audit.record("campaigns.resumed", campaign.name, campaign=campaign.id)
    wake(campaign)
    return campaign


def stop(campaign_id: str) -> Campaign:
    """For good. What has not left by now is called off."""
    campaign = book.get(campaign_id, lock=True)
    if campaign.state not in ("running", "paused"):
        raise Conflict("not_running", "Only a running or paused campaign can be stopped.")
    mine = {
        "tenant_id": current_tenant_id(),
        "campaign_id": str(to_uuid("cmp", campaign.id)),
    }
    db.session.execute(STOP_WAITING, mine)
    for row in db.session.execute(NOT_LEFT, mine).all():
        with contextlib.suppress(Conflict):  # it has just left
            reading.cancel(from_uuid("msg", row.message_id))
    campaign.state, campaign.because = "stopped", {}
    campaign.finished_at = campaign.due_at = now()
    audit.record("campaigns.stopped", campaign.name, campaign=campaign.id)
    wake(campaign)
    return campaign


def wake(campaign: Campaign) -> None:
    """There is something to do for it, now or at its time; and open pages look again."""
    tell(campaign)
    if campaign.due_at is None:
        return
    if campaign.due_at <= now():
        lanes.mark_due(LANE, current_tenant_id())
        ring("jobs.campaigns.drain")
    else:
        lanes.mark_later(LANE, current_tenant_id(), campaign.due_at)


def tell(campaign: Campaign) -> None:
    news.tell("campaigns.changed", id=campaign.id, state=campaign.state)


def _said(error: DomainError | None) -> dict[str, Any]:
    """Kept in parts, so that every reader gets it in their own language."""
    if error is None:
        return {}
    values = {name: str(value) for name, value in error.values.items()}
    return {"code": error.code, "sentence": error.template, "values": values}
