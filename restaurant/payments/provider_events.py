"""Stores provider events with their outcome. An event only triggers a check; it proves nothing."""

from datetime import timedelta
from hashlib import sha256

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import from_uuid, new_id, to_uuid
from messaging.lines import repository as line_repository
from restaurant import customers
from restaurant.models import PaymentAccount, PaymentLink, PaymentProviderEvent
from restaurant.orders import hold_reasons
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.pace import holds as order_holds
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import links as payment_links
from restaurant.payments import payments, refunds
from restaurant.payments.gateways.base import GatewayEvent, LinkStatus
from restaurant.payments.gateways.registry import GATEWAYS
from restaurant.sites import sites
from tenants import audit

BACK_OFF = (5, 15, 60, 300, 900)  # seconds after the first, second, … unanswered request
KINDS_TO_VERIFY = frozenset({"paid", "failed", "expired", "refunded"})
MAX_FORGED_EVENTS = 20  # rows per hour and account, so that an attacker cannot fill the table
OUTCOMES = (
    *("paid", "parked", "repeated", "failed", "expired", "refunded", "nothing", "nobodys"),
    *("forged", "wrong_account", "not_confirmed", *payments.REVIEW_REASONS),
)


def parse_event(account_id: str, raw: bytes) -> GatewayEvent:
    """Raises UnreadableEvent."""
    return GATEWAYS[payment_accounts.get_including_removed(account_id).provider].read(raw)


def receive_event(
    account_id: str, raw: bytes, *, signed: bool, hook_id: str | None
) -> PaymentProviderEvent:
    """Runs in the hooks job. Repeated events are stored once. Raises UnreadableEvent."""
    account = payment_accounts.get_including_removed(account_id)
    event = GATEWAYS[account.provider].read(raw)
    account.last_signal_at = now()
    return store_event(account, event, signed=signed, hook_id=hook_id)


def store_event(
    account: PaymentAccount,
    event: GatewayEvent,
    *,
    signed: bool,
    hook_id: str | None,
    source: str = "hook",
) -> PaymentProviderEvent:
    moment, needs_check = now(), event.kind in KINDS_TO_VERIFY
    row = insert(PaymentProviderEvent).values(
        tenant_id=current_tenant_id(),
        id=new_id("sig"),
        account_id=account.id,
        key=event.key[:255],
        hook_id=hook_id,
        kind=event.kind,
        event=event.event,
        source=source,
        signed=signed,
        session=event.session,
        payment_ref=event.payment,
        reference=event.reference,
        amount=event.amount if event.amount is not None and abs(event.amount) < 10**11 else None,
        currency=event.currency,
        state="waiting" if needs_check else "done",
        outcome="" if needs_check else "nothing",
        note="",
        times=1,
        tries=0,
        due_at=moment if needs_check else None,
        at=moment,
        last_at=moment,
    )
    statement = row.on_conflict_do_update(
        index_elements=[
            PaymentProviderEvent.tenant_id,
            PaymentProviderEvent.account_id,
            PaymentProviderEvent.key,
        ],
        set_={"times": PaymentProviderEvent.times + 1, "last_at": moment},
    ).returning(PaymentProviderEvent.id)
    signal = get(db.session.scalars(statement).one())
    if signal.state == "waiting":
        payment_links.wake_worker()
    return signal


def record_forged_event(account_id: str, raw: bytes, why: str) -> None:
    """Shown to the staff; many events within an hour share a row with a counter."""
    moment = now()
    slot = sha256(raw).digest()[0] % MAX_FORGED_EVENTS
    row = insert(PaymentProviderEvent).values(
        tenant_id=current_tenant_id(),
        id=new_id("sig"),
        account_id=account_id,
        key=f"forged:{moment:%Y%m%d%H}:{slot}",
        kind="other",
        event="",
        source="hook",
        signed=False,
        session="",
        payment_ref="",
        reference="",
        currency="",
        state="done",
        outcome="forged",
        note=why,
        times=1,
        tries=0,
        due_at=None,
        at=moment,
        last_at=moment,
    )
    db.session.execute(
        row.on_conflict_do_update(
            index_elements=[
                PaymentProviderEvent.tenant_id,
                PaymentProviderEvent.account_id,
                PaymentProviderEvent.key,
            ],
            set_={"times": PaymentProviderEvent.times + 1, "last_at": moment},
        )
    )
    payment_accounts.record_rejected_hook(account_id)


def get(signal_id: str) -> PaymentProviderEvent:
    query = select(PaymentProviderEvent).where(
        PaymentProviderEvent.tenant_id == current_tenant_id(), PaymentProviderEvent.id == signal_id
    )
    found = db.session.scalars(query.execution_options(populate_existing=True)).first()
    if found is None:
        raise NotFound()
    return found


def listed(
    after: str | None, limit: int, *, outcome: str = "", state: str = ""
) -> list[PaymentProviderEvent]:
    query = select(PaymentProviderEvent).where(
        PaymentProviderEvent.tenant_id == current_tenant_id()
    )
    if outcome:
        query = query.where(PaymentProviderEvent.outcome == outcome)
    if state:
        query = query.where(PaymentProviderEvent.state == state)
    if after:
        query = query.where(PaymentProviderEvent.id < from_uuid("sig", to_uuid("sig", after)))
    return list(db.session.scalars(query.order_by(PaymentProviderEvent.id.desc()).limit(limit)))


