"""Why a guest gets a message by itself: a row for each cause, written once, sent by the clock."""

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from restaurant.loyalty import waking
from restaurant.models import Coupon, LoyaltyMessage, LoyaltySend, Site

CAUSES = ("welcome", "visit", "birthday", "missed", "gift")
LARGEST = 2**62
AFTER = timedelta(hours=2)  # not while they still sit at the table


def active(site_id: str) -> dict[str, LoyaltyMessage]:
    query = select(LoyaltyMessage).where(
        LoyaltyMessage.tenant_id == current_tenant_id(),
        LoyaltyMessage.site_id == site_id,
        LoyaltyMessage.active,
    )
    return {one.cause: one for one in db.session.scalars(query)}


def visited(site: Site, contact_id: str, visits: int) -> None:
    """After an order that counted."""
    wanted = active(site.id)
    if visits == 1 and "welcome" in wanted:
        note(site.id, contact_id, "welcome", 0, now() + AFTER)
    nth = wanted.get("visit")
    if nth is not None and visits == nth.number:
        note(site.id, contact_id, "visit", visits, now() + AFTER)


def given(site: Site, contact_id: str, coupon: Coupon) -> None:
    """A reward came by itself; they should know."""
    if "gift" in active(site.id):
        number = to_uuid("cpn", coupon.id).int % LARGEST  # one for each coupon
        note(site.id, contact_id, "gift", number, now(), coupon.id)


def note(
    site_id: str,
    contact_id: str,
    cause: str,
    number: int,
    due_at: datetime,
    coupon_id: str | None = None,
) -> bool:
    """False: they had this one already."""
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
        waking.wake(due_at)
    return made is not None
