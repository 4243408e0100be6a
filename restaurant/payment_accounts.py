"""A tenant's accounts at payment providers: set up, checked, found by site or by token."""

import re
from dataclasses import dataclass

from sqlalchemy import select, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, NotFound, invalid
from core.ids import new_id, new_token
from core.lookups import digest, withdraw
from core.lookups import publish as make_findable
from core.settings import Settings
from core.signing import new_webhook_secret
from restaurant import sites
from restaurant.gateways import Checked, Desk, GatewayError
from restaurant.gateways.book import GATEWAYS, PROVIDERS
from restaurant.gateways.iyzico import SANDBOX
from restaurant.models import PaymentAccount
from tenants import audit
from tenants.people import clean_name

LOOKUP = "payment_hook"
LONGEST_KEY = 300
SHORTEST_LINK, LONGEST_LINK = 30, 1440  # minutes; what Stripe takes, and enough for the others
_KEY = re.compile(r"[\x21-\x7e]+")
_FORMS = {
    ("stripe", "key"): (
        re.compile(r"(sk|rk)_(test|live)_.+"),
        "A secret key of Stripe begins with sk_test_, sk_live_, rk_test_ or rk_live_.",
    ),
    ("stripe", "hook_secret"): (
        re.compile(r"whsec_.+"),
        "A signing secret of Stripe begins with whsec_.",
    ),
}
NEEDS = {"stripe": ("key", "hook_secret"), "iyzico": ("key", "secret"), "simulated": ()}
"""What of it the tenant brings; the signing secret of Stripe may follow later."""
LONGEST_CALL = 12.0  # seconds


@dataclass(frozen=True)
class Wanted:
    provider: str
    name: str
    site_id: str | None = None
    key: str = ""
    secret: str = ""
    hook_secret: str = ""
    link_minutes: int = 60


@dataclass(frozen=True)
class Doorplate:
    """What the door of the signals must know of an account."""

    tenant_id: int
    id: str
    provider: str
    key: str
    secret: str
    hook_secret: str


def add(wanted: Wanted) -> PaymentAccount:
    if wanted.provider not in PROVIDERS:
        raise invalid("provider", "unknown_provider", "Choose one of the payment providers.")
    account = PaymentAccount(
        tenant_id=current_tenant_id(),
        id=new_id("pac"),
        provider=wanted.provider,
        name=clean_name(wanted.name),
        site_id=_site(wanted.site_id),
        key=_key(wanted.provider, "key", wanted.key) or new_token(),
        secret=_key(wanted.provider, "secret", wanted.secret),
        hook_secret=_key(wanted.provider, "hook_secret", wanted.hook_secret),
        token=new_token(),
        link_minutes=_minutes(wanted.link_minutes),
    )
    if wanted.provider == "simulated":
        account.hook_secret = new_webhook_secret()
    if wanted.provider == "iyzico" and not account.secret:
        raise invalid("secret", "secret_needed", "iyzico gives two keys; both are needed.")
    if "key" in NEEDS[wanted.provider] and not wanted.key.strip():
        raise invalid("key", "key_needed", "Without its key nothing can be taken.")
    db.session.add(account)
    db.session.flush()
    make_findable(LOOKUP, digest(account.token), account.id)
    audit.record("payments.account_added", account.name, provider=account.provider)
    return account


def change(account_id: str, wanted: Wanted) -> PaymentAccount:
    """An empty key keeps the one that is stored."""
    account = get(account_id)
    before = audit.snapshot(account)
    account.name, account.site_id = clean_name(wanted.name), _site(wanted.site_id)
    account.link_minutes = _minutes(wanted.link_minutes)
    renewed = False
    for field in NEEDS[account.provider]:
        given = _key(account.provider, field, getattr(wanted, field))
        if given:
            setattr(account, field, given)
            renewed = True
    if renewed:
        account.checked_at, account.check_error = None, ""
    audit.record_change(
        "payments.account_changed", account.name, before, account, shown=audit.NAMED
    )
    return account


def get(account_id: str) -> PaymentAccount:
    found = db.session.get(PaymentAccount, (current_tenant_id(), account_id))
    if found is None or found.removed_at is not None:
        raise NotFound()
    return found


def known(account_id: str) -> PaymentAccount:
    """Removed ones too: what came by them still has to be understood, and given back."""
    found = db.session.get(PaymentAccount, (current_tenant_id(), account_id))
    if found is None:
        raise NotFound()
    return found


def listed(*, removed: bool = False) -> list[PaymentAccount]:
    query = select(PaymentAccount).where(PaymentAccount.tenant_id == current_tenant_id())
    if not removed:
        query = query.where(PaymentAccount.removed_at.is_(None))
    return list(db.session.scalars(query.order_by(PaymentAccount.created_at, PaymentAccount.id)))


