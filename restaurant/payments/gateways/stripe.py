"""Stripe Checkout: one session per link, signed events, refunds by payment intent."""

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlencode

from core.adapters import SetupStep
from core.clock import now
from core.i18n.catalogs import N_
from core.security.signing import constant_time_equal, hmac_hex
from core.settings import Settings
from core.values.money import decimal_places, quantize
from restaurant.payments import reasons
from restaurant.payments.gateways.base import (
    AccountCheck,
    CreatedLink,
    GatewayEvent,
    GatewayRefused,
    GatewayUnreachable,
    InvalidSignature,
    KeyField,
    LinkRequest,
    LinkStatus,
    ProviderCredentials,
    RefundResult,
    UnreadableEvent,
)
from restaurant.payments.gateways.http import (
    call,
    currency_value,
    header,
    nested_object,
    parse_event,
    parse_reply,
    text_value,
    timestamp_value,
)
from webhooks.inbound import reasons as hook_reasons

title = "Stripe"
summary = N_("Cards and wallets in most countries. Customers pay on Stripe's own page.")
suggested_name = "Stripe"
needs_hook_secret = True
play_money = False
once = True
status_poll_seconds = 600
VERSION = "2024-06-20"
TOLERANCE_SECONDS = 300
# Stripe requires sessions to last at least half an hour. Counted from the first request for the
# link, this leaves half an hour for repeated calls.
MIN_LINK_LIFETIME = timedelta(hours=1)
# Stripe's list of zero-decimal currencies; and those that ISO lists as such but Stripe does not.
ZERO_DECIMAL_CURRENCIES = frozenset(
    ("BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV")
) | {"XAF", "XOF", "XPF"}
TWO_DECIMAL_CURRENCIES = frozenset({"ISK", "UGX"})
LANGUAGES = frozenset({"en", "tr", "de", "fr", "es", "it", "nl", "pl", "ru", "pt"})
KINDS = {
    "checkout.session.completed": "paid",
    "checkout.session.async_payment_succeeded": "paid",
    "checkout.session.async_payment_failed": "failed",
    "checkout.session.expired": "expired",
    "charge.refunded": "refunded",
}
key_fields = (
    KeyField(
        "key",
        N_("Secret key"),
        N_("In the Stripe Dashboard, go to Developers > API keys. The key starts with sk_ or rk_."),
        missing=N_("Enter the key. Without it, payments cannot be accepted."),
        pattern=re.compile(r"(sk|rk)_(test|live)_.+"),
        pattern_error=(
            "A secret key of Stripe begins with sk_test_, sk_live_, rk_test_ or rk_live_."
        ),
    ),
    KeyField(
        "hook_secret",
        N_("Signing secret"),
        N_("Stripe shows it when you add the endpoint below. It starts with whsec_."),
        pattern=re.compile(r"whsec_.+"),
        pattern_error="A signing secret of Stripe begins with whsec_.",
    ),
)
setup_steps = (
    SetupStep(
        N_("Create a Stripe key"),
        N_(
            "In the Stripe Dashboard, go to Developers > API keys. A restricted "
            "key needs write access to Checkout Sessions and Refunds, and read "
            "access to the account."
        ),
    ),
    SetupStep(
        N_("Add the webhook endpoint in Stripe"),
        N_(
            "Go to Developers > Webhooks > Add endpoint. Enter this address and "
            "select these events:"
        ),
        url_label=N_("Endpoint URL"),
        codes=tuple(KINDS),
    ),
    SetupStep(
        N_("Enter the signing secret"),
        N_(
            "Stripe shows it on the endpoint's page. Without it, Comanda cannot "
            "verify events, and guests cannot pay by card online."
        ),
    ),
)


def is_offered(_settings: Settings) -> bool:
    return True


def base_url(settings: Settings, _key: str) -> str:
    return settings.stripe_base_url


def operator_secret(_settings: Settings) -> str:
    return ""


def new_hook_secret() -> None:
    return None


def check(credentials: ProviderCredentials) -> AccountCheck:
    account = _request(credentials, "GET", "/v1/account")
    name = text_value(nested_object(account, "settings", "dashboard").get("display_name"))
    if account.get("charges_enabled") is False:
        raise GatewayRefused(_reason(reasons.PAYMENTS_NOT_ENABLED))
    return AccountCheck(
        text_value(account.get("id")), name, credentials.key.startswith(("sk_live_", "rk_live_"))
    )


