"""A tenant's campaigns: create, look up, and change them while they are drafts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound, invalid
from core.ids import BadId, canonical_id
from core.storage.pending_deletions import delete_later
from messaging.campaigns import audiences, coupon_port, quiet_hours, template_values
from messaging.campaigns.experiments import variants
from messaging.inbox import composed
from messaging.inbox.composed import ComposedCard
from messaging.lines import repository as line_repository
from messaging.messages.media import uploads as media_uploads
from messaging.models import Campaign, Line
from messaging.templates.placeholders import check_placeholders, clean_text
from tenants import audit
from tenants.audit import current_actor
from tenants.people import clean_name

STATES = ("draft", "scheduled", "running", "paused", "finished", "stopped")
EDITABLE = frozenset({"draft", "scheduled"})
LONGEST_REST, LONGEST_FOLLOW_UP = 365, 90
DEFAULT_QUIET_HOURS = (21 * 60, 9 * 60)
MAX_SCHEDULE_AHEAD = timedelta(days=365)


@dataclass(frozen=True)
class Unchanged:
    """Marks a value that is not changed."""


UNCHANGED = Unchanged()


@dataclass(frozen=True)
class CampaignInput:
    """Input from an entry point; UNCHANGED leaves a value as it is."""

    name: str | Unchanged = UNCHANGED
    audience_id: str | Unchanged | None = UNCHANGED
    filters: Mapping[str, Any] | Unchanged = UNCHANGED
    line_id: int | Unchanged | None = UNCHANGED
    text: str | Unchanged = UNCHANGED
    card: ComposedCard | Unchanged | None = UNCHANGED
    """Buttons, a list or a link below the text; a template has its own."""
    template: Mapping[str, Any] | Unchanged = UNCHANGED
    gift: str | Unchanged | None = UNCHANGED
    quiet: tuple[int | None, int | None] | Unchanged = UNCHANGED
    rest_days: int | Unchanged = UNCHANGED
    follow_days: int | Unchanged = UNCHANGED
    holdout_percent: int | Unchanged = UNCHANGED
    weight: int | Unchanged = UNCHANGED
    """Of the campaign's own message, variant A."""
    variants: Sequence[Mapping[str, Any]] | Unchanged = UNCHANGED
    stand_in: Mapping[str, Any] | Unchanged = UNCHANGED
    count_clicks: bool | Unchanged = UNCHANGED
    scheduled_at: datetime | Unchanged | None = UNCHANGED
    """When a draft is planned to start; see lifecycle.start."""


def list_campaigns(after: str | None = None, limit: int = 50, state: str = "") -> list[Campaign]:
    """List campaigns, newest first."""
    query = (
        select(Campaign)
        .where(Campaign.tenant_id == current_tenant_id())
        .order_by(Campaign.id.desc())
        .limit(limit)
    )
    if state:
        query = query.where(Campaign.state == state)
    if after:
        query = query.where(Campaign.id < after)
    return list(db.session.scalars(query))


def get(campaign_id: str, *, lock: bool = False) -> Campaign:
    try:
        known = canonical_id("cmp", campaign_id)
    except BadId:
        raise NotFound() from None
    found = db.session.get(
        Campaign, (current_tenant_id(), known), with_for_update=lock, populate_existing=lock
    )
    if found is None:
        raise NotFound()
    return found


def names_of(references: Iterable[str | None]) -> dict[str, str]:
    """Return the names of campaigns among these message references, in one query per page."""
    known = {one for one in references if one and _is_campaign(one)}
    if not known:
        return {}
    rows = db.session.execute(
        select(Campaign.id, Campaign.name).where(
            Campaign.tenant_id == current_tenant_id(), Campaign.id.in_(known)
        )
    )
    return {row.id: row.name for row in rows}


def _is_campaign(reference: str) -> bool:
    """An API caller may set any reference."""
    try:
        return canonical_id("cmp", reference) == reference
    except BadId:
        return False


