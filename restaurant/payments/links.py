"""Creates, renews and cancels payment links. A job calls the provider.

Nothing here changes an order; `restaurant.payments.payments` does when it is paid.
"""

from datetime import timedelta
from decimal import Decimal

from sqlalchemy import or_, select, update

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.errors import Conflict, invalid
from core.ids import short_code
from core.queue import lanes
from core.values.money import BadMoney, parse_money
from core.values.text import one_line
from restaurant import customers
from restaurant.models import (
    Cart,
    Order,
    Payment,
    PaymentAccount,
    PaymentLink,
    PaymentSession,
    Site,
)
from restaurant.orders.effects import OrderUpdate
from restaurant.orders.pace import holds as order_holds
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries
from restaurant.sites import sites
from restaurant.tabs import events as tab_events
from restaurant.typed_phones import optional_phone
from tenants import audit

LANE = "payments"
STATES = ("making", "open", "paid", "failed", "expired", "cancelled", "broken")
PAYABLE_STATES = frozenset({"making", "open", "failed"})
RENEWABLE = frozenset({"open", "failed", "expired", "cancelled", "broken"})
REFERENCE_LENGTH = 10  # a cart's code has 8, so the two are never equal
LONGEST_DESCRIPTION = 120
MAX_AMOUNT = Decimal(1_000_000_000)


def create_for_order(site: Site, order: Order, *, minutes: int | None = None) -> PaymentLink | None:
    """Called when an order starts to wait for payment. None if there is no provider account."""
    cart = db.session.get(Cart, (order.tenant_id, order.cart_id)) if order.cart_id else None
    known = link_queries.by_reference(cart.code) if cart else None
    if known is not None:
        return _take_over_cart_link(known, order)
    if cart is not None and _has_payment(cart.code):
        return None
    account = payment_accounts.for_site(site.id, test=order.test)
    if account is None or order.total <= 0:
        return None
    return _make(
        PaymentLink(
            tenant_id=order.tenant_id,
            reference=cart.code if cart else short_code(REFERENCE_LENGTH),
            account_id=account.id,
            site_id=site.id,
            order_id=order.id,
            cart_id=order.cart_id,
            amount=order.total,
            currency=order.currency,
            description=one_line(f"{site.name} · {order.number}", LONGEST_DESCRIPTION),
            customer_phone=order.customer_phone,
            customer_name=order.customer_name,
            language=order.language,
            tell=customers.can_be_notified(order),
            minutes=minutes or account.link_minutes,
            source="order",
            test=order.test,
        )
    )


def create_for_cart(site: Site, cart: Cart, *, source: str) -> PaymentLink:
    """For payment before the chat message is sent: the money is parked until the order exists."""
    if cart.payment_method != "card_link":
        raise invalid("cart_code", "not_by_card", "This cart is not set to be paid by card online.")
    if cart.used_at is not None or cart.expires_at <= now():
        raise invalid("cart_code", "cart_over", "This cart was already sent or has expired.")
    known = link_queries.by_reference(cart.code)
    if known is not None:
        return known
    account = payment_accounts.require_for_site(site.id)
    if cart.total <= 0:
        raise invalid("cart_code", "nothing_to_pay", "There is nothing to pay for this cart.")
    return _make(
        PaymentLink(
            tenant_id=current_tenant_id(),
            reference=cart.code,
            account_id=account.id,
            site_id=site.id,
            cart_id=cart.id,
            amount=cart.total,
            currency=site.currency,
            description=one_line(f"{site.name} · {cart.code}", LONGEST_DESCRIPTION),
            language=cart.language,
            minutes=account.link_minutes,
            source=source,
        )
    )


def create_standalone(
    site: Site,
    amount: str | Decimal,
    description: str,
    *,
    source: str,
    currency: str = "",
    phone: str = "",
    name: str = "",
    minutes: int | None = None,
    notify: bool = False,
    test: bool = False,
) -> PaymentLink:
    """A link without an order, for example for a deposit, a bill or a gift."""
    account = payment_accounts.require_for_site(site.id, test=test)
    description = one_line(description, LONGEST_DESCRIPTION)
    if not description:
        raise invalid("description", "description_missing", "Enter what the payment is for.")
    phone = optional_phone(phone)
    if notify and not phone:
        raise invalid("phone", "phone_missing", "Enter the recipient of the link.")
    return _make(
        PaymentLink(
            tenant_id=current_tenant_id(),
            reference=short_code(REFERENCE_LENGTH),
            account_id=account.id,
            site_id=site.id,
            amount=parse_amount(amount, currency or site.currency),
            currency=currency or site.currency,
            description=description,
            customer_phone=phone,
            customer_name=one_line(name, 120),
            language=site.languages[0],
            tell=notify,
            minutes=check_minutes(minutes, account.link_minutes),
            source=source,
            test=test,
        )
    )


