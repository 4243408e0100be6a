"""Processes payments: accepted only if the provider confirms them and amount and order match.

Every case has exactly one outcome. A late, double, wrong or unassignable payment never counts as
paid automatically: it goes to the refund review, where a person decides.
"""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound
from core.ids import from_uuid, new_id, to_uuid
from core.values.text import one_line
from restaurant.models import (
    Cart,
    Order,
    Payment,
    PaymentAccount,
    PaymentLink,
    PaymentProviderEvent,
    PaymentSession,
    Site,
    Tab,
)
from restaurant.orders import hold_reasons
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.payments import link_queries, tab_accounts, tab_shares
from restaurant.payments import links as payment_links
from restaurant.payments.gateways.base import LinkStatus
from restaurant.payments.payment_events import publish_event
from restaurant.sites import sites
from restaurant.tabs.bill import Share
from tenants import audit

UNPAID_STATES = frozenset({"awaiting_payment", "awaiting_confirmation"})
STATES = ("parked", "accepted", "review", "kept", "refunded")
REVIEW_REASONS = (
    *("late", "after_cancel", "order_cancelled", "paid_twice", "wrong_amount", "wrong_currency"),
    *("wrong_order", "no_order", "not_waiting", "surplus"),
)
# A paid cart can become an order until it expires; the extra minutes are for its message.
ORDER_WAIT = timedelta(hours=2, minutes=10)


@dataclass(frozen=True)
class PaymentSubject:
    """What a payment is for. All rows are locked."""

    link: PaymentLink | None
    cart: Cart | None
    order: Order | None
    share: tuple[Tab, Share] | None = None
    """The part of a table's bill that the link is for."""


def find_subject(signal: PaymentProviderEvent, found: LinkStatus) -> PaymentSubject:
    """Found by our session; for a session that we did not create, by the cart's code in it."""
    link = _link_of(signal.account_id, signal.session) or (
        link_queries.by_reference(found.reference) if found.reference else None
    )
    share = tab_shares.lock_by_link(link) if link else None
    if share is not None:
        return PaymentSubject(share[1].link, None, None, share)
    reference = link.reference if link else found.reference
    cart = _locked_cart(reference) if reference else None
    order_id = (cart.order_id if cart else None) or (link.order_id if link else None)
    order = _locked_order(order_id) if order_id else None
    return PaymentSubject(link_queries.lock_link(link) if link else None, cart, order)


def decide_state(
    found: LinkStatus, subject: PaymentSubject, before: Payment | None
) -> tuple[str, str]:
    """Returns the state of the payment and, if it is `review`, the reason."""
    link, cart, order = subject.link, subject.cart, subject.order
    reference = link.reference if link else cart.code if cart else ""
    currency = link.currency if link else order.currency if order else found.currency
    amount = link.amount if link else cart.total if cart else None
    if found.reference != reference:
        return "review", "wrong_order"
    if found.currency != currency:
        return "review", "wrong_currency"
    if found.amount is None or found.amount != amount:
        return "review", "wrong_amount"
    if before is not None:
        return "review", "paid_twice"
    if order is not None and order.state in ("cancelled", "refunded"):
        return "review", "after_cancel"
    if link is not None and link.state == "cancelled":
        return "review", "after_cancel"
    if link is not None and _late(link, found, subject.share):
        return "review", "late"
    if order is not None:
        if order.state not in UNPAID_STATES or order.payment_method != "card_link" or order.paid_at:
            return "review", "not_waiting"
        if order.total != found.amount:
            return "review", "wrong_amount"
        return "accepted", ""
    if cart is not None:
        over = cart.expires_at <= now() or cart.used_at is not None
        return ("review", "no_order") if over else ("parked", "")
    return "accepted", ""


