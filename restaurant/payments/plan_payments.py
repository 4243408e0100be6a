"""The operator's own account at a payment provider, for the payment of plans."""

from datetime import timedelta

from core.clock import now
from core.logs import logger
from core.settings import Settings
from restaurant.payments.gateways.base import (
    CreatedLink,
    GatewayError,
    LinkRequest,
    LinkStatus,
    ProviderCredentials,
)
from restaurant.payments.gateways.registry import GATEWAYS
from tenants.plans import billing
from tenants.plans.billing import InvoiceTerms
from tenants.plans.models import PlanPayment

log = logger(__name__)

LATE_AFTER = timedelta(days=2)  # a bank may settle long after its page is closed


def billing_terms(settings: Settings) -> InvoiceTerms:
    return InvoiceTerms(
        settings.invoice_issuer, settings.invoice_tax_name, settings.invoice_tax_percent
    )


def operator_credentials(settings: Settings) -> ProviderCredentials:
    provider = settings.billing_provider
    gateway = GATEWAYS[provider]
    return ProviderCredentials(
        provider=provider,
        key=settings.billing_key,
        secret=settings.billing_secret,
        hook_secret="",
        base_url=gateway.base_url(settings, settings.billing_key),
        hook_url="",
        operator_secret=gateway.operator_secret(settings),
    )


def open_link(
    payment: PlanPayment, settings: Settings, *, words: str, language: str
) -> CreatedLink:
    """The provider's payment page. Call it outside a transaction."""
    request = LinkRequest(
        key=payment.id,
        reference=payment.id,
        amount=payment.total,
        currency=payment.currency,
        description=words,
        asked_at=payment.made_at,
        expires_at=payment.expires_at,
        return_url=f"{settings.base_url}/plan/back",
        language=language,
        shop=settings.invoice_issuer.partition("|")[0].strip(),
    )
    return GATEWAYS[payment.provider].create_link(operator_credentials(settings), request)


def fetch_status(payment: PlanPayment, settings: Settings) -> LinkStatus | None:
    """Call it outside a transaction. None without an answer, or for another provider."""
    if payment.provider != settings.billing_provider:
        return None
    try:
        return GATEWAYS[payment.provider].fetch(
            operator_credentials(settings), payment.ref, payment.id
        )
    except GatewayError as error:
        log.warning("plan payment lookup failed", error=str(error))
        return None


def settle_payment(payment: PlanPayment, found: LinkStatus | None, settings: Settings) -> bool:
    """Runs in the tenant's transaction. True if it is paid and everything is updated."""
    if found is not None and found.state == "paid":
        if (found.amount, found.currency) != (payment.total, payment.currency):
            log.error("plan payment amount mismatch", payment=payment.id)
            return False
        at = found.paid_at or now()
        return (
            billing.record_payment(payment.id, found.payment, at, billing_terms(settings))
            is not None
        )
    over = found is not None and found.state in ("failed", "expired")
    if over or payment.expires_at + LATE_AFTER < now():
        billing.mark_failed(payment.id)
    return False
