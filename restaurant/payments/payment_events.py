"""The webhook events about payments."""

from typing import Any

from sqlalchemy import select

from core.clock import rfc3339
from core.db import current_tenant_id, db
from core.values.money import json_number
from restaurant.models import Order, Payment, TabShare
from webhooks.events import publish_webhook_event


def event_body(payment: Payment) -> dict[str, Any]:
    order = (
        db.session.get(Order, (payment.tenant_id, payment.order_id)) if payment.order_id else None
    )
    return {
        "id": payment.id,
        "reference": payment.reference,
        "payment_link_id": payment.link_id,
        "order_id": order.number if order else "",
        "amount": json_number(payment.amount),
        "currency": payment.currency,
        "refunded_amount": json_number(payment.refunded),
        "status": payment.state,
        "reason": payment.why,
        "surplus_amount": json_number(payment.surplus),
        "share": share_facts(share_of_payment(payment)),
        "paid_at": rfc3339(payment.paid_at),
        "test": payment.test,
    }


def publish_event(kind: str, payment: Payment) -> None:
    db.session.flush()
    publish_webhook_event(kind, event_body(payment))


def share_of_payment(payment: Payment) -> TabShare | None:
    if payment.link_id is None or payment.order_id is not None:
        return None
    return share_of_link(payment.link_id)


def share_of_link(link_id: str) -> TabShare | None:
    query = select(TabShare).where(
        TabShare.tenant_id == current_tenant_id(), TabShare.link_id == link_id
    )
    return db.session.scalars(query).first()


def share_facts(share: TabShare | None) -> dict[str, Any] | None:
    """The share of a table's tab that a payment is for; None for other payments."""
    if share is None:
        return None
    return {
        "id": share.id,
        "tab_id": share.tab_id,
        "guest": share.guest,
        "kind": share.kind,
        "amount": json_number(share.amount),
        "tip": json_number(share.tip),
    }
