"""A running campaign hands its messages over: a few at a time, in the transaction that marks them.

The line's pace says how many may be under way. So a pause takes hold within seconds, the way out
stays short for everybody else's messages, and a crash leaves each recipient either waiting or
with exactly one message.
"""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from core import faultpoints
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import DomainError, PaymentRequired
from core.ids import from_uuid, to_uuid
from messaging import marketing, sending
from messaging.campaigns import acts, audiences, book, gifts, outlook, quiet, wording
from messaging.campaigns.wording import Reader
from messaging.claiming import months
from messaging.models import Campaign, Contact, Line
from messaging.sending import BULK, Ticket
from tenants.plans import TenantFacts, known_facts

BATCH = 40
AHEAD_SECONDS = 6.0  # the sweep comes every 5
LOOK_AGAIN = timedelta(seconds=1)

CLAIM = text("""
SELECT contact_id, zone FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
   AND due_at <= :now
 ORDER BY due_at, contact_id LIMIT :most FOR UPDATE
""")
NEXT = text("""
SELECT due_at FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'waiting'
 ORDER BY due_at, contact_id LIMIT 1
""")
UNDER_WAY = text("""
SELECT count(*) FROM (
    SELECT 1 FROM messages
     WHERE tenant_id = :tenant_id AND priority = :bulk AND due_at <= :soon
       AND id BETWEEN :oldest AND :newest AND line_id = :line_id LIMIT :most) AS waiting
""")
HAND = text("""
UPDATE campaign_recipients AS r
   SET state = 'handed', message_id = one.message_id, handed_at = :now, outcome = 'queued',
       coupon = one.coupon
  FROM unnest(CAST(:ids AS uuid[]), CAST(:messages AS uuid[]), CAST(:coupons AS text[]))
       AS one (id, message_id, coupon)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND r.state = 'waiting'
RETURNING r.contact_id
""")
LEAVE_OUT = text("""
UPDATE campaign_recipients AS r SET state = 'left_out', reason = one.why
  FROM unnest(CAST(:ids AS uuid[]), CAST(:whys AS text[])) AS one (id, why)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND r.state = 'waiting'
""")
LET_SLEEP = text("""
UPDATE campaign_recipients AS r SET due_at = one.due_at
  FROM unnest(CAST(:ids AS uuid[]), CAST(:times AS timestamptz[])) AS one (id, due_at)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND r.state = 'waiting'
""")


def hand_over(campaign: Campaign) -> bool:
    """One batch. True: there may be more at once; otherwise `due_at` says when to look again."""
    try:
        line = outlook.refuse_unready(campaign, book.line_of(campaign))
    except DomainError as error:
        acts.hold(campaign, error)
        return False
    moment, mine = now(), _mine(campaign)
    room = math.ceil(outlook.pace(line) * AHEAD_SECONDS) - _under_way(line, moment)
    if room <= 0:
        campaign.due_at = moment + LOOK_AGAIN
        return False
    rows = db.session.execute(CLAIM, {**mine, "now": moment, "most": min(room, BATCH)}).all()
    if not rows:
        campaign.due_at = db.session.scalar(NEXT, mine)
        return False
    awake = _let_sleep(campaign, rows, moment)
    readers = _readers(campaign, line, awake)
    if readers:
        _send(campaign, line, readers, moment)
    return campaign.state == "running"


def _under_way(line: Line, moment: datetime) -> int:
    most = math.ceil(outlook.pace(line) * AHEAD_SECONDS)
    params = {
        "tenant_id": current_tenant_id(),
        "bulk": BULK,
        "line_id": line.id,
        "soon": moment + timedelta(minutes=1),
        "most": most,
        **months(moment),
    }
    return db.session.scalar(UNDER_WAY, params) or 0


