"""Run the next step of a campaign: add recipients, send a batch, or update its results.

Each step is one transaction.
"""

from datetime import datetime, timedelta

from sqlalchemy import text

from core import chaos
from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from core.ids import from_uuid
from messaging.campaigns import batches as campaign_batches
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import recipients as campaign_recipients
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from messaging.campaigns.experiments import paused_templates
from messaging.models import Campaign
from webhooks.events import publish_webhook_event

NEXT_LOOK = timedelta(seconds=3)
RETRY_AFTER_FAILURE = timedelta(minutes=1)
# Age of the campaign and the interval between updates of its results.
FOLLOW_UP_INTERVALS = (
    (timedelta(minutes=30), timedelta(minutes=1)),
    (timedelta(days=1), timedelta(minutes=10)),
    (timedelta(days=100), timedelta(hours=1)),
)

CLAIM_CAMPAIGN = text("""
SELECT id FROM campaigns
 WHERE tenant_id = :tenant_id AND due_at <= :now ORDER BY due_at LIMIT 1
   FOR UPDATE SKIP LOCKED
""")


def run_next_step() -> bool:
    """Run a step of the campaign that is due the longest. Returns False if none is due."""
    campaign_id = claim_campaign()
    if campaign_id is None:
        return False
    run_step(campaign_repository.get(campaign_id))
    return True


def claim_campaign() -> str | None:
    """Lock the due campaign until the transaction ends; None if none is due."""
    row = db.session.execute(
        CLAIM_CAMPAIGN, {"tenant_id": current_tenant_id(), "now": now()}
    ).first()
    return None if row is None else from_uuid("cmp", row.id)


def run_step(campaign: Campaign) -> None:
    moment = now()
    campaign.due_at = moment  # behind the tenant's other campaigns
    if campaign.state == "scheduled":
        campaign_lifecycle.begin_campaign(campaign, moment)
    if campaign.state != "running":
        _follow_up(campaign, moment)
    elif _send_next(campaign, moment):
        return  # more to send; the results are counted later
    campaign_lifecycle.send_live_update(campaign)


def postpone_campaign(campaign_id: str) -> None:
    """Retry later, after an error that the campaign did not cause; other campaigns go first."""
    campaign = campaign_repository.get(campaign_id, lock=True)
    campaign.due_at = now() + RETRY_AFTER_FAILURE


def _send_next(campaign: Campaign, moment: datetime) -> bool:
    """Returns True if more can be sent at once."""
    if campaign.gathered_at is None:
        campaign_recipients.add_recipients(campaign)
        campaign.counts = results.count_results(campaign)
        chaos.fault_point("campaign_gathered")
        return False
    if campaign_batches.send_batch(campaign):
        return True
    in_quiet_hours = campaign.due_at is not None and campaign.due_at > moment + RETRY_AFTER_FAILURE
    results.refresh_results(campaign, deep=in_quiet_hours)
    line = campaign_repository.campaign_line(campaign)
    if campaign.state == "running" and paused_templates.requeue_refused(campaign, line, moment):
        campaign.counts, campaign.due_at = results.count_results(campaign), moment
        return True
    if campaign.state == "running" and not campaign.counts["waiting"]:
        if campaign.counts["open"]:
            campaign.due_at = moment + NEXT_LOOK
        else:
            _finish(campaign, moment)
    elif in_quiet_hours and campaign.due_at is not None:
        # The other recipients are in quiet hours; results of sent messages are still collected.
        since = campaign.started_at or moment
        campaign.due_at = min(campaign.due_at, moment + _follow_up_interval(moment - since))
    return False


def _follow_up_interval(age: timedelta) -> timedelta:
    return next(
        (every for until, every in FOLLOW_UP_INTERVALS if age < until), FOLLOW_UP_INTERVALS[-1][1]
    )


def _finish(campaign: Campaign, moment: datetime) -> None:
    """Finish: every recipient has the message or a reason why not."""
    campaign.state, campaign.finished_at, campaign.due_at = "finished", moment, moment + NEXT_LOOK
    results.refresh_results(campaign, deep=True)
    publish_finished(campaign)


def publish_finished(campaign: Campaign) -> None:
    publish_webhook_event(
        "campaigns.finished",
        {"instance_id": campaign.line_id, "data": finished_event_body(campaign)},
    )


def finished_event_body(campaign: Campaign) -> dict[str, object]:
    """The data of the campaigns.finished event."""
    counts = campaign.counts
    names = ("recipients", "sent", "delivered", "read", "failed", "left_out", "stopped")
    return {
        "campaign_id": campaign.id,
        "name": campaign.name,
        "state": campaign.state,
        "started_at": rfc3339(campaign.started_at) if campaign.started_at else None,
        "finished_at": rfc3339(campaign.finished_at) if campaign.finished_at else None,
        "test": campaign.test,
        **{name: counts.get(name, 0) for name in names},
        "cost_usd": counts.get("cost_usd", 0),
    }


def _follow_up(campaign: Campaign, moment: datetime) -> None:
    """Collect receipts, replies and orders after the end."""
    if campaign.started_at is None:
        campaign.due_at = None
        return
    results.refresh_results(campaign, deep=True)
    rested = campaign.changed_at if campaign.state == "paused" else campaign.finished_at
    age = moment - (rested or moment)
    if age > timedelta(days=campaign.follow_days, hours=1):
        campaign.due_at = None
        return
    campaign.due_at = moment + _follow_up_interval(age)