def add(values: CampaignInput, *, test: bool = False) -> Campaign:
    campaign = Campaign(
        tenant_id=current_tenant_id(),
        name="",
        state="draft",
        because={},
        filters={},
        text="",
        card={},
        template={},
        quiet_from=DEFAULT_QUIET_HOURS[0],
        quiet_until=DEFAULT_QUIET_HOURS[1],
        rest_days=1,
        follow_days=7,
        holdout_percent=0,
        weight=50,
        variants=[],
        stand_in={},
        replaced=[],
        count_clicks=False,
        test=test,
        counts={},
        author=current_actor().name,
    )
    _write_input(campaign, values)
    campaign.name = clean_name(campaign.name)
    db.session.add(campaign)
    db.session.flush()
    audit.record("campaigns.added", campaign.name, campaign=campaign.id)
    return campaign


def change(campaign_id: str, values: CampaignInput) -> Campaign:
    """Change a draft or a scheduled campaign; nothing of it has been sent."""
    campaign = get(campaign_id, lock=True)
    if campaign.state not in EDITABLE:
        raise Conflict(
            "campaign_begun",
            "This campaign has started and cannot be edited. Copy it to make changes.",
        )
    before = audit.snapshot(campaign)
    _write_input(campaign, values)
    campaign.changed_at = now()
    audit.record_change("campaigns.changed", campaign.name, before, campaign, campaign=campaign.id)
    db.session.flush()
    return campaign


def put_header_file(campaign_id: str, file: media_uploads.UploadedFile) -> Campaign:
    """Set the file of its template's header, replacing the current one."""
    template = get(campaign_id).template
    if not template:
        raise Conflict("no_template", "The campaign has no template. Choose one first.")
    return change(
        campaign_id,
        CampaignInput(template={**template, "media": template_values.media_from_upload(file)}),
    )


def copy(campaign_id: str, name: str) -> Campaign:
    """Create a new draft with the same message, audience and hours."""
    one, lines = get(campaign_id), {line.id for line in line_repository.list_lines()}
    return add(
        CampaignInput(
            name=name,
            audience_id=None,
            filters=one.filters,
            line_id=one.line_id if one.line_id in lines else None,
            text=one.text,
            card=composed.read_json(one.card),
            template=one.template,
            gift=one.gift
            if one.gift in dict(coupon_port.list_offers(current_tenant_id()))
            else None,
            quiet=(one.quiet_from, one.quiet_until),
            rest_days=one.rest_days,
            follow_days=one.follow_days,
            holdout_percent=one.holdout_percent,
            weight=one.weight,
            variants=one.variants,
            stand_in=one.stand_in,
            count_clicks=one.count_clicks,
        ),
        test=one.test,
    )


def remove(campaign_id: str) -> None:
    """Delete a campaign that has not started. Others stay, with their results."""
    campaign = get(campaign_id, lock=True)
    if campaign.state not in EDITABLE:
        raise Conflict(
            "campaign_begun", "A campaign that has started cannot be deleted. Its results are kept."
        )
    _replace_file(campaign, None)
    db.session.delete(campaign)
    audit.record("campaigns.removed", campaign.name, campaign=campaign.id)


def campaign_line(campaign: Campaign) -> Line | None:
    """Return the line to send from: the chosen one, else the default. None if there is none."""
    if campaign.line_id is None:
        return line_repository.default_line(test=campaign.test)
    try:
        return line_repository.get(campaign.line_id)
    except NotFound:
        return None


def _write_input(campaign: Campaign, values: CampaignInput) -> None:
    """Check the input, then write it."""
    if not isinstance(values.name, Unchanged):
        campaign.name = clean_name(values.name)
    _write_audience(campaign, values)
    if not isinstance(values.line_id, Unchanged):
        _write_line(campaign, values.line_id)
    _write_message(campaign, values)
    if not isinstance(values.gift, Unchanged):
        campaign.gift = coupon_port.checked_offer(current_tenant_id(), values.gift)
    if not isinstance(values.quiet, Unchanged):
        hours = quiet_hours.checked_quiet_hours(*values.quiet)
        campaign.quiet_from, campaign.quiet_until = hours or (None, None)
    if not isinstance(values.rest_days, Unchanged):
        campaign.rest_days = _days("rest_days", values.rest_days, LONGEST_REST)
    _write_experiment(campaign, values)
    if not isinstance(values.scheduled_at, Unchanged):
        _write_schedule(campaign, values.scheduled_at)
    if not isinstance(values.follow_days, Unchanged):
        campaign.follow_days = _days("follow_days", values.follow_days, LONGEST_FOLLOW_UP)


