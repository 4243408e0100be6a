"""Payments that staff took, by order. Written only while the order's row is locked."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import bindparam, select

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
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


PAYMENTS_OF_ORDER = (
    select(
        TillPayment.id,
        TillPayment.method,
        TillPayment.amount,
        TillPayment.tip,
        TillPayment.by,
        TillPayment.at,
        TillPayment.undone_at,
        TillPayment.undone_by,
        TillPayment.undone_because,
    )
    .where(TillPayment.tenant_id == THIS_TENANT, TillPayment.order_id == bindparam("order_id"))
    .order_by(TillPayment.id)
)


def of_order(order_id: str) -> Sequence[Any]:
    """What a page shows of each payment, oldest first. Includes undone payments."""
    return read_rows(PAYMENTS_OF_ORDER, {"order_id": order_id})
