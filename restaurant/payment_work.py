"""What the payments' job takes in hand: claimed for a while, then settled.

A claim is a lease: whoever dies with it leaves the row to the next, who asks again with the same
key. The rows' own `due_at` says when.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import TextClause, func, select, text, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.ids import from_uuid
from core.settings import Settings
from core.signing import read_token, sign_token_until
from restaurant import payment_accounts, payment_links, signals, sites
from restaurant.gateways import Asking, Desk, Found, Made, Signal
from restaurant.gateways.book import GATEWAYS
from restaurant.models import Payment, PaymentLink, PaymentSession, PaymentSignal, Refund

BACK_OFF = (2, 10, 30, 120)
CLOSE_TRIES = 6
AFTER_THE_END = timedelta(minutes=2)  # a card's own check may be under way when a link runs out
RETURN_FOR = timedelta(days=60)
FORGET_AFTER = timedelta(days=3)

# Materialized: a subquery that locks must run once, or more rows are taken than were asked for.
_CLAIM = """
WITH one AS MATERIALIZED (
     SELECT {keys} FROM {table}
      WHERE tenant_id = :tenant_id AND {due} <= :now
      ORDER BY {due} LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE {table} SET {due} = :until, tries = tries + 1
  FROM one
 WHERE {table}.tenant_id = :tenant_id AND {same}
RETURNING {taken}
"""


def _claim_of(table: str, due: str, *keys: str) -> TextClause:
    return text(
        _CLAIM.format(
            table=table,
            due=due,
            keys=", ".join(keys),
            same=" AND ".join(f"{table}.{key} = one.{key}" for key in keys),
            taken=", ".join(f"{table}.{key}" for key in keys),
        )
    )


CLAIM_LINK = _claim_of("payment_links", "due_at", "id")
CLAIM_SIGNAL = _claim_of("payment_signals", "due_at", "id")
CLAIM_REFUND = _claim_of("refunds", "due_at", "id")
CLAIM_SESSION = _claim_of("payment_sessions", "close_at", "account_id", "ref")


@dataclass(frozen=True)
class LinkWork:
    """`make`: it has no address yet. Else: how does it stand?"""

    link_id: str
    attempt: int
    tries: int
    provider: str
    desk: Desk
    make: bool
    asking: Asking
    ref: str = ""


@dataclass(frozen=True)
class SignalWork:
    signal_id: str
    provider: str
    desk: Desk
    session: str
    reference: str
    payment: str


@dataclass(frozen=True)
class RefundWork:
    refund_id: str
    provider: str
    desk: Desk
    payment: str
    amount: object
    currency: str
    reason: str
    begun: bool
    """It was asked for before, and whoever asked did not live to hear the answer."""


@dataclass(frozen=True)
class CloseWork:
    account_id: str
    ref: str
    provider: str
    desk: Desk
    tries: int


def claim_link(settings: Settings, seconds: float) -> LinkWork | None:
    row = _claim(CLAIM_LINK, seconds)
    if row is None:
        return None
    link = payment_links.get(from_uuid("plk", row.id))
    db.session.refresh(link)
    account = payment_accounts.known(link.account_id)
    site = sites.known(link.site_id)
    asking = Asking(
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
    return LinkWork(
        link.id,
        link.attempt,
        link.tries,
        account.provider,
        payment_accounts.desk(account, settings),
        link.state == "making",
        asking,
        _open_ref(link),
    )


def made(work: LinkWork, made: Made) -> None:
    """The provider's session is kept whatever became of the link meanwhile: it can be paid."""
    link = payment_links.hold(payment_links.get(work.link_id))
    mine = link.state == "making" and link.attempt == work.attempt
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
                close_at=None if mine else now(),
            )
        )
        db.session.flush()
    if not mine:
        payment_links.wake()
        return
    link.state, link.url, link.error, link.tries = "open", made.url, "", 0
    link.changed_at = now()
    _look_again(link, work.provider)
    signals.say_address(link)
    payment_links.tell(link)


def not_made(work: LinkWork, why: str, *, for_good: bool) -> None:
    link = payment_links.hold(payment_links.get(work.link_id))
    if link.state != "making" or link.attempt != work.attempt:
        return
    link.error, link.changed_at = why[:300], now()
    if for_good or work.tries > len(BACK_OFF):
        link.state, link.due_at = "broken", None
        payment_links.tell(link)
    else:
        link.due_at = now() + timedelta(seconds=BACK_OFF[min(work.tries, len(BACK_OFF)) - 1])


