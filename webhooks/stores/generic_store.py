"""Any other store: a plugin posts Comanda's own JSON. docs/integrations/store.md describes it."""

from collections.abc import Mapping
from typing import Any

from core.adapters import SetupStep
from core.i18n.catalogs import N_
from core.security.signing import (
    BadSecret,
    BadSignature,
    constant_time_equal,
    new_webhook_secret,
    verify_webhook,
    webhook_signature,
)
from webhooks.inbound import reasons
from webhooks.stores.base import (
    CHECKOUT_EVENTS,
    ORDER_EVENTS,
    HeaderFacts,
    ParsedEvent,
    ParseResult,
    PhoneHint,
    Platform,
    UnreadableBody,
    body_hash,
    customer_fields,
    item_list,
    lowercase_headers,
    phone_hints,
    read_object,
    text_of,
    value_at,
)
from webhooks.stores.generic_store_samples import code_samples


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Signed like Comanda's own webhooks, or with the secret as a bearer token."""
    given = lowercase_headers(headers)
    if not secret:
        return False
    if "webhook-signature" in given:
        try:
            verify_webhook(secret, given, body)
        except (BadSignature, BadSecret):
            return False
        return True
    scheme, _, token = given.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and constant_time_equal(token.strip(), secret)


def facts(headers: Mapping[str, str]) -> HeaderFacts:
    return {"webhook_id": lowercase_headers(headers).get("webhook-id", "")[:120]}


def dedupe_keys(known: HeaderFacts, body: bytes) -> tuple[str, ...]:
    try:
        event_id = text_of(read_object(body).get("id"), 200) or known["webhook_id"]
    except UnreadableBody:
        return (body_hash(body),)
    return (f"id:{event_id}" if event_id else body_hash(body),)


def parse(_known: HeaderFacts, body: bytes) -> ParseResult:
    payload = read_object(body)
    kind = text_of(payload.get("event"))
    if kind in ORDER_EVENTS:
        return ParseResult((_order(kind, payload),))
    if kind in CHECKOUT_EVENTS:
        return ParseResult((_checkout(kind, payload),))
    known_ones = ", ".join((*ORDER_EVENTS, *CHECKOUT_EVENTS))
    raise UnreadableBody(reasons.with_values(reasons.UNKNOWN_EVENT, known=known_ones, event=kind))


def _order(kind: str, payload: dict[str, Any]) -> ParsedEvent:
    order = payload.get("order")
    order_id = text_of(value_at(order, "id")) or text_of(value_at(order, "number"))
    if not order_id:
        raise UnreadableBody(reasons.ORDER_WITHOUT_ID)
    tracking = payload.get("tracking")
    parcel = text_of(value_at(tracking, "number"))
    cause = f"order:{order_id}"
    if kind == "order.fulfilled" and parcel:
        cause = f"fulfillment:{order_id}:{parcel}"
    data = _data(payload)
    data["order"] = {
        "id": order_id,
        "number": text_of(value_at(order, "number")) or order_id,
        "total": text_of(value_at(order, "total")),
        "currency": text_of(value_at(order, "currency")),
        "url": text_of(value_at(order, "url"), 1000),
        "items": item_list(value_at(order, "items"), "name"),
        "paid": value_at(order, "paid") is True,
        "cancel_reason": text_of(value_at(order, "cancel_reason"))
        or text_of(payload.get("reason")),
    }
    data["tracking"] = {
        "number": parcel,
        "url": text_of(value_at(tracking, "url"), 1000),
        "company": text_of(value_at(tracking, "company")),
    }
    checkout = text_of(value_at(order, "checkout_id"))
    links = (f"checkout:{checkout}",) if checkout else ()
    return ParsedEvent(kind, f"order:{order_id}", cause, data, _phones(payload), links)


def _checkout(kind: str, payload: dict[str, Any]) -> ParsedEvent:
    checkout = payload.get("checkout")
    checkout_id = text_of(value_at(checkout, "id"))
    if not checkout_id:
        raise UnreadableBody(reasons.CHECKOUT_WITHOUT_ID)
    data = _data(payload)
    data["checkout"] = {
        "id": checkout_id,
        "url": text_of(value_at(checkout, "url"), 1000),
        "total": text_of(value_at(checkout, "total")),
        "currency": text_of(value_at(checkout, "currency")),
        "items": item_list(value_at(checkout, "items"), "name"),
    }
    name = f"checkout:{checkout_id}"
    over = value_at(checkout, "completed") is True
    return ParsedEvent(kind, name, name, data, _phones(payload), (name,), over)


def _data(payload: dict[str, Any]) -> dict[str, Any]:
    customer = payload.get("customer")
    places = (customer, payload.get("shipping_address"), payload.get("billing_address"))
    countries = [text_of(value_at(place, "country")) for place in places]
    return {
        "customer": customer_fields(*places),
        "marketing": value_at(customer, "accepts_marketing") is True,
        "country": next(filter(None, countries), ""),
        "contact_id": text_of(value_at(customer, "contact_id"), 40),
    }


def _phones(payload: dict[str, Any]) -> tuple[PhoneHint, ...]:
    customer = payload.get("customer")
    shipping, billing = payload.get("shipping_address"), payload.get("billing_address")
    near = (
        value_at(customer, "country")
        or value_at(shipping, "country")
        or value_at(billing, "country")
    )
    return phone_hints(
        ("customer", value_at(customer, "phone"), near),
        ("shipping", value_at(shipping, "phone"), value_at(shipping, "country") or near),
        ("billing", value_at(billing, "phone"), value_at(billing, "country") or near),
    )


def _secret_error(secret: str) -> str:
    try:
        webhook_signature(secret, "x", 0, b"")
    except BadSecret:
        return N_("The secret must start with whsec_ followed by base64.")
    return ""


GENERIC_STORE = Platform(
    title=N_("Other store"),
    hook_title=N_("Store"),
    summary=N_("Any other platform or plugin that can send a small JSON request."),
    icon="plug",
    setup_steps=(
        SetupStep(
            N_("Send JSON to this address"),
            N_("Use your plugin or your platform's webhooks:"),
            url_label=N_("URL"),
            secret_label=N_("Secret"),
        ),
        SetupStep(
            N_("Authenticate your requests"),
            N_(
                "Send the secret as a bearer token, or sign requests as described "
                "in Standard Webhooks."
            ),
            samples=code_samples,
        ),
        SetupStep(
            N_("Send every event"),
            N_("Use the same request with a different “event” value:"),
            codes=(
                *("order.created", "order.fulfilled", "order.cancelled"),
                *("checkout.created", "checkout.updated"),
            ),
        ),
    ),
    verify=verify,
    facts=facts,
    dedupe_keys=dedupe_keys,
    parse=parse,
    new_secret=new_webhook_secret,
    secret_error=_secret_error,
)
