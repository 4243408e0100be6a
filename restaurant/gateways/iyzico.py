"""iyzico Link. Its webhook comes late and may carry no signature: only a question is believed."""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

from core.ids import new_token
from core.money import quantize
from core.signing import hmac_hex, same
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
from restaurant.gateways.wire import (
    answer_of,
    call,
    header,
    known_currency,
    moment,
    money,
    part,
    signal_of,
    text,
)

once = False
asks_every = 60
SANDBOX = "sandbox-"
CURRENCIES = frozenset({"TRY", "USD", "EUR", "GBP", "NOK", "CHF"})
LINKS = "/v2/iyzilink/products"
# A link cannot be made without a picture: one white point.
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/58BAAMBAQAY3Y2wAAAAAElFTkSuQmCC"
)
SUCCESS = (1, "1", "SUCCESS")
KINDS = {"SUCCESS": "paid", "FAILURE": "failed"}


def check(desk: Desk) -> Checked:
    """The cheapest question that needs both keys."""
    _ask(desk, "POST", "/payment/bin/check", {"locale": "en", "binNumber": "589004"})
    live = not desk.key.startswith(SANDBOX)
    return Checked("", "iyzico" if live else "iyzico sandbox", live)


def create_link(desk: Desk, asking: Asking) -> Made:
    if asking.currency not in CURRENCIES:
        raise Refused(f"iyzico takes no payments in {asking.currency}.")
    answer = _ask(
        desk,
        "POST",
        LINKS,
        {
            "locale": "tr" if asking.language == "tr" else "en",
            "conversationId": asking.reference,
            "name": asking.description[:120],
            "description": asking.description[:400],
            "price": str(quantize(asking.amount, asking.currency)),
            "currencyCode": asking.currency,
            "encodedImageFile": PICTURE,
            "addressIgnorable": True,
            "installmentRequested": False,
            "stockEnabled": True,
            "stockCount": 1,
        },
    )
    made = part(answer, "data")
    url, ref = text(made.get("url"), 2000), text(made.get("token"))
    if not url or not ref:
        raise Unreachable("iyzico made a link without an address.")
    return Made(url, ref)


def close(desk: Desk, ref: str) -> None:
    try:
        _ask(desk, "PATCH", f"{LINKS}/{quote(ref, safe='')}/status/PASSIVE")
    except Refused:
        return  # gone already


def verify(desk: Desk, headers: Mapping[str, str], raw: bytes) -> Signal:
    """A wrong signature is a forgery; none at all is usual, and proves nothing."""
    signal = read(raw)
    given = header(headers, "X-IYZ-SIGNATURE-V3")
    if not given:
        return signal
    if not same(hmac_hex(desk.secret, _signed_text(desk, signal_of(raw)).encode()), given):
        raise Forged("its signature does not fit")
    return Signal(**{**signal.__dict__, "signed": True})


def read(raw: bytes) -> Signal:
    told = signal_of(raw)
    what, status = text(told.get("iyziEventType")), text(told.get("status"))
    if not what or not status:
        raise Unreadable("it is not a notification of iyzico")
    code = text(told.get("iyziReferenceCode"))
    return Signal(
        key=f"{code}:{status}" if code else sha256(raw).hexdigest(),
        kind=KINDS.get(status, "other"),
        event=f"{what} {status}",
        session=text(told.get("token")),
        payment=text(told.get("iyziPaymentId") or told.get("paymentId")),
        reference=text(told.get("paymentConversationId")),
    )


def fetch(desk: Desk, ref: str, reference: str, payment: str = "") -> Found:
    """The report of payments, by our own reference or by the payment a webhook named."""
    asked = {"paymentId": payment} if payment else {"paymentConversationId": reference}
    answer = _ask(desk, "GET", f"/v2/reporting/payment/details?{urlencode(asked)}", quiet=True)
    listed = answer.get("payments")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    good = [row for row in rows if row.get("paymentStatus") in SUCCESS]
    if not good:
        return Found("failed" if rows else "open", reference=reference)
    row = good[0]
    if row.get("fraudStatus") not in (1, "1", None):
        return Found("open", reference=reference)  # still being looked at, or refused
    currency = known_currency(row.get("currency"))
    paid = text(row.get("paymentConversationId"))
    created = row.get("createdDate")
    return Found(
        state="paid",
        reference=reference if ref and text(row.get("token")) == ref else paid,
        payment=text(row.get("paymentId")),
        amount=money(row.get("paidPrice"), currency),
        currency=currency,
        refunded=_returned(row, currency),
        paid_at=moment(created / 1000) if isinstance(created, int | float) else None,
    )


def refund(
    desk: Desk, payment: str, amount: Decimal, currency: str, key: str, _reason: str
) -> Returned:
    answer = _ask(
        desk,
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
    return Returned(text(answer.get("refundHostReference") or answer.get("paymentId")))


def authorization(desk: Desk, random_key: str, path: str, body: str) -> str:
    """IYZWSv2: a signature over the random key, the path without its query, and the body."""
    signed = hmac_hex(desk.secret, f"{random_key}{path.partition('?')[0]}{body}".encode())
    said = f"apiKey:{desk.key}&randomKey:{random_key}&signature:{signed}"
    return f"IYZWSv2 {base64.b64encode(said.encode()).decode()}"


def _signed_text(desk: Desk, told: dict[str, Any]) -> str:
    what, status = text(told.get("iyziEventType")), text(told.get("status"))
    reference = text(told.get("paymentConversationId"))
    if told.get("token"):
        middle = text(told.get("iyziPaymentId")) + text(told.get("token"))
    else:
        middle = text(told.get("paymentId"))
    return f"{desk.secret}{what}{middle}{reference}{status}"


def _returned(row: dict[str, Any], currency: str) -> Decimal:
    items = row.get("itemTransactions")
    back = [
        money(part(one).get("refundPrice"), currency)
        for item in (items if isinstance(items, list) else [])
        for one in (part(item).get("refunds") or [])
    ]
    return sum((amount for amount in back if amount), Decimal(0))


def _ask(
    desk: Desk, method: str, path: str, body: dict[str, Any] | None = None, *, quiet: bool = False
) -> dict[str, Any]:
    """`quiet`: an answer of "no such thing" is an answer."""
    said = json.dumps(body, ensure_ascii=False, separators=(",", ":")) if body is not None else ""
    random_key = new_token()
    headers = {
        "Authorization": authorization(desk, random_key, path, said),
        "x-iyzi-rnd": random_key,
        "Content-Type": "application/json",
        "Accept": "application/json",
    }
    reply = call(desk, method, path, headers, said.encode() if said else None)
    answer = answer_of(reply)
    if answer.get("status") == "success" and reply.ok:
        return answer
    if text(answer.get("errorCode")) in ("1000", "1001") or reply.status == 401:
        raise Refused("iyzico does not know these keys, or the secret key is wrong.")
    if quiet and reply.status in (200, 404):
        return {}
    raise Refused(f"iyzico: {text(answer.get('errorMessage'), 300) or reply.status}")
