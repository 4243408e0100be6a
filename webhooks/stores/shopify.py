"""Shopify: orders, fulfillments and checkouts."""

from collections.abc import Mapping
from typing import Any

from core.signing import hmac_base64, same
from webhooks.stores.neutral import (
    Facts,
    NotUnderstood,
    Read,
    StoreEvent,
    hints,
    items,
    lower,
    part,
    parts,
    person,
    read_object,
    signed,
    words,
)

TOPICS = ("orders/create", "orders/cancelled", "fulfillments/create", "checkouts/create")
KINDS = {
    "orders/create": "order.created",
    "orders/updated": "order.updated",
    "orders/paid": "order.updated",
    "orders/cancelled": "order.cancelled",
    "orders/fulfilled": "order.fulfilled",
    "fulfillments/create": "order.fulfilled",
    "fulfillments/update": "order.fulfilled",
    "checkouts/create": "checkout.created",
    "checkouts/update": "checkout.updated",
}


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    given = lower(headers).get("x-shopify-hmac-sha256", "")
    return bool(secret) and same(given, hmac_base64(secret, body))


def facts(headers: Mapping[str, str]) -> Facts:
    given = lower(headers)
    return {
        "topic": given.get("x-shopify-topic", "")[:80],
        "shop": given.get("x-shopify-shop-domain", "")[:200],
        "webhook_id": given.get("x-shopify-webhook-id", "")[:120],
    }


def dedupe_keys(known: Facts, body: bytes) -> tuple[str, ...]:
    """The id is a header, which the signature does not cover: the body is known without it too."""
    seen = signed(known["topic"], body)
    return (known["webhook_id"], seen) if known["webhook_id"] else (seen,)


def parse(known: Facts, body: bytes) -> Read:
    topic = known.get("topic", "")
    kind = KINDS.get(topic)
    if kind is None:
        return Read(nothing=f"Nothing is done for {topic or 'a post without a topic'}.")
    told = read_object(body)
    if why := _implausible(topic, told):
        return Read(nothing=why)
    if topic.startswith("fulfillments/"):
        return Read((_fulfillment(told),))
    if kind.startswith("checkout."):
        return Read((_checkout(kind, told),))
    return Read((_order(kind, told),))


def _implausible(topic: str, told: dict[str, Any]) -> str:
    """The topic is a header, which the signature does not cover: the body must agree with it."""
    order = "order_number" in told or "financial_status" in told
    kinds = {
        "orders": order or not ({"order_id", "abandoned_checkout_url"} & told.keys()),
        "fulfillments": "order_id" in told and not order,
        "checkouts": "order_id" not in told and not order,
    }
    if not kinds[topic.partition("/")[0]]:
        return f"The topic is {topic}, but the body is not of that kind."
    if topic == "orders/cancelled" and "cancelled_at" in told and not told["cancelled_at"]:
        return "The topic is orders/cancelled, but the order is not cancelled."
    return ""


def _order(kind: str, told: dict[str, Any]) -> StoreEvent:
    order_id = _id(told, "an order")
    shipments = list(parts(told.get("fulfillments")))
    cause = f"order:{order_id}"
    data = _data(told)
    data["order"] = {
        "id": order_id,
        "number": words(told.get("name")) or words(told.get("order_number")) or order_id,
        "total": words(told.get("total_price")),
        "currency": words(told.get("currency")),
        "url": words(told.get("order_status_url")),
        "items": items(told.get("line_items"), "title"),
        "paid": words(told.get("financial_status")) in ("paid", "authorized", "partially_paid"),
        "cancel_reason": words(told.get("cancel_reason")),
    }
    if kind == "order.fulfilled" and shipments:
        data["tracking"] = _tracking(shipments[-1])
        if words(shipments[-1].get("id")):
            cause = f"fulfillment:{words(shipments[-1]['id'])}"
    return StoreEvent(kind, f"order:{order_id}", cause, data, _phones(told), _links(told))


def _fulfillment(told: dict[str, Any]) -> StoreEvent:
    order_id = words(told.get("order_id"))
    if not order_id:
        raise NotUnderstood("The body is not a fulfillment: it has no order_id.")
    to = told.get("destination")
    data: dict[str, Any] = {
        "customer": person(to, {"email": told.get("email")}),
        "order": {
            "id": order_id,
            # "#1001.1" is the first parcel of the order #1001.
            "number": words(told.get("name")).partition(".")[0],
            "items": items(told.get("line_items"), "title"),
        },
        "tracking": _tracking(told),
    }
    phones = hints(("shipping", part(to, "phone"), part(to, "country_code")))
    cause = f"fulfillment:{words(told.get('id')) or order_id}"
    return StoreEvent("order.fulfilled", f"order:{order_id}", cause, data, phones)


def _checkout(kind: str, told: dict[str, Any]) -> StoreEvent:
    token = words(told.get("token")) or _id(told, "a checkout")
    data = _data(told)
    data["checkout"] = {
        "id": token,
        "url": words(told.get("abandoned_checkout_url"), 1000),
        "total": words(told.get("total_price")),
        "currency": words(told.get("presentment_currency")) or words(told.get("currency")),
        "items": items(told.get("line_items"), "title"),
    }
    links = [f"checkout:{token}"]
    links += [f"checkout:{words(told['id'])}"] if words(told.get("id")) else []
    links += [f"cart:{words(told['cart_token'])}"] if words(told.get("cart_token")) else []
    over = bool(words(told.get("completed_at")))
    name = f"checkout:{token}"
    return StoreEvent(kind, name, name, data, _phones(told), tuple(links), over)


def _data(told: dict[str, Any]) -> dict[str, Any]:
    shipping, billing = told.get("shipping_address"), told.get("billing_address")
    address = {"email": told.get("email")}
    customer = person(told.get("customer"), shipping, billing, address)
    return {
        "customer": customer,
        "marketing": told.get("buyer_accepts_marketing") is True
        or told.get("buyer_accepts_sms_marketing") is True,
        "country": words(part(shipping, "country_code")) or words(part(billing, "country_code")),
    }


def _phones(told: dict[str, Any]) -> Any:
    customer = told.get("customer")
    shipping, billing = told.get("shipping_address"), told.get("billing_address")
    home = part(customer, "default_address")
    near = part(shipping, "country_code") or part(billing, "country_code")
    return hints(
        ("order", told.get("phone"), near),
        ("customer", part(customer, "phone"), near or part(home, "country_code")),
        ("shipping", part(shipping, "phone"), part(shipping, "country_code")),
        ("billing", part(billing, "phone"), part(billing, "country_code")),
        ("home", part(home, "phone"), part(home, "country_code")),
    )


def _tracking(told: dict[str, Any]) -> dict[str, str]:
    numbers, urls = told.get("tracking_numbers"), told.get("tracking_urls")
    first_number = numbers[0] if isinstance(numbers, list) and numbers else None
    first_url = urls[0] if isinstance(urls, list) and urls else None
    return {
        "number": words(told.get("tracking_number")) or words(first_number),
        "url": words(told.get("tracking_url"), 1000) or words(first_url, 1000),
        "company": words(told.get("tracking_company")),
    }


def _links(told: dict[str, Any]) -> tuple[str, ...]:
    found = [
        *(f"checkout:{words(told.get(name))}" for name in ("checkout_token", "checkout_id")),
        f"cart:{words(told.get('cart_token'))}",
    ]
    return tuple(link for link in found if not link.endswith(":"))


def _id(told: dict[str, Any], what: str) -> str:
    found = words(told.get("id"))
    if not found:
        raise NotUnderstood(f"The body is not {what}: it has no id.")
    return found
