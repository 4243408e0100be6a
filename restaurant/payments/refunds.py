"""Refunds: requested with a reason, made once, or marked as unknown if that is uncertain."""

from datetime import timedelta
from decimal import Decimal

from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, invalid
from core.values.reasons import encode_other
from core.values.text import one_line
from restaurant import customers
from restaurant.loyalty import ledger
from restaurant.models import Order, Payment, PaymentAccount, Refund
from restaurant.orders import hold_reasons
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.payments import links as payment_links
from restaurant.payments import payments
from restaurant.payments.gateways.base import LinkStatus, RefundResult
from restaurant.payments.payment_events import publish_event
from restaurant.sites import sites
from tenants import audit

PENDING_STATES = ("waiting", "asking", "unknown")
BACK_OFF = (5, 30, 120, 600)
# Refunds for these reasons concern the order's payment; a refunded second payment does not.
COUNTED_REASONS = ("", "order_cancelled", "after_cancel", "late")


def refundable_amount(payment: Payment) -> Decimal:
    """The amount that can still be refunded; pending refunds are deducted."""
    query = select(func.coalesce(func.sum(Refund.amount), 0)).where(
        Refund.tenant_id == payment.tenant_id,
        Refund.payment_id == payment.id,
        Refund.state.in_(PENDING_STATES),
    )
    return payment.amount - payment.refunded - Decimal(db.session.scalar(query) or 0)


def usual_refund(payment: Payment, most: Decimal) -> Decimal:
    """What is refunded if nobody enters an amount: the surplus of a share of a table's bill, or
    everything that can be."""
    surplus = min(most, payment.surplus - payment.refunded)
    return surplus if surplus > 0 else most


def request_refund(payment: Payment, amount: str | Decimal | None, reason: str) -> Refund:
    """Request a refund of the rest or a part. A job calls the provider."""
    reason = one_line(reason, 200)
    if not reason:
        raise Invalid("reason_missing", "Enter a reason for the refund.")
    locked = payments.lock_payment(payment)
    if locked.state == "parked":
        raise Conflict("payment_parked", "This payment is still waiting for its order.")
    most = refundable_amount(locked)
    if most <= 0:
        raise Conflict("nothing_left", "This payment was already fully refunded.")
    usual = usual_refund(locked, most)
    if amount in (None, ""):
        refund_amount = usual
    else:
        refund_amount = payment_links.parse_amount(amount or "", locked.currency)
    if refund_amount > most:
        raise invalid("amount", "too_much", "At most {most} can still be refunded.", most=str(most))
    refund = Refund(
        tenant_id=locked.tenant_id,
        payment_id=locked.id,
        amount=refund_amount,
        reason=encode_other(reason),
        by=audit.current_actor().name,
    )
    db.session.add(refund)
    db.session.flush()
    if locked.state == "review" and refund_amount in (most, usual):
        locked.decided_at, locked.decided_by = now(), refund.by
        locked.decided_because = reason
    audit.record(
        "payments.refunded", locked.reference, amount=str(refund_amount), currency=locked.currency,
        because=reason,
    )  # fmt: skip
    payment_links.wake_worker()
    return refund


def of_payments(payment_ids: list[str]) -> dict[str, list[Refund]]:
    found: dict[str, list[Refund]] = {one: [] for one in payment_ids}
    if payment_ids:
        query = select(Refund).where(
            Refund.tenant_id == current_tenant_id(), Refund.payment_id.in_(payment_ids)
        )
        for refund in db.session.scalars(query.order_by(Refund.id)):
            found[refund.payment_id].append(refund)
    return found


def settle_done(refund: Refund, returned: RefundResult) -> None:
    refund.ref = returned.ref
    _count(refund)


def settle_refused(refund: Refund, why: str) -> None:
    refund.state, refund.error = "failed", why
    refund.due_at, refund.ended_at = None, now()


def settle_unanswered(refund: Refund, why: str, *, once: bool) -> None:
    """Retry if the provider is idempotent (`once`); otherwise a person has to check."""
    refund.error = why
    if once and refund.tries <= len(BACK_OFF):
        refund.state = "waiting"
        refund.due_at = now() + timedelta(seconds=BACK_OFF[min(refund.tries, len(BACK_OFF)) - 1])
    else:
        refund.state, refund.due_at = "unknown", None


def record_provider_refunds(account: PaymentAccount, found: LinkStatus) -> bool:
    """Record refunds that the provider reports and that were not made through us."""
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.account_id == account.id,
        Payment.ref == found.payment,
    )
    payment = db.session.scalars(query).first()
    if payment is None:
        return False
    payment = payments.lock_payment(payment)
    extra = min(found.refunded, payment.amount) - payment.refunded
    if extra <= 0:
        return False
    ours_under_way = select(Refund).where(
        Refund.tenant_id == payment.tenant_id,
        Refund.payment_id == payment.id,
        Refund.state.in_(PENDING_STATES),
    )
    for refund in db.session.scalars(ours_under_way.order_by(Refund.id)):
        if refund.state == "unknown" and refund.amount <= extra:
            _count(refund)
        extra -= refund.amount  # a pending refund is recorded when it is settled
    if extra > 0:
        there = Refund(
            tenant_id=payment.tenant_id,
            payment_id=payment.id,
            amount=extra,
            reason=hold_reasons.MADE_AT_PROVIDER,
            by=account.name,
            due_at=None,
        )
        db.session.add(there)
        db.session.flush()
        _count(there)
    return True


def _count(refund: Refund) -> None:
    query = select(Payment).where(
        Payment.tenant_id == refund.tenant_id, Payment.id == refund.payment_id
    )
    payment = payments.lock_payment(db.session.scalars(query).one())
    refund.state, refund.error, refund.due_at, refund.ended_at = "done", "", None, now()
    payment.refunded += refund.amount
    if payment.refunded >= payment.amount:
        payment.state = "refunded"
    elif payment.state == "review" and 0 < payment.surplus <= payment.refunded:
        payment.state = "accepted"  # the rest of the payment is on the bill of its table
    publish_event("restaurant.payment_refunded", payment)
    if payment.order_id is not None:
        _update_order(payment, refund)


def _update_order(payment: Payment, refund: Refund) -> None:
    order = db.session.get(Order, (payment.tenant_id, payment.order_id))
    if order is None:
        return
    site = sites.of_order(order)
    order_lifecycle.record_change(order, "payment", reason=hold_reasons.REFUNDED)
    ledger.update_for_order(site, order, repriced=True)
    if payment.state != "refunded" or payment.why not in COUNTED_REASONS:
        return
    notified = "refunded" in site.told_states
    if order.state in ("closed", "cancelled"):
        order_lifecycle.change_state(site, order, "refunded", reason=refund.reason)
    else:
        notified = False
    if not notified and customers.can_be_notified(order):
        order_notifications.send_to_customer(
            order, order_notifications.customer_text(order, "refunded")
        )
