"""A tenant's accounts at payment providers: set up, checked, found by site or by token."""

import re
from dataclasses import dataclass

from sqlalchemy import select, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, NotFound, invalid
from core.ids import new_id, new_token
from core.lookups import add_lookup as make_findable
from core.lookups import remove_lookup, secret_digest
from core.settings import Settings
from restaurant.models import PaymentAccount
from restaurant.payments.gateways.base import AccountCheck, GatewayError, ProviderCredentials
from restaurant.payments.gateways.registry import GATEWAYS
from restaurant.sites import sites
from tenants import audit
from tenants.people import clean_name

LOOKUP = "payment_hook"
LONGEST_KEY = 300
MIN_LINK_MINUTES, MAX_LINK_MINUTES = (
    30,
    1440,
)  # minutes; the limits of Stripe, which also suit the other providers
_KEY = re.compile(r"[\x21-\x7e]+")
CALL_TIMEOUT_SECONDS = 12.0  # seconds


@dataclass(frozen=True)
class AccountSettings:
    provider: str
    name: str
    site_id: str | None = None
    key: str = ""
    secret: str = ""
    hook_secret: str = ""
    link_minutes: int = 60


@dataclass(frozen=True)
class HookAddress:
    """What the endpoint for provider events needs of an account. `kind` is the provider."""

    tenant_id: int
    id: str
    kind: str
    key: str
    secret: str
    hook_secret: str


def add(settings: AccountSettings) -> PaymentAccount:
    gateway = GATEWAYS.get(settings.provider)
    if gateway is None:
        raise invalid("provider", "unknown_provider", "Choose a payment provider.")
    account = PaymentAccount(
        tenant_id=current_tenant_id(),
        id=new_id("pac"),
        provider=settings.provider,
        name=clean_name(settings.name),
        site_id=_site(settings.site_id),
        key=_key(settings.provider, "key", settings.key) or new_token(),
        secret=_key(settings.provider, "secret", settings.secret),
        hook_secret=gateway.new_hook_secret()
        or _key(settings.provider, "hook_secret", settings.hook_secret),
        token=new_token(),
        link_minutes=_minutes(settings.link_minutes),
    )
    for field in reversed(gateway.key_fields):
        if field.missing and not getattr(settings, field.name).strip():
            raise invalid(field.name, f"{field.name}_needed", field.missing)
    db.session.add(account)
    db.session.flush()
    make_findable(LOOKUP, secret_digest(account.token), account.id)
    audit.record("payments.account_added", account.name, provider=account.provider)
    return account


def change(account_id: str, settings: AccountSettings) -> PaymentAccount:
    """An empty key keeps the stored one."""
    account = get(account_id)
    before = audit.snapshot(account)
    account.name, account.site_id = clean_name(settings.name), _site(settings.site_id)
    account.link_minutes = _minutes(settings.link_minutes)
    renewed = False
    for field in GATEWAYS[account.provider].key_fields:
        given = _key(account.provider, field.name, getattr(settings, field.name))
        if given:
            setattr(account, field.name, given)
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


def get_including_removed(account_id: str) -> PaymentAccount:
    """Includes removed accounts: their events must still be processed and payments refunded."""
    found = db.session.get(PaymentAccount, (current_tenant_id(), account_id))
    if found is None:
        raise NotFound()
    return found


def listed(*, removed: bool = False) -> list[PaymentAccount]:
    query = select(PaymentAccount).where(PaymentAccount.tenant_id == current_tenant_id())
    if not removed:
        query = query.where(PaymentAccount.removed_at.is_(None))
    return list(db.session.scalars(query.order_by(PaymentAccount.created_at, PaymentAccount.id)))


def is_ready(account: PaymentAccount) -> bool:
    """True if it can take payments and its events can be verified."""
    return (
        account.enabled
        and account.removed_at is None
        and account.checked_at is not None
        and not account.check_error
        and (bool(account.hook_secret) or not GATEWAYS[account.provider].needs_hook_secret)
    )


def for_site(site_id: str, *, test: bool = False) -> PaymentAccount | None:
    """The site's account, else the tenant's, if it accepts this kind of order; None otherwise."""
    fitting = [
        one
        for one in listed()
        if is_ready(one) and one.site_id in (None, site_id) and accepts(one, test=test)
    ]
    own = [one for one in fitting if one.site_id is not None]
    return next(iter(reversed(own or fitting)), None)