def _write_message(campaign: Campaign, values: CampaignInput) -> None:
    """A text with or without a card, or a template: what was given last counts."""
    text = campaign.text if isinstance(values.text, Unchanged) else clean_text(values.text)
    given = composed.read_json(campaign.card) if isinstance(values.card, Unchanged) else values.card
    template = campaign.template
    if not isinstance(values.template, Unchanged):
        template = template_values.checked_template(values.template)
    if text and template and not isinstance(values.template, Unchanged):
        text = ""
    elif text and template:
        template = {}
    card = {} if template else composed.stored_card(given, text)
    address = str(card.get("link_url", ""))
    check_placeholders([text, address, *template_values.placeholder_texts(template)], "campaign")
    campaign.text, campaign.card, campaign.template = text, card, template
    _replace_file(campaign, template_values.uploaded_blob_key(template))


def _replace_file(campaign: Campaign, key: str | None) -> None:
    """Set the header file, and delete the old one unless a copy of the campaign shares it."""
    was, campaign.header_blob_key = campaign.header_blob_key, key
    if was is None or was == key:
        return
    shared = select(Campaign.id).where(
        Campaign.tenant_id == current_tenant_id(),
        Campaign.header_blob_key == was,
        Campaign.id != campaign.id,
    )
    if db.session.scalars(shared.limit(1)).first() is None:
        delete_later([was])


def _write_audience(campaign: Campaign, values: CampaignInput) -> None:
    if not isinstance(values.filters, Unchanged):
        campaign.filters = audiences.checked_filters(values.filters)
        campaign.audience_id = None
    if not isinstance(values.audience_id, Unchanged) and values.audience_id:
        audience = audiences.get(values.audience_id)
        campaign.filters, campaign.audience_id = dict(audience.filters), audience.id


def _write_experiment(campaign: Campaign, values: CampaignInput) -> None:
    if not isinstance(values.holdout_percent, Unchanged):
        campaign.holdout_percent = variants.checked_holdout(values.holdout_percent)
    if not isinstance(values.weight, Unchanged):
        campaign.weight = variants.checked_weight("weight", values.weight)
    if not isinstance(values.variants, Unchanged):
        campaign.variants = variants.checked_variants(values.variants)
    if not isinstance(values.stand_in, Unchanged):
        campaign.stand_in = variants.checked_stand_in(values.stand_in)
    if not isinstance(values.count_clicks, Unchanged):
        campaign.count_clicks = values.count_clicks


def _write_schedule(campaign: Campaign, at: datetime | None) -> None:
    if campaign.state != "draft":
        raise Conflict(
            "campaign_scheduled",
            "This campaign is scheduled. Turn it back into a draft to edit it.",
        )
    if at is not None and not now() < at < now() + MAX_SCHEDULE_AHEAD:
        raise invalid("at", "invalid_time", "Choose a future time, at most one year from now.")
    campaign.scheduled_at = at


def _write_line(campaign: Campaign, line_id: int | None) -> None:
    """With the test line it is a test campaign: free, and sent to simulated phones."""
    if line_id is None:
        campaign.line_id = None
        return
    try:
        line = line_repository.get(line_id)
    except NotFound:
        raise invalid("line_id", "unknown_instance", "No line has this ID.") from None
    campaign.line_id, campaign.test = line.id, line.test


def _days(field: str, days: int, most: int) -> int:
    if not 0 <= days <= most:
        raise invalid(
            field,
            "invalid_days",
            "Enter the days as a whole number between {least} and {most}.",
            least=0,
            most=most,
        )
    return days


def next_due() -> datetime | None:
    return db.session.scalar(
        select(Campaign.due_at)
        .where(Campaign.tenant_id == current_tenant_id(), Campaign.due_at.is_not(None))
        .order_by(Campaign.due_at)
        .limit(1)
    )