def accept_payment(signal: PaymentProviderEvent, account: PaymentAccount, found: LinkStatus) -> str:
    """Process a payment that the provider has confirmed. Returns the outcome."""
    if _is_foreign_account(account, found):
        return "wrong_account"
    subject = find_subject(signal, found)
    if subject.link is None and subject.cart is None:
        return "nobodys"
    signal.link_id = subject.link.id if subject.link else None
    signal.order_id = subject.order.id if subject.order else None
    known = _find_payment(account.id, found.payment)
    if known is not None:
        signal.payment_id = known.id
        return "repeated"
    reference = subject.link.reference if subject.link else subject.cart.code  # type: ignore[union-attr]
    state, why = decide_state(found, subject, _accepted_payment(reference))
    payment = _store(account, found, subject, reference, state, why)
    if payment is None:
        return "repeated"
    signal.payment_id = payment.id
    if state == "review":
        _note_review(subject, payment)
        return why
    if subject.link is not None:
        payment_links.mark_paid(subject.link, payment.paid_at)
    if subject.order is not None:
        _apply_to_order(sites.of_order(subject.order), subject.order, payment)
        return "paid"
    if state == "accepted":
        publish_event("restaurant.payment_succeeded", payment)
    if subject.share is not None and subject.link is not None:
        tab_accounts.accept_share(sites.get_including_closed(subject.link.site_id), *subject.share)
    return "parked" if state == "parked" else "paid"


def attach_to_order(site: Site, order: Order, code: str) -> Order:
    """The order's message arrived after its payment: mark it as paid if the amount matches."""
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.reference == code,
        Payment.state == "parked",
    )
    parked = db.session.scalars(query.with_for_update()).first()
    if parked is None:
        return order
    parked.order_id = order.id
    if parked.amount != order.total or parked.currency != order.currency:
        parked.state, parked.why = "review", "wrong_amount"
        return order
    parked.state = "accepted"
    _apply_to_order(site, order, parked)
    return order


def flag_missing_order(code: str) -> None:
    """The order's message was refused or never came: move its parked payment to the review."""
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.reference == code,
        Payment.state == "parked",
    )
    for payment in db.session.scalars(query.with_for_update()):
        payment.state, payment.why = "review", "no_order"
        publish_event("restaurant.payment_review", payment)


def review_orphans() -> int:
    """Move parked payments to the review if their cart can no longer become an order."""
    query = select(Payment.reference).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.state == "parked",
        Payment.at < now() - ORDER_WAIT,
    )
    codes = list(db.session.scalars(query.limit(500)))
    for code in codes:
        flag_missing_order(code)
    return len(codes)


def get(payment_id: str) -> Payment:
    found = db.session.get(Payment, (current_tenant_id(), payment_id))
    if found is None:
        raise NotFound()
    return found


def of_order(order_id: str) -> list[Payment]:
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(), Payment.order_id == order_id
    )
    return list(db.session.scalars(query.order_by(Payment.id)))


def of_link(link_id: str) -> list[Payment]:
    link = link_queries.get(link_id)
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(), Payment.reference == link.reference
    )
    return list(db.session.scalars(query.order_by(Payment.id)))


def listed(state: str | None, after: str | None, limit: int) -> list[Payment]:
    query = select(Payment).where(Payment.tenant_id == current_tenant_id())
    if state:
        query = query.where(Payment.state == state)
    if after:
        query = query.where(Payment.id < from_uuid("pay", to_uuid("pay", after)))
    return list(db.session.scalars(query.order_by(Payment.id.desc()).limit(limit)))


# The ids of the payments to review, for a count.
PAYMENTS_IN_REVIEW = select(Payment.id).where(
    Payment.tenant_id == THIS_TENANT, Payment.state == "review"
)


def in_review(most: int = 100) -> int:
    return len(db.session.execute(PAYMENTS_IN_REVIEW.limit(most)).all())


def keep_without_refund(payment: Payment, because: str) -> Payment:
    """Take a payment out of the review without a refund: guest and restaurant settled it."""
    because = one_line(because, 200)
    if not because:
        raise Invalid("reason_missing", "Enter a reason for keeping the payment.")
    locked = lock_payment(payment)
    if locked.state != "review":
        raise Conflict("payment_decided", "This payment is no longer in review.")
    locked.state = "kept"
    locked.decided_at, locked.decided_by = now(), audit.current_actor().name
    locked.decided_because = because
    audit.record("payments.kept", locked.reference, because=because)
    return locked


def lock_payment(payment: Payment) -> Payment:
    query = select(Payment).where(Payment.tenant_id == payment.tenant_id, Payment.id == payment.id)
    fresh = query.with_for_update().execution_options(populate_existing=True)
    return db.session.scalars(fresh).one()


def _is_test(subject: PaymentSubject) -> bool:
    known = subject.order or subject.link
    return known is not None and known.test


