"""Triggers of automatic messages: one row per trigger and guest, sent later by the loyalty job."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from restaurant.loyalty import schedule as loyalty_schedule
from restaurant.models import Coupon, LoyaltyMessage, LoyaltySend, Site

TRIGGERS = ("welcome", "visit", "birthday", "missed", "gift")
LARGEST = 2**62
DELAY_AFTER_VISIT = timedelta(hours=2)  # not while the guest is still at the table


def active_messages(site_id: str) -> dict[str, LoyaltyMessage]:
    query = select(LoyaltyMessage).where(
        LoyaltyMessage.tenant_id == current_tenant_id(),
        LoyaltyMessage.site_id == site_id,
        LoyaltyMessage.active,
    )
    return {one.cause: one for one in db.session.scalars(query)}


def on_visit(site: Site, contact_id: str, visits: int) -> None:
    """Called after an order that counts for loyalty."""
    messages = active_messages(site.id)
    if visits == 1 and "welcome" in messages:
        schedule_message(site.id, contact_id, "welcome", 0, now() + DELAY_AFTER_VISIT)
    nth = messages.get("visit")
    if nth is not None and visits == nth.number:
        schedule_message(site.id, contact_id, "visit", visits, now() + DELAY_AFTER_VISIT)


def on_reward_given(site: Site, contact_id: str, coupon: Coupon) -> None:
    """Schedule a message about an automatic reward."""
    if "gift" in active_messages(site.id):
        number = to_uuid("cpn", coupon.id).int % LARGEST  # one message for each coupon
        schedule_message(site.id, contact_id, "gift", number, now(), coupon.id)


def schedule_message(
    site_id: str,
    contact_id: str,
    cause: str,
    number: int,
    due_at: datetime,
    coupon_id: str | None = None,
) -> bool:
    """Returns False if the guest already has this message."""
    made = db.session.execute(
        insert(LoyaltySend)
        .values(
            tenant_id=current_tenant_id(),
            site_id=site_id,
            contact_id=contact_id,
            cause=cause,
            number=number,
            state="waiting",
            because="",
            due_at=due_at,
            coupon_id=coupon_id,
            at=now(),
        )
        .on_conflict_do_nothing()
        .returning(LoyaltySend.cause)
    ).first()
    if made is not None:
        loyalty_schedule.schedule_run(due_at)
    return made is not None
