"""Orders of guests for journeys: the last one in words, and who ordered on a day."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.values.money import format_money
from messaging.journeys import ports
from messaging.journeys.ports import LatestOrder
from restaurant.chat_texts import chat_text
from restaurant.models import Order
from restaurant.orders.reports.day_summary import UNSOLD_STATES
from restaurant.sites import sites


class JourneyOrders:
    """Implements the port in messaging/journeys/ports.py."""

    def latest(self, contact_id: str, locale: str, *, test: bool) -> LatestOrder | None:
        query = select(Order).where(
            Order.tenant_id == current_tenant_id(),
            Order.contact_id == contact_id,
            Order.test == test,
        )
        order = db.session.scalars(query.order_by(Order.id.desc()).limit(1)).first()
        if order is None:
            return None
        return LatestOrder(
            order.number,
            chat_text(locale, f"state_{order.state}"),
            format_money(order.total, order.currency, locale),
            order.placed_at,
        )

    def contacts_between(self, since: datetime, until: datetime) -> set[str]:
        """By business days, which have an index and may end some hours after midnight."""
        query = select(Order.contact_id).where(
            Order.tenant_id == current_tenant_id(),
            Order.site_id.in_([site.id for site in sites.list_including_closed()]),
            Order.business_day >= (since - timedelta(days=2)).date(),
            Order.business_day <= (until + timedelta(days=1)).date(),
            Order.placed_at >= since,
            Order.placed_at < until,
            *_SOLD,
        )
        return {one for one in db.session.scalars(query.distinct()) if one is not None}

    def contacts_since(self, contact_ids: Sequence[str], since: datetime) -> set[str]:
        query = select(Order.contact_id).where(
            Order.tenant_id == current_tenant_id(),
            Order.contact_id.in_(list(contact_ids)),
            Order.placed_at >= since,
            *_SOLD,
        )
        return {one for one in db.session.scalars(query.distinct()) if one is not None}


_SOLD = (Order.test.is_(False), Order.state.not_in(UNSOLD_STATES))


def register() -> None:
    ports.register_orders(JourneyOrders())
