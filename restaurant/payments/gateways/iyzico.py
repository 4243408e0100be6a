"""iyzico Link. Webhooks are late and may be unsigned, so only status requests are trusted."""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

from core.adapters import SetupStep
from core.i18n.catalogs import N_
from core.ids import new_token
from core.security.signing import constant_time_equal, hmac_hex
from core.settings import Settings
from core.values.money import quantize
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
    amount_value,
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

NAME = "iyzico"  # in reasons
title = "iyzico Link"
summary = N_("Turkish cards. Customers pay on iyzico's own page.")
suggested_name = "iyzico"
needs_hook_secret = False
play_money = False
once = False
status_poll_seconds = 60
SANDBOX = "sandbox-"
CURRENCIES = frozenset({"TRY", "USD", "EUR", "GBP", "NOK", "CHF"})
LINKS = "/v2/iyzilink/products"
# The API requires an image for a link: one white pixel.
PLACEHOLDER_IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/58BAAMBAQAY3Y2wAAAAAElFTkSuQmCC"
)
SUCCESS = (1, "1", "SUCCESS")
KINDS = {"SUCCESS": "paid", "FAILURE": "failed"}
key_fields = (
    KeyField(
        "key",
        N_("API key"),
        N_("In the iyzico panel, go to Settings > Merchant settings > API keys."),
        missing=N_("Enter the key. Without it, payments cannot be accepted."),
    ),
    KeyField("secret", N_("Secret key"), missing=N_("Enter both iyzico keys.")),
)
setup_steps = (
    SetupStep(
        N_("Copy both keys"),
        N_(
            "In the iyzico panel, go to Settings > Merchant settings > API keys. "
            "Keys that start with sandbox- are for testing."
        ),
    ),
    SetupStep(
        N_("Set the notification address in iyzico"),
        N_("Go to Settings > Merchant settings > Merchant notifications and enter this address:"),
        url_label=N_("Webhook URL"),
    ),
    SetupStep(
        N_("No further setup in iyzico"),
        N_(
            "Notifications from iyzico can arrive late or unsigned. Comanda "
            "confirms each one with iyzico before acting on it, and also checks "
            "every minute while a link is open."
        ),
    ),
)


def is_offered(_settings: Settings) -> bool:
    return True


def base_url(settings: Settings, key: str) -> str:
    return settings.iyzico_sandbox_url if key.startswith(SANDBOX) else settings.iyzico_base_url


def operator_secret(_settings: Settings) -> str:
    return ""


def new_hook_secret() -> None:
    return None


def check(credentials: ProviderCredentials) -> AccountCheck:
    """Makes the cheapest call that needs both keys."""
    _request(credentials, "POST", "/payment/bin/check", {"locale": "en", "binNumber": "589004"})
    live = not credentials.key.startswith(SANDBOX)
    return AccountCheck("", "iyzico" if live else "iyzico sandbox", live)


def create_link(credentials: ProviderCredentials, request: LinkRequest) -> CreatedLink:
    if request.currency not in CURRENCIES:
        raise GatewayRefused(
            reasons.with_values(
                reasons.CURRENCY_NOT_ACCEPTED, provider=NAME, currency=request.currency
            )
        )
    answer = _request(
        credentials,
        "POST",
        LINKS,
        {
            "locale": "tr" if request.language == "tr" else "en",
            "conversationId": request.reference,
            "name": request.description[:120],
            "description": request.description[:400],
            "price": str(quantize(request.amount, request.currency)),
            "currencyCode": request.currency,
            "encodedImageFile": PLACEHOLDER_IMAGE,
            "addressIgnorable": True,
            "installmentRequested": False,
            "stockEnabled": True,
            "stockCount": 1,
        },
    )
    made = nested_object(answer, "data")
    url, ref = text_value(made.get("url"), 2000), text_value(made.get("token"))
    if not url or not ref:
        raise GatewayUnreachable(reasons.with_values(reasons.LINK_WITHOUT_URL, provider=NAME))
    return CreatedLink(url, ref)


def close(credentials: ProviderCredentials, ref: str) -> None:
    try:
        _request(credentials, "PATCH", f"{LINKS}/{quote(ref, safe='')}/status/PASSIVE")
    except GatewayRefused:
        return  # the link is already gone


def verify(
    credentials: ProviderCredentials, headers: Mapping[str, str], raw: bytes
) -> GatewayEvent:
    """A wrong signature raises InvalidSignature. Unsigned events are usual and prove nothing."""
    signal = read(raw)
    given = header(headers, "X-IYZ-SIGNATURE-V3")
    if not given:
        return signal
    if not constant_time_equal(
        hmac_hex(credentials.secret, _signed_text(credentials, parse_event(raw)).encode()), given
    ):
        raise InvalidSignature(reasons.SIGNATURE_WRONG)
    return GatewayEvent(**{**signal.__dict__, "signed": True})