def _let_sleep(campaign: Campaign, rows: Sequence[Any], moment: datetime) -> list[str]:
    """Those for whom it is day; the others are looked at again in their morning."""
    hours = outlook.hours_of(campaign)
    wakes = {row.contact_id: quiet.wakes_at(moment, hours, row.zone) for row in rows}
    asleep = {uuid: at for uuid, at in wakes.items() if at > moment}
    if asleep:
        ids, times = [str(uuid) for uuid in asleep], list(asleep.values())
        db.session.execute(LET_SLEEP, {**_mine(campaign), "ids": ids, "times": times})
    return [from_uuid("con", uuid) for uuid in wakes if uuid not in asleep]


def _readers(campaign: Campaign, line: Line, contact_ids: list[str]) -> list[Reader]:
    """Asked once more: somebody may have opted out since the campaign began."""
    if not contact_ids:
        return []
    why = audiences.why_not(campaign.rest_days, line, template=bool(campaign.template))
    rows = db.session.execute(
        select(Contact.id, Contact.name, audiences.phone().label("phone"), why.label("why"))
        .where(Contact.tenant_id == current_tenant_id(), Contact.id.in_(contact_ids))
        .order_by(Contact.id)
    ).all()
    found = {row.id: row.why for row in rows}
    leave_out(campaign, {one: found.get(one, marketing.GONE) for one in contact_ids})
    return [Reader(row.id, row.name, row.phone) for row in rows if not row.why]


def leave_out(campaign: Campaign, whys: dict[str, str]) -> None:
    out = {contact_id: why for contact_id, why in whys.items() if why}
    if out:
        ids = [str(to_uuid("con", one)) for one in out]
        db.session.execute(LEAVE_OUT, {**_mine(campaign), "ids": ids, "whys": list(out.values())})


def _send(campaign: Campaign, line: Line, readers: list[Reader], moment: datetime) -> None:
    faultpoints.at("campaign_claimed")
    tenant_id, facts = current_tenant_id(), known_facts()
    if campaign.gift:
        ids = [one.contact_id for one in readers]
        codes = gifts.give(tenant_id, campaign.gift, ids, campaign.id)
        readers = [
            Reader(one.contact_id, one.name, one.phone, codes.get(one.contact_id, ""))
            for one in readers
        ]
    words = wording.of(campaign, line, facts.name)
    drafts = {one: words.draft(one) for one in readers}
    empty = [one for one, draft in drafts.items() if draft.kind == "text" and not draft.text]
    leave_out(campaign, {one.contact_id: "nothing_to_say" for one in empty})
    full = {one: draft for one, draft in drafts.items() if one not in empty}
    tickets = _accept(campaign, line, full, facts)
    if not tickets:
        return
    faultpoints.at("campaign_accepted")
    marketing.told([one.contact_id for one in tickets], moment)
    db.session.execute(
        HAND,
        {
            **_mine(campaign),
            "now": moment,
            "ids": [str(to_uuid("con", one.contact_id)) for one in tickets],
            "messages": [str(to_uuid("msg", ticket.id)) for ticket in tickets.values()],
            "coupons": [one.coupon for one in tickets],
        },
    )


def _accept(
    campaign: Campaign, line: Line, drafts: dict[Reader, Any], facts: TenantFacts
) -> dict[Reader, Ticket]:
    """All in one statement; where one is refused, one by one to see which."""
    if not drafts:
        return {}
    try:
        tickets = sending.accept_many(list(drafts.values()), line, facts)
        return dict(zip(drafts, tickets, strict=True))
    except DomainError:
        taken: dict[Reader, Ticket] = {}
    for reader, draft in drafts.items():
        try:
            taken[reader] = sending.accept(draft, line, facts)
        except PaymentRequired as error:
            acts.hold(campaign, error)
            break
        except DomainError as error:
            leave_out(campaign, {reader.contact_id: error.code})
    return taken


def _mine(campaign: Campaign) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "campaign_id": str(to_uuid("cmp", campaign.id)),
    }
