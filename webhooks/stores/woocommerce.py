"""WooCommerce: new orders and changes of their state."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from core.adapters import SetupStep
from core.i18n.catalogs import N_
from core.ids import new_token
from webhooks.inbound import reasons
from webhooks.stores.base import (
    HeaderFacts,
    OrderRequest,
    ParsedEvent,
    ParseResult,
    Platform,
    StoreAccess,
    UnreadableBody,
    body_hash,
    customer_fields,
    has_base64_signature,
    ignored_topic,
    item_list,
    lowercase_headers,
    objects_in,
    phone_hints,
    read_object,
    text_of,
    value_at,
)

TOPICS = ("order.created", "order.updated")
# The first request to a new webhook: unsigned, and not about an order.
PING = re.compile(rb"webhook_id=[0-9]{1,20}")
PAID = ("processing", "completed")
ENDED = ("cancelled", "refunded")
# Products, coupons, customers and refunds are signed with the same secret and lack some of these.
ORDER_FIELDS = frozenset({"status", "currency", "total", "billing", "line_items"})
OTHER_FIELDS = frozenset({"billing_period"})  # a subscription
NOT_AN_ORDER = ("checkout-draft", "auto-draft", "draft", "trash", "failed")


def is_ping(body: bytes) -> bool:
    return PING.fullmatch(body.strip()) is not None


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    return has_base64_signature(secret, headers, "x-wc-webhook-signature", body)


def facts(headers: Mapping[str, str]) -> HeaderFacts:
    given = lowercase_headers(headers)
    return {
        "topic": given.get("x-wc-webhook-topic", "")[:80],
        "shop": given.get("x-wc-webhook-source", "")[:200],
    }


def dedupe_keys(known: HeaderFacts, body: bytes) -> tuple[str, ...]:
    """From the body alone: the delivery's id is in a header, which the signature does not cover."""
    topic = known["topic"]
    try:
        payload = read_object(body)
    except UnreadableBody:
        return (body_hash(topic.encode(), body),)
    changed = text_of(payload.get("date_modified_gmt"), 40)
    if not (text_of(payload.get("id")) and changed):
        return (body_hash(topic.encode(), body),)
    return (f"{topic}:{text_of(payload['id'], 40)}:{changed}",)


def parse(known: HeaderFacts, body: bytes) -> ParseResult:
    topic = known.get("topic", "")
    if topic not in TOPICS:
        return ParseResult(nothing=ignored_topic(topic))
    payload = read_object(body)
    if why := _implausible(topic, payload):
        return ParseResult(nothing=why)
    status = text_of(payload.get("status"))
    kind = _kind(topic, status)
    if not kind:
        return ParseResult(nothing=reasons.with_values(reasons.STATUS_IGNORED, status=status))
    order_id = text_of(payload.get("id"))
    if not order_id:
        raise UnreadableBody(reasons.NOT_AN_ORDER)
    name = f"order:{order_id}"
    return ParseResult(
        (ParsedEvent(kind, name, name, _data(payload, order_id, status), _phones(payload)),)
    )


def _implausible(topic: str, payload: dict[str, Any]) -> str:
    """The topic is in a header, which the signature does not cover: the body must match it. Returns
    why it does not, or an empty text.
    """
    if not payload.keys() >= ORDER_FIELDS or payload.keys() & OTHER_FIELDS:
        return reasons.with_values(reasons.TOPIC_NOT_ORDER, topic=topic)
    status = text_of(payload.get("status"))
    if topic == "order.created" and status in ENDED:
        return reasons.with_values(reasons.TOPIC_NOT_STATUS, status=status)
    return ""


def _kind(topic: str, status: str) -> str:
    if status in NOT_AN_ORDER:
        return ""
    if topic == "order.created":
        return "order.created"
    return {"cancelled": "order.cancelled", "completed": "order.fulfilled"}.get(
        status, "order.updated"
    )


