"""An order that waits too long for a tap makes itself heard, once."""

from datetime import datetime, timedelta

from sqlalchemy import select

from core import lanes, news
from core.db import current_tenant_id, db
from core.errors import NotFound
from restaurant import sites, telling
from restaurant.models import Order, OrderChange, Site
from restaurant.wording import say

LANE = "order_alarms"


def set_for(site: Site, order: Order) -> None:
    lanes.mark_later(LANE, order.tenant_id, _due(site, order))


def sound(moment: datetime) -> list[Order]:
    """Every order that has waited long enough; the next one's time is noted again."""
    rung: list[Order] = []
    later: list[datetime] = []
    for order in _waiting():
        try:
            site = sites.get(order.site_id)
        except NotFound:
            continue
        if _due(site, order) > moment:
            later.append(_due(site, order))
            continue
        order.alarmed_at = moment
        db.session.add(
            OrderChange(
                tenant_id=order.tenant_id,
                order_id=order.id,
                what="alarm",
                state=order.state,
                by="Comanda",
            )
        )
        news.tell("orders.changed", id=order.id, site=order.site_id, state=order.state)
        _tell_manager(site, order)
        rung.append(order)
    if later:
        lanes.mark_later(LANE, current_tenant_id(), min(later))
    return rung


def _tell_manager(site: Site, order: Order) -> None:
    line = sites.line_of(site)
    if site.manager_phone and line is not None:
        text = say(
            site.languages[0], "alarm", order=order.number, minutes=site.accept_minutes,
            site=site.name,
        )  # fmt: skip
        telling.answer(line, site.manager_phone, text, reference=order.number)


def _waiting() -> list[Order]:
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.ended_at.is_(None),
        Order.state == "awaiting_confirmation",
        Order.alarmed_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(Order.placed_at)))


def _due(site: Site, order: Order) -> datetime:
    return order.placed_at + timedelta(minutes=site.accept_minutes)