def ready(account: PaymentAccount) -> bool:
    """It can take a payment, and its signals can be believed."""
    return (
        account.enabled
        and account.removed_at is None
        and account.checked_at is not None
        and not account.check_error
        and (account.provider != "stripe" or bool(account.hook_secret))
    )


def for_site(site_id: str, *, test: bool = False) -> PaymentAccount | None:
    """Its own before the tenant's, and only one that takes this kind of order."""
    fitting = [
        one
        for one in listed()
        if ready(one) and one.site_id in (None, site_id) and takes(one, test=test)
    ]
    own = [one for one in fitting if one.site_id is not None]
    return next(iter(reversed(own or fitting)), None)


def takes(account: PaymentAccount, *, test: bool) -> bool:
    """A test order is never charged with real money, and a real one never "paid" with test cards.

    The simulated provider takes both; it is offered only where no money is real.
    """
    return not account.live if test else account.live or account.provider == "simulated"


def set_enabled(account_id: str, enabled: bool) -> PaymentAccount:
    account = get(account_id)
    if account.enabled != enabled:
        account.enabled = enabled
        act = "payments.account_enabled" if enabled else "payments.account_disabled"
        audit.record(act, account.name)
    return account


def remove(account_id: str) -> None:
    """Takes no more payments. Its keys stay sealed: open money may still have to go back."""
    account = get(account_id)
    account.removed_at, account.enabled = now(), False
    audit.record("payments.account_removed", account.name, provider=account.provider)


def forget_address(account: PaymentAccount) -> None:
    withdraw(LOOKUP, digest(account.token))


def desk(account: PaymentAccount, settings: Settings) -> Desk:
    base = {
        "stripe": settings.stripe_base_url,
        "iyzico": settings.iyzico_sandbox_url
        if account.key.startswith(SANDBOX)
        else settings.iyzico_base_url,
        "simulated": settings.simulator_url,
    }[account.provider]
    return Desk(
        provider=account.provider,
        key=account.key,
        secret=account.secret or "",
        hook_secret=account.hook_secret or "",
        base_url=base,
        hook_url=hook_url(account, settings),
        owner=account.owner,
        live=account.live,
        operator_secret=settings.simulator_secret if account.provider == "simulated" else "",
        timeout=min(LONGEST_CALL, settings.lease_seconds),
    )


def hook_url(account: PaymentAccount, settings: Settings) -> str:
    return f"{settings.base_url}/hooks/{account.provider}/{account.token}"


def ask(provider: str, desk: Desk) -> tuple[Checked | None, str]:
    """The live check: what the provider says of the keys. No transaction may be open."""
    try:
        return GATEWAYS[provider].check(desk), ""
    except GatewayError as error:
        return None, str(error)


def note_check(account_id: str, checked: Checked | None, error: str) -> PaymentAccount:
    account = get(account_id)
    account.checked_at, account.check_error = now(), error[:500]
    if checked is not None:
        account.owner, account.live = checked.owner, checked.live
    audit.record("payments.account_checked", account.name, well=not error)
    return account


def doorplate(account_id: str) -> Doorplate | None:
    account = db.session.get(PaymentAccount, (current_tenant_id(), account_id))
    if account is None:
        return None
    return Doorplate(
        account.tenant_id,
        account.id,
        account.provider,
        account.key,
        account.secret or "",
        account.hook_secret or "",
    )


def note_refusal(account_id: str) -> None:
    db.session.execute(
        update(PaymentAccount)
        .where(PaymentAccount.tenant_id == current_tenant_id(), PaymentAccount.id == account_id)
        .values(refused=PaymentAccount.refused + 1, refused_at=now())
    )


def _site(site_id: str | None) -> str | None:
    return sites.get(site_id).id if site_id else None


def _minutes(minutes: int) -> int:
    if not SHORTEST_LINK <= minutes <= LONGEST_LINK:
        raise invalid(
            "link_minutes",
            "invalid_minutes",
            "A link is good for {least} minutes to {most} minutes.",
            least=SHORTEST_LINK,
            most=LONGEST_LINK,
        )
    return minutes


def _key(provider: str, field: str, given: str) -> str | None:
    given = given.strip()
    if not given:
        return None
    if len(given) > LONGEST_KEY or not _KEY.fullmatch(given):
        raise invalid(field, "invalid_key", "This key cannot be right: copy it once more.")
    form, sentence = _FORMS.get((provider, field), (None, ""))
    if form is not None and not form.fullmatch(given):
        raise invalid(field, "invalid_key", sentence)
    return given


def needed(site_id: str, *, test: bool = False) -> PaymentAccount:
    account = for_site(site_id, test=test)
    if account is not None:
        return account
    if not test and for_site(site_id, test=True) is not None:
        raise Invalid(
            "test_provider",
            "The payment provider of this restaurant has test keys: real orders need live keys.",
        )
    raise Invalid("no_provider", "No payment provider is set up for this restaurant.")
