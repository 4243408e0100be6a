"""The steps of the payments job: claim a row, call the provider, settle the result.

A claim is a lease: if a worker dies, the next one claims the row again and repeats the call with
the same idempotency key. `due_at` holds the end of the lease.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import TextClause, func, select, text, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import from_uuid
from core.security.signing import read_token, sign_token_until
from core.settings import Settings
from restaurant.models import Payment, PaymentLink, PaymentProviderEvent, PaymentSession, Refund
from restaurant.orders.hold_reasons import ORDER_REASONS
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, provider_events
from restaurant.payments import links as payment_links
from restaurant.payments.gateways.base import (
    CreatedLink,
    GatewayEvent,
    LinkRequest,
    LinkStatus,
    ProviderCredentials,
)
from restaurant.payments.gateways.registry import GATEWAYS
from restaurant.sites import sites

BACK_OFF = (2, 10, 30, 120)
CLOSE_TRIES = 6
EXPIRY_GRACE = timedelta(minutes=2)  # a card check may be in progress when a link expires
RETURN_TOKEN_LIFETIME = timedelta(days=60)
FORGET_AFTER = timedelta(days=3)

# MATERIALIZED: a locking subquery must run once; otherwise more rows are claimed than requested.
CLAIM_LINK = text("""
WITH one AS MATERIALIZED (
     SELECT id FROM payment_links
      WHERE tenant_id = :tenant_id AND due_at <= :now
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE payment_links SET due_at = :until, tries = tries + 1
  FROM one
 WHERE payment_links.tenant_id = :tenant_id AND payment_links.id = one.id
RETURNING payment_links.id
""")
CLAIM_EVENT = text("""
WITH one AS MATERIALIZED (
     SELECT id FROM payment_signals
      WHERE tenant_id = :tenant_id AND due_at <= :now
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE payment_signals SET due_at = :until, tries = tries + 1
  FROM one
 WHERE payment_signals.tenant_id = :tenant_id AND payment_signals.id = one.id
RETURNING payment_signals.id
""")
CLAIM_REFUND = text("""
WITH one AS MATERIALIZED (
     SELECT id FROM refunds
      WHERE tenant_id = :tenant_id AND due_at <= :now
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE refunds SET due_at = :until, tries = tries + 1
  FROM one
 WHERE refunds.tenant_id = :tenant_id AND refunds.id = one.id
RETURNING refunds.id
""")
CLAIM_SESSION = text("""
WITH one AS MATERIALIZED (
     SELECT account_id, ref FROM payment_sessions
      WHERE tenant_id = :tenant_id AND close_at <= :now
      ORDER BY close_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE payment_sessions SET close_at = :until, tries = tries + 1
  FROM one
 WHERE payment_sessions.tenant_id = :tenant_id
   AND payment_sessions.account_id = one.account_id AND payment_sessions.ref = one.ref
RETURNING payment_sessions.account_id, payment_sessions.ref
""")


@dataclass(frozen=True)
class ClaimedLink:
    """With `make`, the link must be created; otherwise its status is requested."""

    link_id: str
    attempt: int
    tries: int
    provider: str
    credentials: ProviderCredentials
    make: bool
    request: LinkRequest
    ref: str = ""


@dataclass(frozen=True)
class ClaimedEvent:
    signal_id: str
    provider: str
    credentials: ProviderCredentials
    session: str
    reference: str
    payment: str


@dataclass(frozen=True)
class ClaimedRefund:
    refund_id: str
    provider: str
    credentials: ProviderCredentials
    payment: str
    amount: object
    currency: str
    reason: str
    begun: bool
    """An earlier worker may have sent this refund and died before the answer."""


@dataclass(frozen=True)
class ClaimedSession:
    account_id: str
    ref: str
    provider: str
    credentials: ProviderCredentials
    tries: int


def claim_link(settings: Settings, seconds: float) -> ClaimedLink | None:
    row = _claim(CLAIM_LINK, seconds)
    if row is None:
        return None
    link = link_queries.get(from_uuid("plk", row.id))
    db.session.refresh(link)
    account = payment_accounts.get_including_removed(link.account_id)
    site = sites.get_including_closed(link.site_id)
    request = LinkRequest(
        key=f"{link.id}-{link.attempt}",
        reference=link.reference,
        amount=link.amount,
        currency=link.currency,
        description=link.description,
        asked_at=link.expires_at - timedelta(minutes=link.minutes),
        expires_at=link.expires_at,
        return_url=return_url(settings, link),
        language=link.language,
        shop=site.name,
    )
    return ClaimedLink(
        link.id,
        link.attempt,
        link.tries,
        account.provider,
        payment_accounts.credentials(account, settings),
        link.state == "making",
        request,
        _open_ref(link),
    )


def settle_created_link(work: ClaimedLink, made: CreatedLink) -> None:
    """The provider's session is kept whatever became of the link meanwhile: it can be paid."""
    link = link_queries.lock_link(link_queries.get(work.link_id))
    current = link.state == "making" and link.attempt == work.attempt
    account_id = link.account_id
    known = db.session.get(PaymentSession, (link.tenant_id, account_id, made.ref))
    if known is None:
        db.session.add(
            PaymentSession(
                tenant_id=link.tenant_id,
                account_id=account_id,
                ref=made.ref,
                link_id=link.id,
                attempt=work.attempt,
                url=made.url,
                expires_at=link.expires_at,
                close_at=None if current else now(),
            )
        )
        db.session.flush()
    if not current:
        payment_links.wake_worker()
        return
    link.state, link.url, link.error, link.tries = "open", made.url, "", 0
    link.changed_at = now()
    _schedule_status_check(link, work.provider)
    provider_events.send_link(link)
    payment_links.publish_live_update(link)


def settle_failed_link(work: ClaimedLink, why: str, *, for_good: bool) -> None:
    link = link_queries.lock_link(link_queries.get(work.link_id))
    if link.state != "making" or link.attempt != work.attempt:
        return
    link.error, link.changed_at = why, now()
    if for_good or work.tries > len(BACK_OFF):
        link.state, link.due_at = "broken", None
        payment_links.publish_live_update(link)
    else:
        link.due_at = now() + timedelta(seconds=BACK_OFF[min(work.tries, len(BACK_OFF)) - 1])


def settle_link_status(work: ClaimedLink, found: LinkStatus | None, why: str = "") -> None:
    """An open link was asked about. None: the provider did not answer."""
    link = link_queries.lock_link(link_queries.get(work.link_id))
    if link.state not in ("open", "failed") or link.attempt != work.attempt:
        link.due_at = None
        return
    if found is not None and found.state == "paid" and _record_as_event(link, work, found):
        _schedule_status_check(link, work.provider)
        return
    over = now() >= link.expires_at + EXPIRY_GRACE
    if found is not None and (over or found.state == "expired"):
        provider_events.expire_link(link)
        payment_links.close_sessions(link)
        return
    if found is None and now() >= link.expires_at + FORGET_AFTER:
        link.error = why
        provider_events.expire_link(link)
        return
    provider_events.send_link(link)
    _schedule_status_check(link, work.provider)


def claim_event(settings: Settings, seconds: float) -> ClaimedEvent | None:
    row = _claim(CLAIM_EVENT, seconds)
    if row is None:
        return None
    signal = provider_events.get(from_uuid("sig", row.id))
    account = payment_accounts.get_including_removed(signal.account_id)
    link = _event_reference(signal)
    return ClaimedEvent(
        signal.id,
        account.provider,
        payment_accounts.credentials(account, settings),
        signal.session,
        link.reference if link else signal.reference,
        signal.payment_ref,
    )


def claim_refund(settings: Settings, seconds: float) -> ClaimedRefund | None:
    row = _claim(CLAIM_REFUND, seconds)
    if row is None:
        return None
    refund = db.session.get_one(Refund, (current_tenant_id(), from_uuid("rfd", row.id)))
    db.session.refresh(refund)
    payment = db.session.get_one(Payment, (current_tenant_id(), refund.payment_id))
    account = payment_accounts.get_including_removed(payment.account_id)
    begun, refund.state = refund.state == "asking", "asking"
    return ClaimedRefund(
        refund.id,
        account.provider,
        payment_accounts.credentials(account, settings),
        payment.ref,
        refund.amount,
        payment.currency,
        ORDER_REASONS.english(refund.reason),
        begun,
    )


def claim_session(settings: Settings, seconds: float) -> ClaimedSession | None:
    row = _claim(CLAIM_SESSION, seconds)
    if row is None:
        return None
    account = payment_accounts.get_including_removed(from_uuid("pac", row.account_id))
    session = db.session.get_one(PaymentSession, (current_tenant_id(), account.id, row.ref))
    db.session.refresh(session)
    credentials = payment_accounts.credentials(account, settings)
    return ClaimedSession(account.id, session.ref, account.provider, credentials, session.tries)


def settle_closed_session(work: ClaimedSession, well: bool) -> None:
    """After the last try the session stays open; a payment through it is still processed."""
    wait = BACK_OFF[min(work.tries, len(BACK_OFF)) - 1]
    later = None if well or work.tries >= CLOSE_TRIES else now() + timedelta(seconds=wait)
    db.session.execute(
        update(PaymentSession)
        .where(
            PaymentSession.tenant_id == current_tenant_id(),
            PaymentSession.account_id == work.account_id,
            PaymentSession.ref == work.ref,
        )
        .values(close_at=later, closed_at=None if later else now())
    )


def next_due() -> datetime | None:
    tenant_id = current_tenant_id()
    firsts = [
        db.session.scalar(select(func.min(column)).where(owner == tenant_id, column.is_not(None)))
        for owner, column in (
            (PaymentLink.tenant_id, PaymentLink.due_at),
            (PaymentProviderEvent.tenant_id, PaymentProviderEvent.due_at),
            (Refund.tenant_id, Refund.due_at),
            (PaymentSession.tenant_id, PaymentSession.close_at),
        )
    ]
    return min((one for one in firsts if one is not None), default=None)


def return_url(settings: Settings, link: PaymentLink) -> str:
    """The page that the provider redirects the payer to; it only shows the link's status.

    It is the same for every call of an attempt: a repeated call must have the same parameters.
    """
    value, until = [link.tenant_id, link.id], link.expires_at + RETURN_TOKEN_LIFETIME
    token = sign_token_until(settings.secret_key, "pay", value, until)
    return f"{settings.base_url}/pay/{token}"


def read_return_token(settings: Settings, token: str) -> tuple[int, str]:
    """Raises core.security.signing.BadToken."""
    tenant_id, link_id = read_token(settings.secret_key, "pay", token)
    return int(tenant_id), str(link_id)


def _claim(statement: TextClause, seconds: float) -> Any:
    moment = now()
    return db.session.execute(
        statement,
        {
            "tenant_id": current_tenant_id(),
            "now": moment,
            "until": moment + timedelta(seconds=seconds),
        },
    ).first()


def _schedule_status_check(link: PaymentLink, provider: str) -> None:
    soon = now() + timedelta(seconds=GATEWAYS[provider].status_poll_seconds)
    end = link.expires_at + EXPIRY_GRACE
    link.due_at = min(soon, end) if now() < end else soon
    link.tries = 0


def _open_ref(link: PaymentLink) -> str:
    query = select(PaymentSession.ref).where(
        PaymentSession.tenant_id == link.tenant_id,
        PaymentSession.link_id == link.id,
        PaymentSession.attempt == link.attempt,
    )
    return db.session.scalar(query.limit(1)) or ""


def _event_reference(signal: PaymentProviderEvent) -> PaymentLink | None:
    query = select(PaymentSession.link_id).where(
        PaymentSession.tenant_id == signal.tenant_id,
        PaymentSession.account_id == signal.account_id,
        PaymentSession.ref == signal.session,
    )
    link_id = db.session.scalar(query) if signal.session else None
    try:
        return link_queries.get(link_id) if link_id else None
    except NotFound:
        return None


def _record_as_event(link: PaymentLink, work: ClaimedLink, found: LinkStatus) -> bool:
    """Store the paid status as a provider event, which then settles it.

    Returns False if that event was already settled without paying the link.
    """
    account = payment_accounts.get_including_removed(link.account_id)
    event = GatewayEvent(
        key=f"asked:{found.payment}",
        kind="paid",
        event="asked",
        session=work.ref,
        payment=found.payment,
        reference=found.reference,
        amount=found.amount,
        currency=found.currency,
    )
    stored = provider_events.store_event(account, event, signed=True, hook_id=None, source="asked")
    return stored.state == "waiting"
