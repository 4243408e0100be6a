"""The simulated provider: a bank of paper money in the simulated network's process."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from core.clock import BadTime, parse_rfc3339, rfc3339
from core.signing import BadSecret, BadSignature, verify_webhook
from restaurant.gateways import (
    Asking,
    Checked,
    Desk,
    Forged,
    Found,
    Made,
    Refused,
    Returned,
    Signal,
    Unreachable,
    Unreadable,
)
from restaurant.gateways.wire import answer_of, call, known_currency, money, part, signal_of, text

once = True
asks_every = 300
KINDS = {
    "payment.succeeded": "paid",
    "payment.declined": "failed",
    "link.expired": "expired",
    "payment.refunded": "refunded",
}


def check(desk: Desk) -> Checked:
    account = _ask(desk, "GET", "/bank/account")
    return Checked(text(account.get("id")), text(account.get("name")), live=False)


def create_link(desk: Desk, asking: Asking) -> Made:
    made = _ask(
        desk,
        "POST",
        "/bank/links",
        {
            "key": asking.key,
            "reference": asking.reference,
            "amount": str(asking.amount),
            "currency": asking.currency,
            "description": asking.description,
            "shop": asking.shop,
            "language": asking.language,
            "expires_at": rfc3339(asking.expires_at),
            "return_url": asking.return_url,
            "notify_url": desk.hook_url,
            "notify_secret": desk.hook_secret,
        },
    )
    url, ref = text(made.get("url"), 2000), text(made.get("id"))
    if not url or not ref:
        raise Unreachable("The simulated provider made a link without an address.")
    return Made(url, ref)


def close(desk: Desk, ref: str) -> None:
    try:
        _ask(desk, "POST", f"/bank/links/{quote(ref, safe='')}/close", {})
    except Refused:
        return  # it has forgotten the link


def verify(desk: Desk, headers: Mapping[str, str], raw: bytes) -> Signal:
    try:
        verify_webhook(desk.hook_secret, headers, raw)
    except (BadSignature, BadSecret) as error:
        raise Forged(str(error)) from None
    return read(raw)


def read(raw: bytes) -> Signal:
    told = signal_of(raw)
    what, key, link = text(told.get("type")), text(told.get("id")), part(told, "link")
    if not what or not key or not link:
        raise Unreadable("it is not an event of the simulated provider")
    currency = known_currency(link.get("currency"))
    return Signal(
        key=key,
        kind=KINDS.get(what, "other"),
        event=what,
        session=text(link.get("id")),
        payment=text(link.get("payment")),
        reference=text(link.get("reference")),
        amount=money(link.get("amount"), currency) if currency else None,
        currency=currency,
        owner=text(told.get("account")),
        signed=True,
    )


def fetch(desk: Desk, ref: str, _reference: str, _payment: str = "") -> Found:
    link = _ask(desk, "GET", f"/bank/links/{quote(ref, safe='')}")
    currency = known_currency(link.get("currency"))
    try:
        paid_at = parse_rfc3339(text(link.get("paid_at"))) if link.get("paid_at") else None
    except BadTime:
        paid_at = None
    return Found(
        state=text(link.get("state")),
        reference=text(link.get("reference")),
        payment=text(link.get("payment")),
        amount=money(link.get("amount"), currency) if currency else None,
        currency=currency,
        refunded=(money(link.get("refunded"), currency) if currency else None) or Decimal(0),
        owner=text(link.get("account")),
        paid_at=paid_at,
    )


def refund(
    desk: Desk, payment: str, amount: Decimal, _currency: str, key: str, reason: str
) -> Returned:
    path = f"/bank/payments/{quote(payment, safe='')}/refunds"
    answer = _ask(desk, "POST", path, {"key": key, "amount": str(amount), "reason": reason})
    return Returned(text(answer.get("id")))


def _ask(desk: Desk, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    if not desk.base_url:
        raise Refused("There is no simulated network here.")
    headers = {
        "Authorization": f"Bearer {desk.key}",
        "X-Simulator-Secret": desk.operator_secret,
        "Content-Type": "application/json",
    }
    raw = json.dumps(body).encode() if body is not None else None
    reply = call(desk, method, path, headers, raw)
    answer = answer_of(reply)
    if not reply.ok:
        raise Refused(f"The simulated provider: {text(answer.get('error')) or reply.status}")
    return answer
