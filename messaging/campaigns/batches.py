"""Send a running campaign in small batches, each accepted in the transaction that marks it.

The line's pace limits how many messages may be waiting. So a pause takes effect within seconds, the
queue stays short for other messages, and after a crash each recipient is either still waiting or
has exactly one message.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from core import chaos
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import DomainError, PaymentRequired
from core.ids import from_uuid, to_uuid
from messaging.campaigns import audiences, coupon_port, personalize, quiet_hours
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.experiments import link_texts, paused_templates
from messaging.campaigns.experiments.assignment import HOLDOUT
from messaging.campaigns.experiments.variants import VariantMessage
from messaging.campaigns.personalize import Recipient
from messaging.contacts import marketing_eligibility
from messaging.lines import recipient_limits, simulated_time
from messaging.messages import accept as message_accept
from messaging.messages.accept import BULK, AcceptedMessage
from messaging.messages.claim import pending_id_range
from messaging.models import Campaign, Contact, Line
from tenants.plans.catalog import TenantFacts, current_tenant_facts

BATCH = 40
SEND_AHEAD_SECONDS = 6.0  # the sweep runs every 5 seconds
RECHECK_AFTER = timedelta(seconds=1)

CLAIM_RECIPIENTS = text("""
SELECT contact_id, zone, variant, reason FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
   AND due_at <= :now
 ORDER BY due_at, contact_id LIMIT :most FOR UPDATE
""")
NEXT_RECIPIENT_DUE = text("""
SELECT due_at FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
 ORDER BY due_at, contact_id LIMIT 1
""")
COUNT_IN_FLIGHT = text("""
SELECT count(*) FROM (
    SELECT 1 FROM messages
     WHERE tenant_id = :tenant_id AND priority = :bulk AND due_at <= :soon
       AND id BETWEEN :oldest AND :newest AND line_id = :line_id LIMIT :most) AS waiting
""")
MARK_HANDED = text("""
UPDATE campaign_recipients AS r
   SET state = 'handed', reason = '', message_id = one.message_id, handed_at = :now,
       outcome = 'queued', coupon = one.coupon
  FROM unnest(CAST(:ids AS uuid[]), CAST(:messages AS uuid[]), CAST(:coupons AS text[]))
       AS one (id, message_id, coupon)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND r.state = 'waiting'
RETURNING r.contact_id
""")
# Their orders count from the moment at which the others get the message.
MARK_HOLDOUT = text("""
UPDATE campaign_recipients SET state = 'holdout', handed_at = :now
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
   AND contact_id = ANY(CAST(:ids AS uuid[]))
""")
MARK_EXCLUDED = text("""
UPDATE campaign_recipients AS r SET state = 'left_out', reason = one.why
  FROM unnest(CAST(:ids AS uuid[]), CAST(:whys AS text[])) AS one (id, why)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND r.state = 'waiting'
""")
POSTPONE_RECIPIENTS = text("""
UPDATE campaign_recipients AS r SET due_at = one.due_at
  FROM unnest(CAST(:ids AS uuid[]), CAST(:times AS timestamptz[])) AS one (id, due_at)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND r.state = 'waiting'