def read(raw: bytes) -> GatewayEvent:
    payload = parse_event(raw)
    what, status = text_value(payload.get("iyziEventType")), text_value(payload.get("status"))
    if not what or not status:
        raise UnreadableEvent(
            hook_reasons.with_values(hook_reasons.NOT_PROVIDER_EVENT, provider=NAME)
        )
    code = text_value(payload.get("iyziReferenceCode"))
    return GatewayEvent(
        key=f"{code}:{status}" if code else sha256(raw).hexdigest(),
        kind=KINDS.get(status, "other"),
        event=f"{what} {status}",
        session=text_value(payload.get("token")),
        payment=text_value(payload.get("iyziPaymentId") or payload.get("paymentId")),
        reference=text_value(payload.get("paymentConversationId")),
    )


def fetch(
    credentials: ProviderCredentials, ref: str, reference: str, payment: str = ""
) -> LinkStatus:
    """Read the payment report, by our reference or by the payment id in a webhook."""
    query = {"paymentId": payment} if payment else {"paymentConversationId": reference}
    answer = _request(
        credentials, "GET", f"/v2/reporting/payment/details?{urlencode(query)}", quiet=True
    )
    listed = answer.get("payments")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    good = [row for row in rows if row.get("paymentStatus") in SUCCESS]
    if not good:
        return LinkStatus("failed" if rows else "open", reference=reference)
    row = good[0]
    if row.get("fraudStatus") not in (1, "1", None):
        return LinkStatus("open", reference=reference)  # under fraud review, or refused
    currency = currency_value(row.get("currency"))
    paid = text_value(row.get("paymentConversationId"))
    created = row.get("createdDate")
    return LinkStatus(
        state="paid",
        reference=reference if ref and text_value(row.get("token")) == ref else paid,
        payment=text_value(row.get("paymentId")),
        amount=amount_value(row.get("paidPrice"), currency),
        currency=currency,
        refunded=_refunded_amount(row, currency),
        paid_at=timestamp_value(created / 1000) if isinstance(created, int | float) else None,
    )


def refund(
    credentials: ProviderCredentials,
    payment: str,
    amount: Decimal,
    currency: str,
    key: str,
    _reason: str,
) -> RefundResult:
    answer = _request(
        credentials,
        "POST",
        "/v2/payment/refund",
        {
            "locale": "en",
            "conversationId": key,
            "paymentId": payment,
            "price": str(quantize(amount, currency)),
            "currency": currency,
            "ip": "127.0.0.1",
        },
    )
    return RefundResult(text_value(answer.get("refundHostReference") or answer.get("paymentId")))


def authorization(credentials: ProviderCredentials, random_key: str, path: str, body: str) -> str:
    """IYZWSv2: a signature over the random key, the path without its query, and the body."""
    signed = hmac_hex(credentials.secret, f"{random_key}{path.partition('?')[0]}{body}".encode())
    header_text = f"apiKey:{credentials.key}&randomKey:{random_key}&signature:{signed}"
    return f"IYZWSv2 {base64.b64encode(header_text.encode()).decode()}"


def _signed_text(credentials: ProviderCredentials, payload: dict[str, Any]) -> str:
    what, status = text_value(payload.get("iyziEventType")), text_value(payload.get("status"))
    reference = text_value(payload.get("paymentConversationId"))
    if payload.get("token"):
        middle = text_value(payload.get("iyziPaymentId")) + text_value(payload.get("token"))
    else:
        middle = text_value(payload.get("paymentId"))
    return f"{credentials.secret}{what}{middle}{reference}{status}"


def _refunded_amount(row: dict[str, Any], currency: str) -> Decimal:
    items = row.get("itemTransactions")
    back = [
        amount_value(nested_object(one).get("refundPrice"), currency)
        for item in (items if isinstance(items, list) else [])
        for one in (nested_object(item).get("refunds") or [])
    ]
    return sum((amount for amount in back if amount), Decimal(0))


def _request(
    credentials: ProviderCredentials,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    quiet: bool = False,
) -> dict[str, Any]:
    """With `quiet`, a “not found” answer does not raise."""
    content = (
        json.dumps(body, ensure_ascii=False, separators=(",", ":")) if body is not None else ""
    )
    random_key = new_token()
    headers = {
        "Authorization": authorization(credentials, random_key, path, content),
        "x-iyzi-rnd": random_key,
        "Content-Type": "application/json",
        "Accept": "application/json",
    }
    reply = call(credentials, method, path, headers, content.encode() if content else None)
    answer = parse_reply(reply)
    if answer.get("status") == "success" and reply.ok:
        return answer
    if text_value(answer.get("errorCode")) in ("1000", "1001") or reply.status == 401:
        raise GatewayRefused(reasons.with_values(reasons.KEYS_REJECTED, provider=NAME))
    if quiet and reply.status in (200, 404):
        return {}
    message = text_value(answer.get("errorMessage"), 300)
    raise GatewayRefused(reasons.refusal(NAME, message, reply.status))