def has_account(site_id: str, *, test: bool) -> bool:
    """Answers `restaurant.orders.card_payments`."""
    return for_site(site_id, test=test) is not None


def accepts(account: PaymentAccount, *, test: bool) -> bool:
    """Test orders never use real money, and real orders are never paid with test cards.

    A gateway with play money takes both; it is offered only where no money is real.
    """
    return not account.live if test else account.live or GATEWAYS[account.provider].play_money


def set_enabled(account_id: str, enabled: bool) -> PaymentAccount:
    account = get(account_id)
    if account.enabled != enabled:
        account.enabled = enabled
        act = "payments.account_enabled" if enabled else "payments.account_disabled"
        audit.record(act, account.name)
    return account


def remove(account_id: str) -> None:
    """Stop taking payments. The encrypted keys stay, because refunds may still be needed."""
    account = get(account_id)
    account.removed_at, account.enabled = now(), False
    audit.record("payments.account_removed", account.name, provider=account.provider)


def remove_hook_address(account: PaymentAccount) -> None:
    remove_lookup(LOOKUP, secret_digest(account.token))


def credentials(account: PaymentAccount, settings: Settings) -> ProviderCredentials:
    gateway = GATEWAYS[account.provider]
    return ProviderCredentials(
        provider=account.provider,
        key=account.key,
        secret=account.secret or "",
        hook_secret=account.hook_secret or "",
        base_url=gateway.base_url(settings, account.key),
        hook_url=hook_url(account, settings),
        owner=account.owner,
        live=account.live,
        operator_secret=gateway.operator_secret(settings),
        timeout=min(CALL_TIMEOUT_SECONDS, settings.lease_seconds),
    )


def hook_url(account: PaymentAccount, settings: Settings) -> str:
    return f"{settings.base_url}/hooks/{account.provider}/{account.token}"


def check_credentials(
    provider: str, credentials: ProviderCredentials
) -> tuple[AccountCheck | None, str]:
    """Verify the keys with a live call to the provider: what it returned, and a stored reason if it
    failed. No transaction may be open.
    """
    try:
        return GATEWAYS[provider].check(credentials), ""
    except GatewayError as error:
        return None, str(error)


def record_check(account_id: str, checked: AccountCheck | None, error: str) -> PaymentAccount:
    account = get(account_id)
    account.checked_at, account.check_error = now(), error
    if checked is not None:
        account.owner, account.live = checked.owner, checked.live
    audit.record("payments.account_checked", account.name, well=not error)
    return account


def hook_address(account_id: str) -> HookAddress | None:
    account = db.session.get(PaymentAccount, (current_tenant_id(), account_id))
    if account is None:
        return None
    return HookAddress(
        account.tenant_id,
        account.id,
        account.provider,
        account.key,
        account.secret or "",
        account.hook_secret or "",
    )


def record_rejected_hook(account_id: str) -> None:
    db.session.execute(
        update(PaymentAccount)
        .where(PaymentAccount.tenant_id == current_tenant_id(), PaymentAccount.id == account_id)
        .values(refused=PaymentAccount.refused + 1, refused_at=now())
    )


def _site(site_id: str | None) -> str | None:
    return sites.get(site_id).id if site_id else None


def _minutes(minutes: int) -> int:
    if not MIN_LINK_MINUTES <= minutes <= MAX_LINK_MINUTES:
        raise invalid(
            "link_minutes",
            "invalid_minutes",
            "A link must be valid for {least} to {most} minutes.",
            least=MIN_LINK_MINUTES,
            most=MAX_LINK_MINUTES,
        )
    return minutes


def _key(provider: str, field: str, given: str) -> str | None:
    given = given.strip()
    if not given:
        return None
    if len(given) > LONGEST_KEY or not _KEY.fullmatch(given):
        raise invalid(field, "invalid_key", "This key is not valid. Copy it again.")
    for one in GATEWAYS[provider].key_fields:
        if one.name == field and one.pattern and not one.pattern.fullmatch(given):
            raise invalid(field, "invalid_key", one.pattern_error)
    return given


def require_for_site(site_id: str, *, test: bool = False) -> PaymentAccount:
    account = for_site(site_id, test=test)
    if account is not None:
        return account
    if not test and for_site(site_id, test=True) is not None:
        raise Invalid(
            "test_provider",
            "This restaurant's payment provider has test keys. Real orders need live keys.",
        )
    raise Invalid("no_provider", "No payment provider is set up for this restaurant.")