def looked(work: LinkWork, found: Found | None, why: str = "") -> None:
    """An open link was asked about. None: the provider did not answer."""
    link = payment_links.hold(payment_links.get(work.link_id))
    if link.state not in ("open", "failed") or link.attempt != work.attempt:
        link.due_at = None
        return
    if found is not None and found.state == "paid" and _as_signal(link, work, found):
        _look_again(link, work.provider)
        return
    over = now() >= link.expires_at + AFTER_THE_END
    if found is not None and (over or found.state == "expired"):
        signals.run_out(link)
        payment_links.close_sessions(link)
        return
    if found is None and now() >= link.expires_at + FORGET_AFTER:
        link.error = why[:300]
        signals.run_out(link)
        return
    signals.say_address(link)
    _look_again(link, work.provider)


def claim_signal(settings: Settings, seconds: float) -> SignalWork | None:
    row = _claim(CLAIM_SIGNAL, seconds)
    if row is None:
        return None
    signal = signals.get(from_uuid("sig", row.id))
    account = payment_accounts.known(signal.account_id)
    link = _named(signal)
    return SignalWork(
        signal.id,
        account.provider,
        payment_accounts.desk(account, settings),
        signal.session,
        link.reference if link else signal.reference,
        signal.payment_ref,
    )


def claim_refund(settings: Settings, seconds: float) -> RefundWork | None:
    row = _claim(CLAIM_REFUND, seconds)
    if row is None:
        return None
    refund = db.session.get_one(Refund, (current_tenant_id(), from_uuid("rfd", row.id)))
    db.session.refresh(refund)
    payment = db.session.get_one(Payment, (current_tenant_id(), refund.payment_id))
    account = payment_accounts.known(payment.account_id)
    begun, refund.state = refund.state == "asking", "asking"
    return RefundWork(
        refund.id,
        account.provider,
        payment_accounts.desk(account, settings),
        payment.ref,
        refund.amount,
        payment.currency,
        refund.reason,
        begun,
    )


def claim_closing(settings: Settings, seconds: float) -> CloseWork | None:
    row = _claim(CLAIM_SESSION, seconds)
    if row is None:
        return None
    account = payment_accounts.known(from_uuid("pac", row.account_id))
    session = db.session.get_one(PaymentSession, (current_tenant_id(), account.id, row.ref))
    db.session.refresh(session)
    desk = payment_accounts.desk(account, settings)
    return CloseWork(account.id, session.ref, account.provider, desk, session.tries)


def closed(work: CloseWork, well: bool) -> None:
    """In the end it is left alone: money that comes by it is looked at all the same."""
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
            (PaymentSignal.tenant_id, PaymentSignal.due_at),
            (Refund.tenant_id, Refund.due_at),
            (PaymentSession.tenant_id, PaymentSession.close_at),
        )
    ]
    return min((one for one in firsts if one is not None), default=None)


def return_url(settings: Settings, link: PaymentLink) -> str:
    """Where the provider sends the payer back to; it tells how the link stands, and no more.

    The same for every try of an attempt: a repeated call must carry the same parameters.
    """
    value, until = [link.tenant_id, link.id], link.expires_at + RETURN_FOR
    token = sign_token_until(settings.secret_key, "pay", value, until)
    return f"{settings.base_url}/pay/{token}"


def read_return(settings: Settings, token: str) -> tuple[int, str]:
    """Raises core.signing.BadToken."""
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


def _look_again(link: PaymentLink, provider: str) -> None:
    soon = now() + timedelta(seconds=GATEWAYS[provider].asks_every)
    end = link.expires_at + AFTER_THE_END
    link.due_at = min(soon, end) if now() < end else soon
    link.tries = 0


def _open_ref(link: PaymentLink) -> str:
    query = select(PaymentSession.ref).where(
        PaymentSession.tenant_id == link.tenant_id,
        PaymentSession.link_id == link.id,
        PaymentSession.attempt == link.attempt,
    )
    return db.session.scalar(query.limit(1)) or ""


def _named(signal: PaymentSignal) -> PaymentLink | None:
    query = select(PaymentSession.link_id).where(
        PaymentSession.tenant_id == signal.tenant_id,
        PaymentSession.account_id == signal.account_id,
        PaymentSession.ref == signal.session,
    )
    link_id = db.session.scalar(query) if signal.session else None
    try:
        return payment_links.get(link_id) if link_id else None
    except NotFound:
        return None


def _as_signal(link: PaymentLink, work: LinkWork, found: Found) -> bool:
    """We asked, and it is paid: written down like any other signal, and settled by it.

    False: that was done before, and the money did not fit.
    """
    account = payment_accounts.known(link.account_id)
    told = Signal(
        key=f"asked:{found.payment}",
        kind="paid",
        event="asked",
        session=work.ref,
        payment=found.payment,
        reference=found.reference,
        amount=found.amount,
        currency=found.currency,
    )
    kept = signals.keep(account, told, signed=True, hook_id=None, source="asked")
    return kept.state == "waiting"