def _apply_to_order(site: Site, order: Order, payment: Payment) -> None:
    """The only place where a payment moves an order: to the kitchen, unless it is unconfirmed."""
    payment.order_id, payment.test = order.id, order.test
    was = order.state
    publish_event("restaurant.payment_succeeded", payment)
    order = order_lifecycle.mark_paid(site, order)
    if was == "awaiting_payment" and "sent_to_kitchen" not in site.told_states:
        key = "scheduled" if order.state == "scheduled" else "paid"
        text = order_notifications.customer_text(order, key)
        if key == "paid":
            text = " ".join(
                part for part in (text, order_notifications.promise_text(site, order)) if part
            )
        order_notifications.send_order_card(site, order, text)  # earlier texts promised it
    if was == "awaiting_confirmation":
        order_lifecycle.record_change(order, "payment", reason=hold_reasons.PAID_ALREADY)


def _note_review(subject: PaymentSubject, payment: Payment) -> None:
    publish_event("restaurant.payment_review", payment)
    if subject.order is not None:
        order_lifecycle.record_change(subject.order, "payment", reason=hold_reasons.REFUND_REVIEW)


def _late(link: PaymentLink, found: LinkStatus, share: tuple[Tab, Share] | None) -> bool:
    """Compares the time of the payment, not of its event, with the link's current expiry. The part
    of a table's bill may have been paid by others since."""
    if link.state != "expired":
        return False
    if share is not None and not tab_shares.fits(*share):
        return True
    return (found.paid_at or now()) > link.expires_at


def _is_foreign_account(account: PaymentAccount, found: LinkStatus) -> bool:
    wrong_owner = bool(found.owner) and bool(account.owner) and found.owner != account.owner
    return wrong_owner or (found.live is not None and found.live != account.live)


def _link_of(account_id: str, session: str) -> PaymentLink | None:
    if not session:
        return None
    query = select(PaymentSession.link_id).where(
        PaymentSession.tenant_id == current_tenant_id(),
        PaymentSession.account_id == account_id,
        PaymentSession.ref == session,
    )
    link_id = db.session.scalar(query)
    return link_queries.get(link_id) if link_id else None


def _locked_cart(code: str) -> Cart | None:
    query = select(Cart).where(Cart.tenant_id == current_tenant_id(), Cart.code == code)
    locked = query.with_for_update().execution_options(populate_existing=True)
    return db.session.scalars(locked).first()


def _locked_order(order_id: str) -> Order | None:
    order_queries.lock_tab(order_id)
    query = select(Order).where(Order.tenant_id == current_tenant_id(), Order.id == order_id)
    locked = query.with_for_update().execution_options(populate_existing=True)
    return db.session.scalars(locked).first()


def _find_payment(account_id: str, ref: str) -> Payment | None:
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.account_id == account_id,
        Payment.ref == ref,
    )
    return db.session.scalars(query).first()


def _accepted_payment(reference: str) -> Payment | None:
    """A payment that was accepted for this reference before, even if it was refunded since."""
    query = select(Payment).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.reference == reference,
        (Payment.state.in_(("accepted", "parked")))
        | ((Payment.state == "review") & (Payment.why == "order_cancelled"))
        | (Payment.surplus > 0),
    )
    return db.session.scalars(query.limit(1)).first()


def _store(
    account: PaymentAccount,
    found: LinkStatus,
    subject: PaymentSubject,
    reference: str,
    state: str,
    why: str,
) -> Payment | None:
    """None if another worker has stored the same payment first."""
    site_id = (
        subject.link.site_id if subject.link else subject.cart.site_id if subject.cart else None
    )
    values = {
        "tenant_id": current_tenant_id(),
        "id": new_id("pay"),
        "account_id": account.id,
        "ref": found.payment,
        "reference": reference,
        "link_id": subject.link.id if subject.link else None,
        "order_id": subject.order.id if subject.order else None,
        "site_id": site_id,
        "amount": found.amount or 0,
        "currency": found.currency,
        "refunded": 0,
        "state": state,
        "why": why,
        "test": _is_test(subject),
        "paid_at": found.paid_at or now(),
        "at": now(),
        "decided_by": "",
        "decided_because": "",
    }
    made = insert(Payment).values(**values).on_conflict_do_nothing().returning(Payment.id)
    payment_id = db.session.scalar(made)
    return get(payment_id) if payment_id else None
