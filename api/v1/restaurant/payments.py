"""Payment links, the payments of orders, and refunds."""

from decimal import Decimal
from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.key_mode import check_mode, test_filter
from api.paging import page
from api.v1 import v1
from api.v1.schemas.restaurant.orders import OrderPath
from api.v1.schemas.restaurant.payments import (
    LinkPage,
    LinkPath,
    LinkShape,
    LinksQuery,
    NewLink,
    NewRefund,
    PaymentList,
    PaymentPath,
    RefundShape,
    Renew,
)
from core.clock import rfc3339
from core.db import current_tenant_id, db, tenant_scope
from core.errors import Forbidden, invalid
from core.values.money import json_number
from restaurant.models import Order, PaymentLink, Refund
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.orders.hold_reasons import ORDER_REASONS
from restaurant.payments import link_queries, payment_events, payments, refunds
from restaurant.payments import links as payment_links
from restaurant.payments.link_queries import LinkFilters
from restaurant.payments.reasons import PAYMENT_REASONS
from restaurant.sites import sites

TAG = Tag(name="Payments")


@v1.get("/payment-links", tags=[TAG], summary="List payment links", responses={200: LinkPage})
@key_may("payments", test_keys=True)
def list_links(query: LinksQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        filters = LinkFilters(state=query.status, site_id=query.site_id, test=test_filter())
        rows = link_queries.listed(filters, query.after, query.limit + 1)
        return page(rows, query, lambda one: one.id, link_json)


@v1.post("/payment-links", tags=[TAG], summary="Create a payment link", responses={201: LinkShape})
@key_may("payments", test_keys=True)
@idempotent
def make_link(body: NewLink) -> JsonAnswer:
    """The URL is available a moment later: read the link again, or have it sent by chat."""
    return link_json(_make(body)), 201


@v1.get(
    "/payment-links/<link_id>", tags=[TAG], summary="Get a payment link", responses={200: LinkShape}
)
@key_may("payments", test_keys=True)
def read_link(path: LinkPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return link_json(check_mode(link_queries.get(path.link_id)))


@v1.post(
    "/payment-links/<link_id>/cancel",
    tags=[TAG],
    summary="Cancel a payment link",
    responses={200: LinkShape},
)
@key_may("payments", test_keys=True)
@idempotent
def cancel_link(path: LinkPath) -> JsonAnswer:
    return link_json(payment_links.cancel(check_mode(link_queries.get(path.link_id))))


@v1.post(
    "/payment-links/<link_id>/renew",
    tags=[TAG],
    summary="Replace a payment link",
    responses={200: LinkShape},
)
@key_may("payments", test_keys=True)
@idempotent
def renew_link(path: LinkPath, body: Renew) -> JsonAnswer:
    link = payment_links.renew(check_mode(link_queries.get(path.link_id)), minutes=body.minutes)
    return link_json(link)


@v1.get(
    "/orders/<order_id>/payments",
    tags=[TAG],
    summary="List the payments of an order",
    responses={200: PaymentList},
)
@key_may("payments", test_keys=True)
def order_payments(path: OrderPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        order_payments = payments.of_order(check_mode(order_queries.get(path.order_id)).id)
        back = refunds.of_payments([one.id for one in order_payments])
        data = [_payment_json(one, back[one.id]) for one in order_payments]
    return {"data": data, "next": None}


@v1.post(
    "/payments/<payment_id>/refunds",
    tags=[TAG],
    summary="Refund a payment",
    responses={201: RefundShape},
)
@key_may("payments", test_keys=True)
@idempotent
def make_refund(path: PaymentPath, body: NewRefund) -> JsonAnswer:
    """Refunds all of it or a part. The provider is called at once; `status` is the result."""
    amount = None if body.amount is None else _plain(body.amount)
    made = refunds.request_refund(check_mode(payments.get(path.payment_id)), amount, body.reason)
    return _refund_json(made), 201


def link_json(link: PaymentLink) -> dict[str, Any]:
    order = db.session.get(Order, (current_tenant_id(), link.order_id)) if link.order_id else None
    return {
        "id": link.id,
        "reference": link.reference,
        "status": link.state,
        "url": link.url,
        "amount": json_number(link.amount),
        "currency": link.currency,
        "description": link.description,
        "site_id": link.site_id,
        "order_id": order.number if order else "",
        "expires_at": rfc3339(link.expires_at),
        "paid_at": rfc3339(link.paid_at) if link.paid_at else None,
        "error": PAYMENT_REASONS.english(link.error),
        "created_at": rfc3339(link.made_at),
        "test": link.test,
    }


def _make(body: NewLink) -> PaymentLink:
    test = g.caller.test
    if body.order_id:
        order = check_mode(order_queries.get(body.order_id))
        if order.state != "awaiting_payment":
            raise invalid("order_id", "not_waiting", "This order does not wait for a payment.")
        known = link_queries.of_order(order.id)
        made = known or payment_links.create_for_order(
            sites.of_order(order), order, minutes=body.minutes
        )
        if made is None:
            raise invalid("order_id", "no_provider", "No payment provider is set up for it.")
        return made
    if body.cart_code and test:  # carts are created by guests on the menu: all of them are live
        raise Forbidden("live_key_required", "Use a live key to request the payment of a cart.")
    if body.cart_code:
        cart = carts.get_by_code(body.cart_code.upper().replace("-", "").lstrip("#"))
        if cart is None:
            raise invalid("cart_code", "unknown_code", "There is no cart with this code.")
        return payment_links.create_for_cart(sites.get(cart.site_id), cart, source="api")
    if not body.site_id or body.amount is None:
        raise invalid("site_id", "what_for", "Say the order, the cart, or the site and the amount.")
    return payment_links.create_standalone(
        sites.get(body.site_id),
        _plain(body.amount),
        body.description,
        source="api",
        phone=body.phone,
        name=body.name,
        minutes=body.minutes,
        notify=body.send,
        test=test,
    )


def _plain(amount: float) -> str:
    """Return a JSON number as it was written, without an exponent."""
    return format(Decimal(repr(amount)), "f")


def _payment_json(payment: Any, back: list[Refund]) -> dict[str, Any]:
    return {**payment_events.event_body(payment), "refunds": [_refund_json(one) for one in back]}


def _refund_json(refund: Refund) -> dict[str, Any]:
    return {
        "id": refund.id,
        "amount": json_number(refund.amount),
        "reason": ORDER_REASONS.english(refund.reason),
        "status": refund.state,
        "error": PAYMENT_REASONS.english(refund.error),
        "by": refund.by,
        "created_at": rfc3339(refund.at),
    }
