"""Raises one alarm for an order that has waited too long for confirmation."""

from datetime import datetime, timedelta

from sqlalchemy import select

from core import live_updates
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.queue import lanes
from restaurant.chat_texts import chat_text
from restaurant.models import Order, OrderChange, Site
from restaurant.orders import notifications as order_notifications
from restaurant.orders.effects import OrderUpdate
from restaurant.sites import sites

LANE = "order_alarms"


def schedule_alarm(update: OrderUpdate) -> None:
    """Only for a new order that needs confirmation."""
    if update.order.state == "awaiting_confirmation":
        lanes.mark_later(LANE, update.order.tenant_id, _alarm_due_at(update.site, update.order))


def send_due_alarms(moment: datetime) -> list[Order]:
    """Alarm every order that is due and schedule the next run. Returns the alarmed orders."""
    alarmed: list[Order] = []
    later: list[datetime] = []
    for order in _unconfirmed_orders():
        try:
            site = sites.get(order.site_id)
        except NotFound:
            continue
        if _alarm_due_at(site, order) > moment:
            later.append(_alarm_due_at(site, order))
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
        live_updates.publish_update(
            "orders.changed", id=order.id, site=order.site_id, state=order.state
        )
        _notify_manager(site, order)
        alarmed.append(order)
    if later:
        lanes.mark_later(LANE, current_tenant_id(), min(later))
    return alarmed


def _notify_manager(site: Site, order: Order) -> None:
    line = sites.line_of(site)
    if site.manager_phone and line is not None:
        text = chat_text(
            site.languages[0], "alarm", order=order.number, minutes=site.accept_minutes,
            site=site.name,
        )  # fmt: skip
        order_notifications.send_text(line, site.manager_phone, text, reference=order.number)


def _unconfirmed_orders() -> list[Order]:
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.ended_at.is_(None),
        Order.state == "awaiting_confirmation",
        Order.alarmed_at.is_(None),
    )
    return list(db.session.scalars(query.order_by(Order.placed_at)))


def _alarm_due_at(site: Site, order: Order) -> datetime:
    return order.placed_at + timedelta(minutes=site.accept_minutes)