""")


def send_batch(campaign: Campaign) -> bool:
    """Send one batch.

    Returns True if more can be sent at once; otherwise `due_at` is when to continue.
    """
    try:
        line = campaign_dry_run.check_ready(campaign, campaign_repository.campaign_line(campaign))
    except DomainError as error:
        campaign_lifecycle.hold_campaign(campaign, error)
        return False
    moment, key = now(), _campaign_key(campaign)
    capacity = math.ceil(
        campaign_dry_run.messages_per_second(line) * SEND_AHEAD_SECONDS
    ) - _count_in_flight(line, moment)
    if capacity <= 0:
        campaign.due_at = moment + RECHECK_AFTER
        return False
    capacity, look_again = _within_recipient_limit(campaign, line, capacity, moment)
    if capacity <= 0:
        campaign.due_at = moment + look_again
        return False
    rows = db.session.execute(
        CLAIM_RECIPIENTS, {**key, "now": moment, "most": min(capacity, BATCH)}
    ).all()
    if not rows:
        campaign.due_at = db.session.scalar(NEXT_RECIPIENT_DUE, key)
        return False
    sendable = _postpone_quiet_hours(campaign, rows, moment)
    again = {
        from_uuid("con", row.contact_id) for row in rows if row.reason == paused_templates.REPLACED
    }
    readers = _eligible_recipients(campaign, line, sendable, again)
    variants = {from_uuid("con", row.contact_id): row.variant for row in rows}
    held = [one for one in readers if variants[one.contact_id] == HOLDOUT]
    _hold_out(campaign, held, moment)
    used = paused_templates.usable_messages(campaign, line)
    paused_templates.record_take_over(campaign, used)
    for name, message in used.items():
        chosen = [one for one in readers if variants[one.contact_id] == name]
        if chosen and campaign.state == "running":
            _send_messages(campaign, message, line, chosen, moment)
    return campaign.state == "running"


def _within_recipient_limit(
    campaign: Campaign, line: Line, capacity: int, moment: datetime
) -> tuple[int, timedelta]:
    """How many recipients the network allows now, and when to look again if there are none.

    Messages that wait in the queue are not counted there yet, so they are subtracted.
    """
    limit = recipient_limits.limit_of(line) if campaign.template or campaign.stand_in else None
    if limit is None:
        return capacity, timedelta()
    room, seconds = recipient_limits.campaign_room(limit, _count_in_flight(line, moment))
    return min(capacity, room), timedelta(seconds=seconds)


def _count_in_flight(line: Line, moment: datetime) -> int:
    most = math.ceil(campaign_dry_run.messages_per_second(line) * SEND_AHEAD_SECONDS)
    params = {
        "tenant_id": current_tenant_id(),
        "bulk": BULK,
        "line_id": line.id,
        "soon": moment + timedelta(minutes=1),
        "most": most,
        **pending_id_range(moment),
    }
    return db.session.scalar(COUNT_IN_FLIGHT, params) or 0


def _postpone_quiet_hours(campaign: Campaign, rows: Sequence[Any], moment: datetime) -> list[str]:
    """Return the contacts outside their quiet hours; the others become due when theirs end."""
    hours = campaign_dry_run.quiet_hours_of(campaign)
    ahead = simulated_time.time_ahead() if campaign.test else timedelta(0)
    wakes = {
        row.contact_id: quiet_hours.next_allowed_at(moment + ahead, hours, row.zone) - ahead
        for row in rows
    }
    postponed = {uuid: at for uuid, at in wakes.items() if at > moment}
    if postponed:
        ids, times = [str(uuid) for uuid in postponed], list(postponed.values())
        db.session.execute(
            POSTPONE_RECIPIENTS, {**_campaign_key(campaign), "ids": ids, "times": times}
        )
    return [from_uuid("con", uuid) for uuid in wakes if uuid not in postponed]


def _hold_out(campaign: Campaign, held: list[Recipient], moment: datetime) -> None:
    if held:
        ids = [str(to_uuid("con", one.contact_id)) for one in held]
        db.session.execute(MARK_HOLDOUT, {**_campaign_key(campaign), "now": moment, "ids": ids})


def _eligible_recipients(
    campaign: Campaign, line: Line, contact_ids: list[str], again: set[str]
) -> list[Recipient]:
    """Check exclusions again: contacts may have opted out since the campaign started.

    `again` are contacts whose message was refused; it counts as their marketing of the day.
    """
    if not contact_ids:
        return []
    why = audiences.exclusion_expression(campaign.rest_days, line, template=bool(campaign.template))
    rows = db.session.execute(
        select(
            Contact.id,
            Contact.name,
            audiences.address_expression(line).label("phone"),
            why.label("why"),
        )
        .where(Contact.tenant_id == current_tenant_id(), Contact.id.in_(contact_ids))
        .order_by(Contact.id)
    ).all()
    found = {
        row.id: "" if row.why == marketing_eligibility.RECENT and row.id in again else row.why
        for row in rows
    }
    exclude_recipients(
        campaign, {one: found.get(one, marketing_eligibility.DELETED) for one in contact_ids}
    )
    return [Recipient(row.id, row.name, row.phone) for row in rows if not found[row.id]]


def exclude_recipients(campaign: Campaign, whys: dict[str, str]) -> None:
    out = {contact_id: why for contact_id, why in whys.items() if why}
    if out:
        ids = [str(to_uuid("con", one)) for one in out]
        db.session.execute(
            MARK_EXCLUDED, {**_campaign_key(campaign), "ids": ids, "whys": list(out.values())}
        )


def _send_messages(
    campaign: Campaign,
    message: VariantMessage,
    line: Line,
    readers: list[Recipient],
    moment: datetime,
) -> None:
    chaos.fault_point("campaign_claimed")
    tenant_id, facts = current_tenant_id(), current_tenant_facts()
    if campaign.gift:
        ids = [one.contact_id for one in readers]
        codes = coupon_port.issue_coupons(tenant_id, campaign.gift, ids, campaign.id)
        readers = [
            Recipient(one.contact_id, one.name, one.phone, codes.get(one.contact_id, ""))
            for one in readers
        ]
    words = personalize.personalizer_for(message, line, facts.name)
    drafts = link_texts.with_short_links(
        campaign, {one: words.draft(one) for one in readers}, words.shape
    )
    empty = [one for one, draft in drafts.items() if draft.kind == "text" and not draft.text]
    exclude_recipients(campaign, {one.contact_id: "nothing_to_say" for one in empty})
    full = {one: draft for one, draft in drafts.items() if one not in empty}
    accepted = _accept(campaign, line, full, facts)
    if not accepted:
        return
    chaos.fault_point("campaign_accepted")
    marketing_eligibility.record_marketing_sent([one.contact_id for one in accepted], moment)
    db.session.execute(
        MARK_HANDED,
        {
            **_campaign_key(campaign),
            "now": moment,
            "ids": [str(to_uuid("con", one.contact_id)) for one in accepted],
            "messages": [str(to_uuid("msg", message.id)) for message in accepted.values()],
            "coupons": [one.coupon for one in accepted],
        },
    )


def _accept(
    campaign: Campaign, line: Line, drafts: dict[Recipient, Any], facts: TenantFacts
) -> dict[Recipient, AcceptedMessage]:
    """Accept all of a kind in one statement; if one is refused, accept one by one to find it.

    A text that is too long for its buttons is sent without them, so that kinds may be mixed.
    """
    accepted: dict[Recipient, AcceptedMessage] = {}
    for kind in dict.fromkeys(draft.kind for draft in drafts.values()):
        if campaign.state == "running":
            same = {one: draft for one, draft in drafts.items() if draft.kind == kind}
            accepted |= _accept_kind(campaign, line, same, facts)
    return accepted


def _accept_kind(
    campaign: Campaign, line: Line, drafts: dict[Recipient, Any], facts: TenantFacts
) -> dict[Recipient, AcceptedMessage]:
    try:
        messages = message_accept.accept_messages(list(drafts.values()), line, facts)
        return dict(zip(drafts, messages, strict=True))
    except DomainError:
        accepted: dict[Recipient, AcceptedMessage] = {}
    for reader, draft in drafts.items():
        try:
            accepted[reader] = message_accept.accept_message(draft, line, facts)
        except PaymentRequired as error:
            campaign_lifecycle.hold_campaign(campaign, error)
            break
        except DomainError as error:
            exclude_recipients(campaign, {reader.contact_id: error.code})
    return accepted


def _campaign_key(campaign: Campaign) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "campaign_id": str(to_uuid("cmp", campaign.id)),
    }
