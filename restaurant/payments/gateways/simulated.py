"""The simulated provider: a bank with play money, in the process of the simulated network."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from core.adapters import SetupStep
from core.clock import BadTime, parse_rfc3339, rfc3339
from core.i18n.catalogs import N_
from core.security.signing import BadSecret, BadSignature, new_webhook_secret, verify_webhook
from core.settings import Settings
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
    nested_object,
    parse_event,
    parse_reply,
    text_value,
)
from webhooks.inbound import reasons as hook_reasons

title = N_("Simulated provider")
summary = N_("For testing without real money: a card page with “pay” and “decline” buttons.")
suggested_name = ""
needs_hook_secret = False
play_money = True
once = True
status_poll_seconds = 300
KINDS = {
    "payment.succeeded": "paid",
    "payment.declined": "failed",
    "link.expired": "expired",
    "payment.refunded": "refunded",
}
key_fields: tuple[KeyField, ...] = ()
setup_steps = (
    SetupStep(
        N_("No keys needed"),
        N_(
            "The simulated provider uses play money. Its payment page has two "
            "buttons: one pays, the other declines."
        ),
    ),
)


def is_offered(settings: Settings) -> bool:
    return bool(settings.simulator_url) and not settings.production


def base_url(settings: Settings, _key: str) -> str:
    return settings.simulator_url


def operator_secret(settings: Settings) -> str:
    return settings.simulator_secret


def new_hook_secret() -> str:
    return new_webhook_secret()


def check(credentials: ProviderCredentials) -> AccountCheck:
    account = _request(credentials, "GET", "/bank/account")
    return AccountCheck(text_value(account.get("id")), text_value(account.get("name")), live=False)


def create_link(credentials: ProviderCredentials, request: LinkRequest) -> CreatedLink:
    made = _request(
        credentials,
        "POST",
        "/bank/links",
        {
            "key": request.key,
            "reference": request.reference,
            "amount": str(request.amount),
            "currency": request.currency,
            "description": request.description,
            "shop": request.shop,
            "language": request.language,
            "expires_at": rfc3339(request.expires_at),
            "return_url": request.return_url,
            "notify_url": credentials.hook_url,
            "notify_secret": credentials.hook_secret,
        },
    )
    url, ref = text_value(made.get("url"), 2000), text_value(made.get("id"))
    if not url or not ref:
        raise GatewayUnreachable(reasons.with_values(reasons.LINK_WITHOUT_URL, provider=title))
    return CreatedLink(url, ref)


def close(credentials: ProviderCredentials, ref: str) -> None:
    try:
        _request(credentials, "POST", f"/bank/links/{quote(ref, safe='')}/close", {})
    except GatewayRefused:
        return  # the provider no longer has the link


def verify(
    credentials: ProviderCredentials, headers: Mapping[str, str], raw: bytes
) -> GatewayEvent:
    try:
        verify_webhook(credentials.hook_secret, headers, raw)
    except (BadSignature, BadSecret) as error:
        raise InvalidSignature(
            reasons.with_values(reasons.SIGNATURE_WRONG, detail=f"({error})")
        ) from None
    return read(raw)


def read(raw: bytes) -> GatewayEvent:
    payload = parse_event(raw)
    what, key, link = (
        text_value(payload.get("type")),
        text_value(payload.get("id")),
        nested_object(payload, "link"),
    )
    if not what or not key or not link:
        raise UnreadableEvent(
            hook_reasons.with_values(hook_reasons.NOT_PROVIDER_EVENT, provider=title)
        )
    currency = currency_value(link.get("currency"))
    return GatewayEvent(
        key=key,
        kind=KINDS.get(what, "other"),
        event=what,
        session=text_value(link.get("id")),
        payment=text_value(link.get("payment")),
        reference=text_value(link.get("reference")),
        amount=amount_value(link.get("amount"), currency) if currency else None,
        currency=currency,
        owner=text_value(payload.get("account")),
        signed=True,
    )


def fetch(
    credentials: ProviderCredentials, ref: str, _reference: str, _payment: str = ""
) -> LinkStatus:
    link = _request(credentials, "GET", f"/bank/links/{quote(ref, safe='')}")
    currency = currency_value(link.get("currency"))
    try:
        paid_at = parse_rfc3339(text_value(link.get("paid_at"))) if link.get("paid_at") else None
    except BadTime:
        paid_at = None
    return LinkStatus(
        state=text_value(link.get("state")),
        reference=text_value(link.get("reference")),
        payment=text_value(link.get("payment")),
        amount=amount_value(link.get("amount"), currency) if currency else None,
        currency=currency,
        refunded=(amount_value(link.get("refunded"), currency) if currency else None) or Decimal(0),
        owner=text_value(link.get("account")),
        paid_at=paid_at,
    )


def refund(
    credentials: ProviderCredentials,
    payment: str,
    amount: Decimal,
    _currency: str,
    key: str,
    reason: str,
) -> RefundResult:
    path = f"/bank/payments/{quote(payment, safe='')}/refunds"
    answer = _request(
        credentials, "POST", path, {"key": key, "amount": str(amount), "reason": reason}
    )
    return RefundResult(text_value(answer.get("id")))


def _request(
    credentials: ProviderCredentials, method: str, path: str, body: dict[str, Any] | None = None
) -> dict[str, Any]:
    if not credentials.base_url:
        raise GatewayRefused(reasons.NO_SIMULATOR)
    headers = {
        "Authorization": f"Bearer {credentials.key}",
        "X-Simulator-Secret": credentials.operator_secret,
        "Content-Type": "application/json",
    }
    raw = json.dumps(body).encode() if body is not None else None
    reply = call(credentials, method, path, headers, raw)
    answer = parse_reply(reply)
    if not reply.ok:
        message = text_value(answer.get("error"))
        raise GatewayRefused(reasons.refusal(title, message, reply.status))
    return answer
