"""The clock's part: who has a birthday, who stayed away, and sending what waits, in decent hours.

Whoever may get no marketing is left out at the moment of sending, with the reason, for good:
an old welcome is not sent months later.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from core.clock import now, zone
from core.db import current_tenant_id, db, savepoint
from core.errors import DomainError, NotFound
from core.logs import logger
from messaging import marketing, sending
from messaging.crm import cards
from messaging.models import Contact, Line
from messaging.placeholders import fill
from messaging.sending import BULK, Draft
from restaurant import sites
from restaurant.loyalty import causes, coupons, filling, messages, programmes, rewards, waking
from restaurant.models import (
    Coupon,
    LoyaltyMember,
    LoyaltyMessage,
    LoyaltySend,
    Programme,
    Site,
)
from tenants.plans import known_facts

log = logger(__name__)

EVERY = timedelta(hours=1)
BATCH = 200
LONG_AGO = timedelta(days=180)  # whoever stayed away longer than this is not called back at once
TOO_LATE = timedelta(days=3)


def look(moment: datetime) -> int:
    """One pass over a tenant: new causes, then what is due. How many were sent."""
    waking.looking()
    anything = False
    for programme in programmes.listed():
        try:
            site = sites.get(programme.site_id)
        except NotFound:
            continue
        wanted = causes.active(site.id) if programme.active else {}
        anything = anything or bool(wanted)
        if "birthday" in wanted:
            _birthdays(site, moment)
        if "missed" in wanted:
            _missed(site, wanted["missed"].number, moment)
    sent = _send_due(moment)
    if anything:
        waking.wake(moment + EVERY)
    _wake_for_the_next()
    return sent


def _wake_for_the_next() -> None:
    query = select(LoyaltySend.due_at).where(
        LoyaltySend.tenant_id == current_tenant_id(), LoyaltySend.state == "waiting"
    )
    due_at = db.session.scalars(query.order_by(LoyaltySend.due_at).limit(1)).first()
    if due_at is not None:
        waking.wake(due_at)


def _birthdays(site: Site, moment: datetime) -> None:
    """Of guests who were here, on the day by the site's own clock; 29 February has its day too."""
    today = moment.astimezone(zone(site.time_zone)).date()
    days = [today.month * 100 + today.day]
    if days == [228] and (today + timedelta(days=1)).day == 1:
        days.append(229)
    query = (
        select(LoyaltyMember.contact_id)
        .join(
            Contact,
            (Contact.tenant_id == LoyaltyMember.tenant_id)
            & (Contact.id == LoyaltyMember.contact_id),
        )
        .where(
            LoyaltyMember.tenant_id == current_tenant_id(),
            LoyaltyMember.site_id == site.id,
            Contact.tenant_id == current_tenant_id(),
            Contact.birthday.in_(days),
        )
    )
    for contact_id in db.session.scalars(query):
        causes.note(site.id, contact_id, "birthday", today.year, moment)


def _missed(site: Site, days: int, moment: datetime) -> None:
    """Once for each absence: the day of the last visit names it."""
    query = select(LoyaltyMember.contact_id, LoyaltyMember.last_at).where(
        LoyaltyMember.tenant_id == current_tenant_id(),
        LoyaltyMember.site_id == site.id,
        LoyaltyMember.last_at <= moment - timedelta(days=days),
        LoyaltyMember.last_at > moment - timedelta(days=days) - LONG_AGO,
    )
    for contact_id, last_at in db.session.execute(query).all():
        causes.note(site.id, contact_id, "missed", last_at.date().toordinal(), moment)


def _send_due(moment: datetime) -> int:
    query = (
        select(LoyaltySend)
        .where(
            LoyaltySend.tenant_id == current_tenant_id(),
            LoyaltySend.state == "waiting",
            LoyaltySend.due_at <= moment,
        )
        .order_by(LoyaltySend.due_at)
        .limit(BATCH)
        .with_for_update()
    )
    waiting = list(db.session.scalars(query))
    sent = 0
    for site_id in dict.fromkeys(one.site_id for one in waiting):
        mine = [one for one in waiting if one.site_id == site_id]
        sent += _at_site(site_id, mine, moment)
    return sent


def _at_site(site_id: str, waiting: Sequence[LoyaltySend], moment: datetime) -> int:
    site, programme = sites.known(site_id), programmes.of(site_id)
    wanted, line = causes.active(site_id), sites.line_of(site)
    until = quiet_until(site, programme, moment)
    out = marketing.left_out([one.contact_id for one in waiting], rest=None)
    sent = 0
    for one in waiting:
        message = wanted.get(one.cause)
        why = out.get(one.contact_id, "")
        if message is None or programme is None or not programme.active:
            why = "switched_off"
        elif moment - one.at > TOO_LATE:
            why = "too_late"
        if line is None:
            why = why or "no_line"
        if why or message is None or line is None:
            one.state, one.because = "left_out", why
        elif until is not None:
            one.due_at = until
        elif _send(one, message, site, line):
            sent += 1
    db.session.flush()
    return sent


def quiet_until(site: Site, programme: Programme | None, moment: datetime) -> datetime | None:
    """None: it may be said now. Else when the quiet hours end."""
    begins, ends = programmes.quiet_hours(programme)
    local = moment.astimezone(zone(site.time_zone))
    clock = local.time().replace(tzinfo=None)
    overnight = begins > ends
    quiet = clock >= begins or clock < ends if overnight else begins <= clock < ends
    if begins == ends or not quiet:
        return None
    day = local.date() + timedelta(days=1 if overnight and clock >= begins else 0)
    end = datetime.combine(day, ends, tzinfo=zone(site.time_zone))
    return end.astimezone(moment.tzinfo)


def _send(one: LoyaltySend, message: LoyaltyMessage, site: Site, line: Line) -> bool:
    """The coupon, the message and the mark that it was said: all of it, or nothing."""
    card = cards.get(one.contact_id)
    try:
        with savepoint():
            coupon = _coupon(one, message)
            values = filling.values_for(site, card, coupon)
            text = fill(messages.text_for(message, site, card.contact.language), values).text
            content = {}
            if message.template and line.kind == "cloud":
                given = [fill(part, values).text for part in message.template["parameters"]]
                content = {"fallback": {**message.template, "parameters": given}}
            draft = Draft(
                kind="text",
                phone=card.phone,
                text=text,
                content=content,
                reference=f"loyalty {one.cause}",
                priority=BULK,
                category="marketing",
            )
            ticket = sending.accept(draft, line, known_facts())
    except DomainError as refused:  # over quota, a reward that ended: said in the list
        log.warning("loyalty message not sent", cause=one.cause, code=refused.code)
        one.state, one.because = "left_out", refused.code
        return False
    marketing.told([one.contact_id])
    one.state, one.message_id, one.at = "sent", ticket.id, now()
    one.coupon_id = coupon.id if coupon else None
    return True


def _coupon(one: LoyaltySend, message: LoyaltyMessage) -> Coupon | None:
    if one.coupon_id is not None:
        return coupons.get(one.coupon_id)
    if message.reward_id is None:
        return None
    reward = rewards.get(message.reward_id)
    cause = f"{one.cause}:{one.site_id}:{one.contact_id}:{one.number}"
    return coupons.issue(reward, source="message", contact_id=one.contact_id, cause=cause)
