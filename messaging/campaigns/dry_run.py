"""The dry run: what a campaign would do, before it is started."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import ColumnElement, case, func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import DomainError, Invalid, invalid
from core.i18n.catalogs import N_
from core.values.network_address import address_country
from messaging.campaigns import audiences, coupon_port, personalize, quiet_hours
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.filters import parse_filters
from messaging.campaigns.personalize import MessagePreview, Recipient
from messaging.costs import rates as message_rates
from messaging.costs.markets import OTHER
from messaging.lines import recipient_limits
from messaging.lines.drivers.linked.pacing import FULL_DAILY_LIMITS
from messaging.lines.drivers.linked.pacing import PER_SECOND as LINKED_PER_SECOND
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Campaign, Contact, Line
from messaging.templates.placeholders import placeholders_in
from tenants import accounts
from tenants.plans import quota
from tenants.plans.catalog import TenantFacts, current_tenant_facts

PREVIEWS = 3
# Leading digits that determine country and time zone.
PREFIX, COUNTRY_PREFIX = 6, 3  # of a phone, and of an id that begins with the country
SAMPLE_CODE = "ABCD-2345"
OVER_QUOTA = N_(
    "This campaign needs more messages than you have left this month. It will pause at the limit."
)
OVER_CAP = N_(
    "This campaign costs more than what is left of this month's spend "
    "cap. It will pause at the cap."
)
OVER_TRIAL = N_(
    "This campaign needs more messages than your trial has left. It will pause at the limit."
)
TAKES_SEVERAL_DAYS = N_(
    "A linked phone can only write to a few people a day. This campaign will take several days."
)
OVER_RECIPIENT_LIMIT = N_(
    "WhatsApp limits how many new people your account may write to in 24 hours. This campaign will "
    "take several days."
)
SOME_WITHOUT_NAME = N_(
    "Some recipients have no name, so its place would be empty. Add a replacement "
    "after a vertical bar, such as {{customer.first_name|there}}."
)
NO_CONSENT = N_(
    "Some recipients have not given marketing consent. Choose only contacts with "
    "consent unless you are allowed to write to the others."
)
NO_RECIPIENTS = N_(
    "There are no recipients left. Choose other contacts, or check why these were left out."
)


@dataclass
class DryRunResult:
    people: int = 0
    """Chosen by the filters, before exclusions."""
    recipients: int = 0
    nameless: int = 0
    """Among the recipients."""
    without_consent: int = 0
    """Among the recipients."""
    left_out: dict[str, int] = field(default_factory=dict)
    cost_usd: Decimal = Decimal(0)
    seconds: int = 0
    """At the line's pace and limit of recipients, without quiet hours."""
    days: int = 1
    """On how many days it is sent, because WhatsApp limits how many people a day get it."""
    recipient_limit: int | None = None
    """New people in 24 hours; None if there is no limit."""
    holdout: int = 0
    """Who will get no message, so that their orders can be compared; not among the recipients."""
    asleep: int = 0
    """Recipients who are in quiet hours at the start; they get it when theirs end."""
    previews: list[MessagePreview] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problem: DomainError | None = None
    """Why it cannot be started as it is."""


# Allows for the time between a click and its check.
PAST_TOLERANCE = timedelta(minutes=5)


def run_dry_run(campaign: Campaign, at: datetime | None = None) -> DryRunResult:
    line, facts = campaign_repository.campaign_line(campaign), current_tenant_facts()
    result = count_recipients(campaign, line, at)
    result.problem = _problem(campaign, line)
    if line is not None:
        result.seconds = int(result.recipients / messages_per_second(line))
        _plan_days(result, campaign, line)
    result.warnings = _warnings(result, line, facts)
    if result.nameless and _needs_names(campaign):
        result.warnings.append(SOME_WITHOUT_NAME)
    if result.without_consent:
        result.warnings.append(NO_CONSENT)
    result.previews = _previews(campaign, line, facts.name)
    return result


def _plan_days(result: DryRunResult, campaign: Campaign, line: Line) -> None:
    limit = recipient_limits.limit_of(line) if campaign.template else None
    if limit is None:
        return
    result.recipient_limit = limit.most
    result.days = recipient_limits.days_needed(result.recipients, limit)
    result.seconds += (result.days - 1) * 86400


def count_recipients(
    campaign: Campaign, line: Line | None, at: datetime | None = None
) -> DryRunResult:
    """Only the numbers of contacts and the cost, without warnings and previews."""
    result = DryRunResult()
    _count(result, campaign, line, max(at or campaign.scheduled_at or now(), now()))
    _subtract_holdout(result, campaign.holdout_percent)
    return result


def _subtract_holdout(result: DryRunResult, percent: int) -> None:
    """About how many are in the holdout group; the exact number follows from the contacts."""
    result.holdout = round(result.recipients * percent / 100)
    if result.holdout:
        result.cost_usd *= Decimal(result.recipients - result.holdout) / result.recipients
        result.recipients -= result.holdout


def messages_per_second(line: Line) -> float:
    """Messages a second."""
    hosted = DRIVERS[line.kind].has_sessions
    return max(float(min(line.per_second, LINKED_PER_SECOND) if hosted else line.per_second), 0.01)