def create_for_share(
    site: Site,
    account: PaymentAccount,
    amount: Decimal,
    *,
    table_number: str,
    name: str,
    language: str,
    test: bool,
) -> PaymentLink:
    """For a part of a table's bill. It is valid as short as providers allow."""
    return _make(
        PaymentLink(
            tenant_id=current_tenant_id(),
            reference=short_code(REFERENCE_LENGTH),
            account_id=account.id,
            site_id=site.id,
            amount=amount,
            currency=site.currency,
            description=one_line(f"{site.name} · {table_number}", LONGEST_DESCRIPTION),
            customer_name=name,
            language=language,
            minutes=payment_accounts.MIN_LINK_MINUTES,
            source="tab",
            test=test,
        )
    )


def close_for_tab(link: PaymentLink) -> None:
    """The share of a table's bill is released. The tab's row is locked."""
    link = link_queries.lock_link(link)
    if link.state in PAYABLE_STATES:
        _close(link, "cancelled")


def cancel(link: PaymentLink) -> PaymentLink:
    """Close the link. A payment that still arrives goes to the refund review."""
    if link.cart_id and link.order_id is None:
        _withdraw_cart(link)
    link = link_queries.lock_link(link)
    if link.state == "cancelled":
        return link
    if link.state == "paid" and not _has_no_accepted_payment(link):
        raise Conflict("link_paid", "This link is already paid. Refund the payment instead.")
    _close(link, "cancelled")
    _to_review(Payment.link_id == link.id, ("parked",), "after_cancel")
    audit.record("payments.link_cancelled", link.reference)
    return link


def renew(link: PaymentLink, *, minutes: int | None = None) -> PaymentLink:
    """The same request with a new URL; the old one is closed."""
    order = db.session.get(Order, (link.tenant_id, link.order_id)) if link.order_id else None
    link = link_queries.lock_link(link)
    if link.state not in RENEWABLE:
        raise Conflict("link_not_renewable", "This link is still being created or is already paid.")
    if order is not None and order.state != "awaiting_payment":
        raise Conflict("order_not_waiting", "The order is no longer waiting for payment.")
    if order is None and link.cart_id:
        raise Conflict("link_not_renewable", "The cart no longer exists. A new one must be sent.")
    if link.source == "tab":
        raise Conflict("link_not_renewable", "Guests pay from the bill of their table again.")
    if order is not None:
        link.amount = order.total
        order_holds.take_again(sites.of_order(order), order)
    _reopen(link, minutes)
    audit.record("payments.link_renewed", link.reference)
    return link


def create_if_awaited(update: OrderUpdate) -> None:
    if update.order.state == "awaiting_payment":
        create_for_order(update.site, update.order)


def close_if_cancelled(update: OrderUpdate) -> None:
    """Closes the link of a cancelled order and sends its payments to the refund review."""
    order = update.order
    if order.state == "cancelled":
        on_payment_method_changed(order)
        _to_review(Payment.order_id == order.id, ("accepted", "parked"), "order_cancelled")


def on_payment_method_changed(order: Order) -> None:
    """The guest pays in another way: the link is closed. The order's row is locked."""
    link = link_queries.of_order(order.id)
    if link is not None:
        link = link_queries.lock_link(link)
        if link.state in PAYABLE_STATES | {"expired", "broken"}:
            _close(link, "cancelled")


def follow_new_total(update: OrderUpdate) -> None:
    """The link asks for what the order costs now."""
    order = update.order
    link = link_queries.of_order(order.id)
    if order.state != "awaiting_payment" or link is None or order.total <= 0:
        return
    link = link_queries.lock_link(link)
    if link.amount != order.total and link.state != "paid":
        link.amount = order.total
        _reopen(link, None)


def mark_paid(link: PaymentLink, paid_at: object) -> None:
    """Mark the link as paid and close its other sessions."""
    link.state, link.paid_at = "paid", paid_at  # type: ignore[assignment]
    link.due_at, link.changed_at, link.error = None, now(), ""
    close_sessions(link)
    publish_live_update(link)


def wake_worker() -> None:
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.restaurant.payments.drain")