def _data(payload: dict[str, Any], order_id: str, status: str) -> dict[str, Any]:
    billing, shipping = payload.get("billing"), payload.get("shipping")
    return {
        "customer": customer_fields(billing, shipping),
        "order": {
            "id": order_id,
            "number": text_of(payload.get("number")) or order_id,
            "total": text_of(payload.get("total")),
            "currency": text_of(payload.get("currency")),
            "url": text_of(payload.get("payment_url"), 1000),
            "items": item_list(payload.get("line_items"), "name"),
            "paid": status in PAID or bool(text_of(payload.get("date_paid_gmt"))),
        },
        "tracking": _tracking(payload),
        "country": text_of(value_at(shipping, "country")) or text_of(value_at(billing, "country")),
    }


def _phones(payload: dict[str, Any]) -> Any:
    billing, shipping = payload.get("billing"), payload.get("shipping")
    return phone_hints(
        ("billing", value_at(billing, "phone"), value_at(billing, "country")),
        ("shipping", value_at(shipping, "phone"), value_at(shipping, "country")),
    )


def _tracking(payload: dict[str, Any]) -> dict[str, str]:
    """From the order's meta data, where the common tracking plugins store it."""
    found = {"number": "", "url": "", "company": ""}
    for one in objects_in(payload.get("meta_data")):
        name, value = text_of(one.get("key")).lstrip("_"), one.get("value")
        if name == "wc_shipment_tracking_items":
            for parcel in objects_in(value):
                company = parcel.get("custom_tracking_provider") or parcel.get("tracking_provider")
                link = parcel.get("custom_tracking_link") or parcel.get("formatted_tracking_link")
                found = {
                    "number": text_of(parcel.get("tracking_number")),
                    "url": text_of(link, 1000) or text_of(parcel.get("tracking_link"), 1000),
                    "company": text_of(company),
                }
        elif name.endswith("tracking_number"):
            found["number"] = found["number"] or text_of(value)
        elif name.endswith(("tracking_url", "tracking_link")):
            found["url"] = found["url"] or text_of(value, 1000)
        elif name.endswith(("tracking_provider", "tracking_company")):
            found["company"] = found["company"] or text_of(value)
    return found


ORDER_STATUS = {"confirm": "processing", "cancel": "cancelled"}


def update_order(access: StoreAccess, order_id: str, action: str, _tag: str) -> list[OrderRequest]:
    token = b64encode(f"{access.key}:{access.secret}".encode()).decode()
    return [
        OrderRequest(
            "PUT",
            f"{access.url}/wp-json/wc/v3/orders/{quote(order_id, safe='')}",
            {"Content-Type": "application/json", "Authorization": f"Basic {token}"},
            json.dumps({"status": ORDER_STATUS[action]}).encode(),
        )
    ]


WOOCOMMERCE = Platform(
    title="WooCommerce",
    summary=N_("Orders and shipments from a WordPress store."),
    update_order=update_order,
    setup_steps=(
        SetupStep(
            N_("Open your store's webhook settings"),
            N_("In WordPress, go to WooCommerce > Settings > Advanced > Webhooks > Add webhook."),
        ),
        SetupStep(
            N_("Create two webhooks"),
            N_(
                "Set the status to Active. Choose the topic “Order created” for "
                "the first and “Order updated” for the second. Use this address "
                "and this secret for both:"
            ),
            url_label=N_("Delivery URL"),
            secret_label=N_("Secret"),
        ),
        SetupStep(
            N_("Place a test order"),
            N_(
                "WooCommerce sends an empty ping when you save the webhook. It "
                "does not count as an event. The connection shows as working after "
                "the first real order."
            ),
        ),
    ),
    verify=verify,
    facts=facts,
    dedupe_keys=dedupe_keys,
    parse=parse,
    is_ping=is_ping,
    new_secret=lambda: new_token(192),
)
