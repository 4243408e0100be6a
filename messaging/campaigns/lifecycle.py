"""Actions on a campaign: start now or later, pause, resume, stop."""

import contextlib
from datetime import datetime
from typing import Any

from sqlalchemy import text

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.errors import Conflict, DomainError, invalid
from core.ids import from_uuid, to_uuid
from core.queue import lanes
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import repository as campaign_repository
from messaging.messages import queries as message_queries
from messaging.models import Campaign
from tenants import audit

LANE = "campaigns"
JOB = "jobs.campaigns.drain"

STOP_RECIPIENTS = text("""
UPDATE campaign_recipients SET state = 'stopped'
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
""")
FIND_UNSENT = text("""
SELECT r.message_id FROM campaign_recipients AS r
  JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = r.message_id
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.outcome = 'queued'
   AND m.state = 'queued'
""")


def start(campaign_id: str, at: datetime | None = None) -> Campaign:
    """Start now or at a time. Raises Invalid if it could not be sent as it is."""
    campaign = campaign_repository.get(campaign_id, lock=True)
    if campaign.state not in campaign_repository.EDITABLE:
        raise Conflict("campaign_begun", "This campaign has already started.")
    campaign_dry_run.check_ready(campaign, campaign_repository.campaign_line(campaign))
    moment = now()
    campaign_dry_run.check_not_past(at)
    if at is not None and at > moment + campaign_repository.MAX_SCHEDULE_AHEAD:
        raise invalid("at", "too_far", "A campaign can be scheduled up to a year ahead.")
    later = at is not None and at > moment
    campaign.because, campaign.changed_at = {}, moment
    campaign.scheduled_at = at if later else None
    if later:
        campaign.state, campaign.due_at = "scheduled", at
    else:
        begin_campaign(campaign, moment)
    act = "campaigns.scheduled" if later else "campaigns.started"
    audit.record(act, campaign.name, campaign=campaign.id)
    wake_campaign(campaign)
    return campaign


def begin_campaign(campaign: Campaign, moment: datetime) -> None:
    campaign.state, campaign.started_at, campaign.due_at = "running", moment, moment


def unschedule_campaign(campaign_id: str) -> Campaign:
    """Make a scheduled campaign a draft again; it keeps its time."""
    campaign = campaign_repository.get(campaign_id, lock=True)
    if campaign.state != "scheduled":
        raise Conflict("not_scheduled", "This campaign is not scheduled.")
    campaign.state, campaign.due_at = "draft", None
    audit.record("campaigns.unscheduled", campaign.name, campaign=campaign.id)
    return campaign


def pause(campaign_id: str) -> Campaign:
    """Pause. Messages that are already queued, a few seconds' worth, are still sent."""
    campaign = campaign_repository.get(campaign_id, lock=True)
    if campaign.state != "running":
        raise Conflict("not_running", "Only a running campaign can be paused.")
    hold_campaign(campaign)
    audit.record("campaigns.paused", campaign.name, campaign=campaign.id)
    return campaign


def hold_campaign(campaign: Campaign, because: DomainError | None = None) -> None:
    """Pause a campaign: for a person, or automatically with a reason."""
    campaign.state, campaign.because, campaign.changed_at = "paused", _error_parts(because), now()
    campaign.due_at = now()  # results of sent messages are still collected
    wake_campaign(campaign)


def resume(campaign_id: str) -> Campaign:
    campaign = campaign_repository.get(campaign_id, lock=True)
    if campaign.state != "paused":
        raise Conflict("not_paused", "Only a paused campaign can be resumed.")
    campaign_dry_run.check_ready(campaign, campaign_repository.campaign_line(campaign))
    campaign.state, campaign.because, campaign.due_at = "running", {}, now()
    audit.record("campaigns.resumed", campaign.name, campaign=campaign.id)
    wake_campaign(campaign)
    return campaign


def stop(campaign_id: str) -> Campaign:
    """Stop permanently and cancel the messages that have not been sent."""
    campaign = campaign_repository.get(campaign_id, lock=True)
    if campaign.state not in ("running", "paused"):
        raise Conflict("not_running", "Only a running or paused campaign can be stopped.")
    params = {
        "tenant_id": current_tenant_id(),
        "campaign_id": str(to_uuid("cmp", campaign.id)),
    }
    db.session.execute(STOP_RECIPIENTS, params)
    for row in db.session.execute(FIND_UNSENT, params).all():
        with contextlib.suppress(Conflict):  # it was sent in the meantime
            message_queries.cancel_message(from_uuid("msg", row.message_id))
    campaign.state, campaign.because = "stopped", {}
    campaign.finished_at = campaign.due_at = now()
    audit.record("campaigns.stopped", campaign.name, campaign=campaign.id)
    wake_campaign(campaign)
    return campaign


def wake_campaign(campaign: Campaign) -> None:
    """Wake a worker when the campaign is due, and update open pages."""
    send_live_update(campaign)
    if lanes.mark_next(LANE, current_tenant_id(), campaign.due_at):
        notify_workers("jobs.campaigns.drain")


def send_live_update(campaign: Campaign) -> None:
    live_updates.publish_update("campaigns.changed", id=campaign.id, state=campaign.state)


def _error_parts(error: DomainError | None) -> dict[str, Any]:
    """Store an error in parts, so that it is shown in each reader's language."""
    if error is None:
        return {}
    values = {name: str(value) for name, value in error.values.items()}
    return {"code": error.code, "sentence": error.template, "values": values}