def quiet_hours_of(campaign: Campaign) -> quiet_hours.QuietHours | None:
    return quiet_hours.checked_quiet_hours(campaign.quiet_from, campaign.quiet_until)


def _problem(campaign: Campaign, line: Line | None) -> DomainError | None:
    try:
        check_ready(campaign, line)
        check_not_past(campaign.scheduled_at)
    except DomainError as error:
        return error
    return None


def check_not_past(at: datetime | None) -> None:
    """Raise Invalid for a start time in the past, so that nothing is sent unexpectedly."""
    if at is not None and at < now() - PAST_TOLERANCE:
        raise invalid(
            "at",
            "time_passed",
            "The scheduled start has passed. Choose another time, or send the campaign now.",
        )


def _needs_names(campaign: Campaign) -> bool:
    texts = personalize.campaign_texts(campaign)
    placeholders = [one for text in texts for one in placeholders_in(text)]
    return any(name.startswith("customer.") and default is None for name, default in placeholders)


def check_ready(campaign: Campaign, line: Line | None) -> Line:
    """Return the line to send from. Raises Invalid if the campaign cannot be sent as it is."""
    if line is None or not line.enabled:
        raise Invalid(
            "no_instance",
            "There is no line to send from. Choose one that is turned on, or add one.",
        )
    personalize.check_messages(campaign, line)
    coupon_port.checked_offer(current_tenant_id(), campaign.gift)
    return line


def _exclusion_expression(campaign: Campaign, line: Line | None) -> ColumnElement[str]:
    """A closed window excludes a contact only if the campaign has free text."""
    free_text = bool(campaign.text) and not campaign.template
    return audiences.exclusion_expression(campaign.rest_days, line, template=not free_text)


def _count(result: DryRunResult, campaign: Campaign, line: Line | None, begins: datetime) -> None:
    """Count in one statement, grouped by the first characters of addresses.

    So few rows are returned, for any number of contacts.
    """
    why = _exclusion_expression(campaign, line)
    chosen = (
        audiences.matching_contacts(parse_filters(campaign.filters))
        .add_columns(
            audiences.address_expression(line).label("phone"),
            why.label("why"),
            Contact.name,
            Contact.consent_at,
        )
        .subquery()
    )
    is_number = chosen.c.phone.regexp_match("^[0-9]")
    start = func.left(chosen.c.phone, case((is_number, PREFIX), else_=COUNTRY_PREFIX))
    rows = db.session.execute(
        select(
            chosen.c.why,
            func.min(chosen.c.phone).label("phone"),
            func.count().label("people"),
            func.count(case((chosen.c.name == "", 1))).label("nameless"),
            func.count(chosen.c.consent_at).label("agreed"),
        ).group_by(chosen.c.why, start)
    ).all()
    cards, hours = message_rates.tenant_rates(), quiet_hours_of(campaign)
    own_zone = accounts.account().time_zone or "UTC"
    for row in rows:
        result.people += row.people
        if row.why:
            result.left_out[row.why] = result.left_out.get(row.why, 0) + row.people
            continue
        result.recipients += row.people
        result.nameless += row.nameless
        result.without_consent += row.people - row.agreed
        if (
            quiet_hours.next_allowed_at(begins, hours, quiet_hours.zone_of(row.phone, own_zone))
            > begins
        ):
            result.asleep += row.people
        if line is not None and not line.test:
            country = address_country(row.phone) or OTHER
            # The group shares a price; free entry points of single people are left out.
            result.cost_usd += row.people * cards.quote(line, "", country, "marketing", begins)


def _warnings(result: DryRunResult, line: Line | None, facts: TenantFacts) -> list[str]:
    if not result.recipients:
        return [NO_RECIPIENTS]
    found = []
    if result.days > 1:
        found.append(OVER_RECIPIENT_LIMIT)
    hosted = line is not None and DRIVERS[line.kind].has_sessions
    if hosted and result.recipients > FULL_DAILY_LIMITS[1]:
        found.append(TAKES_SEVERAL_DAYS)
    if line is None or line.test:
        return found
    used = quota.usage(facts)
    left = facts.monthly_messages
    if left is not None and used.messages + result.recipients > left:
        found.append(OVER_QUOTA)
    if used.trial_left is not None and result.recipients > used.trial_left:
        found.append(OVER_TRIAL)
    cap = facts.spend_cap_usd
    if cap is not None and used.spend_usd + result.cost_usd > cap:
        found.append(OVER_CAP)
    return found


def _previews(campaign: Campaign, line: Line | None, shop: str) -> list[MessagePreview]:
    """Return previews for real recipients, newest first."""
    if not (campaign.text or campaign.template):
        return []
    why = _exclusion_expression(campaign, line)
    rows = db.session.execute(
        audiences.matching_contacts(parse_filters(campaign.filters))
        .add_columns(Contact.name, audiences.address_expression(line).label("phone"))
        .where(why == "")
        .order_by(Contact.id.desc())
        .limit(PREVIEWS)
    ).all()
    words = personalize.personalizer_for(campaign, line, shop)
    code = SAMPLE_CODE if campaign.gift else ""
    readers = [Recipient(row.id, row.name, row.phone, code) for row in rows]
    return [words.preview(one, line) for one in readers]
