"""How far each open tab of a restaurant is paid, for the board. One query for all tables."""

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import bindparam, func, select

from core.db import THIS_TENANT, read_rows
from restaurant.models import PaymentLink, Tab, TabGuest, TabShare
from restaurant.tabs.bill import RESERVED_LINK_STATES

GUESTS = (
    select(func.count())
    .where(TabGuest.tenant_id == THIS_TENANT, TabGuest.tab_id == Tab.id, TabGuest.state == "joined")
    .scalar_subquery()
)
PAYERS = (
    select(func.count(func.distinct(func.coalesce(TabShare.guest_id, TabShare.id))))
    .where(
        TabShare.tenant_id == THIS_TENANT, TabShare.tab_id == Tab.id, TabShare.paid_at.is_not(None)
    )
    .scalar_subquery()
)
RESERVED = (
    select(func.coalesce(func.sum(TabShare.amount), 0))
    .join(
        PaymentLink,
        (PaymentLink.tenant_id == TabShare.tenant_id) & (PaymentLink.id == TabShare.link_id),
    )
    .where(
        TabShare.tenant_id == THIS_TENANT,
        PaymentLink.tenant_id == THIS_TENANT,
        TabShare.tab_id == Tab.id,
        TabShare.paid_at.is_(None),
        PaymentLink.state.in_(sorted(RESERVED_LINK_STATES)),
    )
    .scalar_subquery()
)
SUMMARIES = select(
    Tab.id, Tab.table_id, GUESTS.label("guests"), PAYERS.label("payers"), RESERVED.label("reserved")
).where(Tab.tenant_id == THIS_TENANT, Tab.site_id == bindparam("site_id"), Tab.ended_at.is_(None))


@dataclass(frozen=True)
class TabSummary:
    id: str
    table_id: str
    guests: int
    """Phones at the table."""
    payers: int
    """Guests who have paid a share."""
    reserved: Decimal
    """Being paid now."""


def tab_summaries(site_id: str) -> list[TabSummary]:
    rows = read_rows(SUMMARIES, {"site_id": site_id})
    return [TabSummary(row.id, row.table_id, row.guests, row.payers, row.reserved) for row in rows]
