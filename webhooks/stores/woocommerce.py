"""WooCommerce: orders as they are made and as their state changes."""

import re
from collections.abc import Mapping
from typing import Any

from core.signing import hmac_base64, same
from webhooks.stores.neutral import (
    Facts,
    NotUnderstood,
    Read,
    StoreEvent,
    hashed,
    hints,
    items,
    lower,
    part,
    parts,
    person,
    read_object,
    words,
)

TOPICS = ("order.created", "order.updated")
# The first request to a new webhook: unsigned, and not about an order.
PING = re.compile(rb"webhook_id=[0-9]{1,20}")
PAID = ("processing", "completed")
ENDED = ("cancelled", "refunded")
# Products, coupons, customers and refunds are signed with the same secret and lack some of these.
ORDER_FIELDS = frozenset({"status", "currency", "total", "billing", "line_items"})
OTHER_FIELDS = frozenset({"billing_period"})  # a subscription
NO_ORDER = ("checkout-draft", "auto-draft", "draft", "trash", "failed")


def is_ping(body: bytes) -> bool:
    return PING.fullmatch(body.strip()) is not None


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    given = lower(headers).get("x-wc-webhook-signature", "")
    return bool(secret) and same(given, hmac_base64(secret, body))


def facts(headers: Mapping[str, str]) -> Facts:
    given = lower(headers)
    return {
        "topic": given.get("x-wc-webhook-topic", "")[:80],
        "shop": given.get("x-wc-webhook-source", "")[:200],
    }


def dedupe_keys(known: Facts, body: bytes) -> tuple[str, ...]:
    """From the body alone: the delivery's id is a header, which the signature does not cover."""
    topic = known["topic"]
    try:
        told = read_object(body)
    except NotUnderstood:
        return (hashed(topic.encode(), body),)
    changed = words(told.get("date_modified_gmt"), 40)
    if not (words(told.get("id")) and changed):
        return (hashed(topic.encode(), body),)
    return (f"{topic}:{words(told['id'], 40)}:{changed}",)


def parse(known: Facts, body: bytes) -> Read:
    topic = known.get("topic", "")
    if topic not in TOPICS:
        return Read(nothing=f"Nothing is done for {topic or 'a post without a topic'}.")
    told = read_object(body)
    if why := _implausible(topic, told):
        return Read(nothing=why)
    status = words(told.get("status"))
    kind = _kind(topic, status)
    if not kind:
        return Read(nothing=f"Nothing is done for an order that is “{status}”.")
    order_id = words(told.get("id"))
    if not order_id:
        raise NotUnderstood("The body is not an order: it has no id.")
    name = f"order:{order_id}"
    return Read((StoreEvent(kind, name, name, _data(told, order_id, status), _phones(told)),))


def _implausible(topic: str, told: dict[str, Any]) -> str:
    """The topic is a header, which the signature does not cover: the body must agree with it."""
    if not told.keys() >= ORDER_FIELDS or told.keys() & OTHER_FIELDS:
        return f"The topic is {topic}, but the body is not an order."
    status = words(told.get("status"))
    if topic == "order.created" and status in ENDED:
        return f"The topic is order.created, but the order is {status}."
    return ""


def _kind(topic: str, status: str) -> str:
    if status in NO_ORDER:
        return ""
    if topic == "order.created":
        return "order.created"
    return {"cancelled": "order.cancelled", "completed": "order.fulfilled"}.get(
        status, "order.updated"
    )


def _data(told: dict[str, Any], order_id: str, status: str) -> dict[str, Any]:
    billing, shipping = told.get("billing"), told.get("shipping")
    return {
        "customer": person(billing, shipping),
        "order": {
            "id": order_id,
            "number": words(told.get("number")) or order_id,
            "total": words(told.get("total")),
            "currency": words(told.get("currency")),
            "url": words(told.get("payment_url"), 1000),
            "items": items(told.get("line_items"), "name"),
            "paid": status in PAID or bool(words(told.get("date_paid_gmt"))),
        },
        "tracking": _tracking(told),
        "country": words(part(shipping, "country")) or words(part(billing, "country")),
    }


def _phones(told: dict[str, Any]) -> Any:
    billing, shipping = told.get("billing"), told.get("shipping")
    return hints(
        ("billing", part(billing, "phone"), part(billing, "country")),
        ("shipping", part(shipping, "phone"), part(shipping, "country")),
    )


def _tracking(told: dict[str, Any]) -> dict[str, str]:
    """Where the tracking plugins that most shops use keep it: in the order's meta data."""
    found = {"number": "", "url": "", "company": ""}
    for one in parts(told.get("meta_data")):
        name, value = words(one.get("key")).lstrip("_"), one.get("value")
        if name == "wc_shipment_tracking_items":
            for parcel in parts(value):
                company = parcel.get("custom_tracking_provider") or parcel.get("tracking_provider")
                link = parcel.get("custom_tracking_link") or parcel.get("formatted_tracking_link")
                found = {
                    "number": words(parcel.get("tracking_number")),
                    "url": words(link, 1000) or words(parcel.get("tracking_link"), 1000),
                    "company": words(company),
                }
        elif name.endswith("tracking_number"):
            found["number"] = found["number"] or words(value)
        elif name.endswith(("tracking_url", "tracking_link")):
            found["url"] = found["url"] or words(value, 1000)
        elif name.endswith(("tracking_provider", "tracking_company")):
            found["company"] = found["company"] or words(value)
    return found