def publish_live_update(link: PaymentLink) -> None:
    live_updates.publish_update("payments.changed", id=link.id, state=link.state)
    if link.source == "tab":
        tab_events.publish_share_update(link.id)


def parse_amount(given: str | Decimal, currency: str) -> Decimal:
    try:
        amount = parse_money(str(given).strip(), currency)
    except BadMoney as error:
        raise invalid("amount", "invalid_amount", str(error)) from error
    if not 0 < amount < MAX_AMOUNT:
        raise invalid("amount", "invalid_amount", "The amount must be greater than zero.")
    return amount


def check_minutes(given: int | None, usual: int) -> int:
    if given is None:
        return usual
    least, most = payment_accounts.MIN_LINK_MINUTES, payment_accounts.MAX_LINK_MINUTES
    if not least <= given <= most:
        raise invalid(
            "minutes",
            "invalid_minutes",
            "A link must be valid for {least} to {most} minutes.",
            least=least,
            most=most,
        )
    return given


def _make(link: PaymentLink) -> PaymentLink:
    link.expires_at = now() + timedelta(minutes=link.minutes)
    link.made_by = audit.current_actor().name
    db.session.add(link)
    db.session.flush()
    wake_worker()
    publish_live_update(link)
    return link


def _reopen(link: PaymentLink, minutes: int | None) -> None:
    account = payment_accounts.get_including_removed(link.account_id)
    if not payment_accounts.is_ready(account) or not payment_accounts.accepts(
        account, test=link.test
    ):
        link.account_id = payment_accounts.require_for_site(link.site_id, test=link.test).id
    close_sessions(link)
    link.state, link.url, link.error, link.tries = "making", "", "", 0
    link.attempt += 1
    link.minutes = check_minutes(minutes, link.minutes)
    link.expires_at = now() + timedelta(minutes=link.minutes)
    link.due_at = link.changed_at = now()
    wake_worker()
    publish_live_update(link)


def _take_over_cart_link(link: PaymentLink, order: Order) -> PaymentLink:
    """It was made before the message came: from now on it is the order's."""
    link = link_queries.lock_link(link)
    link.order_id, link.test = order.id, order.test
    link.customer_phone, link.customer_name = order.customer_phone, order.customer_name
    link.tell = customers.can_be_notified(order)
    if link.amount != order.total and link.state in PAYABLE_STATES:
        link.amount = order.total  # another order used the cart's coupon first
        _reopen(link, None)
    elif link.state in PAYABLE_STATES:
        link.due_at = now()
        wake_worker()
    elif link.state in ("expired", "broken"):
        _reopen(link, None)
    return link


def _close(link: PaymentLink, state: str) -> None:
    link.state, link.due_at, link.changed_at = state, None, now()
    close_sessions(link)
    publish_live_update(link)


def close_sessions(link: PaymentLink) -> None:
    closing = db.session.execute(
        update(PaymentSession)
        .where(
            PaymentSession.tenant_id == link.tenant_id,
            PaymentSession.link_id == link.id,
            PaymentSession.closed_at.is_(None),
            PaymentSession.close_at.is_(None),
        )
        .values(close_at=now())
        .returning(PaymentSession.ref)
    )
    if closing.all():
        wake_worker()


def _to_review(condition: object, states: tuple[str, ...], why: str) -> None:
    db.session.execute(
        update(Payment)
        .where(
            Payment.tenant_id == current_tenant_id(),
            condition,  # type: ignore[arg-type]
            Payment.state.in_(states),
            Payment.refunded < Payment.amount,
        )
        .values(state="review", why=why)
    )


def _withdraw_cart(link: PaymentLink) -> None:
    """The code must not become an order after its payment was cancelled."""
    query = select(Cart).where(Cart.tenant_id == link.tenant_id, Cart.id == link.cart_id)
    cart = db.session.scalars(query.with_for_update()).first()
    if cart is not None and cart.used_at is None:
        cart.expires_at = min(cart.expires_at, now())


def _has_no_accepted_payment(link: PaymentLink) -> bool:
    query = select(Payment.state).where(
        Payment.tenant_id == link.tenant_id, Payment.link_id == link.id
    )
    return set(db.session.scalars(query)) <= {"parked", "review"}


def _has_payment(reference: str) -> bool:
    query = select(Payment.id).where(
        Payment.tenant_id == current_tenant_id(),
        Payment.reference == reference,
        or_(Payment.state == "parked", Payment.state == "review"),
    )
    return db.session.scalars(query.limit(1)).first() is not None