def create_link(credentials: ProviderCredentials, request: LinkRequest) -> CreatedLink:
    ends_at = max(request.expires_at, request.asked_at + MIN_LINK_LIFETIME)
    item = "line_items[0]"
    session = _request(
        credentials,
        "POST",
        "/v1/checkout/sessions",
        {
            "mode": "payment",
            "client_reference_id": request.reference,
            "success_url": request.return_url,
            "cancel_url": request.return_url,
            "expires_at": str(int(ends_at.timestamp())),
            "locale": request.language if request.language in LANGUAGES else "auto",
            f"{item}[quantity]": "1",
            f"{item}[price_data][currency]": request.currency.lower(),
            f"{item}[price_data][unit_amount]": str(
                to_minor_units(request.amount, request.currency)
            ),
            f"{item}[price_data][product_data][name]": request.description,
            "metadata[reference]": request.reference,
            "payment_intent_data[metadata][reference]": request.reference,
            "payment_intent_data[description]": request.description,
        },
        key=request.key,
    )
    url, ref = text_value(session.get("url"), 2000), text_value(session.get("id"))
    if not url or not ref:
        raise GatewayUnreachable(_reason(reasons.LINK_WITHOUT_URL))
    return CreatedLink(url, ref)


def close(credentials: ProviderCredentials, ref: str) -> None:
    try:
        _request(credentials, "POST", f"/v1/checkout/sessions/{quote(ref, safe='')}/expire", {})
    except GatewayRefused:
        return  # already complete or expired


def verify(
    credentials: ProviderCredentials, headers: Mapping[str, str], raw: bytes
) -> GatewayEvent:
    """`Stripe-Signature: t=…,v1=…`; there are several v1 while a secret is being rotated."""
    stamp, signatures = "", []
    for piece in header(headers, "Stripe-Signature").split(","):
        name, _, value = piece.strip().partition("=")
        if name == "t":
            stamp = value
        elif name == "v1":
            signatures.append(value)
    if not credentials.hook_secret:
        raise InvalidSignature(reasons.NO_SECRET)
    if not (signatures and stamp.isascii() and stamp.isdigit() and len(stamp) < 13):
        raise InvalidSignature(reasons.NOT_SIGNED)
    if abs(now().timestamp() - int(stamp)) > TOLERANCE_SECONDS:
        raise InvalidSignature(reasons.SIGNATURE_TOO_OLD)
    expected = hmac_hex(credentials.hook_secret, stamp.encode() + b"." + raw)
    fits = [
        constant_time_equal(expected, given) for given in signatures
    ]  # compare all of them, so that timing reveals nothing
    if not any(fits):
        raise InvalidSignature(reasons.SIGNATURE_WRONG)
    return read(raw)


def read(raw: bytes) -> GatewayEvent:
    event = parse_event(raw)
    what, key = text_value(event.get("type")), text_value(event.get("id"))
    thing = nested_object(event, "data", "object")
    if not what or not key or event.get("object") != "event" or not thing:
        raise UnreadableEvent(
            hook_reasons.with_values(hook_reasons.NOT_PROVIDER_EVENT, provider=title)
        )
    kind = KINDS.get(what, "other")
    currency = currency_value(thing.get("currency"))
    if kind == "refunded":
        session, amount = "", from_minor_units(thing.get("amount_refunded"), currency)
    else:
        session, amount = (
            text_value(thing.get("id")),
            from_minor_units(thing.get("amount_total"), currency),
        )
        unpaid = thing.get("payment_status") != "paid"
        if what == "checkout.session.completed" and unpaid:
            kind = "other"  # a delayed payment method, which sends its own event later
        if kind != "other" and thing.get("mode") != "payment":
            kind = "other"
    return GatewayEvent(
        key=key,
        kind=kind,
        event=what,
        session=session if kind != "other" or what.startswith("checkout.") else "",
        payment=_id_of(thing.get("payment_intent")),
        reference=text_value(
            thing.get("client_reference_id") or nested_object(thing, "metadata").get("reference")
        ),
        amount=amount,
        currency=currency,
        owner=text_value(event.get("account")),
        live=event.get("livemode") if isinstance(event.get("livemode"), bool) else None,
        signed=True,
    )