def of_link(link_id: str, most: int = 50) -> list[PaymentProviderEvent]:
    query = select(PaymentProviderEvent).where(
        PaymentProviderEvent.tenant_id == current_tenant_id(),
        PaymentProviderEvent.link_id == link_id,
    )
    return list(db.session.scalars(query.order_by(PaymentProviderEvent.id.desc()).limit(most)))


def settle_event(signal: PaymentProviderEvent, account: PaymentAccount, found: LinkStatus) -> str:
    """`found` is the provider's own answer; it decides, whatever the event claimed."""
    if found.state == "paid" and found.payment:
        outcome = payments.accept_payment(signal, account, found)
        if signal.kind == "refunded" or found.refunded:
            back = refunds.record_provider_refunds(account, found)
            outcome = "refunded" if back or signal.kind == "refunded" else outcome
    else:
        outcome = _unpaid(signal, found)
    finish_event(signal, outcome)
    return outcome


def finish_event(signal: PaymentProviderEvent, outcome: str, note: str = "") -> None:
    signal.state, signal.outcome, signal.note, signal.due_at = "done", outcome, note, None


def postpone_event(signal: PaymentProviderEvent, why: str) -> None:
    """The provider did not answer: retry later; after the last retry a person has to."""
    signal.note = why
    if signal.tries > len(BACK_OFF):
        signal.state, signal.due_at, signal.outcome = "parked", None, "not_confirmed"
        return
    wait = BACK_OFF[min(signal.tries, len(BACK_OFF)) - 1]
    signal.due_at = now() + timedelta(seconds=wait)


def retry_event(signal_id: str) -> bool:
    freed = db.session.execute(
        update(PaymentProviderEvent)
        .where(
            PaymentProviderEvent.tenant_id == current_tenant_id(),
            PaymentProviderEvent.id == signal_id,
            PaymentProviderEvent.state == "parked",
        )
        .values(state="waiting", outcome="", tries=0, due_at=now())
        .returning(PaymentProviderEvent.id)
    ).first()
    if freed is None:
        return False
    audit.record("payments.signal_run_again", signal_id)
    payment_links.wake_worker()
    return True


def _unpaid(signal: PaymentProviderEvent, found: LinkStatus) -> str:
    """The provider does not confirm a payment, even if the event claimed one."""
    subject = payments.find_subject(signal, found)
    link = subject.link
    if link is None:
        return "nobodys" if signal.kind != "paid" else "not_confirmed"
    signal.link_id, signal.order_id = link.id, link.order_id
    if signal.kind == "paid":
        return "not_confirmed"
    if link.state != "open":
        return "nothing"
    if found.state == "failed":
        _fail(link)
        return "failed"
    if found.state == "expired":
        expire_link(link)
        return "expired"
    return "nothing"


def _fail(link: PaymentLink) -> None:
    link.state, link.changed_at = "failed", now()
    payment_links.publish_live_update(link)
    notify_customer(link, "pay_failed", url=link.url)
    order_notifications.payment_failed(link)


def expire_link(link: PaymentLink) -> None:
    link.state, link.changed_at, link.due_at = "expired", now(), None
    payment_links.publish_live_update(link)
    notify_customer(link, "pay_expired")
    _release_holds(link)


def _release_holds(link: PaymentLink) -> None:
    """An order that nobody pays keeps neither stock nor a place in the kitchen."""
    if link.order_id is None:
        return
    order = order_lifecycle.lock_order(order_queries.get(link.order_id))
    if order.state == "awaiting_payment":
        order_holds.release(order, order_queries.items_of(order.id))


def notify_customer(link: PaymentLink, key: str, *, url: str = "") -> None:
    """Notify the order's customer. Links without an order send no further messages."""
    if link.order_id is None:
        return
    order = order_queries.get(link.order_id)
    if order.state == "awaiting_payment" and customers.can_be_notified(order):
        text = order_notifications.customer_text(order, key)
        if url:
            order_notifications.send_payment_link(order, text, url)
        else:
            order_notifications.send_to_customer(order, text)
        order_lifecycle.record_change(order, "payment", reason=CHANGE_REASONS[key])


CHANGE_REASONS = {
    "pay": hold_reasons.LINK_SENT,
    "pay_failed": hold_reasons.PAYMENT_DECLINED,
    "pay_expired": hold_reasons.LINK_EXPIRED,
}


def send_link(link: PaymentLink) -> None:
    """Send the URL to the customer by chat, once for each attempt."""
    if not link.tell or link.told >= link.attempt or link.state != "open":
        return
    link.told = link.attempt
    if link.order_id is not None:
        notify_customer(link, "pay", url=link.url)
        return
    site = sites.get(link.site_id)
    line = line_repository.default_line(test=True) if link.test else sites.line_of(site)
    if line is not None:
        order_notifications.send_payment_request(site, link, line)
