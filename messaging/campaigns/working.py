"""What a campaign needs next: its people, a batch, its figures. Each is one transaction."""

from datetime import datetime, timedelta

from sqlalchemy import text

from core import faultpoints
from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from core.ids import from_uuid
from messaging.campaigns import acts, book, gathering, handing, results
from messaging.models import Campaign
from webhooks.publishing import publish

SOON = timedelta(seconds=3)
LATER = timedelta(minutes=1)
# How often the figures of what has left are looked at: often at first, then less and less.
FOLLOW = (
    (timedelta(minutes=30), timedelta(minutes=1)),
    (timedelta(days=1), timedelta(minutes=10)),
    (timedelta(days=100), timedelta(hours=1)),
)

CLAIM = text("""
SELECT id FROM campaigns
 WHERE tenant_id = :tenant_id AND due_at <= :now ORDER BY due_at LIMIT 1
   FOR UPDATE SKIP LOCKED
""")


def step() -> bool:
    """Of the campaign that has waited longest. False: none of them is due."""
    campaign_id = next_one()
    if campaign_id is None:
        return False
    work(book.get(campaign_id))
    return True


def next_one() -> str | None:
    """Locked until the transaction ends."""
    row = db.session.execute(CLAIM, {"tenant_id": current_tenant_id(), "now": now()}).first()
    return None if row is None else from_uuid("cmp", row.id)


def work(campaign: Campaign) -> None:
    moment = now()
    campaign.due_at = moment  # behind the others of this tenant
    if campaign.state == "scheduled":
        acts.begin(campaign, moment)
    if campaign.state != "running":
        _follow(campaign, moment)
    elif _run(campaign, moment):
        return  # in the middle of it: nothing new is counted
    acts.tell(campaign)


def put_off(campaign_id: str) -> None:
    """It failed in a way that is not its own: tried again in a while, and others go first."""
    campaign = book.get(campaign_id, lock=True)
    campaign.due_at = now() + LATER


def _run(campaign: Campaign, moment: datetime) -> bool:
    """True: there is more to hand over at once."""
    if campaign.gathered_at is None:
        gathering.gather(campaign)
        campaign.counts = results.counted(campaign)
        faultpoints.at("campaign_gathered")
        return False
    if handing.hand_over(campaign):
        return True
    asleep = campaign.due_at is not None and campaign.due_at > moment + LATER
    results.refresh(campaign, deep=asleep)
    if campaign.state == "running" and not campaign.counts["waiting"]:
        if campaign.counts["open"]:
            campaign.due_at = moment + SOON
        else:
            _finish(campaign, moment)
    elif asleep and campaign.due_at is not None:
        # The others sleep: what became of those who have it is still followed.
        since = campaign.started_at or moment
        campaign.due_at = min(campaign.due_at, moment + _patience(moment - since))
    return False


def _patience(age: timedelta) -> timedelta:
    return next((every for until, every in FOLLOW if age < until), FOLLOW[-1][1])


def _finish(campaign: Campaign, moment: datetime) -> None:
    """Everybody has got it, or has a reason why not."""
    campaign.state, campaign.finished_at, campaign.due_at = "finished", moment, moment + SOON
    results.refresh(campaign, deep=True)
    tell_finished(campaign)


def tell_finished(campaign: Campaign) -> None:
    publish("campaigns.finished", {"instance_id": campaign.line_id, "data": finished(campaign)})


def finished(campaign: Campaign) -> dict[str, object]:
    """What the event says."""
    counts = campaign.counts
    told = ("recipients", "sent", "delivered", "read", "failed", "left_out", "stopped")
    return {
        "campaign_id": campaign.id,
        "name": campaign.name,
        "state": campaign.state,
        "started_at": rfc3339(campaign.started_at) if campaign.started_at else None,
        "finished_at": rfc3339(campaign.finished_at) if campaign.finished_at else None,
        "test": campaign.test,
        **{name: counts.get(name, 0) for name in told},
        "cost_usd": counts.get("cost_usd", 0),
    }


def _follow(campaign: Campaign, moment: datetime) -> None:
    """Receipts, answers and orders that come afterwards."""
    if campaign.started_at is None:
        campaign.due_at = None
        return
    results.refresh(campaign, deep=True)
    rested = campaign.changed_at if campaign.state == "paused" else campaign.finished_at
    age = moment - (rested or moment)
    if age > timedelta(days=campaign.follow_days, hours=1):
        campaign.due_at = None
        return
    campaign.due_at = moment + _patience(age)
