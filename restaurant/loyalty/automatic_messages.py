"""Schedules birthday and absence messages, and sends due messages outside the quiet hours.

A guest who may not get marketing is left out when the message is due, permanently and with the
reason: an old welcome is not sent months later.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from core.clock import now, zone
from core.db import current_tenant_id, db, savepoint
from core.errors import DomainError, NotFound
from core.logs import logger
from messaging.contacts import cards as contact_cards
from messaging.contacts import marketing_eligibility
from messaging.contacts.cards import address_on_line
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages.accept import BULK, MessageDraft
from messaging.models import Contact, Line
from messaging.templates.placeholders import fill_placeholders
from restaurant.loyalty import coupons, message_settings, programmes, rewards
from restaurant.loyalty import placeholders as loyalty_placeholders
from restaurant.loyalty import schedule as loyalty_schedule
from restaurant.loyalty import triggers as loyalty_triggers
from restaurant.models import (
    Coupon,
    LoyaltyMember,
    LoyaltyMessage,
    LoyaltyProgramme,
    LoyaltySend,
    Site,
)
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts

log = logger(__name__)

RUN_INTERVAL = timedelta(hours=1)
BATCH = 200
MAX_ABSENCE = timedelta(days=180)  # no message to guests who have been away this much longer
MAX_DELAY = timedelta(days=3)


def send_due_messages(moment: datetime) -> int:
    """Schedule new messages of the tenant, then send those that are due. Returns how many."""
    loyalty_schedule.start_run()
    anything = False
    for programme in programmes.listed():
        try:
            site = sites.get(programme.site_id)
        except NotFound:
            continue
        messages = loyalty_triggers.active_messages(site.id) if programme.active else {}
        anything = anything or bool(messages)
        if "birthday" in messages:
            _schedule_birthdays(site, moment)
        if "missed" in messages:
            _schedule_missed_guests(site, messages["missed"].number, moment)
    sent = _send_due(moment)
    if anything:
        loyalty_schedule.schedule_run(moment + RUN_INTERVAL)
    _schedule_next_run()
    return sent


def _schedule_next_run() -> None:
    query = select(LoyaltySend.due_at).where(
        LoyaltySend.tenant_id == current_tenant_id(), LoyaltySend.state == "waiting"
    )
    due_at = db.session.scalars(query.order_by(LoyaltySend.due_at).limit(1)).first()
    if due_at is not None:
        loyalty_schedule.schedule_run(due_at)


def _schedule_birthdays(site: Site, moment: datetime) -> None:
    """By the date in the site's time zone. 29 February counts as the 28th in other years."""
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
        loyalty_triggers.schedule_message(site.id, contact_id, "birthday", today.year, moment)


def _schedule_missed_guests(site: Site, days: int, moment: datetime) -> None:
    """Once for each absence, which is identified by the day of the last visit."""
    query = select(LoyaltyMember.contact_id, LoyaltyMember.last_at).where(
        LoyaltyMember.tenant_id == current_tenant_id(),
        LoyaltyMember.site_id == site.id,
        LoyaltyMember.last_at <= moment - timedelta(days=days),
        LoyaltyMember.last_at > moment - timedelta(days=days) - MAX_ABSENCE,
    )
    for contact_id, last_at in db.session.execute(query).all():
        loyalty_triggers.schedule_message(
            site.id, contact_id, "missed", last_at.date().toordinal(), moment
        )


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
        of_site = [one for one in waiting if one.site_id == site_id]
        sent += _send_for_site(site_id, of_site, moment)
    return sent


def _send_for_site(site_id: str, waiting: Sequence[LoyaltySend], moment: datetime) -> int:
    site, programme = sites.get_including_closed(site_id), programmes.of_site(site_id)
    messages, line = loyalty_triggers.active_messages(site_id), sites.line_of(site)
    until = quiet_until(site, programme, moment)
    out = marketing_eligibility.exclusion_reasons(
        [one.contact_id for one in waiting], rest=None, line_kind=line.kind if line else None
    )
    sent = 0
    for one in waiting:
        message = messages.get(one.cause)
        why = out.get(one.contact_id, "")
        if message is None or programme is None or not programme.active:
            why = "switched_off"
        elif moment - one.at > MAX_DELAY:
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


def quiet_until(
    site: Site, programme: LoyaltyProgramme | None, moment: datetime
) -> datetime | None:
    """When the quiet hours end; None if messages may be sent now."""
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
    """Issue the coupon, accept the message and mark it as sent, or do none of these."""
    card = contact_cards.get(one.contact_id)
    try:
        with savepoint():
            coupon = _coupon(one, message)
            values = loyalty_placeholders.values_for(site, card, coupon)
            text = fill_placeholders(
                message_settings.text_for(message, site, card.contact.language), values
            ).text
            content = {}
            if message.template and DRIVERS[line.kind].has_templates:
                given = [
                    fill_placeholders(part, values).text for part in message.template["parameters"]
                ]
                content = {"fallback": {**message.template, "parameters": given}}
            draft = MessageDraft(
                kind="text",
                phone=address_on_line(card.identities, line.id, DRIVERS[line.kind].address_kinds),
                text=text,
                content=content,
                reference=f"loyalty {one.cause}",
                priority=BULK,
                category="marketing",
            )
            accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    except DomainError as refused:  # over quota, expired reward, …; the list shows the reason
        log.warning("loyalty message not sent", cause=one.cause, code=refused.code)
        one.state, one.because = "left_out", refused.code
        return False
    marketing_eligibility.record_marketing_sent([one.contact_id])
    one.state, one.message_id, one.at = "sent", accepted.id, now()
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
