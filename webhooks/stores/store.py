"""Any other store: a plugin posts our own neutral JSON. docs/integrations/store.md describes it."""

from collections.abc import Mapping
from typing import Any

from core.signing import BadSecret, BadSignature, same, verify_webhook
from webhooks.stores.neutral import (
    CHECKOUT_EVENTS,
    ORDER_EVENTS,
    Facts,
    NotUnderstood,
    PhoneHint,
    Read,
    StoreEvent,
    hashed,
    hints,
    items,
    lower,
    part,
    person,
    read_object,
    words,
)


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Signed as our own events are, or with the secret as a bearer token."""
    given = lower(headers)
    if not secret:
        return False
    if "webhook-signature" in given:
        try:
            verify_webhook(secret, given, body)
        except (BadSignature, BadSecret):
            return False
        return True
    scheme, _, token = given.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and same(token.strip(), secret)


def facts(headers: Mapping[str, str]) -> Facts:
    return {"webhook_id": lower(headers).get("webhook-id", "")[:120]}


def dedupe_keys(known: Facts, body: bytes) -> tuple[str, ...]:
    try:
        event_id = words(read_object(body).get("id"), 200) or known["webhook_id"]
    except NotUnderstood:
        return (hashed(body),)
    return (f"id:{event_id}" if event_id else hashed(body),)


def parse(_known: Facts, body: bytes) -> Read:
    told = read_object(body)
    kind = words(told.get("event"))
    if kind in ORDER_EVENTS:
        return Read((_order(kind, told),))
    if kind in CHECKOUT_EVENTS:
        return Read((_checkout(kind, told),))
    known_ones = ", ".join((*ORDER_EVENTS, *CHECKOUT_EVENTS))
    raise NotUnderstood(f"“event” must be one of {known_ones}; it is “{kind}”.")


def _order(kind: str, told: dict[str, Any]) -> StoreEvent:
    order = told.get("order")
    order_id = words(part(order, "id")) or words(part(order, "number"))
    if not order_id:
        raise NotUnderstood("An order needs “order.id”.")
    tracking = told.get("tracking")
    parcel = words(part(tracking, "number"))
    cause = f"order:{order_id}"
    if kind == "order.fulfilled" and parcel:
        cause = f"fulfillment:{order_id}:{parcel}"
    data = _data(told)
    data["order"] = {
        "id": order_id,
        "number": words(part(order, "number")) or order_id,
        "total": words(part(order, "total")),
        "currency": words(part(order, "currency")),
        "url": words(part(order, "url"), 1000),
        "items": items(part(order, "items"), "name"),
        "paid": part(order, "paid") is True,
        "cancel_reason": words(part(order, "cancel_reason")) or words(told.get("reason")),
    }
    data["tracking"] = {
        "number": parcel,
        "url": words(part(tracking, "url"), 1000),
        "company": words(part(tracking, "company")),
    }
    checkout = words(part(order, "checkout_id"))
    links = (f"checkout:{checkout}",) if checkout else ()
    return StoreEvent(kind, f"order:{order_id}", cause, data, _phones(told), links)


def _checkout(kind: str, told: dict[str, Any]) -> StoreEvent:
    checkout = told.get("checkout")
    checkout_id = words(part(checkout, "id"))
    if not checkout_id:
        raise NotUnderstood("A checkout needs “checkout.id”.")
    data = _data(told)
    data["checkout"] = {
        "id": checkout_id,
        "url": words(part(checkout, "url"), 1000),
        "total": words(part(checkout, "total")),
        "currency": words(part(checkout, "currency")),
        "items": items(part(checkout, "items"), "name"),
    }
    name = f"checkout:{checkout_id}"
    over = part(checkout, "completed") is True
    return StoreEvent(kind, name, name, data, _phones(told), (name,), over)


def _data(told: dict[str, Any]) -> dict[str, Any]:
    customer = told.get("customer")
    places = (customer, told.get("shipping_address"), told.get("billing_address"))
    countries = [words(part(place, "country")) for place in places]
    return {
        "customer": person(*places),
        "marketing": part(customer, "accepts_marketing") is True,
        "country": next(filter(None, countries), ""),
    }


def _phones(told: dict[str, Any]) -> tuple[PhoneHint, ...]:
    customer = told.get("customer")
    shipping, billing = told.get("shipping_address"), told.get("billing_address")
    near = part(customer, "country") or part(shipping, "country") or part(billing, "country")
    return hints(
        ("customer", part(customer, "phone"), near),
        ("shipping", part(shipping, "phone"), part(shipping, "country") or near),
        ("billing", part(billing, "phone"), part(billing, "country") or near),
    )
