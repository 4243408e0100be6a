"""Shopify: orders, fulfillments and checkouts."""

import json
from collections.abc import Mapping
from typing import Any

from core.adapters import SetupStep
from core.i18n.catalogs import N_
from webhooks.inbound import reasons
from webhooks.stores.base import (
    HeaderFacts,
    OrderRequest,
    ParsedEvent,
    ParseResult,
    Platform,
    StoreAccess,
    UnreadableBody,
    customer_fields,
    has_base64_signature,
    ignored_topic,
    item_list,
    lowercase_headers,
    objects_in,
    phone_hints,
    read_object,
    signed,
    text_of,
    value_at,
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
    return has_base64_signature(secret, headers, "x-shopify-hmac-sha256", body)


def facts(headers: Mapping[str, str]) -> HeaderFacts:
    given = lowercase_headers(headers)
    return {
        "topic": given.get("x-shopify-topic", "")[:80],
        "shop": given.get("x-shopify-shop-domain", "")[:200],
        "webhook_id": given.get("x-shopify-webhook-id", "")[:120],
    }


def dedupe_keys(known: HeaderFacts, body: bytes) -> tuple[str, ...]:
    """The id is in a header, which the signature does not cover, so the body is a key as well."""
    body_key = signed(known["topic"], body)
    return (known["webhook_id"], body_key) if known["webhook_id"] else (body_key,)


def parse(known: HeaderFacts, body: bytes) -> ParseResult:
    topic = known.get("topic", "")
    kind = KINDS.get(topic)
    if kind is None:
        return ParseResult(nothing=ignored_topic(topic))
    payload = read_object(body)
    if why := _topic_mismatch(topic, payload):
        return ParseResult(nothing=why)
    if topic.startswith("fulfillments/"):
        return ParseResult((_fulfillment(payload),))
    if kind.startswith("checkout."):
        return ParseResult((_checkout(kind, payload),))
    return ParseResult((_order(kind, payload),))


def _topic_mismatch(topic: str, payload: dict[str, Any]) -> str:
    """The topic is in a header, which the signature does not cover: the body must match it. Returns
    why it does not, or an empty text.
    """
    order = "order_number" in payload or "financial_status" in payload
    kinds = {
        "orders": order or not ({"order_id", "abandoned_checkout_url"} & payload.keys()),
        "fulfillments": "order_id" in payload and not order,
        "checkouts": "order_id" not in payload and not order,
    }
    if not kinds[topic.partition("/")[0]]:
        return reasons.with_values(reasons.TOPIC_NOT_KIND, topic=topic)
    if topic == "orders/cancelled" and "cancelled_at" in payload and not payload["cancelled_at"]:
        return reasons.NOT_CANCELLED
    return ""


def _order(kind: str, payload: dict[str, Any]) -> ParsedEvent:
    order_id = _id(payload, reasons.NOT_AN_ORDER)
    shipments = list(objects_in(payload.get("fulfillments")))
    cause = f"order:{order_id}"
    data = _data(payload)
    data["order"] = {
        "id": order_id,
        "number": text_of(payload.get("name")) or text_of(payload.get("order_number")) or order_id,
        "total": text_of(payload.get("total_price")),
        "currency": text_of(payload.get("currency")),
        "url": text_of(payload.get("order_status_url")),
        "items": item_list(payload.get("line_items"), "title"),
        "paid": text_of(payload.get("financial_status"))
        in ("paid", "authorized", "partially_paid"),
        "cancel_reason": text_of(payload.get("cancel_reason")),
    }
    if kind == "order.fulfilled" and shipments:
        data["tracking"] = _tracking(shipments[-1])
        if text_of(shipments[-1].get("id")):
            cause = f"fulfillment:{text_of(shipments[-1]['id'])}"
    return ParsedEvent(kind, f"order:{order_id}", cause, data, _phones(payload), _links(payload))


def _fulfillment(payload: dict[str, Any]) -> ParsedEvent:
    order_id = text_of(payload.get("order_id"))
    if not order_id:
        raise UnreadableBody(reasons.NOT_A_FULFILLMENT)
    to = payload.get("destination")
    data: dict[str, Any] = {
        "customer": customer_fields(to, {"email": payload.get("email")}),
        "order": {
            "id": order_id,
            # "#1001.1" is the first parcel of the order #1001.
            "number": text_of(payload.get("name")).partition(".")[0],
            "items": item_list(payload.get("line_items"), "title"),
        },
        "tracking": _tracking(payload),
    }
    phones = phone_hints(("shipping", value_at(to, "phone"), value_at(to, "country_code")))
    cause = f"fulfillment:{text_of(payload.get('id')) or order_id}"
    return ParsedEvent("order.fulfilled", f"order:{order_id}", cause, data, phones)


def _checkout(kind: str, payload: dict[str, Any]) -> ParsedEvent:
    token = text_of(payload.get("token")) or _id(payload, reasons.NOT_A_CHECKOUT)
    data = _data(payload)
    data["checkout"] = {
        "id": token,
        "url": text_of(payload.get("abandoned_checkout_url"), 1000),
        "total": text_of(payload.get("total_price")),
        "currency": text_of(payload.get("presentment_currency"))
        or text_of(payload.get("currency")),
        "items": item_list(payload.get("line_items"), "title"),
    }
    links = [f"checkout:{token}"]
    links += [f"checkout:{text_of(payload['id'])}"] if text_of(payload.get("id")) else []
    links += (
        [f"cart:{text_of(payload['cart_token'])}"] if text_of(payload.get("cart_token")) else []
    )
    over = bool(text_of(payload.get("completed_at")))
    name = f"checkout:{token}"
    return ParsedEvent(kind, name, name, data, _phones(payload), tuple(links), over)


def _data(payload: dict[str, Any]) -> dict[str, Any]:
    shipping, billing = payload.get("shipping_address"), payload.get("billing_address")
    address = {"email": payload.get("email")}
    customer = customer_fields(payload.get("customer"), shipping, billing, address)
    return {
        "customer": customer,
        "marketing": payload.get("buyer_accepts_marketing") is True
        or payload.get("buyer_accepts_sms_marketing") is True,
        "country": text_of(value_at(shipping, "country_code"))
        or text_of(value_at(billing, "country_code")),
    }


def _phones(payload: dict[str, Any]) -> Any:
    customer = payload.get("customer")
    shipping, billing = payload.get("shipping_address"), payload.get("billing_address")
    home = value_at(customer, "default_address")
    near = value_at(shipping, "country_code") or value_at(billing, "country_code")
    return phone_hints(
        ("order", payload.get("phone"), near),
        ("customer", value_at(customer, "phone"), near or value_at(home, "country_code")),
        ("shipping", value_at(shipping, "phone"), value_at(shipping, "country_code")),
        ("billing", value_at(billing, "phone"), value_at(billing, "country_code")),
        ("home", value_at(home, "phone"), value_at(home, "country_code")),
    )


def _tracking(payload: dict[str, Any]) -> dict[str, str]:
    numbers, urls = payload.get("tracking_numbers"), payload.get("tracking_urls")
    first_number = numbers[0] if isinstance(numbers, list) and numbers else None
    first_url = urls[0] if isinstance(urls, list) and urls else None
    return {
        "number": text_of(payload.get("tracking_number")) or text_of(first_number),
        "url": text_of(payload.get("tracking_url"), 1000) or text_of(first_url, 1000),
        "company": text_of(payload.get("tracking_company")),
    }


def _links(payload: dict[str, Any]) -> tuple[str, ...]:
    found = [
        *(f"checkout:{text_of(payload.get(name))}" for name in ("checkout_token", "checkout_id")),
        f"cart:{text_of(payload.get('cart_token'))}",
    ]
    return tuple(link for link in found if not link.endswith(":"))


def _id(payload: dict[str, Any], missing: str) -> str:
    found = text_of(payload.get("id"))
    if not found:
        raise UnreadableBody(missing)
    return found


API_PATH = "/admin/api/2026-07/graphql.json"
CONFIRMED_TAG = "confirmed"
ADD_TAGS = """
mutation($id: ID!, $tags: [String!]!) {
  tagsAdd(id: $id, tags: $tags) { userErrors { message } }
}
"""
CANCEL_ORDER = """
mutation($id: ID!) {
  orderCancel(orderId: $id, reason: CUSTOMER, restock: true, notifyCustomer: false,
              refundMethod: {originalPaymentMethodsRefund: false}) {
    orderCancelUserErrors { message }
  }
}
"""


def update_order(access: StoreAccess, order_id: str, action: str, tag: str) -> list[OrderRequest]:
    """Confirm an order with a tag, or cancel it without a refund: it is paid on delivery."""
    target = f"gid://shopify/Order/{order_id}"
    if action == "cancel":
        return [_mutation(access, CANCEL_ORDER, {"id": target})]
    return [_mutation(access, ADD_TAGS, {"id": target, "tags": [tag or CONFIRMED_TAG]})]


def _mutation(access: StoreAccess, query: str, variables: dict[str, Any]) -> OrderRequest:
    return OrderRequest(
        "POST",
        access.url + API_PATH,
        {"Content-Type": "application/json", "X-Shopify-Access-Token": access.key},
        json.dumps({"query": query, "variables": variables}).encode(),
        _error_in,
    )


def _error_in(answer: dict[str, Any]) -> str:
    """Shopify answers with status 200 also if it did nothing."""
    found = list(objects_in(answer.get("errors")))
    data = answer.get("data")
    for part in data.values() if isinstance(data, dict) else ():
        for name in ("userErrors", "orderCancelUserErrors"):
            found += objects_in(part.get(name)) if isinstance(part, dict) else ()
    return text_of(found[0].get("message")) if found else ""


SHOPIFY = Platform(
    title="Shopify",
    summary=N_("Orders, shipments and carts from Shopify webhooks."),
    update_order=update_order,
    setup_steps=(
        SetupStep(
            N_("Open your store's webhook settings"),
            N_("In the Shopify admin, go to Settings > Notifications > Webhooks."),
        ),
        SetupStep(
            N_("Create a webhook for each event"),
            N_("Choose the JSON format and use this address for all of them:"),
            url_label=N_("URL"),
            names=(
                *("Order creation", "Order cancellation", "Fulfillment creation"),
                *("Checkout creation", "Checkout update"),
            ),
        ),
        SetupStep(
            N_("Paste the secret"),
            N_(
                "Shopify shows the signing key below the list of webhooks. Paste "
                "it under “Secret” on this page."
            ),
        ),
        SetupStep(
            N_("Send a test notification"),
            N_(
                "Choose “Send test notification” next to each webhook. The test "
                "order has no valid phone number, so no message is sent, but this "
                "page shows the connection as working."
            ),
        ),
    ),
    verify=verify,
    facts=facts,
    dedupe_keys=dedupe_keys,
    parse=parse,
    secret_hint=N_("The key Shopify uses to sign its webhooks."),
)
