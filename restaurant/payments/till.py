"""Payments that staff took, by order. Written only while the order's row is locked."""

from decimal import Decimal

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from restaurant.models import Order, Site, TillPayment
from restaurant.orders.lifecycle import update_paid_state
from restaurant.sites import hours
from tenants import audit

METHODS = ("cash", "card")
ZERO = Decimal(0)


def record_payment(
    site: Site, order: Order, method: str, amount: Decimal, tip: Decimal = ZERO
) -> TillPayment:
    payment = new_payment(site, order, method, amount, tip)
    db.session.add(payment)
    db.session.flush()
    return payment


def new_payment(
    site: Site, order: Order, method: str, amount: Decimal, tip: Decimal = ZERO
) -> TillPayment:
    """Build the payment and update the order; the payment is not added to the session."""
    moment = now()
    order.taken += amount
    update_paid_state(order)
    return TillPayment(
        tenant_id=order.tenant_id,
        order_id=order.id,
        site_id=order.site_id,
        business_day=hours.business_day(site.day_starts, site.time_zone, moment),
        method=method,
        amount=amount,
        tip=tip,
        by=audit.current_actor().name,
        at=moment,
    )


def undo_payment(order: Order, payment: TillPayment, because: str) -> None:
    payment.undone_at, payment.undone_by = now(), audit.current_actor().name
    payment.undone_because = because
    order.taken -= payment.amount
    update_paid_state(order)


def get(payment_id: str) -> TillPayment:
    found = db.session.get(TillPayment, (current_tenant_id(), payment_id))
    if found is None:
        raise NotFound()
    return found


def of_order(order_id: str) -> list[TillPayment]:
    """Includes undone payments, oldest first."""
    query = select(TillPayment).where(
        TillPayment.tenant_id == current_tenant_id(), TillPayment.order_id == order_id
    )
    return list(db.session.scalars(query.order_by(TillPayment.id)))