def fetch(
    credentials: ProviderCredentials, ref: str, _reference: str, payment: str = ""
) -> LinkStatus:
    """By session. A refund event names only the intent, so its session is looked up."""
    if not ref and payment:
        query = urlencode({"payment_intent": payment, "limit": 1})
        listed = _request(credentials, "GET", f"/v1/checkout/sessions?{query}").get("data")
        first = listed[0] if isinstance(listed, list) and listed else None
        ref = text_value(nested_object(first).get("id"))
    if not ref:
        return LinkStatus("unknown")
    query = urlencode({"expand[]": "payment_intent.latest_charge"})
    session = _request(credentials, "GET", f"/v1/checkout/sessions/{quote(ref, safe='')}?{query}")
    currency = currency_value(session.get("currency"))
    intent = session.get("payment_intent")
    charge = nested_object(intent, "latest_charge")
    state = "open"
    if session.get("status") == "expired":
        state = "expired"
    if session.get("payment_status") == "paid" and _id_of(intent):
        state = "paid"
    elif session.get("status") == "complete" and nested_object(intent).get("status") in (
        "requires_payment_method",
        "canceled",
    ):
        state = "failed"
    return LinkStatus(
        state=state,
        reference=text_value(session.get("client_reference_id")),
        payment=_id_of(intent),
        amount=from_minor_units(session.get("amount_total"), currency),
        currency=currency,
        refunded=from_minor_units(charge.get("amount_refunded"), currency) or Decimal(0),
        live=session.get("livemode") if isinstance(session.get("livemode"), bool) else None,
        paid_at=timestamp_value(charge.get("created")),
    )


def refund(
    credentials: ProviderCredentials,
    payment: str,
    amount: Decimal,
    currency: str,
    key: str,
    reason: str,
) -> RefundResult:
    answer = _request(
        credentials,
        "POST",
        "/v1/refunds",
        {
            "payment_intent": payment,
            "amount": str(to_minor_units(amount, currency)),
            "reason": "requested_by_customer",
            "metadata[reason]": reason[:400],
        },
        key=key,
    )
    if answer.get("status") in ("failed", "canceled"):
        raise GatewayRefused(_reason(reasons.REFUND_FAILED))
    return RefundResult(text_value(answer.get("id")), pending=answer.get("status") != "succeeded")


def to_minor_units(amount: Decimal, currency: str) -> int:
    """Amount in Stripe's smallest unit."""
    exact = quantize(amount, currency).scaleb(_digits(currency))
    if exact != exact.to_integral_value():
        raise GatewayRefused(_reason(reasons.NO_FRACTIONS, currency=currency))
    if _digits(currency) == 3 and int(exact) % 10:
        raise GatewayRefused(_reason(reasons.STEPS_OF_TEN, currency=currency))
    return int(exact)


def from_minor_units(amount: object, currency: str) -> Decimal | None:
    if isinstance(amount, bool) or not isinstance(amount, int) or not currency:
        return None
    return Decimal(amount).scaleb(-_digits(currency))


def _digits(currency: str) -> int:
    if currency in ZERO_DECIMAL_CURRENCIES:
        return 0
    return 2 if currency in TWO_DECIMAL_CURRENCIES else decimal_places(currency)


def _id_of(thing: object) -> str:
    return text_value(thing.get("id")) if isinstance(thing, dict) else text_value(thing)


def _request(
    credentials: ProviderCredentials,
    method: str,
    path: str,
    form: dict[str, str] | None = None,
    *,
    key: str = "",
) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {credentials.key}", "Stripe-Version": VERSION}
    if form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    if key:
        headers["Idempotency-Key"] = key
    body = urlencode(form).encode() if form is not None else None
    reply = call(credentials, method, path, headers, body)
    answer = parse_reply(reply)
    if reply.ok:
        return answer
    if reply.status == 401:
        raise GatewayRefused(_reason(reasons.KEY_REJECTED))
    message = text_value(nested_object(answer, "error").get("message"), 300)
    raise GatewayRefused(reasons.refusal(title, message, reply.status))


def _reason(code: str, **values: str) -> str:
    return reasons.with_values(code, provider=title, **values)
